import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The calendar drives those of the listings. In a listing's lane (0024) stand the days of which its channel does not know yet
// how many can be sold: a set, so that a day counts once however often it changes. What there is to tell of them is worked
// out when it is told.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // due_since is when the first of the due days changed. calendar_waits: a push of the calendar's own is among those that
  // wait, tried or in hand; due days beside it are the next, and count as one that waits. calendar_last: the last turn was
  // the calendar's. said_days are those of which the host himself said last, for this listing alone, how many can be sold.
  yield* sql`
    ALTER TABLE listing_lanes
      ADD due_days datemultirange NOT NULL DEFAULT '{}',
      ADD due_since timestamptz,
      ADD calendar_waits boolean NOT NULL DEFAULT false,
      ADD calendar_last boolean NOT NULL DEFAULT false,
      ADD said_days datemultirange NOT NULL DEFAULT '{}'`

  // A push of the calendar's own. Its ranges have no number until it was tried.
  yield* sql`
    ALTER TABLE listing_pushes
      DROP CONSTRAINT listing_pushes_kind_check,
      ADD CONSTRAINT listing_pushes_kind_check CHECK (kind IN ('prices', 'inventories', 'restrictions', 'availability'))`

  // When a listing's calendar is compared with its channel's next, and for which link: timed work that is never settled.
  // failures are those in a row, suspected are days that the channel sold fewer of at the last look: an order may be on its
  // way. compared_at is null until the first.
  yield* sql`
    CREATE TABLE listing_comparisons (
      operator_id bigint NOT NULL,
      listing_row bigint NOT NULL,
      account_id bigint NOT NULL,
      property_id bigint,
      room_type_id bigint,
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      suspected datemultirange NOT NULL DEFAULT '{}',
      compared_at timestamptz,
      PRIMARY KEY (operator_id, listing_row),
      FOREIGN KEY (operator_id, listing_row) REFERENCES listings (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX listing_comparisons_due ON listing_comparisons (operator_id, account_id, due_at, listing_row)`
})
