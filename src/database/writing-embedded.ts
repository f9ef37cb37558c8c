import { Effect, Latch, Layer } from "effect"
import { EmbeddedDatabase } from "./embedded.ts"
import type { DataFolderUnusable } from "./folder-lock.ts"
import { goingOn, type Move, standingMove, whereTo } from "./moving.ts"
import { Writing } from "./Writing.ts"

/** Milliseconds that work under way gets to write down how it ended, before nothing is written any more. */
export const LAST_WRITES_MS = 1_500
/** Milliseconds between two looks whether a move has begun or ended. */
const LOOK_MS = 500

/** Callers are told what concerns them; who runs the service finds the rest in its log. */
const REFUSAL = "The service only reads at the moment: its data is being moved. Nothing was changed; try again later."

/**
 * Lets the embedded database be written to unless it is moved elsewhere. Before it is moved, callers who change something
 * are refused and work in the background rests; then the database itself refuses.
 */
export const layerWritingEmbedded = (dataDir: string) =>
  Layer.effect(
    Writing,
    Effect.gen(function* () {
      const database = yield* EmbeddedDatabase
      const allowed = yield* Latch.make(true)
      let move: Move | undefined
      const become = Effect.fnUntraced(function* (now: Move | undefined) {
        const was = move
        move = now
        if (now !== undefined && was === undefined) {
          yield* allowed.close
          yield* Effect.logWarning(`only reads are served: the data folder ${whereTo(now)}`)
          yield* Effect.sleep(LAST_WRITES_MS)
          yield* database.setReadOnly(true)
        } else if (now === undefined && was !== undefined) {
          yield* database.setReadOnly(false)
          yield* allowed.open
          yield* Effect.logWarning("everything is served again: the data folder is not moved")
        } else if (now !== undefined && now.state !== was?.state) {
          yield* Effect.logWarning(`only reads are served: the data folder ${whereTo(now)}; ${goingOn(now)}`)
        }
      })
      const looking = Effect.flatMap(standingMove(dataDir), become).pipe(
        Effect.catch((cause: DataFolderUnusable) =>
          Effect.logWarning("looking whether the data folder is moved", cause)
        )
      )
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(Effect.sleep(LOOK_MS), Effect.withTracerEnabled(looking, false)))
      )
      return { refusal: () => (move === undefined ? undefined : REFUSAL), allowed: allowed.await }
    })
  )
