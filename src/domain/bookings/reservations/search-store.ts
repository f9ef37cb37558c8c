import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../../contract/page.ts"
import { columnNames, columnReadExpressions, jsonObjectPairs } from "../../../platform/database/columns.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter, idsParameter } from "../../../platform/database/parameters.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import { makeReadClientChooser } from "../../../platform/database/SharedReads.ts"
import { SHARED_READ_DAYS } from "../../../platform/limits.ts"
import type { ChannelType } from "../../channels/port/channel-type.ts"
import { receivedAmountSql } from "../../money/received-money.ts"
import { checkOutTimeSql } from "../../properties/properties/check-out-time.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import { OrderRow, type OrderStatus } from "../orders/order.ts"
import { GuestDetails, StayRow } from "../stays/stay.ts"
import type { ReservationOrderBy } from "./contract.ts"
import { type KeywordMatch, matchKeyword, selectStaysWithKeyword, stayHasKeyword } from "./keyword-search.ts"
import { CheckInGuideImage, ReservationGuest } from "./reservation.ts"
import type { Keyword } from "./rules/keyword.ts"
import { type SearchDays, spansAtMost } from "./rules/search-days.ts"

type Sql = SqlClient.SqlClient

type StayScope = "in the box" | "anywhere"

export const UNASSIGNED_PROPERTY_ID = 0

interface StayFilters {
  readonly reservation_code?: string | undefined
  readonly id?: number | undefined
  readonly stay_code?: string | undefined
  readonly channel_id?: string | undefined
  readonly property_id?: number | undefined
  readonly status?: OrderStatus | undefined
  readonly channel_type?: ChannelType | undefined
  readonly check_in: SearchDays | undefined
  readonly check_out: SearchDays | undefined
  readonly keyword_match?: KeywordMatch | undefined
}

const ReservationRow = Schema.Struct({
  ...StayRow.fields,
  ...OrderRow.fields,
  /** Decimal texts. The totals cover the whole order. */
  total_rate: Schema.String,
  total_commission: Schema.NullOr(Schema.String),
  received: Schema.String,
  /** Local time of the operator, `HH:mm`. */
  check_out_time: Schema.String,
  tags: Schema.Array(Schema.String),
  guests: Schema.Array(ReservationGuest),
  checkin_guide_images: Schema.Array(CheckInGuideImage)
})
export type ReservationRow = typeof ReservationRow.Type

const toSearchParameters = (operatorId: number, filters: StayFilters) => ({
  operatorId,
  reservation_code: filters.reservation_code,
  id: filters.id,
  stay_code: filters.stay_code,
  property_id: filters.property_id === UNASSIGNED_PROPERTY_ID ? undefined : filters.property_id,
  check_in_from: filters.check_in?.start,
  check_in_until: filters.check_in?.end,
  check_out_from: filters.check_out?.start,
  check_out_until: filters.check_out?.end,
  channel_id: filters.channel_id,
  status: filters.status,
  channel_type: filters.channel_type,
  ...toKeywordParameters(filters.keyword_match)
})

const toKeywordParameters = (match: KeywordMatch | undefined) => {
  const hasManyMatches = match !== undefined && "keyword" in match
  return {
    stay_ids: match === undefined || hasManyMatches ? undefined : match.stayIds,
    keyword_text: hasManyMatches ? match.keyword.text : undefined,
    keyword_digits: hasManyMatches ? match.keyword.digits : undefined,
    keyword_total: hasManyMatches ? match.total : undefined
  }
}
type SearchParameters = ReturnType<typeof toSearchParameters>

const stayConditions = (sql: Sql, values: SearchParameters, scope: StayScope): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = []
  const { operatorId, reservation_code: code } = values
  if (code !== undefined) {
    // The subquery runs first, because a plan made for empty tables would join all orders with all stays.
    all.push(sql`s.order_id = ANY (ARRAY(
      SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
      UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}))`)
  }
  if (values.id !== undefined) all.push(sql`s.id = ${values.id}`)
  if (values.stay_ids !== undefined) all.push(sql`s.id = ANY (${idsParameter(values.stay_ids)}::bigint[])`)
  if (values.stay_code !== undefined) all.push(sql`s.stay_code = ${values.stay_code}`)
  if (scope === "in the box") all.push(sql`s.property_id IS NULL`)
  if (values.property_id !== undefined)
    all.push(sql`s.property_id = ${genericPlanParameter(sql, "bigint", values.property_id)}`)
  const { check_in_from, check_in_until, check_out_from, check_out_until } = values
  if (check_in_from !== undefined) all.push(sql`s.check_in_date >= ${genericPlanParameter(sql, "date", check_in_from)}`)
  if (check_in_until !== undefined)
    all.push(sql`s.check_in_date <= ${genericPlanParameter(sql, "date", check_in_until)}`)
  if (check_out_from !== undefined)
    all.push(sql`s.check_out_date >= ${genericPlanParameter(sql, "date", check_out_from)}`)
  if (check_out_until !== undefined)
    all.push(sql`s.check_out_date <= ${genericPlanParameter(sql, "date", check_out_until)}`)
  return all
}

