import { Cause, Effect, Latch, Layer } from "effect"
import { type DatabaseMove, describeMove, describeNextStep, loadActiveMove } from "./database-move.ts"
import { EmbeddedDatabase } from "./embedded.ts"
import { WriteAccess } from "./WriteAccess.ts"

/** Time for work in progress to write its result. */
export const LAST_WRITES_MS = 1_500
const POLL_MS = 500

const READ_ONLY_MESSAGE =
  "The service only reads at the moment: its data is being moved. Nothing was changed; try again later."

/**
 * Makes the embedded database read-only while it is moved. Calls that write are rejected, and background work pauses,
 * before the database itself rejects writes.
 */
export const layerEmbeddedWriteAccess = (dataDir: string) =>
  Layer.effect(
    WriteAccess,
    Effect.gen(function* () {
      const database = yield* EmbeddedDatabase
      const writable = yield* Latch.make(true)
      /** `appliedMove` is set only after the switch, so that a failed switch is retried. */
      let [announcedMove, appliedMove]: [DatabaseMove | undefined, DatabaseMove | undefined] = [undefined, undefined]
      const stopWrites = Effect.fnUntraced(function* (move: DatabaseMove) {
        if (announcedMove === undefined)
          yield* Effect.logWarning(`the service is read-only: the data folder ${describeMove(move)}`)
        announcedMove = move
        yield* writable.close
        yield* Effect.sleep(LAST_WRITES_MS)
        yield* database.setReadOnly(true)
        appliedMove = move
      })
      const resumeWrites = Effect.gen(function* () {
        yield* database.setReadOnly(false)
        ;[announcedMove, appliedMove] = [undefined, undefined]
        yield* writable.open
        yield* Effect.logWarning("the service is writable again: the move of the data folder was undone")
      })
      const applyMove = Effect.fnUntraced(function* (move: DatabaseMove | undefined) {
        if (move === undefined) return announcedMove === undefined ? undefined : yield* resumeWrites
        if (appliedMove === undefined) return yield* stopWrites(move)
        if (move.state === appliedMove.state) return
        yield* Effect.logWarning(
          `the service is read-only: the data folder ${describeMove(move)}; ${describeNextStep(move)}`
        )
        appliedMove = move
      })
      const checkMove = Effect.flatMap(loadActiveMove(dataDir), applyMove).pipe(
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logWarning("cannot check whether the data folder was moved", cause)
        )
      )
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(Effect.sleep(POLL_MS), Effect.withTracerEnabled(checkMove, false)))
      )
      return {
        rejectionMessage: () => (announcedMove === undefined ? undefined : READ_ONLY_MESSAGE),
        awaitAllowed: writable.await
      }
    })
  )
