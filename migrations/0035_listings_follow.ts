import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The calendar drives those of the listings. In a listing's lane (0024) stand the days of which its channel does not know yet
// how many can be sold: a set, so that a day counts once however often it changes. What there is to tell of them is worked
// out when it is told.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // due_since is when the first of the due days changed. said_days are those of which the host himself said last, for this
  // listing alone, how many can be sold.
  yield* sql`
    ALTER TABLE listing_lanes
      ADD due_days datemultirange NOT NULL DEFAULT '{}',
      ADD due_since timestamptz,
      ADD said_days datemultirange NOT NULL DEFAULT '{}'`

  // When a listing's calendar is compared with its channel's next, and for which link. suspected are days that the channel
  // sold fewer of, at the last look: an order may be on its way.
  yield* sql`
    CREATE TABLE listing_comparisons (
      operator_id bigint NOT NULL,
      listing_row bigint NOT NULL,
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
  yield* sql`CREATE INDEX listing_comparisons_due ON listing_comparisons (due_at)`
})
