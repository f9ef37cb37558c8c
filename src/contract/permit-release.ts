import { Context, Effect, type Exit } from "effect"
import type { ServerError } from "./errors.ts"

/** Runs what only waits; answers, fails and is interrupted as that is, or fails because there is no place to come back to. */
export type PermitRelease = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ServerError, R>

/**
 * How the work of a call waits for something that takes its time without holding the place it works in (src/admission/concurrency).
 * Whoever runs the work in a place says how; else it is run as it is.
 */
export const PermitRelease = Context.Reference<PermitRelease>("latchkey/contract/PermitRelease", {
  defaultValue: () => (wait) => wait
})

/**
 * Gives the place of this call back while `wait` runs, and goes on once it has one again. Fails with a ServerError, as
 * a call that finds no place does, when there is none in time: then the work must end. One at a time of a call: what waits
 * beside it neither gives a place back nor takes one.
 */
export const releasePermitWhile = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E | ServerError, R> =>
  Effect.flatMap(PermitRelease, (releaseWhile) => releaseWhile(wait))

/**
 * The same of what happens outside and is not taken back: its caller goes on however that ended, at the worst without a
 * place. So what has happened is written down also where everything is full.
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
