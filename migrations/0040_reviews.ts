import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What guests and hosts say of each other after a stay: one record an order.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // channel_version is the latest that its channel said of it. What guest and host wrote stands as it is shown, null until then.
  yield* sql`
    CREATE TABLE reviews (
      operator_id bigint NOT NULL,
      order_id bigint NOT NULL,
      version bigint NOT NULL DEFAULT 0,
      channel_version bigint NOT NULL DEFAULT 0,
      channel_type text NOT NULL,
      check_out_date date NOT NULL,
      guest_review jsonb CHECK ((guest_review ->> 'score')::numeric BETWEEN 0 AND 5),
      host_review jsonb CHECK ((host_review ->> 'score')::numeric BETWEEN 0 AND 5),
      host_reply jsonb,
      guest_wrote boolean NOT NULL GENERATED ALWAYS AS (guest_review IS NOT NULL) STORED,
      host_wrote boolean NOT NULL GENERATED ALWAYS AS (host_review IS NOT NULL) STORED,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, order_id),
      FOREIGN KEY (operator_id, order_id) REFERENCES orders (operator_id, id)
    )`
  // All that a search asks of a record, so that it is found and counted without a look at the texts.
  yield* sql`
    CREATE INDEX reviews_newest ON reviews (operator_id, check_out_date DESC, order_id DESC)
    INCLUDE (channel_type, guest_wrote, host_wrote)`

  // The channel and the last check-out of its order stand in the record for that index, and nobody else writes them. Whoever
  // changes an order has it locked, and raises its version: so either the record is made with the dates that became of the
  // change, or the change finds the record.
  yield* sql`
    CREATE FUNCTION date_review() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      SELECT o.channel_type INTO NEW.channel_type FROM orders o
      WHERE o.operator_id = NEW.operator_id AND o.id = NEW.order_id FOR SHARE;
      SELECT max(s.check_out_date) INTO NEW.check_out_date FROM stays s
      WHERE s.operator_id = NEW.operator_id AND s.order_id = NEW.order_id;
      RETURN NEW;
    END $$`
  yield* sql`CREATE TRIGGER reviews_dated BEFORE INSERT ON reviews FOR EACH ROW EXECUTE FUNCTION date_review()`
  yield* sql`
    CREATE FUNCTION redate_review() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE reviews r SET check_out_date = now.last
      FROM (SELECT max(s.check_out_date) AS last FROM stays s
        WHERE s.operator_id = NEW.operator_id AND s.order_id = NEW.id) now
      WHERE r.operator_id = NEW.operator_id AND r.order_id = NEW.id AND r.check_out_date <> now.last;
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE TRIGGER orders_review_dated AFTER UPDATE OF version ON orders
    FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION redate_review()`
})
