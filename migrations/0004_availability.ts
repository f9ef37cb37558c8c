import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The calendar: why a property is not available on a day. The two causes stand side by side in one row, closed by the
// host and held by a stay, so that either can go without touching the other, and whoever changes one of them waits for
// the row and then sees the other as it is now, not as it was when the statement began. That makes the events exact.
//
// That no night is sold twice is kept here, under every statement of the service:
//   1. a row a property and night (the primary key) with one holder in it,
//   2. which no statement may give to another stay, except one that names the stay it takes the night from,
//   3. and no statement may leave a stay of an accepted order on a property without exactly its nights.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE calendar_days (
      operator_id bigint NOT NULL,
      property_id bigint NOT NULL,
      day date NOT NULL,
      closed boolean NOT NULL DEFAULT false,
      remarks text NOT NULL DEFAULT '',
      stay_id bigint,
      taken_from bigint,
      PRIMARY KEY (operator_id, property_id, day),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id),
      CHECK (taken_from IS NULL OR stay_id IS NOT NULL)
    )`
  yield* sql`CREATE INDEX calendar_days_stay ON calendar_days (operator_id, stay_id) WHERE stay_id IS NOT NULL`

  yield* sql`
    CREATE FUNCTION refuse_second_holder() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'property % is held on % by another stay', OLD.property_id, OLD.day
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'one_holder_a_night', TABLE = 'calendar_days';
    END $$`
  yield* sql`
    CREATE TRIGGER one_holder_a_night BEFORE UPDATE ON calendar_days FOR EACH ROW
    WHEN (OLD.stay_id <> NEW.stay_id AND NEW.taken_from IS DISTINCT FROM OLD.stay_id)
    EXECUTE FUNCTION refuse_second_holder()`

  // due: the nights a stay must hold; own: those of them it holds; held: all it holds.
  yield* sql`
    CREATE VIEW stays_out_of_step AS
    SELECT s.operator_id, s.id AS stay_id, s.stay_code
    FROM stays s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN o.status = 'accepted' AND s.property_id IS NOT NULL
        THEN s.check_out_date - s.check_in_date ELSE 0 END AS due) nights
    CROSS JOIN LATERAL (
      SELECT count(*) AS held, count(*) FILTER (
        WHERE d.property_id = s.property_id AND d.day >= s.check_in_date AND d.day < s.check_out_date) AS own
      FROM calendar_days d WHERE d.operator_id = s.operator_id AND d.stay_id = s.id) calendar
    WHERE calendar.held <> nights.due OR calendar.own <> nights.due`

  // Checked once a statement, after all of its parts: a statement may take, move and free nights in any order. Stay by
  // stay, because a session plans this once, perhaps while the tables are empty, and must not come to check all stays
  // for the sake of one.
  const checkedAfter = (name: string, event: "INSERT" | "UPDATE" | "DELETE", table: string, touched: string) =>
    Effect.gen(function* () {
      const tables = { INSERT: "NEW TABLE AS after", DELETE: "OLD TABLE AS before" }
      yield* sql.unsafe(`
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
          touched record;
          odd text;
        BEGIN
          FOR touched IN ${touched} LOOP
            SELECT stay_code INTO odd FROM stays_out_of_step
            WHERE operator_id = touched.operator_id AND stay_id = touched.stay_id;
            IF FOUND THEN
              RAISE EXCEPTION 'stay % does not hold exactly its nights', odd
                USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'stay_holds_its_nights', TABLE = '${table}';
            END IF;
          END LOOP;
          RETURN NULL;
        END $$`)
      yield* sql.unsafe(`
        CREATE TRIGGER ${name} AFTER ${event} ON ${table}
        REFERENCING ${event === "UPDATE" ? `${tables.DELETE} ${tables.INSERT}` : tables[event]}
        FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
    })

  yield* checkedAfter("stays_entered", "INSERT", "stays", "SELECT operator_id, id AS stay_id FROM after")
  yield* checkedAfter("stays_changed", "UPDATE", "stays", "SELECT operator_id, id AS stay_id FROM after")
  yield* checkedAfter(
    "orders_changed",
    "UPDATE",
    "orders",
    `SELECT after.operator_id, s.id AS stay_id FROM after
     JOIN before ON before.operator_id = after.operator_id AND before.id = after.id AND before.status <> after.status
     CROSS JOIN LATERAL (
       SELECT id FROM stays WHERE operator_id = after.operator_id AND order_id = after.id OFFSET 0) s`
  )
  const holders = (rows: string) => `SELECT DISTINCT operator_id, stay_id FROM ${rows} WHERE stay_id IS NOT NULL`
  yield* checkedAfter("nights_taken", "INSERT", "calendar_days", holders("after"))
  yield* checkedAfter("nights_lost", "DELETE", "calendar_days", holders("before"))
  yield* checkedAfter(
    "nights_changed",
    "UPDATE",
    "calendar_days",
    holders("(SELECT operator_id, stay_id FROM before UNION ALL SELECT operator_id, stay_id FROM after) both_sides")
  )
})
