import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { column, columnNames, rowParameterSql } from "../../../platform/database/columns.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { OrderStatus } from "../../bookings/orders/order.ts"
import { belongsToOtherAccountCondition } from "../../channels/channel-accounts/account-conditions.ts"
import type { ChannelAccountRef } from "../../channels/port/event-handling.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { ReviewContent } from "./review.ts"
import { recordReviewEvents, reviewRecordSql, reviewsWithStaysCte } from "./review-events.ts"

type Sql = SqlClient.SqlClient

const ReviewedOrderRow = Schema.Struct({
  order_id: Schema.Int,
  reservation_code: Schema.String,
  channel_type: Schema.String,
  channel_id: Schema.String,
  channel_account_id: Schema.NullOr(Schema.Int),
  status: OrderStatus,
  check_out_date: Schema.String,
  /** `written`, `version` and `channel_version` are null if the order has no record. */
  written: Schema.NullOr(ReviewContent),
  version: Schema.NullOr(Schema.Int),
  channel_version: Schema.NullOr(Schema.Int)
})
export type ReviewedOrder = typeof ReviewedOrderRow.Type

const ChannelReviewedOrderRow = Schema.Struct({ ...ReviewedOrderRow.fields, is_anothers: Schema.Boolean })
type ChannelReviewedOrder = typeof ChannelReviewedOrderRow.Type

/** `condition` and `moreColumns` may use the aliases `o` and `r`. */
const selectReviewedOrder = (sql: Sql, condition: Fragment, moreColumns: Fragment): Fragment => sql`
  SELECT o.id AS order_id, o.reservation_code, o.channel_type, o.channel_id, o.channel_account_id, o.status,
    (SELECT max(s.check_out_date) FROM stays s WHERE s.operator_id = o.operator_id AND s.order_id = o.id) AS check_out_date,
    CASE WHEN r.order_id IS NOT NULL THEN jsonb_build_object(
      'host_review', r.host_review, 'guest_review', r.guest_review, 'host_reply', r.host_reply) END AS written,
    r.version, r.channel_version${moreColumns}
  FROM orders o LEFT JOIN reviews r ON r.operator_id = o.operator_id AND r.order_id = o.id
  WHERE ${condition}`

const readReviewedOrder = makeOptionalRowReader(ReviewedOrderRow)

const findByReservationCode = (sql: Sql) => (operatorId: number, reservation_code: string) =>
  readReviewedOrder(
    sql`${selectReviewedOrder(
      sql,
      sql`o.operator_id = ${operatorId} AND o.reservation_code = ${reservation_code}`,
      sql.literal("")
    )}`
  )

const readChannelReviewedOrder = makeOptionalRowReader(ChannelReviewedOrderRow)

const findByChannel =
  (sql: Sql) =>
  ({ operatorId, accountId, channelType }: ChannelAccountRef, channelId: string) =>
    readChannelReviewedOrder(
      sql`${selectReviewedOrder(
        sql,
        sql`o.operator_id = ${operatorId} AND o.channel_type = ${channelType} AND o.channel_id = ${channelId}`,
        sql`, ${belongsToOtherAccountCondition(sql, sql`o`, accountId)} AS is_anothers`
      )}`
    )

const ReviewColumns = Schema.Struct({
  channel_version: column("bigint", Schema.Int),
  host_review: column("jsonb", ReviewContent.fields.host_review),
  guest_review: column("jsonb", ReviewContent.fields.guest_review),
  host_reply: column("jsonb", ReviewContent.fields.host_reply)
})
type ReviewColumns = typeof ReviewColumns.Type

interface WriteReviewParameters extends OperatorScoped {
  readonly orderId: number
  /** Undefined if there was no record. */
  readonly version: number | undefined
  readonly content: ReviewColumns
  readonly now: Date
}

/** `written` is empty if a record exists. */
const insertReview = (sql: Sql, { operatorId, orderId, content, now }: WriteReviewParameters): Fragment => sql`
  written AS (
    INSERT INTO reviews (operator_id, order_id, created_at, ${sql.literal(columnNames(ReviewColumns))})
    SELECT ${operatorId}::bigint, ${orderId}::bigint, ${now}::timestamptz, ${sql.literal(columnNames(ReviewColumns, "given"))}
    FROM ${rowParameterSql(sql, ReviewColumns, content)}
    ON CONFLICT DO NOTHING
    RETURNING *
  )`

