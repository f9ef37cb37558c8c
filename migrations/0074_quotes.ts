import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Prices that a caller was quoted for a stay. POST /reservations uses a quote at most once. Expired quotes are deleted.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `terms` is the response without `quote_id` and `expires_at`. `property_id` is null for a listing without a mapping.
  yield* sql`
    CREATE TABLE quotes (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      quote_id text NOT NULL,
      property_id bigint,
      channel_type text,
      listing_id text,
      check_in_date date NOT NULL,
      check_out_date date NOT NULL,
      number_of_guests integer NOT NULL,
      terms jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      used_at timestamptz,
      reservation_code text,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT quotes_quote_id UNIQUE (operator_id, quote_id)
    )`
  yield* sql`CREATE INDEX quotes_by_expiry ON quotes (expires_at)`
})
