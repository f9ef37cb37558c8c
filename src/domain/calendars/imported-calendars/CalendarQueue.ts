import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { CALENDAR_FEED_MS, CALENDAR_FEED_READ_MS } from "../../../platform/limits.ts"
import { readRowId } from "../../operator-rows.ts"
import { READING_THREADS } from "./FeedReader.ts"
import { type CalendarUpdate, ClaimedCalendar } from "./imported-calendar.ts"
import {
  type AcceptFeedParameters,
  type ApplyUpdateParameters,
  acceptFeedChange,
  applyUpdateChange,
  type CalendarClaim,
  type CompleteUnchangedParameters,
  type FailFetchParameters,
  type RemoveCalendarParameters,
  releaseCalendarSql,
  removeCalendarChange,
  settlingFailed,
  settlingUnchanged
} from "./settling.ts"
import { CONCURRENT_FETCHES_MAX, type Taking, type TakingOne, takingDue, takingOne } from "./taking.ts"

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
const readAppliedCounts = makeOptionalRowReader(Schema.Struct({ changed_days: Schema.Int, busy_days: Schema.Int }))
const readChangedDays = makeOptionalRowReader(Schema.Struct({ changed_days: Schema.Int }))

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
export class CalendarQueue extends Context.Service<CalendarQueue>()(
  "latchkey/domain/calendars/imported-calendars/CalendarQueue",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
      const takeOne = inForms(sql, (request: Givens<TakingOne>) => takingOne(sql, request))
      const apply = prepareRecordedChange(sql, (input: Givens<ApplyUpdateParameters>) => applyUpdateChange(sql, input))
      const completeUnchanged = inForms(sql, (input: Givens<CompleteUnchangedParameters>) =>
        settlingUnchanged(sql, input)
      )
      const fail = inForms(sql, (input: Givens<FailFetchParameters>) => settlingFailed(sql, input))
      const release = inForms(sql, (input: Givens<CalendarClaim>) => releaseCalendarSql(sql, input))
      const accept = prepareRecordedChange(sql, (input: Givens<AcceptFeedParameters>) => acceptFeedChange(sql, input))
      const remove = prepareRecordedChange(sql, (input: Givens<RemoveCalendarParameters>) =>
        removeCalendarChange(sql, input)
      )
      return {
        /** Takes up to `most` due calendars. `underWay` are those this process has already. */
        take: (now: Date, most: number, underWay: Iterable<ClaimedCalendar>) => {
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

        /** Takes one, whoever has it and whenever it is due; undefined where there is none of that id. */
        takeOne: (id: number, now: Date) =>
          readClaimedCalendar(takeOne({ id, leaseEnd: computeLeaseEnd(now, FETCH_LEASE_MS) })),

        /** Stores a feed that was read. Returns how many days changed and are busy; undefined if another worker has the calendar. */
        apply: (
          calendar: ClaimedCalendar,
          { bookingWindow, ...dayUpdate }: CalendarUpdate,
          nextFetch: Date,
          now: Date
        ) => {
          const window = {
            unavailable_before: bookingWindow?.before ?? null,
            unavailable_moved: bookingWindow?.hasMoved ?? false
          }
          return readAppliedCounts(
            retryOnLockConflict(apply({ ...inHand(calendar, now), ...dayUpdate, ...window, nextFetch }))
          )
        },

        completeUnchanged: (calendar: ClaimedCalendar, first: string, nextFetch: Date, now: Date) =>
          readChangedDays(completeUnchanged({ ...inHand(calendar, now), first, nextFetch })),

        /** Undefined where somebody else has it by now, or it was written down already. */
        fail: (calendar: ClaimedCalendar, reason: string, nextFetch: Date, now: Date) =>
          readRowId(fail({ ...inHand(calendar, now), failures: calendar.failures, reason, nextFetch })),

        release: (calendar: ClaimedCalendar, now: Date) => Effect.orDie(release(inHand(calendar, now))),

        /** Unblocks the days that were kept. Returns how many changed; undefined if another worker has the calendar. */
        accept: (calendar: ClaimedCalendar, first: string, now: Date) =>
          readChangedDays(retryOnLockConflict(accept({ ...inHand(calendar, now), first }))),

        /** Removes it with what only it closed; undefined where somebody else has it by now. */
        remove: (calendar: ClaimedCalendar, first: string, now: Date) =>
          readRowId(retryOnLockConflict(remove({ ...inHand(calendar, now), first })))
      }
    })
  }
) {
  static readonly layer = Layer.effect(CalendarQueue, CalendarQueue.make)
}
