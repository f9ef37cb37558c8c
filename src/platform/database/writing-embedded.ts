import { Cause, Effect, Latch, Layer } from "effect"
import { EmbeddedDatabase } from "./embedded.ts"
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
      /** What callers are refused for, and what the database was switched for: known once it was, so that it is tried again. */
      let [told, switched]: [Move | undefined, Move | undefined] = [undefined, undefined]
      const begun = Effect.fnUntraced(function* (now: Move) {
        if (told === undefined) yield* Effect.logWarning(`the service is read-only: the data folder ${whereTo(now)}`)
        told = now
        yield* allowed.close
        yield* Effect.sleep(LAST_WRITES_MS)
        yield* database.setReadOnly(true)
        switched = now
      })
      const over = Effect.gen(function* () {
        yield* database.setReadOnly(false)
        ;[told, switched] = [undefined, undefined]
        yield* allowed.open
        yield* Effect.logWarning("the service is writable again: the move of the data folder was undone")
      })
      const become = Effect.fnUntraced(function* (now: Move | undefined) {
        if (now === undefined) return told === undefined ? undefined : yield* over
        if (switched === undefined) return yield* begun(now)
        if (now.state === switched.state) return
        yield* Effect.logWarning(`the service is read-only: the data folder ${whereTo(now)}; ${goingOn(now)}`)
        switched = now
      })
      // Whatever goes wrong with one look: without the next one the service would stay as it is for ever.
      const looking = Effect.flatMap(standingMove(dataDir), become).pipe(
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logWarning("cannot check whether the data folder was moved", cause)
        )
      )
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(Effect.sleep(LOOK_MS), Effect.withTracerEnabled(looking, false)))
      )
      return { refusal: () => (told === undefined ? undefined : REFUSAL), allowed: allowed.await }
    })
  )
