import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What is done later goes on with the trace of the change that asked for it: its row keeps the text of `traceparent`. The
// release before writes rows without it, and what it has queued is done as the beginning of a trace.

const TABLES = [
  "events",
  "listing_pushes",
  "listing_lanes",
  "messages",
  "automation_stays",
  "automation_plans",
  "answer_lanes"
]

// A column that may be null and has no default: no row is written anew, so each takes as long as its lock. In pieces, because
// one transaction that keeps others from a table while it waits for the next meets those who have the next and want the first.
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(TABLES, (table) => sql`ALTER TABLE ${sql(table)} ADD COLUMN IF NOT EXISTS traceparent text`, {
    discard: true
  })
)
