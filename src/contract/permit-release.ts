import { Context, Effect, type Exit } from "effect"
import type { ServerError } from "./errors.ts"

/** Runs an effect that only waits. It ends as the effect does, or fails because no permit is free again in time. */
export type PermitRelease = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ServerError, R>

/**
 * Lets the work of a call wait without holding its concurrency permit. The limiter (src/admission/concurrency) provides it to the work.
 * Default: the effect runs as it is.
 */
export const PermitRelease = Context.Reference<PermitRelease>("latchkey/contract/PermitRelease", {
  defaultValue: () => (wait) => wait
})

/**
 * Releases the permit of this call while `wait` runs, and acquires one again before it returns. Fails with a ServerError if none is free
 * in time: then the work must end. A call has one permit: a nested or concurrent use neither releases a second one nor acquires one.
 */
export const releasePermitWhile = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E | ServerError, R> =>
  Effect.flatMap(PermitRelease, (releaseWhile) => releaseWhile(wait))

/**
 * Releases the permit of this call while `externalAct` runs, which cannot be undone. If no permit is free again in time, the call
 * continues without one, so that the outcome of the act is stored even when the process is overloaded.
 */
export const releasePermitForExternalAct = <A, E, R>(externalAct: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let actExit: Exit.Exit<A, E> | undefined
    const observedAct = Effect.map(Effect.exit(externalAct), (exit) => {
      actExit = exit
      return exit
    })
    return Effect.flatten(
      Effect.catch(releasePermitWhile(observedAct), (permitError) =>
        actExit === undefined ? Effect.die(permitError) : Effect.succeed(actExit)
      )
    )
  })
