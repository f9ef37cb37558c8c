import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What waits, by the order it goes in. A lane is a (operator, subscription, lane): the deliveries about one record, which
// go one after the other, or a delivery that failed so often that it goes by itself.
//
// The invariant: webhook_lanes has a row for exactly the lanes something waits in, and the row says which delivery is its
// head (the waiting one with the lowest event_id) and when that one is due. So a look for what is due reads heads only,
// however much is held back behind them, and whatever waits is in reach through its lane.
//
// The database keeps it, whichever statement changes the deliveries. Two changes of one lane may overlap, so:
// - what leaves a lane, or is put off in it: the rows of the lanes are locked first, in order, and then their heads are
//   looked up by a statement of its own, which sees all that was committed up to then;
// - what comes into a lane replaces its head if it is older, or makes the row. The row is locked by that, and its head
//   includes what everybody before did; who comes after finds what this one did, committed.
// This holds under READ COMMITTED, where every statement of a function has a snapshot of its own. Rows of deliveries are
// locked before rows of lanes, so nobody waits in a circle. There is no foreign key: it would look up for each change
// what is true by construction.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Room in each page, so that taking a delivery rewrites it in its place and leaves its indexes alone.
  yield* sql`ALTER TABLE webhook_deliveries SET (fillfactor = 60)`
  // 3 is WEBHOOK_HOLDING_FAILURES (src/platform/limits.ts). A replay sets the failures to 0: it goes in its record's order again.
  yield* sql`DROP INDEX webhook_deliveries_due, webhook_deliveries_record`
  yield* sql`
    ALTER TABLE webhook_deliveries ADD lane text COLLATE "C" NOT NULL
      GENERATED ALWAYS AS (CASE WHEN failures < 3 THEN record ELSE record || ' alone ' || event_id::text END) STORED`
  yield* sql`
    CREATE INDEX webhook_deliveries_lane ON webhook_deliveries (operator_id, subscription_id, lane, event_id)
      WHERE state = 'waiting'`

  yield* sql`
    CREATE TABLE webhook_lanes (
      operator_id bigint NOT NULL,
      subscription_id bigint NOT NULL,
      lane text COLLATE "C" NOT NULL,
      event_id bigint NOT NULL,
      due_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, subscription_id, lane)
    )`
  // The condition always holds. It keeps the index for those who ask for what is due and say it too: a plan made for a
  // short table might take it to look up one lane, and then read all lanes of a subscription.
  yield* sql`
    CREATE INDEX webhook_lanes_due ON webhook_lanes (operator_id, subscription_id, due_at, event_id)
      WHERE event_id > 0`

  const entering = (rows: string) => `
    INSERT INTO webhook_lanes AS l (operator_id, subscription_id, lane, event_id, due_at)
    SELECT DISTINCT ON (operator_id, subscription_id, lane) operator_id, subscription_id, lane, event_id, due_at
    FROM ${rows}
    ORDER BY operator_id, subscription_id, lane, event_id
    ON CONFLICT (operator_id, subscription_id, lane) DO UPDATE
      SET event_id = excluded.event_id, due_at = excluded.due_at
      WHERE excluded.event_id < l.event_id;`

  const touched = `
    SELECT DISTINCT operator_id, subscription_id, lane FROM before WHERE state = 'waiting'
    ORDER BY operator_id, subscription_id, lane`
  const rowOfLane = `
    FROM webhook_lanes WHERE operator_id = t.operator_id AND subscription_id = t.subscription_id AND lane = t.lane`

  // The head is where a leap into the index of all lanes arrives, if that is still this lane. Asked for by the lane's own
  // columns, it might be looked for along any index that has event_id, past all that is not of the lane.
  const leaving = `
    PERFORM FROM (${touched}) t CROSS JOIN LATERAL (SELECT ${rowOfLane} FOR UPDATE) locked;
    IF NOT FOUND THEN RETURN NULL; END IF;
    WITH lanes AS MATERIALIZED (
      SELECT l.place, head.event_id, head.due_at
      FROM (${touched}) t
      CROSS JOIN LATERAL (SELECT ctid AS place ${rowOfLane} OFFSET 0) l
      LEFT JOIN LATERAL (
        SELECT operator_id, subscription_id, lane, event_id, due_at FROM webhook_deliveries
        WHERE state = 'waiting'
          AND (operator_id, subscription_id, lane, event_id) >= (t.operator_id, t.subscription_id, t.lane, 0)
        ORDER BY operator_id, subscription_id, lane, event_id LIMIT 1
      ) head ON (head.operator_id, head.subscription_id, head.lane) = (t.operator_id, t.subscription_id, t.lane)
    ), emptied AS (
      DELETE FROM webhook_lanes WHERE ctid = ANY (ARRAY(SELECT place FROM lanes WHERE event_id IS NULL))
    )
    UPDATE webhook_lanes l SET event_id = lanes.event_id, due_at = lanes.due_at FROM lanes
    WHERE l.ctid = ANY (ARRAY(SELECT place FROM lanes WHERE event_id IS NOT NULL)) AND lanes.place = l.ctid;`

  const entered = `
    (SELECT * FROM after WHERE state = 'waiting' AND (operator_id, subscription_id, lane) NOT IN (
      SELECT operator_id, subscription_id, lane FROM before WHERE state = 'waiting')) entered`

  // A session plans these once, perhaps while the tables are empty: the settings leave it no way but row by row through
  // an index.
  const keptAfter = (event: string, tables: string, body: string) =>
    Effect.gen(function* () {
      const name = `webhook_lanes_kept_after_${event.toLowerCase()}`
      yield* sql.unsafe(`
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
        SET enable_seqscan = off SET enable_bitmapscan = off
        AS $$ BEGIN ${body} RETURN NULL; END $$`)
      yield* sql.unsafe(`
        CREATE TRIGGER ${name} AFTER ${event} ON webhook_deliveries ${tables}
        FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
    })

  yield* keptAfter(
    "INSERT",
    "REFERENCING NEW TABLE AS after",
    entering("(SELECT * FROM after WHERE state = 'waiting') entered")
  )
  yield* keptAfter("UPDATE", "REFERENCING OLD TABLE AS before NEW TABLE AS after", entering(entered) + leaving)
  yield* keptAfter("DELETE", "REFERENCING OLD TABLE AS before", leaving)
  yield* keptAfter("TRUNCATE", "", "TRUNCATE webhook_lanes;")

  yield* sql.unsafe(entering("(SELECT * FROM webhook_deliveries WHERE state = 'waiting') entered"))
})
