import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a changing statement writes beside the change itself, in one with it: the key it was called with, and who changed
// what. Neither refers to operators: a foreign key would look up for each change what the change itself has looked up.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // An Idempotency-Key, as a digest, so that no key shows in an error or a log of the database. fingerprint: of the operation and
  // its input. outcome: what came of the change, from which the first answer is built again. Without one the change is under
  // way outside, at a channel, and until then nobody else may ask what became of it.
  yield* sql`
    CREATE TABLE idempotency_keys (
      operator_id bigint NOT NULL,
      digest bytea NOT NULL,
      fingerprint bytea NOT NULL,
      outcome jsonb,
      under_way_until timestamptz,
      kept_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, digest),
      CHECK ((outcome IS NULL) = (under_way_until IS NOT NULL))
    )`
  yield* sql`CREATE INDEX idempotency_keys_kept ON idempotency_keys (kept_at)`

  // One row a record and change. account_id: null where nobody's account acted. fields: names only, never what was in them.
  yield* sql`
    CREATE TABLE trail (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      at timestamptz NOT NULL,
      account_id bigint,
      application text NOT NULL,
      operation text NOT NULL,
      request_id text,
      record text NOT NULL,
      fields text[] NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`
  yield* sql`CREATE INDEX trail_record ON trail (operator_id, record, id)`
  yield* sql`CREATE INDEX trail_at ON trail (at)`

  // The names of the fields in which a row differs from what it was. A list that is replaced as a whole shows in the
  // version that its owner has of it (0003_portfolio).
  yield* sql`
    CREATE FUNCTION changed_fields(before jsonb, after jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
      SELECT coalesce(array_agg(field ORDER BY field), '{}') FROM (
        SELECT CASE key
          WHEN 'properties_version' THEN 'property_ids'
          WHEN 'room_types_version' THEN 'room_type_ids'
          ELSE key END AS field
        FROM jsonb_each(after)
        WHERE key NOT IN ('updated_at', 'version') AND before -> key IS DISTINCT FROM value
      ) changed
    $$`
})
