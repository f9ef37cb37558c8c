import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CHANNEL_ACCOUNTS_MAX, CHANNELS_LISTINGS_MAX } from "../../../platform/limits.ts"
import { mappingColumns, mappingJoins } from "./listing-mapping.ts"

const ChannelAccountSummary = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  username: Schema.String,
  auth_status: Schema.String,
  listings: Schema.Int,
  /** Listings without a mapping, except deleted ones. */
  unlinked: Schema.Int
})
export type ChannelAccountSummary = typeof ChannelAccountSummary.Type

const ListingSummary = Schema.Struct({
  id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  shelf_status: Schema.String,
  link_type: Schema.NullOr(Schema.Literals(["property", "room_type"])),
  link_title: Schema.NullOr(Schema.String),
  ratio: Schema.Int,
  readonly: Schema.Boolean,
  /** Null if the listing has no push. Old pushes are deleted. */
  push_state: Schema.NullOr(Schema.String),
  push_at: Schema.NullOr(Schema.String)
})
export type ListingSummary = typeof ListingSummary.Type

const ChannelOverview = Schema.Struct({
  accounts: Schema.Array(ChannelAccountSummary),
  listings: Schema.Array(ListingSummary),
  total: Schema.Int
})

const readChannelOverview = makeSingleRowReader(ChannelOverview)

interface ChannelListingFilter {
  readonly account: number | undefined
  readonly isUnmappedOnly: true | undefined
}

interface ChannelListingsInput extends ChannelListingFilter {
  readonly operatorId: number
  readonly offset: number
}

type Sql = SqlClient.SqlClient

const accountsJsonSql = (sql: Sql, { operatorId }: ChannelListingsInput) => sql`
  SELECT coalesce(jsonb_agg(row), '[]') FROM (
    SELECT a.id, a.channel_type, a.username, a.auth_status, coalesce(of_account.listings, 0) AS listings,
      coalesce(of_account.unlinked, 0) AS unlinked
    FROM channel_accounts a
    LEFT JOIN (
      SELECT account_id, count(*) AS listings, count(*) FILTER (
        WHERE property_id IS NULL AND room_type_id IS NULL AND shelf_status <> 'deleted') AS unlinked
      FROM listings WHERE operator_id = ${operatorId} GROUP BY account_id
    ) of_account ON of_account.account_id = a.id
    WHERE a.operator_id = ${operatorId}
    ORDER BY a.channel_type, a.id LIMIT ${sql.literal(String(CHANNEL_ACCOUNTS_MAX))}
  ) row`

const selectChannelOverview = (sql: Sql, input: ChannelListingsInput) => {
  const { operatorId, account, isUnmappedOnly, offset } = input
  const matching = sql`
      listings l WHERE l.operator_id = ${operatorId}
        AND ${account === undefined ? sql`true` : sql`l.account_id = ${account}`}
        AND ${isUnmappedOnly === undefined ? sql`true` : sql`l.property_id IS NULL AND l.room_type_id IS NULL AND l.shelf_status <> 'deleted'`}`
  return sql`
      WITH page AS (
        SELECT l.* FROM ${matching} ORDER BY l.id LIMIT ${sql.literal(String(CHANNELS_LISTINGS_MAX))} OFFSET ${offset}
      )
      SELECT (${accountsJsonSql(sql, input)}) AS accounts, (SELECT count(*) FROM ${matching}) AS total,
        (SELECT coalesce(jsonb_agg(row ORDER BY row.id), '[]') FROM (
          SELECT l.id, l.channel_type, l.listing_id, l.title, l.shelf_status, ${mappingColumns(sql)}, l.ratio,
            l.ratio_readonly AS readonly, last.state AS push_state, coalesce(last.settled_at, last.created_at)::text AS push_at
          FROM page l
          ${mappingJoins(sql)}
          LEFT JOIN LATERAL (
            SELECT p.state, p.created_at, p.settled_at FROM listing_pushes p
            WHERE p.operator_id = l.operator_id AND p.listing_row = l.id
            ORDER BY p.id DESC LIMIT 1) last ON true
        ) row) AS listings`
}

export class AtChannels extends Context.Service<AtChannels>()("latchkey/transports/console/queries/AtChannels", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: ({ account, isUnmappedOnly }: ChannelListingFilter, offset: number) =>
      CurrentCaller.use(({ operatorId }) =>
        readChannelOverview(selectChannelOverview(sql, { operatorId, account, isUnmappedOnly, offset }))
      )
  }))
}) {
  static readonly layer = Layer.effect(AtChannels, AtChannels.make)
}
