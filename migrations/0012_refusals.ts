import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What was refused is counted, not written down call by call, and the trail is read by time, newest first.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Refused calls and sign-ins that failed, by the hour that begins at `hour`. A count that is flushed again finds its row.
  yield* sql`
    CREATE TABLE refusals (
      operator_id bigint NOT NULL,
      hour timestamptz NOT NULL,
      account_id bigint NOT NULL,
      application text NOT NULL,
      operation text NOT NULL,
      error_code integer NOT NULL,
      times bigint NOT NULL,
      PRIMARY KEY (operator_id, hour, account_id, application, operation, error_code)
    )`
  yield* sql`CREATE INDEX refusals_hour ON refusals (hour)`

  // Ids are given in the order statements run, times in that in which they were composed: a span of time is none of ids.
  yield* sql`ALTER TABLE trail DROP CONSTRAINT trail_pkey, ADD PRIMARY KEY (operator_id, at, id)`
  yield* sql`DROP INDEX trail_record`
  yield* sql`CREATE INDEX trail_record ON trail (operator_id, record, at, id)`
})
