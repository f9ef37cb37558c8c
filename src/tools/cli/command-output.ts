import { Cause, Console, Effect } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { CommandFailed, formatFailure } from "./command-failure.ts"

/** `--json`, which every command takes: one JSON object on standard output, whether it went well or not. */
export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription('Print one JSON object: the result, or {"error": …} (default: text)'),
    Flag.withDefault(false)
  )
})

export const printFailure = (json: boolean, message: string): Effect.Effect<void> =>
  json ? Console.log(JSON.stringify({ error: message })) : Console.error(`latchkey: ${message}`)

/** Ends a command as every command ends: its failure is printed as the caller asked and the exit code is 1. */
export const reportFailure = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const json = yield* JsonFlag
  return yield* Effect.catchCause(work, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(printFailure(json, formatFailure(cause)), Effect.fail(new CommandFailed()))
  )
})
