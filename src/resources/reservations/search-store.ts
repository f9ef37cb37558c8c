import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { namesOf, pairsOf, selectionOf } from "../../database/columns.ts"
import { onlyRowOf, pageRowsOf } from "../../database/rows.ts"
import { OrderRow, type Status } from "../orders/order.ts"
import { propertyKnown } from "../properties/belonging.ts"
import { GuestDetails, Stay } from "../stays/stay.ts"
import { receivedOf } from "../transactions/received.ts"
import type { OrderBy } from "./contract.ts"
import { type ChannelType, CheckInGuideImage, Guest } from "./record.ts"
import type { SearchedDays } from "./rules/search-days.ts"

// Finding reservations: one statement a page, whatever the number of stays, guests and images on it.

/** Which stays are meant; what is undefined does not narrow them. */
export interface WantedStays {
  readonly reservation_code?: string | undefined
  readonly id?: number | undefined
  readonly stay_code?: string | undefined
  readonly channel_id?: string | undefined
  /** 0 means those in the reservation box. */
  readonly property_id?: number | undefined
  readonly status?: Status | undefined
  readonly channel_type?: ChannelType | undefined
  readonly check_in: SearchedDays | undefined
  readonly check_out: SearchedDays | undefined
}

/** A stay with what its order shares and what hangs on it. */
const ReservationRow = Schema.Struct({
  ...Stay.fields,
  ...OrderRow.fields,
  /** Amounts in decimal text; the totals are the whole order's. */
  total_rate: Schema.String,
  total_commission: Schema.NullOr(Schema.String),
  received: Schema.String,
  tags: Schema.Array(Schema.String),
  guests: Schema.Array(Guest),
  checkin_guide_images: Schema.Array(CheckInGuideImage)
})
export type ReservationRow = typeof ReservationRow.Type

const readPage = pageRowsOf(ReservationRow)
const readKnown = onlyRowOf(Schema.Struct({ known: Schema.Boolean }))

const between = (
  sql: SqlClient.SqlClient,
  column: Fragment,
  days: SearchedDays | undefined
): ReadonlyArray<Fragment> => [
  ...(days?.start === undefined ? [] : [sql`${column} >= ${days.start}`]),
  ...(days?.end === undefined ? [] : [sql`${column} <= ${days.end}`])
]

const onStays = (sql: SqlClient.SqlClient, operatorId: number, wanted: WantedStays): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = []
  const { reservation_code: code, id, property_id } = wanted
  if (code !== undefined) {
    // The code of the order or of any of its stays, as everywhere an order is named. Found first and by itself: a plan
    // from when the tables were empty would else join all orders with all stays.
    all.push(sql`s.order_id = ANY (ARRAY(
      SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}
      UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}))`)
  }
  if (id !== undefined) all.push(sql`s.id = ${id}`)
  if (wanted.stay_code !== undefined) all.push(sql`s.stay_code = ${wanted.stay_code}`)
  if (property_id === 0) all.push(sql`s.property_id IS NULL`)
  else if (property_id !== undefined) all.push(sql`s.property_id = ${property_id}`)
  all.push(...between(sql, sql`s.check_in_date`, wanted.check_in))
  all.push(...between(sql, sql`s.check_out_date`, wanted.check_out))
  return all
}

const onOrders = (sql: SqlClient.SqlClient, wanted: WantedStays): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = []
  if (wanted.channel_id !== undefined) all.push(sql`o.channel_id = ${wanted.channel_id}`)
  if (wanted.status !== undefined) all.push(sql`o.status = ${wanted.status}`)
  if (wanted.channel_type !== undefined) all.push(sql`o.channel_type = ${wanted.channel_type}`)
  return all
}

// Latest first; each is the order of an index, so that a page reads no more rows than it shows.
const orders = (sql: SqlClient.SqlClient): Readonly<Record<OrderBy, Fragment>> => ({
  booked_at: sql`o.booked_at DESC, o.id DESC, s.id`,
  created_at: sql`o.created_at DESC, o.id DESC, s.id`,
  cancelled_at: sql`o.cancelled_at DESC NULLS LAST, o.id DESC, s.id`,
  check_in_date: sql`s.check_in_date DESC, s.id DESC`,
  check_out_date: sql`s.check_out_date DESC, s.id DESC`
})

// Worked out once: a list of columns is the same in every search.
const GUEST_PAIRS = pairsOf(GuestDetails, "g")
const STAY_COLUMNS = selectionOf(Stay, "p")
const COLUMNS_OF_ORDER = { o: namesOf(OrderRow, "o"), p: namesOf(OrderRow, "p") }

