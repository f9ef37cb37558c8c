import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Whose an address is. Who opens a feed or a shared calendar says nothing but its token, and where the tables of operators
// are spread over several servers, that is to lead to one of them: `addresses` is the one table that knows, by the digest
// of the token, and it stands on each. The token's own column may then be sealed, as nobody looks a token up in it.
//
// The release before this writes tokens and no digests, so triggers do: they work the digest out of every token that is
// plain, and keep `addresses`. What is sealed comes with its digest. Once no process of that release runs, a later one can
// let the statements say the digest and drop digest_of_token. The rows there are get theirs in pieces (0059).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // What of the row `kind` and `row_id` tell is for whoever looks into the table: the service reads the row by its id.
  yield* sql`
    CREATE TABLE addresses (
      digest bytea PRIMARY KEY,
      operator_id bigint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('property_feed', 'calendar_share_link')),
      row_id bigint NOT NULL
    )`

  // Its argument is how plain tokens of the table begin.
  yield* sql`
    CREATE FUNCTION digest_of_token() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF starts_with(NEW.token, TG_ARGV[0]) THEN
        NEW.token_digest := sha256(convert_to(NEW.token, 'UTF8'));
      ELSIF NEW.token_digest IS NULL THEN
        RAISE EXCEPTION 'a token of % that is not plain comes with its digest', TG_TABLE_NAME
          USING ERRCODE = 'not_null_violation', TABLE = TG_TABLE_NAME, COLUMN = 'token_digest';
      END IF;
      RETURN NEW;
    END $$`
  // Its argument is the kind. Two rows of one digest are refused by the primary key of addresses.
  yield* sql`
    CREATE FUNCTION keep_address() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        IF TG_OP = 'UPDATE' AND OLD.token_digest IS NOT DISTINCT FROM NEW.token_digest THEN
          RETURN NULL;
        END IF;
        DELETE FROM addresses WHERE digest = OLD.token_digest;
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO addresses (digest, operator_id, kind, row_id)
        VALUES (NEW.token_digest, NEW.operator_id, TG_ARGV[0], NEW.id);
      END IF;
      RETURN NULL;
    END $$`

  // The trail names a token that is replaced (0010), and not its digest beside it.
  yield* sql`
    CREATE OR REPLACE FUNCTION changed_fields(before jsonb, after jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
      SELECT coalesce(array_agg(field ORDER BY field), '{}') FROM (
        SELECT CASE key
          WHEN 'properties_version' THEN 'property_ids'
          WHEN 'room_types_version' THEN 'room_type_ids'
          ELSE key END AS field
        FROM jsonb_each(after)
        WHERE key NOT IN ('updated_at', 'version', 'token_digest') AND before -> key IS DISTINCT FROM value
      ) changed
    $$`

  yield* sql`ALTER TABLE property_feeds ADD token_digest bytea`
  yield* sql`
    CREATE TRIGGER property_feeds_digest BEFORE INSERT OR UPDATE OF token ON property_feeds
    FOR EACH ROW EXECUTE FUNCTION digest_of_token('lkfeed_')`
  yield* sql`
    CREATE TRIGGER property_feeds_address AFTER INSERT OR DELETE OR UPDATE OF token, token_digest ON property_feeds
    FOR EACH ROW EXECUTE FUNCTION keep_address('property_feed')`
})