const orderConditions = (sql: Sql, values: SearchParameters): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = []
  if (values.channel_id !== undefined) all.push(sql`o.channel_id = ${values.channel_id}`)
  if (values.status !== undefined) all.push(sql`o.status = ${genericPlanParameter(sql, "text", values.status)}`)
  if (values.channel_type !== undefined)
    all.push(sql`o.channel_type = ${genericPlanParameter(sql, "text", values.channel_type)}`)
  return all
}

/** Each sort order has an index. */
const SORT_ORDERS: Readonly<Record<ReservationOrderBy, { readonly tableAlias: "s" | "o"; readonly orderBy: string }>> =
  {
    booked_at: { tableAlias: "o", orderBy: "booked_at DESC, order_id DESC, id" },
    created_at: { tableAlias: "o", orderBy: "created_at DESC, order_id DESC, id" },
    cancelled_at: { tableAlias: "o", orderBy: "cancelled_at DESC NULLS LAST, order_id DESC, id" },
    check_in_date: { tableAlias: "s", orderBy: "check_in_date DESC, id DESC" },
    check_out_date: { tableAlias: "s", orderBy: "check_out_date DESC, id DESC" }
  }

const GUEST_PAIRS = jsonObjectPairs(GuestDetails, "g")
const ORDER_COLUMNS = columnNames(OrderRow, "o")

const guestsJson = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, ${sql.literal(GUEST_PAIRS)},
    'id_images', coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', i.id, 'url', i.large_url) ORDER BY i.id)
      FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id), '[]')) ORDER BY g.id), '[]')
  FROM guests g WHERE g.operator_id = page.operator_id AND g.stay_id = page.id)`

const identityImagesJson = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'client_id', i.guest_id, 'url', i.extra_large_url)
    ORDER BY i.id), '[]')
  FROM identity_images i WHERE i.operator_id = page.operator_id AND i.order_id = page.order_id)`

