import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../../contract/page.ts"
import { asReadOf, namesOf, pairsOf } from "../../../platform/database/columns.ts"
import type { Givens, Value } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import type { ChannelType } from "../../channels/port/channel-type.ts"
import { receivedOf } from "../../money/received.ts"
import { knowsProperty } from "../../properties/properties/belonging.ts"
import { checkOutTime } from "../../properties/properties/check-out-time.ts"
import { OrderRow, type Status } from "../orders/order.ts"
import { GuestDetails, Stay } from "../stays/stay.ts"
import type { OrderBy } from "./contract.ts"
import { type KeywordMatch, matchKeyword, stayHasKeyword, staysWithKeyword } from "./keyword-store.ts"
import { CheckInGuideImage, Guest } from "./record.ts"
import type { SearchedDays } from "./rules/search-days.ts"

// Finding reservations: one statement a page, whatever the number of stays, guests and images on it.

type Sql = SqlClient.SqlClient

type Where = "in the box" | "anywhere"

/** The property that stands for the reservation box. */
export const IN_BOX = 0

/** Which stays are meant; what is undefined does not narrow them. */
export interface WantedStays {
  readonly reservation_code?: string | undefined
  readonly id?: number | undefined
  readonly stay_code?: string | undefined
  readonly channel_id?: string | undefined
  /** {@link IN_BOX} means those in no property. */
  readonly property_id?: number | undefined
  readonly status?: Status | undefined
  readonly channel_type?: ChannelType | undefined
  readonly check_in: SearchedDays | undefined
  readonly check_out: SearchedDays | undefined
  /** The stays that match the keyword. */
  readonly found_by_keyword?: KeywordMatch | undefined
}

/** A stay with what its order shares and what hangs on it. */
const ReservationRow = Schema.Struct({
  ...Stay.fields,
  ...OrderRow.fields,
  /** Amounts in decimal text; the totals are the whole order's. */
  total_rate: Schema.String,
  total_commission: Schema.NullOr(Schema.String),
  received: Schema.String,
  /** `HH:mm` on the operator's clock. */
  check_out_time: Schema.String,
  tags: Schema.Array(Schema.String),
  guests: Schema.Array(Guest),
  checkin_guide_images: Schema.Array(CheckInGuideImage)
})
export type ReservationRow = typeof ReservationRow.Type

/** The values of a search; what is undefined does not narrow it. */
const valuesOf = (operatorId: number, wanted: WantedStays) => ({
  operatorId,
  reservation_code: wanted.reservation_code,
  id: wanted.id,
  stay_code: wanted.stay_code,
  property_id: wanted.property_id === IN_BOX ? undefined : wanted.property_id,
  check_in_from: wanted.check_in?.start,
  check_in_until: wanted.check_in?.end,
  check_out_from: wanted.check_out?.start,
  check_out_until: wanted.check_out?.end,
  channel_id: wanted.channel_id,
  status: wanted.status,
  channel_type: wanted.channel_type,
  ...keywordValuesOf(wanted.found_by_keyword)
})

/** Returns a keyword match as values of a statement: its ids or, for many matches, the keyword and their number. */
const keywordValuesOf = (match: KeywordMatch | undefined) => {
  const isMany = match !== undefined && "keyword" in match
  return {
    stay_ids: match === undefined || isMany ? undefined : match.stayIds,
    words: isMany ? match.keyword.words : undefined,
    digits: isMany ? match.keyword.digits : undefined,
    words_total: isMany ? match.total : undefined
  }
}
type SearchValues = Givens<ReturnType<typeof valuesOf>>

