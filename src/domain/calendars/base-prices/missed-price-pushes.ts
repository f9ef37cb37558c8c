import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { traceCteSql } from "../../../platform/database/traceparent-sql.ts"
import { LISTINGS_MAX, MISSED_PRICE_LISTINGS } from "../../../platform/limits.ts"
import { currentTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { ChannelAccounts } from "../../channels/channel-accounts/ChannelAccounts.ts"
import { MissedPricePushes, type ReconnectedAccount } from "../../channels/channel-accounts/MissedPricePushes.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import { CurrentPricePushes, type ListingToPrice } from "../listing-calendars/CurrentPricePushes.ts"
import { layerPushJobs } from "../listing-calendars/push-jobs.ts"
import { queueCurrentPricesSql } from "./current-prices.ts"

/** `last` is the last listing of the batch; null: no listing is left. */
const Batch = Schema.Struct({ last: Schema.NullOr(Schema.Int), is_queue_full: Schema.Boolean })

const readBatch = makeSingleRowReader(Batch)

const queueBatch = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operatorId, accountId }: ReconnectedAccount,
  after: number,
  now: Date
) {
  return yield* readBatch(sql`
    WITH ${traceCteSql(sql, yield* currentTraceparent)}, changed_listing AS MATERIALIZED (
      SELECT l.*, false AS has_new_target, true AS needs_stay_lengths FROM listings l
      WHERE l.operator_id = ${operatorId} AND l.account_id = ${accountId} AND l.id > ${after}
        AND num_nonnulls(l.property_id, l.room_type_id) = 1 AND l.shelf_status <> 'deleted'
      ORDER BY l.id LIMIT ${MISSED_PRICE_LISTINGS}
    ), ${queueCurrentPricesSql(sql, now)}
    SELECT (SELECT max(id) FROM changed_listing) AS last, is_full AS is_queue_full FROM queue_check`)
})

/** If the queue of the listing is full, the prices wait for the host's next call: the lane keeps the missed days. */
const queueCurrentPrices = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operatorId, listingRow, needsStayLengths }: ListingToPrice,
  now: Date
) {
  const { is_queue_full } = yield* readBatch(sql`
    WITH ${traceCteSql(sql, yield* currentTraceparent)}, changed_listing AS MATERIALIZED (
      SELECT l.*, false AS has_new_target, ${needsStayLengths}::boolean AS needs_stay_lengths FROM listings l
      WHERE l.operator_id = ${operatorId} AND l.id = ${listingRow}
        AND num_nonnulls(l.property_id, l.room_type_id) = 1 AND l.shelf_status <> 'deleted'
    ), ${queueCurrentPricesSql(sql, now)}
    SELECT NULL AS last, is_full AS is_queue_full FROM queue_check`)
  if (is_queue_full)
    yield* Effect.annotateLogs(Effect.logWarning("a listing got no base prices again, because its queue is full"), {
      operatorId,
      listingRow
    })
})

const makeCurrentPricePushes = (sql: SqlClient.SqlClient): CurrentPricePushes["Service"] => {
  const runLocked = withOperatorLock(sql)
  return {
    queuePushes: (listing, now) => runLocked(listing.operatorId, queueCurrentPrices(sql, listing, now))
  }
}

/** Skips listings whose queue is full, so that one listing cannot prevent the reconnection. */
const makeQueuePushes = (sql: SqlClient.SqlClient): MissedPricePushes["Service"]["queuePushes"] =>
  Effect.fnUntraced(function* (account, now) {
    let after = 0
    for (let listings = 0; listings < LISTINGS_MAX; listings += MISSED_PRICE_LISTINGS) {
      const { last, is_queue_full } = yield* queueBatch(sql, account, after, now)
      if (is_queue_full)
        yield* Effect.annotateLogs(
          Effect.logWarning("listings of a reconnected account got no base prices, because their queues are full"),
          { operatorId: account.operatorId, accountId: account.accountId }
        )
      if (last === null) return
      after = last
    }
  })

const layerMissedPricePushes = Layer.effect(
  MissedPricePushes,
  Effect.map(SqlClient.SqlClient, (sql) => MissedPricePushes.of({ queuePushes: makeQueuePushes(sql) }))
)

export const layerCurrentPricePushes = Layer.effect(
  CurrentPricePushes,
  Effect.map(SqlClient.SqlClient, makeCurrentPricePushes)
)

/** Pushes to channels that queue base prices again when a channel did not take them. */
export const layerPushJobsWithPrices = Layer.provide(layerPushJobs, layerCurrentPricePushes)

/** `ChannelAccounts` that push base prices when an account is connected again. */
export const layerAccountsWithPrices = Layer.provide(ChannelAccounts.layer, layerMissedPricePushes)
