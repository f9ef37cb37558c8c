import { Cause, Effect, Layer } from "effect"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS, RETENTION_ROWS } from "../../../jobs/retention.ts"
import { ImageBytes } from "./ImageBytes.ts"
import type { ImageKey } from "./kept-bytes.ts"
import { ImageStore } from "./store.ts"

type Kept = ImageBytes["Service"]

/** Whether nothing is left of an image's bytes. One that cannot be removed must not keep the others from it. */
const removed = (kept: Kept, image: ImageKey): Effect.Effect<boolean> =>
  Effect.as(kept.remove(image), true).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.logWarning("removing the bytes of an image failed and will be retried", cause).pipe(
          Effect.annotateLogs({ operator_id: image.operatorId, image_id: image.id }),
          Effect.as(false)
        )
    )
  )

/**
 * Removes images whose time has come, as of now: the bytes of each before its row, as a row that is left is found again and
 * bytes would not be. Several processes may do so at once.
 */
export const makeRetain = Effect.gen(function* () {
  const store = yield* ImageStore.make
  const kept = yield* ImageBytes
  return Effect.fnUntraced(function* (now: Date) {
    let [after, found] = [0, RETENTION_ROWS]
    while (found === RETENTION_ROWS) {
      const going = yield* store.takeGoing(now, after)
      for (const { operator_id: operatorId, id, token } of going) {
        const image = { operatorId, id, token }
        if (yield* removed(kept, image)) yield* store.forget(image)
        after = id
      }
      found = going.length
    }
  })
})

/** Removes images that nothing refers to any more for as long as the process runs. */
export const layerImageRetention = Layer.effectDiscard(
  Effect.flatMap(makeRetain, (retain) => periodically("retention of images", RETENTION_MS, retain))
)
