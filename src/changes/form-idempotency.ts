import { Effect, Option, type Schema } from "effect"
import { CurrentActor } from "../contract/actor.ts"
import { type Caller, CurrentCaller } from "../contract/caller.ts"
import type { ApiError } from "../contract/errors.ts"
import type { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { type IdempotentChange, runIdempotently } from "./idempotency.ts"

/**
 * Runs the change of a console form at most once per idempotency key. Returns none if an earlier call with the same key and input
 * made the change, because its result is not stored. Without a key the change runs each time.
 */
export const runFormIdempotently =
  (keys: IdempotencyKeys["Service"]) =>
  <A>(
    caller: Caller,
    input: Schema.Json,
    key: string | undefined,
    run: Effect.Effect<A, ApiError, CurrentActor>
  ): Effect.Effect<Option.Option<A>, ApiError, CurrentActor> => {
    if (key === undefined) return Effect.asSome(run)
    return Effect.flatMap(CurrentActor, (actor) => {
      let result = Option.none<A>()
      const change: IdempotentChange = {
        input: () => input,
        make: Effect.map(run, (value) => {
          result = Option.some(value)
          return { result: null, outcome: () => ({}) }
        }),
        replay: () => Effect.succeed(null)
      }
      return runIdempotently(keys, change, actor, { operatorId: caller.operatorId, keyText: key }).pipe(
        Effect.provideService(CurrentCaller, caller),
        Effect.map(({ replayed }) => (replayed ? Option.none() : result))
      )
    })
  }
