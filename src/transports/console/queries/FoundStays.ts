import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { addDays, dateOfClock } from "../../../contract/time.ts"
import { isOver, Status } from "../../../domain/bookings/orders/order.ts"
import { readStayStatus } from "../../../domain/bookings/stays/rules.ts"
import { StayStatus } from "../../../domain/bookings/stays/stay.ts"
import { receivedOf } from "../../../domain/money/received.ts"
import { checkOutTime } from "../../../domain/properties/properties/check-out-time.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { keywordInSearchForm, toSearchForm } from "../../../platform/database/parameters.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { FOUND_STAYS, SEARCH_DAYS } from "../../../platform/limits.ts"
import { waitsForLook } from "./check-in-waits.ts"
import { unpaidOrders } from "./unpaid.ts"

// A host's search of stays, in one statement: by a code or a name, by days, property, and how their order stands.

type Sql = SqlClient.SqlClient

/** How an order stands, or `check_in`: documents of its guests have come in and wait for somebody to look at them. */
export const Standing = Schema.Literals([...Status.literals, "check_in"])
export type Standing = typeof Standing.Type

export const Payment = Schema.Literals(["unpaid", "paid"])
export type Payment = typeof Payment.Type

/** What a search is narrowed by. */
export interface Sought {
  /** A part of a name or of a stay's code; a whole code, or a channel's own, is found whatever its days. */
  readonly words: string | undefined
  /** {@link IN_BOX}: those in no property. */
  readonly propertyId: number | undefined
  readonly status: Standing | undefined
  /** Of accepted orders alone. */
  readonly payment: Payment | undefined
  /** Days of the check-in and of the check-out, both ends included. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly leavesFrom: string | undefined
  readonly leavesTo: string | undefined
}

/** The property that stands for the reservation box. */
export const IN_BOX = 0

/** Days of the check-out that a search covers which names none. */
export interface Covered {
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * What waits is all that waits. A search that names no days otherwise is of those who are here or come within
 * {@link SEARCH_DAYS}; where somebody is looked for by words, or money is, of as many days before too.
 */
export const coveredBy = (sought: Sought, today: string): Covered => {
  const { words, status, payment, from, to, leavesFrom, leavesTo } = sought
  const names = [from, to, leavesFrom, leavesTo].some((day) => day !== undefined)
  if (names || status === "wait_accept" || status === "wait_pay") return { from: undefined, to: undefined }
  if (status === "check_in") return { from: today, to: undefined }
  const looksBack = words !== undefined || payment !== undefined
  return { from: looksBack ? addDays(today, -SEARCH_DAYS) : today, to: addDays(today, SEARCH_DAYS) }
}

const Found = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  /** Null: in the box. */
  property_title: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_guests: Schema.Int,
  channel_type: Schema.String,
  status: Status,
  stay_status: StayStatus,
  /** `HH:mm` on the operator's clock. */
  check_out_time: Schema.String,
  currency: Schema.String,
  /** Of its whole order, decimal text: what is due, and what of it has not come in. */
  total: Schema.String,
  balance: Schema.String,
  tags: Schema.Array(Schema.String)
})
export type Found = typeof Found.Type

const Answer = Schema.Struct({
  total: Schema.Int,
  /** Of how many orders they are. */
  orders: Schema.Int,
  /** By the day of their check-in, {@link FOUND_STAYS} at most. */
  rows: Schema.Array(Found)
})
export type Answer = typeof Answer.Type

const read = onlyRowOf(Answer)

interface Asked extends Sought {
  readonly operatorId: number
  readonly today: string
  readonly coveredFrom: string | undefined
  readonly coveredTo: string | undefined
  /** Days between which the check-outs lie of all that is sought, where money is. */
  readonly moneyFrom: string
  readonly moneyTo: string
  readonly offset: number
}

/** Which parts of a statement there are. */
type Shape = [status: Standing | "any", payment: Payment | "any", where: "box" | "anywhere"]