const onStays = (sql: Sql, wanted: SearchValues, where: Where): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = []
  const { operatorId, reservation_code: code } = wanted
  if (code !== undefined) {
    // The code of the order or of any of its stays, as everywhere an order is named. Found first and by itself: a plan
    // from when the tables were empty would else join all orders with all stays.
    all.push(sql`s.order_id = ANY (ARRAY(
      SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
      UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}))`)
  }
  if (wanted.id !== undefined) all.push(sql`s.id = ${wanted.id}`)
  if (wanted.stay_ids !== undefined) all.push(sql`s.id = ANY (${idsParameter(wanted.stay_ids)}::bigint[])`)
  if (wanted.stay_code !== undefined) all.push(sql`s.stay_code = ${wanted.stay_code}`)
  if (where === "in the box") all.push(sql`s.property_id IS NULL`)
  if (wanted.property_id !== undefined) all.push(sql`s.property_id = ${wanted.property_id}`)
  if (wanted.check_in_from !== undefined) all.push(sql`s.check_in_date >= ${wanted.check_in_from}`)
  if (wanted.check_in_until !== undefined) all.push(sql`s.check_in_date <= ${wanted.check_in_until}`)
  if (wanted.check_out_from !== undefined) all.push(sql`s.check_out_date >= ${wanted.check_out_from}`)
  if (wanted.check_out_until !== undefined) all.push(sql`s.check_out_date <= ${wanted.check_out_until}`)
  return all
}

const onOrders = (sql: Sql, wanted: SearchValues): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = []
  if (wanted.channel_id !== undefined) all.push(sql`o.channel_id = ${wanted.channel_id}`)
  if (wanted.status !== undefined) all.push(sql`o.status = ${wanted.status}`)
  if (wanted.channel_type !== undefined) all.push(sql`o.channel_type = ${wanted.channel_type}`)
  return all
}

/** Orders a page can be asked in: the latest first; each is the order of an index of stays or of their orders. */
const ORDERS: Readonly<Record<OrderBy, { readonly of: "s" | "o"; readonly by: string }>> = {
  booked_at: { of: "o", by: "booked_at DESC, order_id DESC, id" },
  created_at: { of: "o", by: "created_at DESC, order_id DESC, id" },
  cancelled_at: { of: "o", by: "cancelled_at DESC NULLS LAST, order_id DESC, id" },
  check_in_date: { of: "s", by: "check_in_date DESC, id DESC" },
  check_out_date: { of: "s", by: "check_out_date DESC, id DESC" }
}

// Worked out once: a list of columns is the same in every search.
const GUEST_PAIRS = pairsOf(GuestDetails, "g")
const ORDER_COLUMNS = namesOf(OrderRow, "o")

const guests = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, ${sql.literal(GUEST_PAIRS)},
    'id_images', coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', i.id, 'url', i.large_url) ORDER BY i.id)
      FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id), '[]')) ORDER BY g.id), '[]')
  FROM guests g WHERE g.operator_id = page.operator_id AND g.stay_id = page.id)`

const images = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'client_id', i.guest_id, 'url', i.extra_large_url)
    ORDER BY i.id), '[]')
  FROM identity_images i WHERE i.operator_id = page.operator_id AND i.order_id = page.order_id)`

