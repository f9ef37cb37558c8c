import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { addDays, dateOfWallClock } from "../../../contract/time.ts"
import { hasOrderEnded, OrderStatus } from "../../../domain/bookings/orders/order.ts"
import { computeShownStayStatus } from "../../../domain/bookings/stays/rules.ts"
import { StayStatus } from "../../../domain/bookings/stays/stay.ts"
import { receivedAmountSql } from "../../../domain/money/received-money.ts"
import { checkOutTimeSql } from "../../../domain/properties/properties/check-out-time.ts"
import { normalizeForSearch, normalizeSearchKeyword } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { SEARCH_DAYS, STAY_SEARCH_ROWS_MAX } from "../../../platform/limits.ts"
import { awaitsReviewCondition } from "./check-in-review.ts"
import { unpaidOrdersSql } from "./unpaid-orders.ts"

type Sql = SqlClient.SqlClient

/**
 * Status of an order, `check_in` if guests' documents await review, or whether the guest of a confirmed stay has checked
 * in or out.
 */
export const StaySearchStatus = Schema.Literals([...OrderStatus.literals, "check_in", "in_house", "stay_completed"])
export type StaySearchStatus = typeof StaySearchStatus.Type

export const StaySearchPayment = Schema.Literals(["unpaid", "paid"])
export type StaySearchPayment = typeof StaySearchPayment.Type

export interface StaySearchFilter {
  /**
   * Part of a guest's name or of a stay code. A complete stay, reservation or channel code is also found outside the
   * default range ({@link checkOutRangeOf}).
   */
  readonly searchText: string | undefined
  /** {@link UNASSIGNED_PROPERTY} selects unassigned stays. */
  readonly propertyId: number | undefined
  readonly status: StaySearchStatus | undefined
  /** Both values select only accepted orders. */
  readonly payment: StaySearchPayment | undefined
  /** First and last check-in date, both included. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly checkOutFrom: string | undefined
  readonly checkOutTo: string | undefined
}

export const UNASSIGNED_PROPERTY = 0

export interface CheckOutRange {
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * Returns the check-out dates to search. Without dates in the filter these are today and the next {@link SEARCH_DAYS}
 * days. A search by text or payment also covers as many earlier days.
 */
export const checkOutRangeOf = (filter: StaySearchFilter, today: string): CheckOutRange => {
  const { searchText, status, payment, from, to, checkOutFrom, checkOutTo } = filter
  const hasDateFilter = [from, to, checkOutFrom, checkOutTo].some((day) => day !== undefined)
  if (hasDateFilter || status === "wait_accept" || status === "wait_pay") return { from: undefined, to: undefined }
  if (status === "check_in") return { from: today, to: undefined }
  if (status === "stay_completed") return { from: addDays(today, -SEARCH_DAYS), to: today }
  const includesPast = searchText !== undefined || payment !== undefined
  return { from: includesPast ? addDays(today, -SEARCH_DAYS) : today, to: addDays(today, SEARCH_DAYS) }
}

const StaySearchRow = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  property_title: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_guests: Schema.Int,
  channel_type: Schema.String,
  status: OrderStatus,
  stay_status: StayStatus,
  /** `HH:mm` in the operator's time zone. */
  check_out_time: Schema.String,
  currency: Schema.String,
  /** Decimal price of this stay. */
  rate: Schema.String,
  /** Number of stays of the order. */
  stays: Schema.Int,
  /** Decimal amounts of the whole order. */
  total: Schema.String,
  balance: Schema.String,
  tags: Schema.Array(Schema.String)
})
export type StaySearchRow = typeof StaySearchRow.Type

const StaySearchResult = Schema.Struct({
  total: Schema.Int,
  orders: Schema.Int,
  /** Sorted by check-in date. */
  rows: Schema.Array(StaySearchRow)
})

const readSearchResult = makeSingleRowReader(StaySearchResult)

interface StaySearchInput extends StaySearchFilter {
  readonly operatorId: number
  readonly today: string
  /** The operator's local time, `YYYY-MM-DD HH:mm:ss`. */
  readonly clock: string
  readonly coveredFrom: string | undefined
  readonly coveredTo: string | undefined
  readonly moneyFrom: string
  readonly moneyTo: string
  readonly offset: number
  readonly limit: number
}

