import { constants } from "node:os"
import { Cause, Effect, Exit, Runtime } from "effect"

/** Milliseconds after a signal in which another one is the same request to stop: `npm start` hands each on twice. */
const SAME_SIGNAL_MS = 1_000

/**
 * The service that was asked to stop and has stopped did what it should: status 0, where other commands end with 130. Whatever asked
 * itself to stop has said with which.
 */
export const makeTeardown =
  (isService: boolean): Runtime.Teardown =>
  (exit, onExit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) && (isService || process.exitCode !== undefined)
      ? onExit(Number(process.exitCode ?? 0))
      : Runtime.defaultTeardown(exit, onExit)

/**
 * Who asks again does not want to wait: the process ends at once. Not for the same signal that comes twice, as it does
 * where a terminal or a service manager sends it to the whole group and npm hands its own on besides.
 */
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
 * One process has nobody to take its place: where several are replaced (SIGHUP), it ends in order, and whoever keeps it starts it
 * anew. So does a terminal that goes away.
 */
export const stopAtHangUp = Effect.sync(() => {
  process.on("SIGHUP", () => void process.emit("SIGTERM"))
})