const tags = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
  FROM stay_tags link JOIN usable_reservation_tags t
    ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
  WHERE link.operator_id = page.operator_id AND link.stay_id = page.id)`

interface Conditions {
  readonly onStays: ReadonlyArray<Fragment>
  readonly onOrders: ReadonlyArray<Fragment>
}

const JOINED = "stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id"

/** Stays that match. Their orders are looked at only where something is asked of them; then either's index can begin. */
const found = (
  sql: Sql,
  operatorId: Value<number>,
  { onStays, onOrders }: Conditions,
  ordersAreShown = onOrders.length > 0
): Fragment => {
  const ofOperator = sql`s.operator_id = ${operatorId}`
  return ordersAreShown
    ? sql`${sql.literal(JOINED)} WHERE ${sql.and([ofOperator, sql`o.operator_id = ${operatorId}`, ...onStays, ...onOrders])}`
    : sql`stays s WHERE ${sql.and([ofOperator, ...onStays])}`
}

/** Returns the keyword if it has too many matches to pass their ids. */
const keywordIn = ({ operatorId, words, digits }: SearchValues) =>
  words === undefined ? undefined : { operatorId, words, digits }

/**
 * How many stays match. An index alone can tell: where nothing is asked of orders one of stays, and where nothing is asked
 * of stays that of orders by status, which has how many stays each has. If the keyword is the only filter, `matchKeyword` has
 * counted its stays already.
 */
const total = (sql: Sql, wanted: SearchValues, conditions: Conditions): Fragment => {
  const { onStays, onOrders } = conditions
  const { operatorId, words_total: known } = wanted
  const keyword = keywordIn(wanted)
  if (known !== undefined && onStays.length + onOrders.length === 0) return sql`SELECT ${known}::bigint AS total`
  if (keyword !== undefined) {
    const those = [...onStays, sql`s.id IN (${staysWithKeyword(sql, keyword)})`]
    return sql`SELECT count(*) AS total FROM ${found(sql, operatorId, { onStays: those, onOrders })}`
  }
  return onStays.length === 0 && onOrders.length > 0
    ? sql`SELECT coalesce(sum(o.stay_count), 0) AS total FROM orders o
        WHERE ${sql.and([sql`o.operator_id = ${operatorId}`, ...onOrders])}`
    : sql`SELECT count(*) AS total FROM ${found(sql, operatorId, conditions)}`
}

/** The keys of the stays that match, with what they are ordered by. */
const keys = (sql: Sql, operatorId: Value<number>, conditions: Conditions, orderBy: OrderBy): Fragment => {
  const { of } = ORDERS[orderBy]
  const isOfOrders = of === "o" || conditions.onOrders.length > 0
  return sql`SELECT s.operator_id, s.id, s.order_id, ${sql.literal(`${of}.${orderBy}`)}
    FROM ${found(sql, operatorId, conditions, isOfOrders)}`
}

const whole = (sql: Sql): Fragment => sql`
  SELECT s.*, ${sql.literal(ORDER_COLUMNS)}, listed.position
  FROM listed JOIN stays s ON s.operator_id = listed.operator_id AND s.id = listed.id
  JOIN orders o ON o.operator_id = listed.operator_id AND o.id = listed.order_id`

/** What of a row is put together of several tables, or read in another form than its table has. */
const columns = (sql: Sql) => ({
  ...asReadOf(sql, Stay, "page"),
  total_rate: sql`whole.rate::text`,
  total_commission: sql`whole.commission::text`,
  received: sql`${receivedOf(sql, { operatorId: sql`page.operator_id`, id: sql`page.order_id` })}::text`,
  check_out_time: checkOutTime(sql, sql`page`),
  tags: tags(sql),
  guests: guests(sql),
  checkin_guide_images: images(sql)
})

const sums = (sql: Sql): Fragment => sql`
  LEFT JOIN LATERAL (
    SELECT sum(each.rate) AS rate, sum(each.commission) AS commission
    FROM stays each WHERE each.operator_id = page.operator_id AND each.order_id = page.order_id) whole ON true`

const search = (sql: Sql) => {
  const page = pagesOf(sql, ReservationRow, (wanted: SearchValues, orderBy: OrderBy, where: Where) => {
    const conditions = { onStays: onStays(sql, wanted, where), onOrders: onOrders(sql, wanted) }
    const keyword = keywordIn(wanted)
    const compared = keyword === undefined ? [] : [stayHasKeyword(sql, keyword)]
    return {
      matching: keys(sql, wanted.operatorId, { ...conditions, onStays: [...conditions.onStays, ...compared] }, orderBy),
      whole: whole(sql),
      total: total(sql, wanted, conditions),
      orderBy: sql.literal(ORDERS[orderBy].by),
      columns: columns(sql),
      joined: sums(sql)
    }
  })
  return (operatorId: number, wanted: WantedStays, orderBy: OrderBy, asked: Page) =>
    page(valuesOf(operatorId, wanted), asked, orderBy, wanted.property_id === IN_BOX ? "in the box" : "anywhere")
}

export class ReservationSearchStore extends Context.Service<ReservationSearchStore>()(
  "latchkey/resources/ReservationSearchStore",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      matchKeyword: matchKeyword(sql),
      knowsProperty: knowsProperty(sql)
    }))
  }
) {
  static readonly layer = Layer.effect(ReservationSearchStore, ReservationSearchStore.make)
}
