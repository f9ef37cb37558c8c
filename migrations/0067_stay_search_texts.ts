import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The texts of a stay that a keyword search compares. The table is narrow, so that reading all texts of one operator is fast:
// 200,000 of them take about 30 ms of processor time. Triggers write it, because the previous release changes stays too.
//
// This migration locks only `stays`. Migration 0068 fills the texts of existing stays.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One line each for name, e-mail address and codes, in the form of `search_form`, and for the digits of phone numbers.
  yield* sql`
    CREATE TABLE stay_search_texts (
      operator_id bigint NOT NULL,
      stay_id bigint NOT NULL,
      words text NOT NULL,
      PRIMARY KEY (operator_id, stay_id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id) ON DELETE CASCADE
    )`

  // Both the stored text and the keyword get this form: NFC, one case, white space as one space. Upper case comes first, because only
  // together the two mappings make one letter of the final sigma and the other one.
  yield* sql`
    CREATE FUNCTION search_form(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT lower(upper(normalize(btrim(regexp_replace(written, '\\s+', ' ', 'g')), NFC)))
    $$`

  yield* sql`
    CREATE FUNCTION digits_in(phone text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT regexp_replace(phone, '[^0-9]', '', 'g')
    $$`

  // The stay's contact replaces its booker's row in `guests`, which keeps the name from before an edit. The stay of an erased guest,
  // which has no guest page, matches no keyword.
  yield* sql`
    CREATE FUNCTION search_text_of(of_operator bigint, of_stay bigint)
    RETURNS TABLE (operator_id bigint, stay_id bigint, words text) LANGUAGE sql STABLE AS $$
      SELECT s.operator_id, s.id, CASE WHEN s.guide_token IS NULL THEN '' ELSE coalesce((
        SELECT string_agg(search_form(word), E'\\n') FROM (
          VALUES (s.guest_name), (s.guest_email), (digits_in(s.guest_phone)), (s.stay_code),
            (CASE WHEN o.reservation_code <> s.stay_code THEN o.reservation_code END),
            (CASE WHEN position(o.channel_id IN o.reservation_code) = 0 THEN o.channel_id END)
          UNION ALL SELECT unnest(ARRAY[g.name, g.email, digits_in(g.phone)]) FROM guests g
          WHERE g.operator_id = s.operator_id AND g.stay_id = s.id AND NOT g.is_booker
        ) texts (word)), '') END
      FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE s.operator_id = of_operator AND s.id = of_stay
    $$`
  // PL/pgSQL caches the plan for the session. Before PostgreSQL 18, a SQL function is planned at each call.
  yield* sql`
    CREATE FUNCTION write_search_text(of_operator bigint, of_stay bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO stay_search_texts (operator_id, stay_id, words)
      SELECT text.operator_id, text.stay_id, text.words FROM search_text_of(of_operator, of_stay) text
      ON CONFLICT (operator_id, stay_id) DO UPDATE SET words = excluded.words;
    END $$`

  yield* sql`
    CREATE FUNCTION keep_search_text_of_stay() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM write_search_text(NEW.operator_id, NEW.id);
      RETURN NULL;
    END $$`
  // A row-level AFTER trigger runs after the whole statement, so the order, stays and guests are written.
  yield* sql`
    CREATE TRIGGER stays_search_text_added AFTER INSERT ON stays
    FOR EACH ROW EXECUTE FUNCTION keep_search_text_of_stay()`
  yield* sql`
    CREATE TRIGGER stays_search_text_changed
    AFTER UPDATE OF guest_name, guest_phone, guest_email, stay_code, order_id, guide_token ON stays
    FOR EACH ROW WHEN (
      (OLD.guest_name, OLD.guest_phone, OLD.guest_email, OLD.stay_code, OLD.order_id, OLD.guide_token)
        IS DISTINCT FROM
        (NEW.guest_name, NEW.guest_phone, NEW.guest_email, NEW.stay_code, NEW.order_id, NEW.guide_token))
    EXECUTE FUNCTION keep_search_text_of_stay()`
})
