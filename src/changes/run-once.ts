import { Effect, Option, type Schema } from "effect"
import { Acting } from "../contract/acting.ts"
import { type Caller, CurrentOperator } from "../contract/caller.ts"
import type { ApiError } from "../contract/errors.ts"
import type { Keys } from "./Keys.ts"
import { type AskedChange, once } from "./once.ts"

/**
 * Runs the change of a console form at most once per idempotency key. Returns none if an earlier call with the same key and input
 * made the change, because its result is not stored. Without a key the change runs each time.
 */
export const runOnce =
  (keys: Keys["Service"]) =>
  <A>(
    caller: Caller,
    input: Schema.Json,
    key: string | undefined,
    make: Effect.Effect<A, ApiError, Acting>
  ): Effect.Effect<Option.Option<A>, ApiError, Acting> => {
    if (key === undefined) return Effect.asSome(make)
    return Effect.flatMap(Acting, (actor) => {
      let result = Option.none<A>()
      const change: AskedChange = {
        input: () => input,
        make: Effect.map(make, (value) => {
          result = Option.some(value)
          return { result: null, outcome: () => ({}) }
        }),
        replay: () => Effect.succeed(null)
      }
      return once(keys, change, actor, { operatorId: caller.operatorId, given: key }).pipe(
        Effect.provideService(CurrentOperator, caller),
        Effect.map(({ replayed }) => (replayed ? Option.none() : result))
      )
    })
  }
