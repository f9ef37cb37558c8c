import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Stays that follow the bookings of an imported calendar.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `events`: whether bookings of the calendar only block days, or become stays.
  // `channel_type`: the channel that the host named. `found_channel_type`: the channel that the feed itself named.
  // `stay_problems`: bookings of the last feed that became no stay, and stays that the feed no longer has.
  yield* sql`
    ALTER TABLE imported_calendars
      ADD events text NOT NULL DEFAULT 'block',
      ADD channel_type text,
      ADD found_channel_type text,
      ADD stay_problems jsonb NOT NULL DEFAULT '[]'`

  // One row per booking. It exists before the order of its code, so that a repeated import makes no second order.
  // `uid_digest`: digest of the event's UID. `generation`: rises when a cancelled booking comes back.
  // `missing_since`: first complete fetch without the booking. The dates are those of the event.
  // `state`: `cancelled` if the import cancelled the stay, `detached` if the host ended the link.
  yield* sql`
    CREATE TABLE calendar_stays (
      operator_id bigint NOT NULL,
      reservation_code text NOT NULL,
      calendar_id bigint NOT NULL,
      uid_digest text NOT NULL,
      generation integer NOT NULL DEFAULT 1,
      check_in_date date NOT NULL,
      check_out_date date NOT NULL,
      state text NOT NULL DEFAULT 'following' CHECK (state IN ('following', 'cancelled', 'detached')),
      missing_since timestamptz,
      PRIMARY KEY (operator_id, reservation_code),
      FOREIGN KEY (operator_id, calendar_id) REFERENCES imported_calendars (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX calendar_stays_calendar ON calendar_stays (operator_id, calendar_id)`
})
