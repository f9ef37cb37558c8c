import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { InstantColumn } from "../../column-schemas.ts"

/** `refused`: by the channel. `dead`: the channel was unreachable for too long. */
export const PushState = Schema.Literals(["waiting", "pushed", "refused", "dead"])
export type PushState = typeof PushState.Type

export const LoggedPush = Schema.Struct({
  id: Schema.Int,
  operator_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  kind: Schema.String,
  state: PushState,
  reason: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  created_at: InstantColumn,
  settled_at: Schema.NullOr(InstantColumn),
  ranges: Schema.Array(Schema.Record(Schema.String, Schema.Json))
})
export type LoggedPush = typeof LoggedPush.Type

interface ListingPushFilter {
  readonly operatorId: number | undefined
  readonly listingId: string | undefined
  readonly state: PushState | undefined
}

const readLoggedPushes = makeRowsReader(LoggedPush)

const makeListLatest =
  (sql: SqlClient.SqlClient): PushLog["Service"]["listLatest"] =>
  ({ operatorId, listingId, state }, limit) =>
    readLoggedPushes(sql`
      SELECT p.id, p.operator_id, l.channel_type, l.listing_id, p.kind, p.state, p.reason, p.attempts, p.created_at,
        p.settled_at, p.ranges
      FROM listing_pushes p
      JOIN listings l ON l.operator_id = p.operator_id AND l.id = p.listing_row
      WHERE ${operatorId === undefined ? sql`true` : sql`p.operator_id = ${operatorId}`}
        AND ${listingId === undefined ? sql`true` : sql`l.listing_id = ${listingId}`}
        AND ${state === undefined ? sql`true` : sql`p.state = ${state}`}
      ORDER BY p.id DESC LIMIT ${limit}`)

export class PushLog extends Context.Service<
  PushLog,
  {
    readonly listLatest: (filter: ListingPushFilter, limit: number) => Effect.Effect<ReadonlyArray<LoggedPush>>
  }
>()("latchkey/domain/calendars/listing-calendars/PushLog") {
  static readonly layer = Layer.effect(
    PushLog,
    Effect.map(SqlClient.SqlClient, (sql) => PushLog.of({ listLatest: makeListLatest(sql) }))
  )
}
