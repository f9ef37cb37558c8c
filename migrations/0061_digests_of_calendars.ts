import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The address of an imported calendar may be sealed, and is then another text each time: by its digest it is known again. The
// release before this writes addresses and no digests, so a trigger does, as for tokens (0057). What is sealed comes with its
// digest. The rows there are get theirs in pieces (0062).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION digest_of_url() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT starts_with(NEW.url, 'sealed:') THEN
        NEW.url_digest := sha256(convert_to(NEW.url, 'UTF8'));
      ELSIF NEW.url_digest IS NULL THEN
        RAISE EXCEPTION 'a sealed url of % comes with its digest', TG_TABLE_NAME
          USING ERRCODE = 'not_null_violation', TABLE = TG_TABLE_NAME, COLUMN = 'url_digest';
      END IF;
      RETURN NEW;
    END $$`
  yield* sql`ALTER TABLE imported_calendars ADD url_digest bytea`
  yield* sql`
    CREATE TRIGGER imported_calendars_digest BEFORE INSERT OR UPDATE OF url ON imported_calendars
    FOR EACH ROW EXECUTE FUNCTION digest_of_url()`
})
