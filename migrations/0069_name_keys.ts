import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fillNameKeys } from "../src/domain/name-key-backfill.ts"
import { buildIndexConcurrently } from "../src/platform/database/concurrent-index.ts"

// Names of groups and tags are compared by a key that ignores case and the Unicode form. The service computes the key, so that it
// does not depend on the locale of the database. A row without a key is compared by its exact name.
//
// The previous release writes no keys. If it renames a row, a trigger removes the key of the old name.
//
// This migration runs outside a transaction (`nonTransactional`): each statement locks another table, and indexes are built without blocking writes.

const TABLES = ["property_groups", "property_tags", "reservation_tags"]
const RENAMED_BY_RELEASE_BEFORE = ["property_groups", "property_tags"]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  for (const table of TABLES) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN IF NOT EXISTS name_key text`
    yield* buildIndexConcurrently({ name: `${table}_name_key`, unique: true, on: `${table} (operator_id, name_key)` })
    yield* buildIndexConcurrently({
      name: `${table}_without_key`,
      unique: false,
      on: `${table} (operator_id, id) WHERE name_key IS NULL`
    })
  }

  // A name that differs only in case has the same key. `lower` knows fewer cases than the service, so this may also clear the key of such a
  // rename. Then `fillNameKeys` computes it again within minutes.
  yield* sql`
    CREATE OR REPLACE FUNCTION forget_name_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.name_key = OLD.name_key AND lower(normalize(NEW.name, NFC)) <> lower(normalize(OLD.name, NFC)) THEN
        NEW.name_key := NULL;
      END IF;
      RETURN NEW;
    END $$`
  for (const table of RENAMED_BY_RELEASE_BEFORE) {
    yield* sql`
      CREATE OR REPLACE TRIGGER ${sql(`${table}_renamed`)} BEFORE UPDATE OF name ON ${sql(table)}
      FOR EACH ROW EXECUTE FUNCTION forget_name_key()`
  }

  // Names of default tags are ASCII, so `lower` computes their keys.
  yield* sql`
    CREATE OR REPLACE VIEW usable_reservation_tags AS
    SELECT o.id AS operator_id, t.id, t.tag_name, t.color, true AS is_default, 0::bigint AS stays_version,
      lower(t.tag_name) AS name_key
    FROM operators o CROSS JOIN default_reservation_tags t
    UNION ALL
    SELECT operator_id, id, tag_name, color, false, stays_version, name_key FROM reservation_tags WHERE deleted_at IS NULL`

  // The audit log (0010) names changed fields. The key is no field of its own, so it is left out.
  yield* sql`
    CREATE OR REPLACE FUNCTION changed_fields(before jsonb, after jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
      SELECT coalesce(array_agg(field ORDER BY field), '{}') FROM (
        SELECT CASE key
          WHEN 'properties_version' THEN 'property_ids'
          WHEN 'room_types_version' THEN 'room_type_ids'
          ELSE key END AS field
        FROM jsonb_each(after)
        WHERE key NOT IN ('updated_at', 'version', 'token_digest', 'name_key') AND before -> key IS DISTINCT FROM value
      ) changed
    $$`

  yield* fillNameKeys
})
