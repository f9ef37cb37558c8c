import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { DateRange } from "../../../contract/date-range.ts"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import { hostReviewChannelCondition } from "./channel-conditions.ts"
import { Review } from "./contract.ts"
import { firstStaySql } from "./review-events.ts"
import type { ReviewStatusFilter } from "./rules/review-search.ts"

type Sql = SqlClient.SqlClient

interface ReviewSearchParameters {
  readonly operatorId: number
  readonly reservation_code: string | undefined
  readonly property_id: number | undefined
  readonly checkOutFrom: string | undefined
  readonly checkOutUntil: string | undefined
}

/** A record may wait for both guest and host, so these statuses overlap. */
const reviewStatusCondition = (sql: Sql, status: ReviewStatusFilter): Fragment => {
  const awaitsHost = sql`(NOT r.host_wrote AND ${hostReviewChannelCondition(sql, sql`r.channel_type`)})`
  switch (status) {
    case "any":
      return sql`true`
    case "pending_guest_review":
      return sql`NOT r.guest_wrote`
    case "pending_host_review":
      return awaitsHost
    case "reviewed":
      return sql`r.guest_wrote AND NOT ${awaitsHost}`
  }
}

const selectMatching = (sql: Sql, values: ReviewSearchParameters, status: ReviewStatusFilter): Fragment => {
  const { operatorId, reservation_code: code, property_id, checkOutFrom, checkOutUntil } = values
  const operator = genericPlanParameter(sql, "bigint", operatorId)
  const conditions = [sql`r.operator_id = ${operator}`, reviewStatusCondition(sql, status)]
  if (checkOutFrom !== undefined)
    conditions.push(sql`r.check_out_date >= ${genericPlanParameter(sql, "date", checkOutFrom)}`)
  if (checkOutUntil !== undefined)
    conditions.push(sql`r.check_out_date <= ${genericPlanParameter(sql, "date", checkOutUntil)}`)
  if (code !== undefined) {
    conditions.push(sql`r.order_id = ANY (ARRAY(
      SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
      UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}))`)
  }
  if (property_id !== undefined) {
    conditions.push(sql`r.order_id IN (
      SELECT order_id FROM stays WHERE operator_id = ${operator} AND property_id = ${genericPlanParameter(sql, "bigint", property_id)})`)
  }
  return sql`SELECT r.operator_id, r.order_id, r.check_out_date FROM reviews r WHERE ${sql.and(conditions)}`
}

const selectFullRows = (sql: Sql): Fragment => sql`
  SELECT r.*, o.reservation_code, listed.position
  FROM listed JOIN reviews r ON r.operator_id = listed.operator_id AND r.order_id = listed.order_id
  JOIN orders o ON o.operator_id = listed.operator_id AND o.id = listed.order_id`

const search = (sql: Sql) => {
  const selectPage = makePageReader(
    sql,
    Review,
    (values: ReviewSearchParameters, status: ReviewStatusFilter) => ({
      matchingRows: selectMatching(sql, values, status),
      pageQuery: selectFullRows(sql),
      orderBy: sql`check_out_date DESC, order_id DESC`,
      joins: sql`LEFT JOIN ${firstStaySql(sql, sql`page`)} stay ON true`
    }),
    {
      property_id: sql`coalesce(stay.property_id, 0)`,
      listing_id: sql`coalesce(stay.listing_id, coalesce(stay.property_id, 0)::text)`,
      check_in_date: sql`(
        SELECT min(s.check_in_date) FROM stays s
        WHERE s.operator_id = page.operator_id AND s.order_id = page.order_id)`
    }
  )
  return (
    operatorId: number,
    filters: { readonly reservation_code?: string; readonly property_id?: number },
    days: DateRange | undefined,
    status: ReviewStatusFilter,
    page: Page
  ) => {
    const { reservation_code, property_id } = filters
    return selectPage(
      { operatorId, reservation_code, property_id, checkOutFrom: days?.start, checkOutUntil: days?.end },
      page,
      status
    )
  }
}

const makeReviewSearchStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  search: search(sql),
  checkPropertyExists: makeCheckPropertyExists(sql)
}))

export class ReviewSearchStore extends Context.Service<
  ReviewSearchStore,
  {
    readonly search: (
      operatorId: number,
      filters: { readonly reservation_code?: string; readonly property_id?: number },
      days: DateRange | undefined,
      status: ReviewStatusFilter,
      page: Page
    ) => Effect.Effect<RowPage<Review>>
    readonly checkPropertyExists: (operatorId: number, propertyId: number) => Effect.Effect<boolean>
  }
>()("latchkey/domain/guests/reviews/ReviewSearchStore") {
  static readonly layer = Layer.effect(ReviewSearchStore, makeReviewSearchStore)
}
