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

/** How many pushes were settled. */
const SettledPushes = Schema.Struct({ pushes: Schema.Int })
type SettledPushes = typeof SettledPushes.Type

/** What was given up of a lane: how many pushes, and whether one was the calendar's own. */
const GivenUpPushes = Schema.Struct({ pushes: Schema.Int, of_calendar: Schema.Boolean })
type GivenUpPushes = typeof GivenUpPushes.Type

const readCount = makeOptionalRowReader(SettledPushes)
const readCalendarPush = makeOptionalRowReader(CalendarPushRow)
const readInventory = makeOptionalRowReader(InventoryRow)
const readGivenUpPushes = makeOptionalRowReader(GivenUpPushes)

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
export class PushQueue extends Context.Service<
  PushQueue,
  {
    /** Claims up to `maxJobs` due lanes. `inProgress` has the lanes that this process has claimed already. */
    readonly take: (
      now: Date,
      maxJobs: number,
      inProgress: Iterable<AccountKey>
    ) => Effect.Effect<ReadonlyArray<ClaimedPush>>
    /** Draws up the calendar's own push of a lane; undefined if another worker has the lane by now. */
    readonly createCalendarPush: (claimedPush: ClaimedPush, now: Date) => Effect.Effect<CalendarPushRow | undefined>
    /** Returns what is known of a listing's days, as of now; undefined if there is no such listing any more. */
    readonly loadInventory: (
      listing: Pick<ClaimedPush, "operator_id" | "listing_row">,
      span: PushSpan
    ) => Effect.Effect<ListingInventory | undefined>
    /** Settles a push that the channel took; undefined if another worker has the lane by now. */
    readonly complete: (push: PushInProgress, span: PushSpan, now: Date) => Effect.Effect<SettledPushes | undefined>
    /** Settles a push that had nothing to tell the channel; undefined as in `complete`. */
    readonly completeEmpty: (
      push: PushInProgress,
      reason: string,
      now: Date
    ) => Effect.Effect<SettledPushes | undefined>
    /** Settles a push that the channel refused; undefined as in `complete`. */
    readonly refuse: (push: PushInProgress, reason: string, now: Date) => Effect.Effect<SettledPushes | undefined>
    /** Postpones the lane and gives up its pushes that are too old; undefined as in `complete`. */
    readonly fail: (
      push: PushInProgress,
      reason: string,
      nextTry: Date,
      now: Date
    ) => Effect.Effect<GivenUpPushes | undefined>
    /** Makes the comparison of the listing due, which finds again what was given up of its calendar. */
    readonly compareSoon: (claimedPush: ClaimedPush, now: Date) => Effect.Effect<void>
    readonly release: (claimedPush: ClaimedPush, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/calendars/listing-calendars/PushQueue") {
  static readonly layer = Layer.effect(
    PushQueue,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const take = inForms(sql, (taking: Givens<ClaimRequest>) => takingDue(sql, taking))
      const createCalendarPush = inForms(sql, (claim: Givens<PartitionClaim>) => createCalendarPushSql(sql, claim))
      const loadInventory = inForms(sql, (input: Givens<ReadInventoryParameters>) => readInventorySql(sql, input))
      const complete = inForms(sql, (input: Givens<CompletePushParameters>) => settlingPushed(sql, input))
      const refuse = inForms(sql, (input: Givens<RefusePushParameters>) => settlingRefused(sql, input))
      const fail = inForms(sql, (input: Givens<FailPushParameters>) => settlingFailed(sql, input))
      const release = inForms(sql, (input: Givens<PartitionClaim>) => releasePartitionSql(sql, input))
      const compareSoon = makeCompareSoon(sql)
      return PushQueue.of({
        take: (now, maxJobs, inProgress) =>
          readTaken(take({ now, leaseEnd: computeLeaseEnd(now, PUSH_LEASE_MS), maxJobs, ...toBusyCounts(inProgress) })),

        createCalendarPush: (claimedPush, now) =>
          readCalendarPush(createCalendarPush(toPartitionClaim(claimedPush, now))),

        loadInventory: ({ operator_id, listing_row }, span) =>
          Effect.map(readInventory(loadInventory({ operator_id, listing_row, ...span })), (row) =>
            row === undefined ? undefined : { ...row, ...span, unsellable: new Map(row.unsellable) }
          ),

        complete: (push, span, now) =>
          Effect.flatMap(currentTraceparent, (traceparent) =>
            readCount(complete({ ...inHand(push, now), reason: undefined, ...span, traceparent }))
          ),

        completeEmpty: (push, reason, now) =>
          readCount(
            complete({
              ...inHand(push, now),
              reason,
              start_date: undefined,
              end_date: undefined,
              traceparent: undefined
            })
          ),

        refuse: (push, reason, now) => readCount(refuse({ ...inHand(push, now), reason })),

        fail: (push, reason, nextTry, now) =>
          readGivenUpPushes(
            fail({
              ...inHand(push, now),
              reason,
              failures: push.claimedPush.failures,
              nextTry,
              tooOld: new Date(now.getTime() - LISTING_PUSH_GIVE_UP_MS)
            })
          ),

        compareSoon: ({ operator_id, listing_row }, now) =>
          Effect.asVoid(Effect.orDie(compareSoon({ operator_id, listing_row, now }))),
        release: (claimedPush, now) => Effect.asVoid(Effect.orDie(release(toPartitionClaim(claimedPush, now))))
      })
    })
  )
}
