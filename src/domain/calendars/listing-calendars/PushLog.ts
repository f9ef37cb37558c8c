import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { InstantColumn } from "../../column-schemas.ts"

/** How a push stands; `refused` by its channel, `dead` where that could not be told for too long. */
export const PushState = Schema.Literals(["waiting", "pushed", "refused", "dead"])
export type PushState = typeof PushState.Type

/** What a channel is to be told, or was. */
export const LoggedPush = Schema.Struct({
  id: Schema.Int,
  operator_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  kind: Schema.String,
  state: PushState,
  /** Why it is refused or dead, or what the last try failed by. */
  reason: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  created_at: InstantColumn,
  settled_at: Schema.NullOr(InstantColumn),
  ranges: Schema.Array(Schema.Record(Schema.String, Schema.Json))
})
export type LoggedPush = typeof LoggedPush.Type

/** Which pushes are meant; what is undefined does not narrow it. */
interface ListingPushFilter {
  readonly operatorId: number | undefined
  /** The channel's own id. */
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

/** What whoever runs the service sees of pushes to channels. All operators', unless one is named. */
export class PushLog extends Context.Service<
  PushLog,
  {
    /** Returns the latest pushes, the latest first. */
    readonly listLatest: (filter: ListingPushFilter, limit: number) => Effect.Effect<ReadonlyArray<LoggedPush>>
  }
>()("latchkey/domain/calendars/listing-calendars/PushLog") {
  static readonly layer = Layer.effect(
    PushLog,
    Effect.map(SqlClient.SqlClient, (sql) => PushLog.of({ listLatest: makeListLatest(sql) }))
  )
}
