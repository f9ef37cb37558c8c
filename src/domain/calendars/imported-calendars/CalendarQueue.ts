import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { CALENDAR_FEED_MS, CALENDAR_FEED_READ_MS } from "../../../platform/limits.ts"
import { readRowId } from "../../operator-rows.ts"
import { type CalendarUpdate, ClaimedCalendar } from "./calendar.ts"
import { READING_THREADS } from "./FeedReader.ts"
import {
  type Accepted,
  type Applied,
  accepting,
  applying,
  type Failed,
  handingBack,
  type InHand,
  type Removed,
  removing,
  settlingFailed,
  settlingUnchanged,
  type Unchanged
} from "./settling.ts"
import { FETCHING_ROOM, type Taking, type TakingOne, takingDue, takingOne } from "./taking.ts"

/** Milliseconds for writing down how a fetch ended, tries again and all. */
const SETTLING_MS = 15_000

/**
 * Milliseconds a worker has a calendar to itself: fetching, reading and applying it fit into it, also where all others that
 * its process has in hand are read first, each for as long as it may take.
 */
export const FETCH_LEASE_MS =
  CALENDAR_FEED_MS + Math.ceil(FETCHING_ROOM / READING_THREADS) * CALENDAR_FEED_READ_MS + SETTLING_MS

const readTaken = makeRowsReader(ClaimedCalendar)
const readOne = makeOptionalRowReader(ClaimedCalendar)
const readApplied = makeOptionalRowReader(Schema.Struct({ changed_days: Schema.Int, busy_days: Schema.Int }))
const readChanged = makeOptionalRowReader(Schema.Struct({ changed_days: Schema.Int }))

const inHand = ({ operator_id, id, attempts }: ClaimedCalendar, now: Date): InHand => ({
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
      const takeOne = inForms(sql, (one: Givens<TakingOne>) => takingOne(sql, one))
      const apply = prepareRecordedChange(sql, (given: Givens<Applied>) => applying(sql, given))
      const unchanged = inForms(sql, (given: Givens<Unchanged>) => settlingUnchanged(sql, given))
      const failed = inForms(sql, (given: Givens<Failed>) => settlingFailed(sql, given))
      const handBack = inForms(sql, (given: Givens<InHand>) => handingBack(sql, given))
      const accept = prepareRecordedChange(sql, (given: Givens<Accepted>) => accepting(sql, given))
      const remove = prepareRecordedChange(sql, (given: Givens<Removed>) => removing(sql, given))
      return {
        /** Takes up to `most` due calendars. `underWay` are those this process has already. */
        take: (now: Date, most: number, underWay: Iterable<ClaimedCalendar>) => {
          const taken = Array.from(underWay)
          return readTaken(
            take({
              now,
              leaseEnd: computeLeaseEnd(now, FETCH_LEASE_MS),
              most,
              busyOperators: taken.map(({ operator_id }) => operator_id),
              busyHosts: taken.map(({ host }) => host)
            })
          )
        },

        /** Takes one, whoever has it and whenever it is due; undefined where there is none of that id. */
        takeOne: (id: number, now: Date) => readOne(takeOne({ id, leaseEnd: computeLeaseEnd(now, FETCH_LEASE_MS) })),

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
          return readApplied(
            retryOnLockConflict(apply({ ...inHand(calendar, now), ...dayUpdate, ...window, nextFetch }))
          )
        },

        unchanged: (calendar: ClaimedCalendar, first: string, nextFetch: Date, now: Date) =>
          readChanged(unchanged({ ...inHand(calendar, now), first, nextFetch })),

        /** Undefined where somebody else has it by now, or it was written down already. */
        failed: (calendar: ClaimedCalendar, reason: string, nextFetch: Date, now: Date) =>
          readRowId(failed({ ...inHand(calendar, now), failures: calendar.failures, reason, nextFetch })),

        handBack: (calendar: ClaimedCalendar, now: Date) => Effect.orDie(handBack(inHand(calendar, now))),

        /** Unblocks the days that were kept. Returns how many changed; undefined if another worker has the calendar. */
        accept: (calendar: ClaimedCalendar, first: string, now: Date) =>
          readChanged(retryOnLockConflict(accept({ ...inHand(calendar, now), first }))),

        /** Removes it with what only it closed; undefined where somebody else has it by now. */
        remove: (calendar: ClaimedCalendar, first: string, now: Date) =>
          readRowId(retryOnLockConflict(remove({ ...inHand(calendar, now), first })))
      }
    })
  }
) {
  static readonly layer = Layer.effect(CalendarQueue, CalendarQueue.make)
}
