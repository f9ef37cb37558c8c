import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountKey, type ClaimRequest, toBusyCounts } from "../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { LISTING_PUSH_GIVE_UP_MS } from "../../../platform/limits.ts"
import { currentTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { createCalendarPushSql, type ReadInventoryParameters, readInventorySql } from "./calendar-push-statements.ts"
import type { ListingInventory } from "./listing-inventory.ts"
import { CalendarPushRow, ClaimedPush, InventoryRow, type PushInProgress, type PushSpan } from "./push.ts"
import {
  type CompletePushParameters,
  type FailPushParameters,
  type PartitionClaim,
  type RefusePushParameters,
  releasePartitionSql,
  settlingFailed,
  settlingPushed,
  settlingRefused
} from "./settling.ts"
import { takingDue } from "./taking.ts"

/** Milliseconds a worker has a lane to itself: one push and writing down how it ended fit into it. */
export const PUSH_LEASE_MS = 45_000

const readTaken = makeRowsReader(ClaimedPush)
const readCount = makeOptionalRowReader(Schema.Struct({ pushes: Schema.Int }))

const readCalendarPush = makeOptionalRowReader(CalendarPushRow)
const readInventory = makeOptionalRowReader(InventoryRow)
const readGivenUpPushes = makeOptionalRowReader(Schema.Struct({ pushes: Schema.Int, of_calendar: Schema.Boolean }))

/** What was given up of a lane: how many pushes, and whether one was the calendar's own. */
export type GivenUpPushes = Effect.Success<ReturnType<typeof readGivenUpPushes>>

const toPartitionClaim = ({ operator_id, listing_row, attempts }: ClaimedPush, now: Date) => ({
  operator_id,
  listing_row,
  attempts,
  now
})

const inHand = ({ claimedPush, push_id, ranges }: PushInProgress, now: Date) => ({
  ...toPartitionClaim(claimedPush, now),
  push_id,
  ranges
})

const makeCompareSoon = (sql: SqlClient.SqlClient) =>
  inForms(
    sql,
    ({ operator_id, listing_row, now }: Givens<Omit<PartitionClaim, "attempts">>) => sql`
    UPDATE listing_comparisons SET due_at = least(due_at, ${now})
    WHERE operator_id = ${operator_id} AND listing_row = ${listing_row}`
  )

/**
 * What channels are still to be told, in the database, for any worker of any process. Each listing has a lane, taken for one
 * push at a time: so its changes arrive in order, nothing overtakes one that is tried again, and what a dead worker had is
 * told once more when its lease ends. A lane is timed work (jobs/timed-work.ts) that is never settled: it counts what
 * waits in it.
 */
export class PushQueue extends Context.Service<PushQueue>()("latchkey/domain/calendars/listing-calendars/PushQueue", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const take = inForms(sql, (taking: Givens<ClaimRequest>) => takingDue(sql, taking))
    const createCalendarPush = inForms(sql, (claim: Givens<PartitionClaim>) => createCalendarPushSql(sql, claim))
    const loadInventory = inForms(sql, (input: Givens<ReadInventoryParameters>) => readInventorySql(sql, input))
    const complete = inForms(sql, (input: Givens<CompletePushParameters>) => settlingPushed(sql, input))
    const refuse = inForms(sql, (input: Givens<RefusePushParameters>) => settlingRefused(sql, input))
    const fail = inForms(sql, (input: Givens<FailPushParameters>) => settlingFailed(sql, input))
    const release = inForms(sql, (input: Givens<PartitionClaim>) => releasePartitionSql(sql, input))
    const compareSoon = makeCompareSoon(sql)
    return {
      /** Takes up to `most` due lanes. `underWay` are those this process has already. */
      take: (now: Date, maxJobs: number, inProgress: Iterable<AccountKey>) =>
        readTaken(take({ now, leaseEnd: computeLeaseEnd(now, PUSH_LEASE_MS), maxJobs, ...toBusyCounts(inProgress) })),

      /** Draws up the calendar's own push of a lane; undefined: another worker has it by now. */
      createCalendarPush: (claimedPush: ClaimedPush, now: Date) =>
        readCalendarPush(createCalendarPush(toPartitionClaim(claimedPush, now))),

      /** What is known of a listing's days, as of now; undefined: there is no such listing any more. */
      loadInventory: ({ operator_id, listing_row }: Pick<ClaimedPush, "operator_id" | "listing_row">, span: PushSpan) =>
        Effect.map(
          readInventory(loadInventory({ operator_id, listing_row, ...span })),
          (row): ListingInventory | undefined =>
            row === undefined ? undefined : { ...row, ...span, unsellable: new Map(row.unsellable) }
        ),

      /** The channel took it. */
      complete: (push: PushInProgress, span: PushSpan, now: Date) =>
        Effect.flatMap(currentTraceparent, (traceparent) =>
          readCount(complete({ ...inHand(push, now), reason: undefined, ...span, traceparent }))
        ),

      /** There was nothing to tell it. */
      completeEmpty: (push: PushInProgress, reason: string, now: Date) =>
        readCount(
          complete({
            ...inHand(push, now),
            reason,
            start_date: undefined,
            end_date: undefined,
            traceparent: undefined
          })
        ),

      refuse: (push: PushInProgress, reason: string, now: Date) => readCount(refuse({ ...inHand(push, now), reason })),

      /** It is tried again then. Answers what of the lane was given up, since it waited for too long. */
      fail: (push: PushInProgress, reason: string, nextTry: Date, now: Date) =>
        readGivenUpPushes(
          fail({
            ...inHand(push, now),
            reason,
            failures: push.claimedPush.failures,
            nextTry,
            tooOld: new Date(now.getTime() - LISTING_PUSH_GIVE_UP_MS)
          })
        ),

      /** What of the listing's calendar was given up is found again by comparing it. */
      compareSoon: ({ operator_id, listing_row }: ClaimedPush, now: Date) =>
        Effect.orDie(compareSoon({ operator_id, listing_row, now })),

      release: (claimedPush: ClaimedPush, now: Date) => Effect.orDie(release(toPartitionClaim(claimedPush, now)))
    }
  })
}) {
  static readonly layer = Layer.effect(PushQueue, PushQueue.make)
}
