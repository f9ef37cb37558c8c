import { Cause, Effect, Layer } from "effect"
import { RETENTION_BATCH_ROWS, RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { ImageBytes } from "./ImageBytes.ts"
import type { ImageKey } from "./image-byte-storage.ts"
import { ImageStore } from "./store.ts"

type ByteStorage = ImageBytes["Service"]

/** A failure must not prevent the removal of other images. */
const removeBytes = (storage: ByteStorage, image: ImageKey): Effect.Effect<boolean> =>
  Effect.as(storage.remove(image), true).pipe(
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
 * Removes the bytes before the row, because after a crash only the row can be found again. Several processes may run
 * this at once.
 */
export const makeRemoveExpiredImages = Effect.gen(function* () {
  const store = yield* ImageStore
  const storage = yield* ImageBytes
  return Effect.fnUntraced(function* (now: Date) {
    let [afterId, batchSize] = [0, RETENTION_BATCH_ROWS]
    while (batchSize === RETENTION_BATCH_ROWS) {
      const expiredImages = yield* store.claimExpired(now, afterId)
      for (const { operator_id: operatorId, id, token } of expiredImages) {
        const image = { operatorId, id, token }
        if (yield* removeBytes(storage, image)) yield* store.removeClaimed(image)
        afterId = id
      }
      batchSize = expiredImages.length
    }
  })
}).pipe(Effect.provide(ImageStore.layer))

export const layerImageRetention = Layer.effectDiscard(
  Effect.flatMap(makeRemoveExpiredImages, (removeExpiredImages) =>
    repeatPeriodically("retention of images", RETENTION_INTERVAL_MS, removeExpiredImages)
  )
)