const guests = (sql: SqlClient.SqlClient): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, ${sql.literal(GUEST_PAIRS)},
    'id_images', coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', i.id, 'url', i.large_url) ORDER BY i.id)
      FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id), '[]')) ORDER BY g.id), '[]')
  FROM guests g WHERE g.operator_id = p.operator_id AND g.stay_id = p.id)`

const images = (sql: SqlClient.SqlClient): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'client_id', i.guest_id, 'url', i.extra_large_url)
    ORDER BY i.id), '[]')
  FROM identity_images i WHERE i.operator_id = p.operator_id AND i.order_id = p.order_id)`

const tags = (sql: SqlClient.SqlClient): Fragment => sql`(
  SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
  FROM stay_tags link JOIN usable_reservation_tags t
    ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
  WHERE link.operator_id = p.operator_id AND link.stay_id = p.id)`

interface Conditions {
  readonly onStays: ReadonlyArray<Fragment>
  readonly onOrders: ReadonlyArray<Fragment>
}

/**
 * How many stays match. Only what is asked of is looked at, so that an index alone can tell: where nothing is asked of
 * orders one of stays, and where nothing is asked of stays that of orders by status, which has how many stays each has.
 */
const total = (sql: SqlClient.SqlClient, operatorId: number, { onStays, onOrders }: Conditions): Fragment => {
  const ofOperator = [sql`s.operator_id = ${operatorId}`, ...onStays]
  if (onOrders.length === 0) return sql`SELECT count(*) AS total FROM stays s WHERE ${sql.and(ofOperator)}`
  const orders = [sql`o.operator_id = ${operatorId}`, ...onOrders]
  return onStays.length === 0
    ? sql`SELECT coalesce(sum(o.stay_count), 0) AS total FROM orders o WHERE ${sql.and(orders)}`
    : sql`SELECT count(*) AS total FROM stays s ${ofStays(sql)} WHERE ${sql.and([...ofOperator, ...orders])}`
}

const ofStays = (sql: SqlClient.SqlClient): Fragment =>
  sql`JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id`

/** `counted`, how many stays match, and `page`, those asked for. */
const counted = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  list: { readonly wanted: WantedStays; readonly orderBy: OrderBy; readonly page: Page }
): Fragment => {
  const { wanted, page } = list
  const conditions = { onStays: onStays(sql, operatorId, wanted), onOrders: onOrders(sql, wanted) }
  const ofOperator = [sql`s.operator_id = ${operatorId}`, sql`o.operator_id = ${operatorId}`]
  const orderBy = orders(sql)[list.orderBy]
  return sql`
    counted AS (${total(sql, operatorId, conditions)}), page AS (
      SELECT s.*, ${sql.literal(COLUMNS_OF_ORDER.o)}, row_number() OVER (ORDER BY ${orderBy}) AS position
      FROM stays s ${ofStays(sql)}
      WHERE ${sql.and([...ofOperator, ...conditions.onStays, ...conditions.onOrders])}
      ORDER BY ${orderBy} LIMIT ${page.limit} OFFSET ${page.offset}
    )`
}

const search = (sql: SqlClient.SqlClient) => (operatorId: number, wanted: WantedStays, orderBy: OrderBy, page: Page) =>
  readPage(sql`
    WITH ${counted(sql, operatorId, { wanted, orderBy, page })}
    SELECT counted.total, p.position, ${sql.literal(STAY_COLUMNS)}, ${sql.literal(COLUMNS_OF_ORDER.p)},
      whole.rate AS total_rate, whole.commission AS total_commission,
      ${receivedOf(sql, { operatorId: sql`p.operator_id`, id: sql`p.order_id` })} AS received,
      ${tags(sql)} AS tags, ${guests(sql)} AS guests, ${images(sql)} AS checkin_guide_images
    FROM counted LEFT JOIN page p ON true
    LEFT JOIN LATERAL (
      SELECT sum(each.rate) AS rate, sum(each.commission) AS commission
      FROM stays each WHERE each.operator_id = p.operator_id AND each.order_id = p.order_id) whole ON true
    ORDER BY p.position`)

/** Whether a property a search narrowed by exists; asked only when the search found nothing. */
const known = (sql: SqlClient.SqlClient) => (operatorId: number, propertyId: number) =>
  Effect.map(readKnown(sql`SELECT ${propertyKnown(sql, operatorId, propertyId)} AS known`), (row) => row.known)

export class ReservationSearchStore extends Context.Service<ReservationSearchStore>()(
  "latchkey/resources/ReservationSearchStore",
  { make: Effect.map(SqlClient.SqlClient, (sql) => ({ search: search(sql), propertyKnown: known(sql) })) }
) {
  static readonly layer = Layer.effect(ReservationSearchStore, ReservationSearchStore.make)
}