/** `written` is empty if the record has changed. */
const updateReview = (
  sql: Sql,
  { operatorId, orderId, content }: WriteReviewParameters,
  version: number
): Fragment => sql`
  before AS (
    SELECT * FROM reviews WHERE operator_id = ${operatorId} AND order_id = ${orderId} FOR NO KEY UPDATE
  ), written AS (
    UPDATE reviews r SET version = r.version + 1, (${sql.literal(columnNames(ReviewColumns))}) = (
      SELECT ${sql.literal(columnNames(ReviewColumns, "given"))} FROM ${rowParameterSql(sql, ReviewColumns, content)})
    FROM before
    WHERE r.operator_id = before.operator_id AND r.order_id = before.order_id AND before.version = ${version}
    RETURNING r.*
  )`

/** `same`: a new version without a change in content, which records no event. */
type ReviewChange = "created" | "updated" | "same"

const NO_CHANGED_RECORDS_SQL =
  "SELECT NULL::bigint AS operator_id, NULL::text AS record, '{}'::text[] AS fields WHERE false"

const changedReviewsSql = (sql: Sql, change: ReviewChange): Fragment => {
  if (change === "same") return sql.literal(NO_CHANGED_RECORDS_SQL)
  if (change === "created") {
    return sql`SELECT operator_id, ${reviewRecordSql(sql)} AS record, '{}'::text[] AS fields FROM told`
  }
  // The audit log does not list changes of these columns.
  const withoutDerivedColumns = "- ARRAY['channel_version', 'guest_wrote', 'host_wrote']"
  return sql`
    SELECT told.operator_id, ${reviewRecordSql(sql)} AS record,
      changed_fields(to_jsonb(before) ${sql.literal(withoutDerivedColumns)}, to_jsonb(written) ${sql.literal(withoutDerivedColumns)}) AS fields
    FROM told, before, written`
}

const readWrittenReservationCode = makeOptionalRowReader(Schema.Struct({ reservation_code: Schema.String }))

const writeContent = (sql: Sql) => {
  const statement = (parameters: WriteReviewParameters, change: ReviewChange) =>
    recordChange(sql, {
      change: sql`
        ${parameters.version === undefined ? insertReview(sql, parameters) : updateReview(sql, parameters, parameters.version)}, ${reviewsWithStaysCte(sql)}`,
      events: change === "same" ? [] : [recordReviewEvents(sql, `review_${change}`, parameters.now)],
      changedRecords: changedReviewsSql(sql, change),
      outcome: sql`SELECT reservation_code FROM told`
    })
  return (
    operatorId: number,
    { order_id: orderId, version }: ReviewedOrder,
    content: ReviewColumns,
    change: ReviewChange,
    now: Date
  ) =>
    readWrittenReservationCode(statement({ operatorId, orderId, version: version ?? undefined, content, now }, change))
}

const makeReviewStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  findByReservationCode: findByReservationCode(sql),
  findByChannel: findByChannel(sql),
  writeContent: writeContent(sql)
}))

export class ReviewStore extends Context.Service<
  ReviewStore,
  {
    readonly findByReservationCode: (
      operatorId: number,
      reservationCode: string
    ) => Effect.Effect<ReviewedOrder | undefined>
    /** `is_anothers`: the order belongs to another channel account. */
    readonly findByChannel: (
      account: ChannelAccountRef,
      channelId: string
    ) => Effect.Effect<ChannelReviewedOrder | undefined>
    /** Returns undefined, and stores nothing, if the review has changed since it was read. */
    readonly writeContent: (
      operatorId: number,
      order: ReviewedOrder,
      content: ReviewColumns,
      change: ReviewChange,
      now: Date
    ) => Effect.Effect<{ readonly reservation_code: string } | undefined, never, CurrentActor>
  }
>()("latchkey/domain/guests/reviews/ReviewStore") {
  static readonly layer = Layer.effect(ReviewStore, makeReviewStore)
}
