import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a search of reservations counts stands in indexes, so that counting reads no rows of the tables, however many an
// operator has; and pages of one status or one property come in their order.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // How many stays an order has. A search that asks only of orders adds these up, and need not join all stays.
  yield* sql`ALTER TABLE orders ADD stay_count integer NOT NULL DEFAULT 1`
  yield* sql`
    UPDATE orders o SET stay_count = several.stays
    FROM (SELECT operator_id, order_id, count(*) AS stays FROM stays GROUP BY operator_id, order_id HAVING count(*) > 1) several
    WHERE o.operator_id = several.operator_id AND o.id = several.order_id`

  // Kept here and not by each statement that enters stays: those of the release before, which may still run, do not know of
  // it. Order by order, as the guards of the calendar (0004). Stays are never deleted and keep their order.
  yield* sql`
    CREATE FUNCTION count_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      touched record;
      stays integer;
    BEGIN
      FOR touched IN SELECT DISTINCT operator_id, order_id FROM after LOOP
        SELECT count(*) INTO stays FROM stays s
        WHERE s.operator_id = touched.operator_id AND s.order_id = touched.order_id;
        UPDATE orders SET stay_count = stays
        WHERE operator_id = touched.operator_id AND id = touched.order_id AND stay_count <> stays;
      END LOOP;
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE TRIGGER stays_counted AFTER INSERT ON stays REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION count_stays()`

  yield* sql`
    CREATE INDEX orders_status ON orders (operator_id, status, booked_at DESC, id DESC) INCLUDE (channel_type, stay_count)`

  // Which orders were booked last, of stays that are found by their days.
  yield* sql`CREATE INDEX orders_booked ON orders (operator_id, id) INCLUDE (booked_at)`

  // With the order, by which a search joins that asks of stays and of orders.
  yield* sql`DROP INDEX stays_order, stays_check_in, stays_check_out, stays_property`
  yield* sql`CREATE INDEX stays_order ON stays (operator_id, order_id, id)`
  yield* sql`CREATE INDEX stays_check_in ON stays (operator_id, check_in_date DESC, id DESC) INCLUDE (order_id)`
  yield* sql`CREATE INDEX stays_check_out ON stays (operator_id, check_out_date DESC, id DESC) INCLUDE (order_id)`
  yield* sql`
    CREATE INDEX stays_property ON stays (operator_id, property_id, check_in_date DESC, id DESC) INCLUDE (order_id)`
})
