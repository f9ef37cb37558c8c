import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { column, givenRow, namesOf } from "../../../platform/database/columns.ts"
import { type Givens, inForms, type Value } from "../../../platform/database/forms.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { Status } from "../../bookings/orders/order.ts"
import { isAnothers } from "../../channels/channel-accounts/known-account.ts"
import type { Speaking } from "../../channels/port/heard.ts"
import type { OfOperator } from "../../own-row.ts"
import { Written } from "./review.ts"
import { recordReviews, reviewRecord, toldOf } from "./told.ts"

// The SQL of a record that changes: one statement that reads it and its order, one that writes it as it was worked out.

type Sql = SqlClient.SqlClient

const Found = Schema.Struct({
  order_id: Schema.Int,
  reservation_code: Schema.String,
  channel_type: Schema.String,
  channel_id: Schema.String,
  channel_account_id: Schema.NullOr(Schema.Int),
  status: Status,
  /** Of the last of its stays. */
  check_out_date: Schema.String,
  /** Null, as the two after it: there is no record yet. */
  written: Schema.NullOr(Written),
  /** Rises with every change of the record. */
  version: Schema.NullOr(Schema.Int),
  /** The latest that its channel said of it. */
  channel_version: Schema.NullOr(Schema.Int)
})
/** An order, and its record. */
export type FoundReview = typeof Found.Type

const FoundByChannel = Schema.Struct({ ...Found.fields, is_anothers: Schema.Boolean })

/** What is found of a row `o` of orders; `r` is its record. */
const found = (sql: Sql, where: Fragment, beside: Fragment): Fragment => sql`
  SELECT o.id AS order_id, o.reservation_code, o.channel_type, o.channel_id, o.channel_account_id, o.status,
    (SELECT max(s.check_out_date) FROM stays s WHERE s.operator_id = o.operator_id AND s.order_id = o.id) AS check_out_date,
    CASE WHEN r.order_id IS NOT NULL THEN jsonb_build_object(
      'host_review', r.host_review, 'guest_review', r.guest_review, 'host_reply', r.host_reply) END AS written,
    r.version, r.channel_version${beside}
  FROM orders o LEFT JOIN reviews r ON r.operator_id = o.operator_id AND r.order_id = o.id
  WHERE ${where}`

const readFound = rowOf(Found)

const find = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, reservation_code }: Givens<OfOperator & { readonly reservation_code: string }>) =>
      found(sql, sql`o.operator_id = ${operatorId} AND o.reservation_code = ${reservation_code}`, sql.literal(""))
  )
  return (operatorId: number, reservation_code: string) => readFound(statement({ operatorId, reservation_code }))
}

const readByChannel = rowOf(FoundByChannel)

/** The order of that id at the channel of who speaks. */
const findByChannel = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, accountId, channelType, channelId }: Givens<Speaking & { readonly channelId: string }>) =>
      found(
        sql,
        sql`o.operator_id = ${operatorId} AND o.channel_type = ${channelType} AND o.channel_id = ${channelId}`,
        sql`, ${isAnothers(sql, sql`o`, accountId)} AS is_anothers`
      )
  )
  return ({ operatorId, accountId, channelType }: Speaking, channelId: string) =>
    readByChannel(statement({ operatorId, accountId, channelType, channelId }))
}

/** The columns that a change sets. */
const Content = Schema.Struct({
  channel_version: column("bigint", Schema.Int),
  host_review: column("jsonb", Written.fields.host_review),
  guest_review: column("jsonb", Written.fields.guest_review),
  host_reply: column("jsonb", Written.fields.host_reply)
})
type Content = typeof Content.Type

interface Wanted extends OfOperator {
  readonly orderId: number
  /** As it was read; undefined where there was none. */
  readonly version: number | undefined
  readonly content: Content
  readonly now: Date
}

/** CTE `written`: the new record; without a row where somebody was faster. */
const made = (sql: Sql, { operatorId, orderId, content, now }: Givens<Wanted>): Fragment => sql`
  written AS (
    INSERT INTO reviews (operator_id, order_id, created_at, ${sql.literal(namesOf(Content))})
    SELECT ${operatorId}::bigint, ${orderId}::bigint, ${now}::timestamptz, ${sql.literal(namesOf(Content, "given"))}
    FROM ${givenRow(sql, Content, content)}
    ON CONFLICT DO NOTHING
    RETURNING *
  )`

/** CTE `written`: the record as it becomes; without a row where it is no longer as it was read. */
const changed = (sql: Sql, { operatorId, orderId, content }: Givens<Wanted>, version: Value<number>): Fragment => sql`
  before AS (
    SELECT * FROM reviews WHERE operator_id = ${operatorId} AND order_id = ${orderId} FOR NO KEY UPDATE
  ), written AS (
    UPDATE reviews r SET version = r.version + 1, (${sql.literal(namesOf(Content))}) = (
      SELECT ${sql.literal(namesOf(Content, "given"))} FROM ${givenRow(sql, Content, content)})
    FROM before
    WHERE r.operator_id = before.operator_id AND r.order_id = before.order_id AND before.version = ${version}
    RETURNING r.*
  )`

/** What became of a record by a change: `same`, one more version of the channel's shows nothing new, which nobody is told of. */
export type Becomes = "created" | "updated" | "same"

const NONE_TOUCHED = "SELECT NULL::bigint AS operator_id, NULL::text AS record, '{}'::text[] AS fields WHERE false"

const touched = (sql: Sql, becomes: Becomes): Fragment => {
  if (becomes === "same") return sql.literal(NONE_TOUCHED)
  if (becomes === "created") {
    return sql`SELECT operator_id, ${reviewRecord(sql)} AS record, '{}'::text[] AS fields FROM told`
  }
  // The columns that follow from others have no name of their own.
  const shown = "- ARRAY['channel_version', 'guest_wrote', 'host_wrote']"
  return sql`
    SELECT told.operator_id, ${reviewRecord(sql)} AS record,
      changed_fields(to_jsonb(before) ${sql.literal(shown)}, to_jsonb(written) ${sql.literal(shown)}) AS fields
    FROM told, before, written`
}

const readWritten = rowOf(Schema.Struct({ reservation_code: Schema.String }))

/**
 * Writes a record that was worked out from one as it was found: all of it, or nothing, and undefined answered, where that has
 * changed since. Its subscribers are told.
 */
const write = (sql: Sql) => {
  const statement = onRecordInForms(sql, (wanted: Givens<Wanted>, becomes: Becomes) => ({
    change: sql`
      ${wanted.version === undefined ? made(sql, wanted) : changed(sql, wanted, wanted.version)}, ${toldOf(sql)}`,
    events: becomes === "same" ? [] : [recordReviews(sql, `review_${becomes}`, wanted.now)],
    touched: touched(sql, becomes),
    outcome: sql`SELECT reservation_code FROM told`
  }))
  return (
    operatorId: number,
    { order_id: orderId, version }: FoundReview,
    content: Content,
    becomes: Becomes,
    now: Date
  ) => readWritten(statement({ operatorId, orderId, version: version ?? undefined, content, now }, becomes))
}

export class ReviewStore extends Context.Service<ReviewStore>()("latchkey/resources/ReviewStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    find: find(sql),
    findByChannel: findByChannel(sql),
    write: write(sql)
  }))
}) {
  static readonly layer = Layer.effect(ReviewStore, ReviewStore.make)
}
