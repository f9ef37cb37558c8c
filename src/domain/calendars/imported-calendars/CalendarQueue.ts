import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { CALENDAR_FEED_MS, CALENDAR_FEED_READ_MS } from "../../../platform/limits.ts"
import type { RowId } from "../../column-schemas.ts"
import { type OperatorRowId, readRowId } from "../../operator-rows.ts"
import { READING_THREADS } from "./FeedReader.ts"
import { type CalendarUpdate, ClaimedCalendar } from "./imported-calendar.ts"
import {
  type ApplyUpdateParameters,
  applyUpdateChange,
  type CalendarClaim,
  type CompleteUnchangedParameters,
  type FailFetchParameters,
  type FetchedBy,
  failFetchChange,
  releaseCalendarSql,
  settlingFailed,
  settlingUnchanged
} from "./settling.ts"
import { CONCURRENT_FETCHES_MAX, selectOneSql, type Taking, takingDue } from "./taking.ts"

/** Milliseconds for writing down how a fetch ended, tries again and all. */
const COMPLETION_MS = 15_000

/**
 * Milliseconds a worker has a calendar to itself: fetching, reading and applying it fit into it, also where all others that
 * its process has in hand are read first, each for as long as it may take.
 */
export const FETCH_LEASE_MS =
  CALENDAR_FEED_MS + Math.ceil(CONCURRENT_FETCHES_MAX / READING_THREADS) * CALENDAR_FEED_READ_MS + COMPLETION_MS

const readTaken = makeRowsReader(ClaimedCalendar)
const readClaimedCalendar = makeOptionalRowReader(ClaimedCalendar)

/** How many days a fetch changed. */
const ChangedDaysRow = Schema.Struct({ changed_days: Schema.Int })
type ChangedDaysRow = typeof ChangedDaysRow.Type

/** How many days a feed changed, and how many are busy in it. */
const AppliedDaysRow = Schema.Struct({ ...ChangedDaysRow.fields, busy_days: Schema.Int })
type AppliedDaysRow = typeof AppliedDaysRow.Type

const readAppliedCounts = makeOptionalRowReader(AppliedDaysRow)
const readCompletion = makeOptionalRowReader(ChangedDaysRow)

const inHand = ({ operator_id, id, attempts }: ClaimedCalendar, now: Date): CalendarClaim => ({
  operator_id,
  id,
  attempts,
  now
})

/**
 * Calendars of elsewhere and what they say, in the database, for any worker of any process. Each is timed work
 * (jobs/timed-work.ts) that is never settled: due_at is when it is fetched next.
 */
export class CalendarQueue extends Context.Service<
  CalendarQueue,
  {
    /** Claims up to `most` due calendars. `underWay` has those that this process has claimed already. */
    readonly take: (
      now: Date,
      most: number,
      underWay: Iterable<ClaimedCalendar>
    ) => Effect.Effect<ReadonlyArray<ClaimedCalendar>>
    /** Reads a calendar without claiming it; undefined if the operator has no such calendar. */
    readonly find: (operatorId: number, id: number) => Effect.Effect<ClaimedCalendar | undefined>
    /** Stores a feed that was read, by default by a worker; undefined if another worker has the calendar by now. */
    readonly apply: (
      calendar: ClaimedCalendar,
      update: CalendarUpdate,
      nextFetch: Date,
      now: Date,
      by?: FetchedBy
    ) => Effect.Effect<AppliedDaysRow | undefined, never, CurrentActor>
    /** Undefined as in `apply`. */
    readonly completeUnchanged: (
      calendar: ClaimedCalendar,
      first: string,
      nextFetch: Date,
      now: Date
    ) => Effect.Effect<ChangedDaysRow | undefined>
    /** Undefined as in `apply`, or if the failure is recorded already. */
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
    Effect.map(SqlClient.SqlClient, (sql) => {
      const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
      const find = inForms(sql, (calendar: Givens<OperatorRowId>) => selectOneSql(sql, calendar, false))
      const apply = prepareRecordedChange(sql, (input: Givens<ApplyUpdateParameters>, by: FetchedBy) =>
        applyUpdateChange(sql, input, by)
      )
      const completeUnchanged = inForms(sql, (input: Givens<CompleteUnchangedParameters>) =>
        settlingUnchanged(sql, input)
      )
      const fail = inForms(sql, (input: Givens<FailFetchParameters>) => settlingFailed(sql, input))
      const failForCaller = prepareRecordedChange(sql, (input: Givens<FailFetchParameters>) =>
        failFetchChange(sql, input)
      )
      const release = inForms(sql, (input: Givens<CalendarClaim>) => releaseCalendarSql(sql, input))
      return CalendarQueue.of({
        take: (now, most, underWay) => {
          const claimedCalendars = Array.from(underWay)
          return readTaken(
            take({
              now,
              leaseEnd: computeLeaseEnd(now, FETCH_LEASE_MS),
              most,
              busyOperators: claimedCalendars.map(({ operator_id }) => operator_id),
              busyHosts: claimedCalendars.map(({ host }) => host)
            })
          )
        },

        find: (operatorId, id) => readClaimedCalendar(find({ operatorId, id })),

        apply: (calendar, { bookingWindow, ...dayUpdate }, nextFetch, now, by = "worker") => {
          const window = {
            unavailable_before: bookingWindow?.before ?? null,
            unavailable_moved: bookingWindow?.hasMoved ?? false
          }
          return readAppliedCounts(
            retryOnLockConflict(apply({ ...inHand(calendar, now), ...dayUpdate, ...window, nextFetch }, by))
          )
        },

        completeUnchanged: (calendar, first, nextFetch, now) =>
          readCompletion(completeUnchanged({ ...inHand(calendar, now), first, nextFetch })),

        fail: (calendar, reason, nextFetch, now, by = "worker") => {
          const failure = { ...inHand(calendar, now), failures: calendar.failures, reason, nextFetch }
          return readRowId(by === "caller" ? failForCaller(failure) : fail(failure))
        },

        release: (calendar, now) => Effect.asVoid(Effect.orDie(release(inHand(calendar, now))))
      })
    })
  )
}
