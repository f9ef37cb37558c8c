import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// How many stays an order has. A search that asks only of orders adds these up, and need not join all stays. What was
// one step is ten migrations, to 0022, so that each keeps others from one table only, and briefly.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // With a constant no row is written.
  yield* sql`ALTER TABLE orders ADD stay_count integer NOT NULL DEFAULT 1`

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
})
