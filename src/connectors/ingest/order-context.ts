import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { belongsToOtherAccountCondition } from "../../domain/channels/channel-accounts/account-conditions.ts"
import { soldPropertiesSql } from "../../domain/listings/listing-lookup.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { CHANNEL_ROOMS_MAX } from "../../platform/limits.ts"
import type { SourceAccount } from "./ingest-result.ts"
import type { ChannelStay } from "./rules/channel-stays.ts"

type Sql = SqlClient.SqlClient

const OrderContext = Schema.Struct({
  account_known: Schema.Boolean,
  reservation_code: Schema.NullOr(Schema.String),
  /** The order belongs to another account that is still connected. */
  is_anothers: Schema.Boolean,
  /**
   * For each room, the mapped properties whose nights no other order holds, best first (`against`). Null if neither the
   * account nor the stored order has the listing.
   */
  free: Schema.Array(Schema.NullOr(Schema.Array(Schema.Int)))
})
export type OrderContext = typeof OrderContext.Type

const readOrderContext = makeSingleRowReader(Schema.toCodecJson(OrderContext))

/** The other rooms of the order, before and after the change, take at most one property each. */
const MAX_FREE_PROPERTIES = 2 * CHANNEL_ROOMS_MAX

interface OrderContextQuery extends SourceAccount {
  readonly channelId: string
  readonly stays: ReadonlyArray<ChannelStay>
}

/** `against` ranks the reasons to avoid a property: 1 blocked, 2 unavailable in an imported calendar, 3 inactive. */
const freePropertiesSql = (sql: Sql, { operatorId }: OrderContextQuery): Fragment => sql`
  SELECT sold.property_id, CASE WHEN p.deactivated_at IS NOT NULL THEN 3 ELSE (
    SELECT coalesce(max(CASE WHEN d.imported > 0 THEN 2 WHEN d.closed THEN 1 ELSE 0 END), 0) FROM calendar_days d
    WHERE d.operator_id = ${operatorId} AND d.property_id = sold.property_id
      AND d.day >= room.check_in_date AND d.day < room.check_out_date) END AS against
  FROM (${soldPropertiesSql(sql, sql`l`)}) sold
  JOIN properties p ON p.operator_id = ${operatorId} AND p.id = sold.property_id
  WHERE NOT EXISTS (SELECT FROM calendar_days d
    WHERE d.operator_id = ${operatorId} AND d.property_id = sold.property_id AND d.stay_id IS NOT NULL
      AND d.day >= room.check_in_date AND d.day < room.check_out_date
      AND d.stay_id <> ALL (ARRAY(SELECT s.id FROM stays s, known
        WHERE s.operator_id = ${operatorId} AND s.order_id = known.id)))
  ORDER BY against, sold.property_id LIMIT ${sql.literal(String(MAX_FREE_PROPERTIES))}`

export const makeLoadOrderContext = (sql: Sql) => {
  const statement = (query: OrderContextQuery) => {
    const { operatorId, accountId, channelType, channelId } = query
    const rooms = query.stays.map(({ listing_id, check_in_date, check_out_date }, room) => ({
      room,
      listing_id,
      check_in_date,
      check_out_date
    }))
    return sql`
      WITH known AS (
        SELECT operator_id, id, reservation_code, channel_account_id FROM orders
        WHERE operator_id = ${operatorId} AND channel_type = ${channelType} AND channel_id = ${channelId}
      ), place AS (
        SELECT room.room, CASE
          WHEN l.id IS NULL AND NOT EXISTS (SELECT FROM stays s, known WHERE s.operator_id = ${operatorId}
            AND s.order_id = known.id AND s.listing_id = room.listing_id) THEN NULL ELSE
          (SELECT coalesce(jsonb_agg(property_id ORDER BY against, property_id), '[]')
            FROM (${freePropertiesSql(sql, query)}) free) END AS free
        FROM jsonb_to_recordset(${jsonParameter(rooms)}::jsonb)
          AS room (room integer, listing_id text, check_in_date date, check_out_date date)
        LEFT JOIN listings l ON l.operator_id = ${operatorId} AND l.channel_type = ${channelType}
          AND l.listing_id = room.listing_id AND l.account_id = ${accountId}
      )
      SELECT
        EXISTS (SELECT FROM channel_accounts WHERE operator_id = ${operatorId} AND id = ${accountId}
          AND channel_type = ${channelType}) AS account_known,
        (SELECT reservation_code FROM known) AS reservation_code,
        EXISTS (SELECT FROM known WHERE ${belongsToOtherAccountCondition(sql, sql`known`, accountId)}) AS is_anothers,
        (SELECT jsonb_agg(free ORDER BY room) FROM place) AS free`
  }
  return (
    { operatorId, accountId, channelType }: SourceAccount,
    channelId: string,
    stays: ReadonlyArray<ChannelStay>
  ) => readOrderContext(statement({ operatorId, accountId, channelType, channelId, stays }))
}