/** The same rule as in {@link computeShownStayStatus}. */
const checkedOutCondition = (sql: Sql, clock: string): Fragment => sql`(s.stay_status = 'stay_completed' OR (
  s.stay_status = 'checkin_pending' AND s.check_out_date::text || ' ' || ${checkOutTimeSql(sql, sql`s`)} <= ${clock}))`

const orderConditions = (sql: Sql, { status, today, clock }: StaySearchInput): ReadonlyArray<Fragment> => {
  if (status === "check_in") return [awaitsReviewCondition(sql, today)]
  if (status === "in_house") return [sql`o.status = 'accepted' AND s.stay_status = 'in_house'`]
  if (status === "stay_completed") return [sql`o.status = 'accepted' AND ${checkedOutCondition(sql, clock)}`]
  return status === undefined ? [] : [sql`o.status = ${status}`]
}

const paymentConditions = (sql: Sql, payment: StaySearchPayment | undefined): ReadonlyArray<Fragment> => {
  if (payment === undefined) return []
  return payment === "unpaid"
    ? [sql`s.order_id IN (SELECT order_id FROM unpaid)`]
    : [sql`o.status = 'accepted' AND s.order_id NOT IN (SELECT order_id FROM unpaid)`]
}

/**
 * An order that is found by its code may be missing in the CTE `unpaid`, because of its check-out date. So its amounts
 * are summed here.
 */
const paymentConditionsByOrder = (sql: Sql, payment: StaySearchPayment | undefined): ReadonlyArray<Fragment> => {
  if (payment === undefined) return []
  const due = sql`(
    SELECT coalesce(sum(each.rate), 0) FROM stays each WHERE each.operator_id = s.operator_id AND each.order_id = s.order_id)`
  const received = receivedAmountSql(sql, { operatorId: sql`s.operator_id`, id: sql`s.order_id` })
  return [sql`o.status = 'accepted' AND ${due} ${sql.literal(payment === "unpaid" ? ">" : "<=")} ${received}`]
}

const stayConditions = (sql: Sql, input: StaySearchInput): ReadonlyArray<Fragment> => {
  const conditions: Array<Fragment> = [sql`s.operator_id = ${input.operatorId}`]
  if (input.propertyId === UNASSIGNED_PROPERTY) conditions.push(sql`s.property_id IS NULL`)
  else if (input.propertyId !== undefined) conditions.push(sql`s.property_id = ${input.propertyId}`)
  if (input.from !== undefined) conditions.push(sql`s.check_in_date >= ${input.from}::date`)
  if (input.to !== undefined) conditions.push(sql`s.check_in_date <= ${input.to}::date`)
  if (input.checkOutFrom !== undefined) conditions.push(sql`s.check_out_date >= ${input.checkOutFrom}::date`)
  if (input.checkOutTo !== undefined) conditions.push(sql`s.check_out_date <= ${input.checkOutTo}::date`)
  return conditions
}

const checkOutConditions = (sql: Sql, { coveredFrom, coveredTo }: StaySearchInput): ReadonlyArray<Fragment> => [
  ...(coveredFrom === undefined ? [] : [sql`s.check_out_date >= ${coveredFrom}::date`]),
  ...(coveredTo === undefined ? [] : [sql`s.check_out_date <= ${coveredTo}::date`])
]

const matchingStaysSql = (sql: Sql, input: StaySearchInput): Fragment => {
  const { operatorId, searchText, payment } = input
  const conditionsOnOrder = orderConditions(sql, input)
  const orderJoin =
    conditionsOnOrder.length === 0 && payment === undefined
      ? sql``
      : sql` JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id`
  const selectStays = (extraConditions: ReadonlyArray<Fragment>): Fragment => sql`
    SELECT s.id, s.order_id, s.check_in_date FROM stays s${orderJoin}
    WHERE ${sql.and([...stayConditions(sql, input), ...conditionsOnOrder, ...extraConditions])}`
  const rangeConditions = [...checkOutConditions(sql, input), ...paymentConditions(sql, payment)]
  if (searchText === undefined) return selectStays(rangeConditions)
  const keyword = normalizeSearchKeyword(sql, searchText)
  const matchesName = sql`(strpos(${normalizeForSearch(sql, sql`s.guest_name`)}, ${keyword}) > 0 OR strpos(lower(s.stay_code), ${keyword}) > 0)`
  const matchesCode = sql`s.order_id = ANY (ARRAY(
    SELECT id FROM orders WHERE operator_id = ${operatorId} AND (reservation_code = ${searchText} OR channel_id = ${searchText})
    UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${searchText}))`
  return sql`${selectStays([...rangeConditions, matchesName])} UNION ${selectStays([matchesCode, ...paymentConditionsByOrder(sql, payment)])}`
}