const onOrder = (sql: Sql, { status, today }: Givens<Asked>, [standing]: Shape): ReadonlyArray<Fragment> => {
  if (standing === "check_in") return [waitsForLook(sql, today)]
  return status === undefined ? [] : [sql`o.status = ${status}`]
}

/** Whether money is still to come, of accepted orders whose stays leave in the days that are covered. */
const moneyCovered = (sql: Sql, payment: Payment | "any"): ReadonlyArray<Fragment> => {
  if (payment === "any") return []
  return payment === "unpaid"
    ? [sql`s.order_id IN (SELECT order_id FROM unpaid)`]
    : [sql`o.status = 'accepted' AND s.order_id NOT IN (SELECT order_id FROM unpaid)`]
}

/** The same of the few orders that were named, whatever their days: each is added up by itself. */
const moneyOfEach = (sql: Sql, payment: Payment | "any"): ReadonlyArray<Fragment> => {
  if (payment === "any") return []
  const due = sql`(
    SELECT coalesce(sum(each.rate), 0) FROM stays each WHERE each.operator_id = s.operator_id AND each.order_id = s.order_id)`
  const received = receivedOf(sql, { operatorId: sql`s.operator_id`, id: sql`s.order_id` })
  return [sql`o.status = 'accepted' AND ${due} ${sql.literal(payment === "unpaid" ? ">" : "<=")} ${received}`]
}

const onStay = (sql: Sql, asked: Givens<Asked>, [, , where]: Shape): ReadonlyArray<Fragment> => {
  const all: Array<Fragment> = [sql`s.operator_id = ${asked.operatorId}`]
  if (where === "box") all.push(sql`s.property_id IS NULL`)
  else if (asked.propertyId !== undefined) all.push(sql`s.property_id = ${asked.propertyId}`)
  if (asked.from !== undefined) all.push(sql`s.check_in_date >= ${asked.from}::date`)
  if (asked.to !== undefined) all.push(sql`s.check_in_date <= ${asked.to}::date`)
  if (asked.leavesFrom !== undefined) all.push(sql`s.check_out_date >= ${asked.leavesFrom}::date`)
  if (asked.leavesTo !== undefined) all.push(sql`s.check_out_date <= ${asked.leavesTo}::date`)
  return all
}

const covered = (sql: Sql, { coveredFrom, coveredTo }: Givens<Asked>): ReadonlyArray<Fragment> => [
  ...(coveredFrom === undefined ? [] : [sql`s.check_out_date >= ${coveredFrom}::date`]),
  ...(coveredTo === undefined ? [] : [sql`s.check_out_date <= ${coveredTo}::date`])
]

/** The stays that are sought: `id`, `order_id`, and the day they come. */
const matching = (sql: Sql, asked: Givens<Asked>, shape: Shape): Fragment => {
  const { operatorId, words } = asked
  const [, payment] = shape
  const ofOrder = onOrder(sql, asked, shape)
  const joined =
    ofOrder.length === 0 && payment === "any"
      ? sql``
      : sql` JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id`
  const those = (more: ReadonlyArray<Fragment>): Fragment => sql`
    SELECT s.id, s.order_id, s.check_in_date FROM stays s${joined}
    WHERE ${sql.and([...onStay(sql, asked, shape), ...ofOrder, ...more])}`
  const inDays = [...covered(sql, asked), ...moneyCovered(sql, payment)]
  if (words === undefined) return those(inDays)
  const keyword = keywordInSearchForm(sql, words)
  const named = sql`(strpos(${toSearchForm(sql, sql`s.guest_name`)}, ${keyword}) > 0 OR strpos(lower(s.stay_code), ${keyword}) > 0)`
  const called = sql`s.order_id = ANY (ARRAY(
    SELECT id FROM orders WHERE operator_id = ${operatorId} AND (reservation_code = ${words} OR channel_id = ${words})
    UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${words}))`
  return sql`${those([...inDays, named])} UNION ${those([called, ...moneyOfEach(sql, payment)])}`
}

