import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The feed: events in the one order in which they became known, and how far its consumers have come.
//
// An event has no position until the fan-out hands it out. Its turns follow one another, and each gives positions above
// all that were given before: so positions become visible in their order, whichever transaction was the slow one, and
// whoever has read up to one has missed nothing. The sequence holds the last position given. It is no row, because a turn
// may have a snapshot from before the turn ahead of it ended: what a sequence says is never old.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE events ADD position bigint`
  yield* sql`CREATE SEQUENCE event_positions`
  // What was handed out before there were positions, in the order it was.
  yield* sql`
    WITH began AS MATERIALIZED (
      SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS position
    ), ordered AS (
      SELECT operator_id, id, row_number() OVER (ORDER BY fanned_out_at, id) AS nth
      FROM events WHERE fanned_out_at IS NOT NULL
    )
    UPDATE events e SET position = began.position + ordered.nth
    FROM began, ordered WHERE e.operator_id = ordered.operator_id AND e.id = ordered.id`
  yield* sql`SELECT setval('event_positions', max(position)) FROM events HAVING max(position) IS NOT NULL`
  // A process of the release before this one, which knows of no positions, hands out nothing any more: events wait for one
  // that gives them.
  yield* sql`
    ALTER TABLE events ADD CONSTRAINT handed_out_with_position CHECK ((fanned_out_at IS NULL) = (position IS NULL))`
  yield* sql`CREATE UNIQUE INDEX events_feed ON events (operator_id, position) WHERE position IS NOT NULL`

  // How the feed is read. A plan for any operator takes the average one for all of them, and might gather and sort
  // everything a large one has behind a position to show a page of it: the settings leave it no way but along the index,
  // to the page's end.
  const alongFeed = (signature: string, returns: string, body: string) =>
    sql.unsafe(`
      CREATE FUNCTION ${signature} RETURNS SETOF ${returns} LANGUAGE sql STABLE
      SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
      AS $$ ${body} $$`)

  // Of the next scanned events the first most of these kinds and this property (null: of any).
  yield* alongFeed(
    "feed_events(operator bigint, after bigint, scanned bigint, kinds text[], property text, most bigint)",
    "events",
    `SELECT * FROM (
      SELECT * FROM events e WHERE e.operator_id = operator AND e.position > after ORDER BY e.position LIMIT scanned
    ) next
    WHERE (kinds IS NULL OR next.event = ANY (kinds)) AND (property IS NULL OR next.payload->>'property_id' = property)
    ORDER BY next.position LIMIT most`
  )
  yield* alongFeed(
    "feed_positions(operator bigint, after bigint, skipped bigint, most bigint)",
    "bigint",
    `SELECT e.position FROM events e WHERE e.operator_id = operator AND e.position > after
    ORDER BY e.position OFFSET skipped LIMIT most`
  )
  yield* alongFeed(
    "latest_feed_positions(operator bigint, after bigint, most bigint)",
    "bigint",
    `SELECT e.position FROM events e WHERE e.operator_id = operator AND e.position > after
    ORDER BY e.position DESC LIMIT most`
  )

  // Up to which position events of an operator were removed: the feed begins after it.
  yield* sql`
    CREATE TABLE forgotten_events (
      operator_id bigint PRIMARY KEY REFERENCES operators (id),
      position bigint NOT NULL
    )`

  // position: acknowledged up to there. lagging_since: when a look found it far behind; null while it keeps up.
  yield* sql`
    CREATE TABLE event_consumers (
      operator_id bigint NOT NULL REFERENCES operators (id),
      name text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      lagging_since timestamptz,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, name)
    )`
  // EVENT_CONSUMERS_MAX of src/platform/limits.ts.
  yield* sql`
    ALTER TABLE operators ADD event_consumer_limit integer NOT NULL DEFAULT 20 CHECK (event_consumer_limit >= 0)`
  yield* sql`
    CREATE TRIGGER event_consumers_limit AFTER INSERT ON event_consumers
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('event_consumer_limit', 'true')`
})
