import { Context, Effect, type Exit } from "effect"
import type { ServerError } from "./errors.ts"

export type PermitRelease = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ServerError, R>

/** Lets a call wait without its concurrency permit. The limiter (src/admission/concurrency) provides it. */
export const PermitRelease = Context.Reference<PermitRelease>("latchkey/contract/PermitRelease", {
  defaultValue: () => (wait) => wait
})

/**
 * Releases the permit while `wait` runs. Fails with a ServerError if no permit is free in time afterwards; the call
 * must then end. A nested or concurrent use has no effect.
 */
export const releasePermitWhile = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E | ServerError, R> =>
  Effect.flatMap(PermitRelease, (releaseWhile) => releaseWhile(wait))

/**
 * Releases the permit while an external action runs. If no permit is free afterwards, the call continues without one,
 * so that the outcome is stored.
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