const resultRowsSql = (sql: Sql, { operatorId }: StaySearchInput): Fragment => sql`
  SELECT s.stay_code, s.guest_name, p.title AS property_title, s.check_in_date, s.check_out_date, s.number_of_guests,
    o.channel_type, o.status, s.stay_status, ${checkOutTimeSql(sql, sql`s`)} AS check_out_time, o.currency,
    s.rate::text AS rate, due.stays, due.total::text AS total,
    greatest(due.total - come.received, 0)::text AS balance, (
      SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
      FROM stay_tags link JOIN usable_reservation_tags t
        ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
      WHERE link.operator_id = s.operator_id AND link.stay_id = s.id) AS tags
  FROM page JOIN stays s ON s.operator_id = ${operatorId} AND s.id = page.id
  JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
  CROSS JOIN LATERAL (
    SELECT sum(each.rate) AS total, count(*) AS stays FROM stays each WHERE each.operator_id = s.operator_id AND each.order_id = s.order_id) due
  CROSS JOIN LATERAL (
    SELECT ${receivedAmountSql(sql, { operatorId: sql`s.operator_id`, id: sql`s.order_id` })} AS received) come
  ORDER BY page.check_in_date, page.id`

const selectFoundStays = (sql: Sql, input: StaySearchInput) => {
  const { operatorId, payment, moneyFrom: from, moneyTo: until, offset, limit } = input
  const unpaid =
    payment === undefined ? sql`` : sql`unpaid AS MATERIALIZED (${unpaidOrdersSql(sql, { operatorId, from, until })}), `
  return sql`
    WITH ${unpaid}matching AS MATERIALIZED (${matchingStaysSql(sql, input)}),
      page AS MATERIALIZED (
        SELECT id, check_in_date FROM matching ORDER BY check_in_date, id
        LIMIT ${sql.literal(String(limit))} OFFSET ${offset})
    SELECT (SELECT count(*) FROM matching) AS total, (SELECT count(DISTINCT order_id) FROM matching) AS orders,
      (SELECT coalesce(jsonb_agg(row), '[]') FROM (${resultRowsSql(sql, input)}) row) AS rows`
}

/** Computes status and balance as the API does (reservations/rules/reservation-view.ts). */
const withCurrentStatus = (row: StaySearchRow, clock: string): StaySearchRow => ({
  ...row,
  stay_status: computeShownStayStatus(row, clock),
  balance: hasOrderEnded(row) ? "0" : row.balance
})

const EARLIEST_DATE = "0001-01-01"
const LATEST_DATE = "9999-12-31"

interface StaySearchPage {
  readonly offset: number
  readonly limit: number
}

export class FoundStays extends Context.Service<FoundStays>()("latchkey/transports/console/queries/FoundStays", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const search = Effect.fnUntraced(function* (filter: StaySearchFilter, clock: string, page: StaySearchPage) {
      const { operatorId } = yield* CurrentCaller
      const today = dateOfWallClock(clock)
      const { from, to } = checkOutRangeOf(filter, today)
      const result = yield* readSearchResult(
        selectFoundStays(sql, {
          ...filter,
          ...page,
          ...{ operatorId, today, clock, coveredFrom: from, coveredTo: to },
          // Every check-out is after its check-in, so no check-out is before the earliest check-in.
          moneyFrom: filter.checkOutFrom ?? filter.from ?? from ?? EARLIEST_DATE,
          moneyTo: filter.checkOutTo ?? to ?? LATEST_DATE
        })
      )
      return { ...result, rows: result.rows.map((row) => withCurrentStatus(row, clock)) }
    })
    return {
      /** `clock` is the operator's local time, `YYYY-MM-DD HH:mm:ss`. */
      of: (filter: StaySearchFilter, clock: string, offset: number) =>
        search(filter, clock, { offset, limit: STAY_SEARCH_ROWS_MAX }),
      /** Returns at most `limit` rows, for a file. */
      lines: (filter: StaySearchFilter, clock: string, limit: number) =>
        Effect.map(search(filter, clock, { offset: 0, limit }), ({ rows }) => rows)
    }
  })
}) {
  static readonly layer = Layer.effect(FoundStays, FoundStays.make)
}