const shown = (sql: Sql, { operatorId }: Givens<Asked>): Fragment => sql`
  SELECT s.stay_code, s.guest_name, p.title AS property_title, s.check_in_date, s.check_out_date, s.number_of_guests,
    o.channel_type, o.status, s.stay_status, ${checkOutTime(sql, sql`s`)} AS check_out_time, o.currency, due.total::text AS total,
    greatest(due.total - come.received, 0)::text AS balance, (
      SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
      FROM stay_tags link JOIN usable_reservation_tags t
        ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
      WHERE link.operator_id = s.operator_id AND link.stay_id = s.id) AS tags
  FROM page JOIN stays s ON s.operator_id = ${operatorId} AND s.id = page.id
  JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
  CROSS JOIN LATERAL (
    SELECT sum(each.rate) AS total FROM stays each WHERE each.operator_id = s.operator_id AND each.order_id = s.order_id) due
  CROSS JOIN LATERAL (
    SELECT ${receivedOf(sql, { operatorId: sql`s.operator_id`, id: sql`s.order_id` })} AS received) come
  ORDER BY page.check_in_date, page.id`

const search = (sql: Sql) =>
  inForms(sql, (asked: Givens<Asked>, ...shape: Shape) => {
    const { operatorId, moneyFrom: from, moneyTo: until, offset } = asked
    const unpaid =
      shape[1] === "any" ? sql`` : sql`unpaid AS MATERIALIZED (${unpaidOrders(sql, { operatorId, from, until })}), `
    return sql`
    WITH ${unpaid}matching AS MATERIALIZED (${matching(sql, asked, shape)}),
      page AS MATERIALIZED (
        SELECT id, check_in_date FROM matching ORDER BY check_in_date, id
        LIMIT ${sql.literal(String(FOUND_STAYS))} OFFSET ${offset})
    SELECT (SELECT count(*) FROM matching) AS total, (SELECT count(DISTINCT order_id) FROM matching) AS orders,
      (SELECT coalesce(jsonb_agg(row), '[]') FROM (${shown(sql, asked)}) row) AS rows`
  })

/** Returns the stay with the status and the balance that its record shows (reservations/rules/showing.ts). */
const toShown = (row: Found, clock: string): Found => ({
  ...row,
  stay_status: readStayStatus(row, clock),
  balance: isOver(row) ? "0" : row.balance
})

const EARLIEST = "0001-01-01"
const LATEST = "9999-12-31"

/** Finds stays for who works at the desk. */
export class FoundStays extends Context.Service<
  FoundStays,
  {
    /** Returns a page of stays from `offset` on. `clock`: the operator's local time, `YYYY-MM-DD HH:mm:ss`. */
    readonly of: (operatorId: number, sought: Sought, clock: string, offset: number) => Effect.Effect<Answer>
  }
>()("latchkey/desk/FoundStays") {
  static readonly layer = Layer.effect(
    FoundStays,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = search(sql)
      return FoundStays.of({
        of: (operatorId, sought, clock, offset) => {
          const today = dateOfClock(clock)
          const { from, to } = coveredBy(sought, today)
          const { status, payment, propertyId, leavesFrom, leavesTo } = sought
          const isBox = propertyId === IN_BOX
          return read(
            statement(
              {
                ...sought,
                ...{ operatorId, today, offset, coveredFrom: from, coveredTo: to },
                propertyId: isBox ? undefined : propertyId,
                // Who comes from a day on leaves after it.
                moneyFrom: leavesFrom ?? sought.from ?? from ?? EARLIEST,
                moneyTo: leavesTo ?? to ?? LATEST
              },
              status ?? "any",
              payment ?? "any",
              isBox ? "box" : "anywhere"
            )
          ).pipe(Effect.map((answer) => ({ ...answer, rows: answer.rows.map((row) => toShown(row, clock)) })))
        }
      })
    })
  )
}
