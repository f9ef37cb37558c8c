import type { Effect, Scope } from "effect"

/** What one fault did to the service, as a row of the table of docs/reports/reliability.md. */
export interface Suffered {
  /** What was done to it: "a worker is killed". */
  readonly fault: string
  /** What it ran on: "PostgreSQL, two workers". */
  readonly on: string
  readonly times: number
  /** Writes that were acknowledged while it went on, and those of them that are not there afterwards: must be 0. */
  readonly acknowledged: number
  readonly lost: number
  /** Answers that were neither success nor one of the refusals that are promised, each kind once; must be empty. */
  readonly fell: ReadonlyArray<string>
  /** Longest until it served as before, in milliseconds; undefined: it was not interrupted. */
  readonly recoveredMs: number | undefined
  /** Anything else worth a look, in a few words. */
  readonly seen: string
}

export interface Fault {
  /** What `npm run faults -- NAME` calls it. */
  readonly name: string
  /** Why it cannot be tried here, such as a server that is missing; undefined: it can. */
  readonly skipped: Effect.Effect<string | undefined>
  readonly run: Effect.Effect<ReadonlyArray<Suffered>, never, Scope.Scope>
}
