import { Effect, Option, type Schema } from "effect"
import { Acting } from "../contract/acting.ts"
import { type Caller, CurrentOperator } from "../contract/caller.ts"
import type { ApiError } from "../contract/errors.ts"
import type { Keys } from "./Keys.ts"
import { type AskedChange, once } from "./once.ts"

/**
 * Runs a change that a host asks for by a form at most once under the form's key. None: an earlier call with the key and the
 * same input has made the change, whose result is not kept. Without a key the change is made each time.
 */
export const runOnce =
  (keys: Keys["Service"]) =>
  <A>(
    caller: Caller,
    input: Schema.Json,
    key: string | undefined,
    change: Effect.Effect<A, ApiError, Acting>
  ): Effect.Effect<Option.Option<A>, ApiError, Acting> => {
    if (key === undefined) return Effect.asSome(change)
    return Effect.flatMap(Acting, (actor) => {
      let result = Option.none<A>()
      const asked: AskedChange = {
        input: () => input,
        make: Effect.map(change, (value) => {
          result = Option.some(value)
          return { result: null, outcome: () => ({}) }
        }),
        replay: () => Effect.succeed(null)
      }
      return once(keys, asked, actor, { operatorId: caller.operatorId, given: key }).pipe(
        Effect.provideService(CurrentOperator, caller),
        Effect.map(({ replayed }) => (replayed ? Option.none() : result))
      )
    })
  }
