import { constants } from "node:os"
import { Cause, Effect, Exit, Runtime } from "effect"

/** Under `npm start`, one Ctrl+C can arrive twice, because npm forwards it. The second arrives within this time. */
const SAME_SIGNAL_MS = 1_000

/** A stopped service exits with 0, other interrupted commands with 130, unless `process.exitCode` is set. */
export const makeTeardown =
  (isService: boolean): Runtime.Teardown =>
  (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) && (isService || process.exitCode !== undefined)
      ? onExit(Number(process.exitCode ?? 0))
      : Runtime.defaultTeardown(exit, onExit)

export const exitAtSecondSignal = Effect.sync(() => {
  let firstSignalAt: number | undefined
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      const now = performance.now()
      firstSignalAt ??= now
      if (now - firstSignalAt > SAME_SIGNAL_MS) process.exit(128 + constants.signals[signal])
    })
  }
})

/**
 * With several workers, SIGHUP restarts them one by one. A single process shuts down, and its service manager starts it
 * again.
 */
export const stopAtHangUp = Effect.sync(() => {
  process.on("SIGHUP", () => void process.emit("SIGTERM"))
})

/** A test server ends with the program that started it over an IPC channel, also if that is killed. */
export const stopWithParent = Effect.sync(() => {
  process.once("disconnect", () => void process.emit("SIGTERM"))
})
