import { Context } from "effect"

export const LEASE_MS = 15_000

/**
 * Duration of a claim in milliseconds. Afterwards another worker may claim the job, so a job can run twice but is never
 * lost. All processes on one database must use the same value.
 */
export const LeaseDuration = Context.Reference<number>("latchkey/jobs/LeaseDuration", { defaultValue: () => LEASE_MS })

export const computeLeaseEnd = (now: Date, leaseMs: number): Date => new Date(now.getTime() + leaseMs)
