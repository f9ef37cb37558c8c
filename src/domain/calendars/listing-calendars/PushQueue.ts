import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountKey, type ClaimRequest, toBusyCounts } from "../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { LISTING_PUSH_GIVE_UP_MS } from "../../../platform/limits.ts"
import { currentTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { drawUpCalendarPushSql, type ReadStockParameters, readStockSql } from "./calendar-push-statements.ts"
import { CalendarPushRow, ClaimedPush, type PushInProgress, type PushSpan, StockRow } from "./push.ts"
import {
  type Failed,
  handingBack,
  type LaneInHand,
  type Pushed,
  type Refused,
  settlingFailed,
  settlingPushed,
  settlingRefused
} from "./settling.ts"
import type { ListingStock } from "./stock.ts"
import { takingDue } from "./taking.ts"

/** Milliseconds a worker has a lane to itself: one push and writing down how it ended fit into it. */
export const PUSH_LEASE_MS = 45_000

const readTaken = makeRowsReader(ClaimedPush)
const readCount = makeOptionalRowReader(Schema.Struct({ pushes: Schema.Int }))

const readDrawn = makeOptionalRowReader(CalendarPushRow)
const readStock = makeOptionalRowReader(StockRow)
const readGivenUp = makeOptionalRowReader(Schema.Struct({ pushes: Schema.Int, of_calendar: Schema.Boolean }))

/** What was given up of a lane: how many pushes, and whether one was the calendar's own. */
export type GivenUp = Effect.Success<ReturnType<typeof readGivenUp>>

const laneInHand = ({ operator_id, listing_row, attempts }: ClaimedPush, now: Date) => ({
  operator_id,
  listing_row,
  attempts,
  now
})

const inHand = ({ lane, push_id, ranges }: PushInProgress, now: Date) => ({ ...laneInHand(lane, now), push_id, ranges })

const makeCompareSoon = (sql: SqlClient.SqlClient) =>
  inForms(
    sql,
    ({ operator_id, listing_row, now }: Givens<Omit<LaneInHand, "attempts">>) => sql`
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
    const drawUp = inForms(sql, (lane: Givens<LaneInHand>) => drawUpCalendarPushSql(sql, lane))
    const stock = inForms(sql, (sought: Givens<ReadStockParameters>) => readStockSql(sql, sought))
    const pushed = inForms(sql, (given: Givens<Pushed>) => settlingPushed(sql, given))
    const refused = inForms(sql, (given: Givens<Refused>) => settlingRefused(sql, given))
    const failed = inForms(sql, (given: Givens<Failed>) => settlingFailed(sql, given))
    const handBack = inForms(sql, (given: Givens<LaneInHand>) => handingBack(sql, given))
    const compareSoon = makeCompareSoon(sql)
    return {
      /** Takes up to `most` due lanes. `underWay` are those this process has already. */
      take: (now: Date, most: number, underWay: Iterable<AccountKey>) =>
        readTaken(take({ now, leaseEnd: computeLeaseEnd(now, PUSH_LEASE_MS), most, ...toBusyCounts(underWay) })),

      /** Draws up the calendar's own push of a lane; undefined: another worker has it by now. */
      drawUp: (lane: ClaimedPush, now: Date) => readDrawn(drawUp(laneInHand(lane, now))),

      /** What is known of a listing's days, as of now; undefined: there is no such listing any more. */
      stock: ({ operator_id, listing_row }: Pick<ClaimedPush, "operator_id" | "listing_row">, span: PushSpan) =>
        Effect.map(readStock(stock({ operator_id, listing_row, ...span })), (read): ListingStock | undefined =>
          read === undefined ? undefined : { ...read, ...span, unsellable: new Map(read.unsellable) }
        ),

      /** The channel took it. */
      pushed: (push: PushInProgress, span: PushSpan, now: Date) =>
        Effect.flatMap(currentTraceparent, (traceparent) =>
          readCount(pushed({ ...inHand(push, now), reason: undefined, ...span, traceparent }))
        ),

      /** There was nothing to tell it. */
      nothing: (push: PushInProgress, reason: string, now: Date) =>
        readCount(
          pushed({
            ...inHand(push, now),
            reason,
            start_date: undefined,
            end_date: undefined,
            traceparent: undefined
          })
        ),

      refused: (push: PushInProgress, reason: string, now: Date) =>
        readCount(refused({ ...inHand(push, now), reason })),

      /** It is tried again then. Answers what of the lane was given up, since it waited for too long. */
      failed: (push: PushInProgress, reason: string, nextTry: Date, now: Date) =>
        readGivenUp(
          failed({
            ...inHand(push, now),
            reason,
            failures: push.lane.failures,
            nextTry,
            tooOld: new Date(now.getTime() - LISTING_PUSH_GIVE_UP_MS)
          })
        ),

      /** What of the listing's calendar was given up is found again by comparing it. */
      compareSoon: ({ operator_id, listing_row }: ClaimedPush, now: Date) =>
        Effect.orDie(compareSoon({ operator_id, listing_row, now })),

      handBack: (lane: ClaimedPush, now: Date) => Effect.orDie(handBack(laneInHand(lane, now)))
    }
  })
}) {
  static readonly layer = Layer.effect(PushQueue, PushQueue.make)
}
