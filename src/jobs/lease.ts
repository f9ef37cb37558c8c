import { Context } from "effect"

/** Milliseconds a worker has what it took to itself, if nobody says otherwise. */
export const LEASE_MS = 15_000

/**
 * How long a worker has what it took to itself, in milliseconds. A worker that dies gives nothing back: what it had is
 * free again when its lease ends. So a try and writing down how it ended must fit into it, and whatever a worker had may
 * be done twice, but is never lost. All processes on one database must agree on it.
 */
export const LeaseDuration = Context.Reference<number>("latchkey/jobs/LeaseDuration", { defaultValue: () => LEASE_MS })

export const computeLeaseEnd = (now: Date, leaseMs: number): Date => new Date(now.getTime() + leaseMs)
