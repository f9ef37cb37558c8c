import { Cause, Console, Effect } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { CommandFailed, formatFailure } from "./command-failure.ts"

export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription('Print one JSON object: the result, or {"error": …} (default: text)'),
    Flag.withDefault(false)
  )
})

export const printFailure = (json: boolean, message: string): Effect.Effect<void> =>
  json ? Console.log(JSON.stringify({ error: message })) : Console.error(`latchkey: ${message}`)

export const reportFailure = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const json = yield* JsonFlag
  return yield* Effect.catchCause(work, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(printFailure(json, formatFailure(cause)), Effect.fail(new CommandFailed()))
  )
})
