import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { daysBefore } from "../../../contract/time.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { FAILED_PUSHES_SHOWN, OVERVIEW_DAYS_FAILED } from "../../../platform/limits.ts"
import { pushedDaysSql } from "./pushed-days.ts"

const FailedPush = Schema.Struct({
  id: Schema.Int,
  listing: Schema.Int,
  channel_type: Schema.String,
  listing_title: Schema.String,
  kind: Schema.String,
  state: Schema.String,
  reason: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  settled_at: Schema.String,
  first: Schema.NullOr(Schema.String),
  last: Schema.NullOr(Schema.String)
})
export type FailedPush = typeof FailedPush.Type

const FailedPushPage = Schema.Struct({ pushes: Schema.Array(FailedPush), total: Schema.Int })

const readFailedPushes = makeSingleRowReader(FailedPushPage)

const selectFailedPushes = (sql: SqlClient.SqlClient, operatorId: number, since: Date, offset: number) =>
  sql`
      WITH failed AS MATERIALIZED (
        SELECT p.* FROM listing_pushes p
        WHERE p.operator_id = ${operatorId} AND p.state IN ('refused', 'dead') AND p.settled_at >= ${since}
      )
      SELECT (SELECT count(*) FROM failed) AS total,
        (SELECT coalesce(jsonb_agg(row ORDER BY row.id DESC), '[]') FROM (
          SELECT p.id, l.id AS listing, l.channel_type, l.title AS listing_title, p.kind, p.state, p.reason, p.attempts,
            p.settled_at::text AS settled_at, days.first, days.last
          FROM (SELECT * FROM failed ORDER BY id DESC LIMIT ${sql.literal(String(FAILED_PUSHES_SHOWN))} OFFSET ${offset}) p
          JOIN listings l ON l.operator_id = p.operator_id AND l.id = p.listing_row
          CROSS JOIN LATERAL ${pushedDaysSql(sql)} days
        ) row) AS pushes`

export class FailedPushes extends Context.Service<FailedPushes>()("latchkey/transports/console/queries/FailedPushes", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: (now: Date, offset: number) =>
      CurrentCaller.use(({ operatorId }) =>
        readFailedPushes(selectFailedPushes(sql, operatorId, daysBefore(now, OVERVIEW_DAYS_FAILED), offset))
      )
  }))
}) {
  static readonly layer = Layer.effect(FailedPushes, FailedPushes.make)
}
