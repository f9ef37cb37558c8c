import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

// Searches also find the companions of a stay, and the stays from before 0067 get their texts.
//
// This migration runs outside a transaction (`nonTransactional`), because it locks another table than 0067 and so that a concurrent change waits for one
// batch of stays only.

const STAYS_AT_ONCE = 500

interface Key {
  readonly operator_id: number
  readonly id: number
}

/**
 * Writes the missing texts of the next batch. Returns the last stay of the batch, or no row after the last batch. A text that a
 * concurrent change wrote is newer, so it is not overwritten.
 */
const writePiece = (sql: SqlClient.SqlClient, after: Key): Effect.Effect<ReadonlyArray<Key>, SqlError> => sql<Key>`
  WITH next AS MATERIALIZED (
    SELECT operator_id, id FROM stays WHERE (operator_id, id) > (${after.operator_id}, ${after.id})
    ORDER BY operator_id, id LIMIT ${sql.literal(`${STAYS_AT_ONCE}`)}
  ), missing AS MATERIALIZED (
    SELECT s.operator_id, s.id FROM next JOIN stays s ON s.operator_id = next.operator_id AND s.id = next.id
    WHERE NOT EXISTS (
      SELECT FROM stay_search_texts t WHERE t.operator_id = next.operator_id AND t.stay_id = next.id)
    FOR KEY SHARE OF s
  ), written AS (
    INSERT INTO stay_search_texts (operator_id, stay_id, words)
    SELECT text.* FROM missing CROSS JOIN LATERAL search_text_of(missing.operator_id, missing.id) text
    ON CONFLICT (operator_id, stay_id) DO NOTHING
  )
  SELECT operator_id, id FROM next ORDER BY operator_id DESC, id DESC LIMIT 1`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE OR REPLACE FUNCTION keep_search_text_of_guest() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- Two changes of one stay's guests must not each write a text without the other's guest.
      IF TG_OP <> 'INSERT' AND NOT OLD.is_booker THEN
        PERFORM FROM stays WHERE operator_id = OLD.operator_id AND id = OLD.stay_id FOR NO KEY UPDATE;
        PERFORM write_search_text(OLD.operator_id, OLD.stay_id);
      END IF;
      IF TG_OP <> 'DELETE' AND NOT NEW.is_booker
        AND (TG_OP = 'INSERT' OR OLD.is_booker OR (OLD.operator_id, OLD.stay_id) <> (NEW.operator_id, NEW.stay_id)) THEN
        PERFORM FROM stays WHERE operator_id = NEW.operator_id AND id = NEW.stay_id FOR NO KEY UPDATE;
        PERFORM write_search_text(NEW.operator_id, NEW.stay_id);
      END IF;
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE OR REPLACE TRIGGER guests_search_text AFTER INSERT OR UPDATE OR DELETE ON guests
    FOR EACH ROW EXECUTE FUNCTION keep_search_text_of_guest()`

  let after: Key | undefined = { operator_id: 0, id: 0 }
  while (after !== undefined) {
    const last: ReadonlyArray<Key> = yield* writePiece(sql, after)
    after = last[0]
  }
})
