import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../platform/database/rows.ts"
import { SANDBOX_ORDERS } from "../../platform/limits.ts"
import type { Account, Word } from "./becoming.ts"
import { readingThreads } from "./reading-threads.ts"
import { Day, Listing, Order, Payment } from "./rows.ts"
import { write } from "./writing.ts"

// What the marketplace knows of an account is read, worked out by rules, and written in one statement (writing.ts) that holds
// only while all of it is as it was read.

export type { Account, Word, Writing } from "./becoming.ts"

type Sql = SqlClient.SqlClient

const readListings = rowsOf(Listing)
const readDays = rowsOf(Day)
const readOrder = rowOf(Order)
const readPayments = rowsOf(Payment)

interface Named extends Account {
  readonly names: ReadonlyArray<string>
}

const listings = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, names }: Givens<Named>) => sql`
      SELECT listing_id, title, currency, rooms, instant, commission, tax, settings, version, revision
      FROM sandbox_listings
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND listing_id = ANY (${names}::text[])
      ORDER BY listing_id`
  )
  return ({ operator_id, account_id }: Account, names: ReadonlyArray<string>) =>
    readListings(statement({ operator_id, account_id, names }))
}

interface Span extends Named {
  readonly start: string
  readonly end: string
}

const days = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, names, start, end }: Givens<Span>) => sql`
      SELECT listing_id, day::text AS day, price::text AS price, offered, taken, sold, restrictions FROM sandbox_days
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND listing_id = ANY (${names}::text[])
        AND day BETWEEN ${start}::date AND ${end}::date
      ORDER BY listing_id, day`
  )
  return ({ operator_id, account_id }: Account, names: ReadonlyArray<string>, start: string, end: string) =>
    readDays(statement({ operator_id, account_id, names, start, end }))
}

interface OneOrder extends Account {
  readonly orderId: string
}

const order = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, orderId }: Givens<OneOrder>) => sql`
      SELECT order_id, version, status, answer, expires_at, said, booked_at FROM sandbox_orders
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}`
  )
  return ({ operator_id, account_id }: Account, orderId: string) =>
    readOrder(statement({ operator_id, account_id, orderId }))
}

const payments = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, orderId }: Givens<OneOrder>) => sql`
      SELECT payment_id, kind, amount::text AS amount FROM sandbox_payments
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}
      ORDER BY paid_at, payment_id`
  )
  return ({ operator_id, account_id }: Account, orderId: string) =>
    readPayments(statement({ operator_id, account_id, orderId }))
}

const readCount = onlyRowOf(Schema.Struct({ orders: Schema.Int }))

/** Orders of the account, counted as far as it matters. */
const orderCount = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id }: Givens<Account>) => sql`
      SELECT count(*)::int AS orders FROM (
        SELECT FROM sandbox_orders WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        LIMIT ${sql.literal(String(SANDBOX_ORDERS))}) counted`
  )
  return ({ operator_id, account_id }: Account) =>
    Effect.map(readCount(statement({ operator_id, account_id })), ({ orders }) => orders)
}

const readHeard = rowOf(Schema.Struct({ heard: Schema.NullOr(Schema.String) }))

interface Told extends Account {
  readonly kind: Word["kind"]
  readonly subject: string
}

/** What the service answered when it was told last; null: it was not heard yet. */
const heard = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, kind, subject }: Givens<Told>) => sql`
      SELECT heard FROM sandbox_words
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND kind = ${kind} AND subject = ${subject}`
  )
  return ({ operator_id, account_id }: Account, kind: Word["kind"], subject: string) =>
    Effect.map(readHeard(statement({ operator_id, account_id, kind, subject })), (found) => found?.heard ?? null)
}

const readNights = rowsOf(Schema.Struct({ checkIn: Schema.String, checkOut: Schema.String }))

interface OneListing extends Account {
  readonly listingId: string
}

/**
 * The nights of a listing that orders have of which the host's calendar cannot know: those that still wait for an answer or a
 * payment hold none there, and of the others he was not told yet, nor has he agreed to them.
 */
const unheard = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, listingId }: Givens<OneListing>) => sql`
      SELECT room ->> 'check_in_date' AS "checkIn", room ->> 'check_out_date' AS "checkOut"
      FROM (
        SELECT o.said FROM sandbox_orders o
        WHERE o.expires_at IS NOT NULL AND o.operator_id = ${operator_id} AND o.account_id = ${account_id}
        UNION ALL
        SELECT o.said FROM sandbox_words w
        JOIN sandbox_orders o ON o.operator_id = w.operator_id AND o.account_id = w.account_id AND o.order_id = w.subject
        WHERE w.due_at IS NOT NULL AND w.kind = 'order' AND w.operator_id = ${operator_id} AND w.account_id = ${account_id}
          AND o.status = 'accepted' AND w.told_version < o.version
      ) waiting CROSS JOIN LATERAL jsonb_array_elements(waiting.said -> 'rooms') room
      WHERE room ->> 'listing_id' = ${listingId}`
  )
  return ({ operator_id, account_id }: Account, listingId: string) =>
    readNights(statement({ operator_id, account_id, listingId }))
}

/** The marketplace's books of an account. */
export class Books extends Context.Service<Books>()("latchkey/sandbox/Books", {
  make: Effect.map(Effect.all([SqlClient.SqlClient, Semaphore.make(1)]), ([sql, turn]) => ({
    listings: listings(sql),
    days: days(sql),
    order: order(sql),
    payments: payments(sql),
    orderCount: orderCount(sql),
    heard: heard(sql),
    unheard: unheard(sql),
    ...readingThreads(sql),
    /** Answers false, and writes nothing, where something is not as it was read any more. */
    write: write(sql),
    /** For who finds again and again that something is not as it was read: one of these at a time in the process. */
    inTurn: turn.withPermits(1)
  }))
}) {
  static readonly layer = Layer.effect(Books, Books.make)
}
