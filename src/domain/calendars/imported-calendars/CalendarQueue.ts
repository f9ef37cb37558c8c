import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { CALENDAR_FEED_MS, CALENDAR_FEED_READ_MS } from "../../../platform/limits.ts"
import type { RowId } from "../../column-schemas.ts"
import { readRowId } from "../../operator-rows.ts"
import { CONCURRENT_FETCHES_MAX, claimDueSql, selectOneSql } from "./claim-statements.ts"
import {
  applyUpdateChange,
  type CalendarClaim,
  completeStaySyncSql,
  completeUnchangedSql,
  type FetchedBy,
  failFetchChange,
  failFetchSql,
  releaseCalendarSql,
  type StaySyncOutcome
} from "./completion-statements.ts"
import { READING_THREADS } from "./FeedReader.ts"
import { type CalendarUpdate, ClaimedCalendar } from "./imported-calendar.ts"

/** Time to store an outcome, including retries. */
const COMPLETION_MS = 15_000

/** Long enough even if the reader threads first spend the maximum time on every other claimed feed. */
export const FETCH_LEASE_MS =
  CALENDAR_FEED_MS + Math.ceil(CONCURRENT_FETCHES_MAX / READING_THREADS) * CALENDAR_FEED_READ_MS + COMPLETION_MS

const readClaimedCalendars = makeRowsReader(ClaimedCalendar)
const readClaimedCalendar = makeOptionalRowReader(ClaimedCalendar)

const ChangedDaysRow = Schema.Struct({ changed_days: Schema.Int })
type ChangedDaysRow = typeof ChangedDaysRow.Type

const AppliedDaysRow = Schema.Struct({ ...ChangedDaysRow.fields, busy_days: Schema.Int })
type AppliedDaysRow = typeof AppliedDaysRow.Type

const readAppliedCounts = makeOptionalRowReader(AppliedDaysRow)
const readCompletion = makeOptionalRowReader(ChangedDaysRow)

const toCalendarClaim = ({ operator_id, id, attempts }: ClaimedCalendar, now: Date): CalendarClaim => ({
  operator_id,
  id,
  attempts,
  now
})

/**
 * A calendar is a job that never completes: `due_at` is the time of its next fetch. Methods that store the outcome of a
 * fetch return undefined if another fetch has superseded it.
 */
export class CalendarQueue extends Context.Service<
  CalendarQueue,
  {
    /** `inProgress`: calendars that this process has already claimed. */
    readonly claim: (
      now: Date,
      maxJobs: number,
      inProgress: Iterable<ClaimedCalendar>
    ) => Effect.Effect<ReadonlyArray<ClaimedCalendar>>
    readonly find: (operatorId: number, id: number) => Effect.Effect<ClaimedCalendar | undefined>
    readonly apply: (
      calendar: ClaimedCalendar,
      update: CalendarUpdate,
      nextFetch: Date,
      now: Date,
      by?: FetchedBy
    ) => Effect.Effect<AppliedDaysRow | undefined, never, CurrentActor>
    /** Stores the problems of the stays, and when to read the feed again. `attempts` of `calendar` identifies the fetch. */
    readonly completeStaySync: (calendar: ClaimedCalendar, outcome: StaySyncOutcome, now: Date) => Effect.Effect<void>
    readonly completeUnchanged: (
      calendar: ClaimedCalendar,
      first: string,
      nextFetch: Date,
      now: Date
    ) => Effect.Effect<ChangedDaysRow | undefined>
    /** Also returns undefined if the failure is recorded already. */
    readonly fail: (
      calendar: ClaimedCalendar,
      reason: string,
      nextFetch: Date,
      now: Date,
      by?: FetchedBy
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly release: (calendar: ClaimedCalendar, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/calendars/imported-calendars/CalendarQueue") {
  static readonly layer = Layer.effect(
    CalendarQueue,
    Effect.map(SqlClient.SqlClient, (sql) =>
      CalendarQueue.of({
        claim: (now, maxJobs, inProgress) => {
          const claimedCalendars = Array.from(inProgress)
          return readClaimedCalendars(
            sql`${claimDueSql(sql, {
              now,
              leaseEnd: computeLeaseEnd(now, FETCH_LEASE_MS),
              maxJobs,
              busyOperators: claimedCalendars.map(({ operator_id }) => operator_id),
              busyHosts: claimedCalendars.map(({ host }) => host)
            })}`
          )
        },

        find: (operatorId, id) => readClaimedCalendar(sql`${selectOneSql(sql, { operatorId, id }, false)}`),

        apply: (calendar, { bookingWindow, bookings, ...dayUpdate }, nextFetch, now, by = "worker") => {
          const status = {
            // Stays change after the days. If the process ends between, the next fetch must read the feed again.
            applied_to: bookings === undefined ? dayUpdate.last : null,
            unavailable_before: bookingWindow?.before ?? null,
            unavailable_moved: bookingWindow?.hasMoved ?? false
          }
          return readAppliedCounts(
            retryOnLockConflict(
              recordChange(
                sql,
                applyUpdateChange(sql, { ...toCalendarClaim(calendar, now), ...dayUpdate, ...status, nextFetch }, by)
              )
            )
          )
        },

        completeStaySync: (calendar, outcome, now) =>
          Effect.asVoid(
            Effect.orDie(sql`${completeStaySyncSql(sql, { ...toCalendarClaim(calendar, now), ...outcome })}`)
          ),

        completeUnchanged: (calendar, first, nextFetch, now) =>
          readCompletion(sql`${completeUnchangedSql(sql, { ...toCalendarClaim(calendar, now), first, nextFetch })}`),

        fail: (calendar, reason, nextFetch, now, by = "worker") => {
          const failure = { ...toCalendarClaim(calendar, now), failures: calendar.failures, reason, nextFetch }
          return readRowId(
            by === "caller" ? recordChange(sql, failFetchChange(sql, failure)) : sql`${failFetchSql(sql, failure)}`
          )
        },

        release: (calendar, now) =>
          Effect.asVoid(Effect.orDie(sql`${releaseCalendarSql(sql, toCalendarClaim(calendar, now))}`))
      })
    )
  )
}