const tagsJson = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
  FROM stay_tags link JOIN usable_reservation_tags t
    ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
  WHERE link.operator_id = page.operator_id AND link.stay_id = page.id)`

interface SearchConditions {
  readonly onStays: ReadonlyArray<Fragment>
  readonly onOrders: ReadonlyArray<Fragment>
}

/** Look-ups by code or id have the same plan for every operator, so they need no `genericPlanParameter`. */
const operatorParameter = (sql: Sql, values: SearchParameters): Fragment => {
  const { operatorId, reservation_code, id, stay_ids, stay_code, channel_id } = values
  const isLookUp = [reservation_code, id, stay_ids, stay_code, channel_id].some((key) => key !== undefined)
  return isLookUp ? sql`${operatorId}` : genericPlanParameter(sql, "bigint", operatorId)
}

const STAYS_WITH_ORDERS = "stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id"

const selectMatchingStays = (
  sql: Sql,
  operator: Fragment,
  { onStays, onOrders }: SearchConditions,
  joinsOrders = onOrders.length > 0
): Fragment => {
  const ofOperator = sql`s.operator_id = ${operator}`
  return joinsOrders
    ? sql`${sql.literal(STAYS_WITH_ORDERS)} WHERE ${sql.and([ofOperator, sql`o.operator_id = ${operator}`, ...onStays, ...onOrders])}`
    : sql`stays s WHERE ${sql.and([ofOperator, ...onStays])}`
}

const unresolvedKeyword = ({ operatorId, keyword_text: text, keyword_digits: digits }: SearchParameters) =>
  text === undefined ? undefined : { operatorId, text, digits }

/**
 * Counts from one index where possible: `stays` without order conditions, or `stay_count` of orders without stay
 * conditions. `matchKeyword` has already counted the matches of a search by keyword alone.
 */
const countMatchingStays = (sql: Sql, values: SearchParameters, conditions: SearchConditions): Fragment => {
  const { onStays, onOrders } = conditions
  const { keyword_total: keywordTotal } = values
  const operator = operatorParameter(sql, values)
  const keyword = unresolvedKeyword(values)
  if (keywordTotal !== undefined && onStays.length + onOrders.length === 0)
    return sql`SELECT ${keywordTotal}::bigint AS total`
  if (keyword !== undefined) {
    const conditionsWithKeyword = [...onStays, sql`s.id IN (${selectStaysWithKeyword(sql, keyword)})`]
    return sql`SELECT count(*) AS total FROM ${selectMatchingStays(sql, operator, { onStays: conditionsWithKeyword, onOrders })}`
  }
  return onStays.length === 0 && onOrders.length > 0
    ? sql`SELECT coalesce(sum(o.stay_count), 0) AS total FROM orders o
        WHERE ${sql.and([sql`o.operator_id = ${operator}`, ...onOrders])}`
    : sql`SELECT count(*) AS total FROM ${selectMatchingStays(sql, operator, conditions)}`
}

const selectMatchingKeys = (
  sql: Sql,
  operator: Fragment,
  conditions: SearchConditions,
  orderBy: ReservationOrderBy
): Fragment => {
  const { tableAlias } = SORT_ORDERS[orderBy]
  const joinsOrders = tableAlias === "o" || conditions.onOrders.length > 0
  return sql`SELECT s.operator_id, s.id, s.order_id, ${sql.literal(`${tableAlias}.${orderBy}`)}
    FROM ${selectMatchingStays(sql, operator, conditions, joinsOrders)}`
}

const selectFullRows = (sql: Sql): Fragment => sql`
  SELECT s.*, ${sql.literal(ORDER_COLUMNS)}, listed.position
  FROM listed JOIN stays s ON s.operator_id = listed.operator_id AND s.id = listed.id
  JOIN orders o ON o.operator_id = listed.operator_id AND o.id = listed.order_id`

const rowColumnExpressions = (sql: Sql) => ({
  ...columnReadExpressions(sql, StayRow, "page"),
  total_rate: sql`whole.rate::text`,
  total_commission: sql`whole.commission::text`,
  received: sql`${receivedAmountSql(sql, { operatorId: sql`page.operator_id`, id: sql`page.order_id` })}::text`,
  check_out_time: checkOutTimeSql(sql, sql`page`),
  tags: tagsJson(sql),
  guests: guestsJson(sql),
  checkin_guide_images: identityImagesJson(sql)
})

const joinOrderTotals = (sql: Sql): Fragment => sql`
  LEFT JOIN LATERAL (
    SELECT sum(each.rate) AS rate, sum(each.commission) AS commission
    FROM stays each WHERE each.operator_id = page.operator_id AND each.order_id = page.order_id) whole ON true`

const search = (sql: Sql): ReservationSearchStore["Service"]["search"] => {
  const selectPage = makePageReader(
    sql,
    ReservationRow,
    (values: SearchParameters, orderBy: ReservationOrderBy, scope: StayScope) => {
      const conditions = { onStays: stayConditions(sql, values, scope), onOrders: orderConditions(sql, values) }
      const keyword = unresolvedKeyword(values)
      const keywordConditions = keyword === undefined ? [] : [stayHasKeyword(sql, keyword)]
      return {
        matchingRows: selectMatchingKeys(
          sql,
          operatorParameter(sql, values),
          { ...conditions, onStays: [...conditions.onStays, ...keywordConditions] },
          orderBy
        ),
        pageQuery: selectFullRows(sql),
        totalQuery: countMatchingStays(sql, values, conditions),
        orderBy: sql.literal(SORT_ORDERS[orderBy].orderBy),
        joins: joinOrderTotals(sql)
      }
    },
    rowColumnExpressions(sql)
  )
  return (operatorId, filters, orderBy, page) =>
    selectPage(
      toSearchParameters(operatorId, filters),
      page,
      orderBy,
      filters.property_id === UNASSIGNED_PROPERTY_ID ? "in the box" : "anywhere"
    )
}

const isShortSearch = (_operatorId: number, filters: StayFilters): boolean => {
  const { keyword_match, reservation_code, id, stay_code, channel_id, check_in, check_out } = filters
  if (keyword_match !== undefined) return false
  if ((reservation_code ?? id ?? stay_code ?? channel_id) !== undefined) return true
  return [check_in, check_out].some((days) => days !== undefined && spansAtMost(days, SHARED_READ_DAYS))
}

export class ReservationSearchStore extends Context.Service<
  ReservationSearchStore,
  {
    readonly search: (
      operatorId: number,
      filters: StayFilters,
      orderBy: ReservationOrderBy,
      page: Page
    ) => Effect.Effect<RowPage<ReservationRow>>
    readonly matchKeyword: (operatorId: number, keyword: Keyword) => Effect.Effect<KeywordMatch>
    readonly checkPropertyExists: (operatorId: number, id: number) => Effect.Effect<boolean>
  }
>()("latchkey/domain/bookings/reservations/ReservationSearchStore") {
  static readonly layer = Layer.effect(
    ReservationSearchStore,
    Effect.gen(function* () {
      const [sql, read] = [yield* SqlClient.SqlClient, yield* makeReadClientChooser]
      return ReservationSearchStore.of({
        search: read(search, isShortSearch),
        matchKeyword: matchKeyword(sql),
        checkPropertyExists: makeCheckPropertyExists(sql)
      })
    })
  )
}
