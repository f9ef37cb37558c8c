import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Stays that are created, moved and cancelled with the bookings of an imported calendar.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `events`: whether bookings of the calendar only block days (`block`), or also become stays (`stay`).
  // `channel_type`: the channel that the operator has set. `found_channel_type`: the channel of the stays, as of the last fetch.
  // `stay_problems`: bookings of the last feed without a stay, and stays that differ from the feed.
  yield* sql`
    ALTER TABLE imported_calendars
      ADD events text NOT NULL DEFAULT 'block',
      ADD channel_type text,
      ADD found_channel_type text,
      ADD stay_problems jsonb NOT NULL DEFAULT '[]',
      ADD CONSTRAINT imported_calendars_events CHECK (events IN ('block', 'stay')) NOT VALID`

  // One row per booking. The import inserts it before it creates the order, so that a repeated import creates no second order.
  // `uid_digest`: digest of the event's UID. `generation`: rises when a cancelled booking comes back.
  // `check_in_date`, `check_out_date`: dates of the event, which may differ from those of the stay.
  // `state`: `cancelled` if the import cancelled the stay, `detached` if the host ended the link.
  // `calendar_id`: null after the calendar was removed. A calendar of the same property and channel can then take over
  // the row.
  // `missing_since`: time of the first complete fetch without the booking.
  yield* sql`
    CREATE TABLE calendar_stays (
      operator_id bigint NOT NULL,
      reservation_code text NOT NULL,
      calendar_id bigint,
      uid_digest text NOT NULL,
      generation integer NOT NULL DEFAULT 1,
      check_in_date date NOT NULL,
      check_out_date date NOT NULL,
      state text NOT NULL DEFAULT 'following' CHECK (state IN ('following', 'cancelled', 'detached')),
      missing_since timestamptz,
      PRIMARY KEY (operator_id, reservation_code),
      FOREIGN KEY (operator_id, calendar_id) REFERENCES imported_calendars (operator_id, id)
        ON DELETE SET NULL (calendar_id)
    )`
  yield* sql`CREATE INDEX calendar_stays_calendar ON calendar_stays (operator_id, calendar_id)`
})
