import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { column, definitionsOf, namesOf } from "../database/columns.ts"
import { type Givens, inForms } from "../database/forms.ts"
import { jsonParameter } from "../database/parameters.ts"
import { onlyRowOf, rowOf, rowsOf } from "../database/rows.ts"
import { SANDBOX_ORDERS } from "../limits.ts"
import { Day, Listing, Order, Payment, type SandboxAccount } from "./rows.ts"

// What the marketplace knows of an account is read, worked out by rules, and written in one statement that holds only while
// all of it is as it was read: the revisions of the listings and the version of the order say so.

type Sql = SqlClient.SqlClient

/** Something that is to be told from `due_at` on. */
export interface Word {
  readonly kind: "account" | "listing" | "order" | "payment" | "refund"
  /** The channel's own id of what it is about. */
  readonly subject: string
  readonly version: number
  /** As `Ingest` takes it. */
  readonly said: Schema.Json | object
  readonly due_at: Date
  /** The version that the host knows already, where he does. */
  readonly told_version?: number
}

/** What an act makes of the books. */
export interface Writing {
  /** The listings it was worked out by, as they were read. */
  readonly listings: ReadonlyArray<Listing>
  /** The same, as they are to be; those that are not named keep what they say. */
  readonly changedListings?: ReadonlyArray<Listing>
  readonly days?: ReadonlyArray<Day>
  /** `before` is the order as it was read, undefined for a new one. */
  readonly order?: { readonly before: Order | undefined; readonly after: Order }
  readonly payment?: Payment & { readonly order_id: string; readonly paid_at: Date }
  readonly words: ReadonlyArray<Word>
}

export type Account = Pick<SandboxAccount, "operator_id" | "account_id">

const readListings = rowsOf(Listing)
const readDays = rowsOf(Day)
const readOrder = rowOf(Order)
const readPayments = rowsOf(Payment)
const readWritten = onlyRowOf(Schema.Struct({ written: Schema.Boolean }))

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

const ListingColumns = Schema.Struct({
  title: column("text", Schema.String),
  instant: column("boolean", Schema.Boolean),
  settings: column("jsonb", Schema.Json),
  version: column("bigint", Schema.Int)
})
const DayColumns = Schema.Struct({
  listing_id: column("text", Schema.String),
  day: column("date", Schema.String),
  price: column("numeric", Schema.NullOr(Schema.String)),
  offered: column("integer", Schema.NullOr(Schema.Int)),
  taken: column("integer", Schema.Int),
  sold: column("integer", Schema.Int),
  restrictions: column("jsonb", Schema.Json)
})
const OrderColumns = Schema.Struct({
  order_id: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  status: column("text", Schema.String),
  answer: column("text", Schema.NullOr(Schema.String)),
  expires_at: column("timestamptz", Schema.NullOr(Schema.Date)),
  said: column("jsonb", Schema.Json),
  booked_at: column("timestamptz", Schema.Date)
})
const PaymentColumns = Schema.Struct({
  order_id: column("text", Schema.String),
  payment_id: column("text", Schema.String),
  kind: column("text", Schema.String),
  amount: column("numeric", Schema.String),
  paid_at: column("timestamptz", Schema.Date)
})
const WordColumns = Schema.Struct({
  kind: column("text", Schema.String),
  subject: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  said: column("jsonb", Schema.Json),
  due_at: column("timestamptz", Schema.Date),
  told_version: column("bigint", Schema.Int)
})

/** What a writing says, each list as one parameter. */
interface Written extends Account {
  readonly read: ReadonlyArray<{ readonly listing_id: string; readonly revision: number }>
  readonly listings: ReadonlyArray<Listing>
  readonly days: ReadonlyArray<Day>
  readonly orders: ReadonlyArray<Order>
  readonly orderId: string
  /** 0: there is none. */
  readonly orderVersion: number
  readonly payments: ReadonlyArray<object>
  readonly words: ReadonlyArray<Word>
}

const given = (sql: Sql, list: Parameters<typeof jsonParameter>[0], columns: Parameters<typeof definitionsOf>[0]) =>
  sql`jsonb_to_recordset(${jsonParameter(list)}::jsonb) AS given (${sql.literal(definitionsOf(columns))})`

/** CTE `as_read`, which has a row while listings and order are as they were read. They are locked in one order by all. */
const asRead = (sql: Sql, { operator_id, account_id, read, orderId, orderVersion }: Givens<Written>): Fragment => sql`
  wanted AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(read)}::jsonb) AS given (listing_id text, revision bigint)
  ), listing AS (
    SELECT listing_id, revision FROM sandbox_listings
    WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND listing_id IN (SELECT listing_id FROM wanted)
    ORDER BY listing_id FOR NO KEY UPDATE
  ), standing AS (
    SELECT version FROM sandbox_orders
    WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}
      AND (SELECT count(*) FROM listing) >= 0
    FOR NO KEY UPDATE
  ), as_read AS (
    SELECT 1 FROM (SELECT 1) one
    WHERE (SELECT count(*) FROM wanted JOIN listing USING (listing_id, revision)) = (SELECT count(*) FROM wanted)
      AND coalesce((SELECT version FROM standing), 0) = ${orderVersion}
  )`

/** A listing that changes again and again is told when its first change was to be told. */
const write = (sql: Sql) => {
  const statement = inForms(sql, (all: Givens<Written>) => {
    const { operator_id, account_id, listings, days, orders, payments, words } = all
    const whose = sql`${operator_id}::bigint, ${account_id}::bigint`
    return sql`
      WITH ${asRead(sql, all)}, revised AS (
        UPDATE sandbox_listings l SET revision = l.revision + 1,
          title = coalesce(given.title, l.title), instant = coalesce(given.instant, l.instant),
          settings = coalesce(given.settings, l.settings), version = coalesce(given.version, l.version)
        FROM as_read, wanted
        LEFT JOIN jsonb_to_recordset(${jsonParameter(listings)}::jsonb)
          AS given (listing_id text, ${sql.literal(definitionsOf(ListingColumns))}) USING (listing_id)
        WHERE l.operator_id = ${operator_id} AND l.account_id = ${account_id} AND l.listing_id = wanted.listing_id
      ), day AS (
        INSERT INTO sandbox_days (operator_id, account_id, ${sql.literal(namesOf(DayColumns))})
        SELECT ${whose}, ${sql.literal(namesOf(DayColumns, "given"))} FROM as_read, ${given(sql, days, DayColumns)}
        ON CONFLICT (operator_id, account_id, listing_id, day) DO UPDATE SET price = excluded.price,
          offered = excluded.offered, taken = excluded.taken, sold = excluded.sold, restrictions = excluded.restrictions
      ), ordered AS (
        INSERT INTO sandbox_orders (operator_id, account_id, ${sql.literal(namesOf(OrderColumns))})
        SELECT ${whose}, ${sql.literal(namesOf(OrderColumns, "given"))} FROM as_read, ${given(sql, orders, OrderColumns)}
        ON CONFLICT (operator_id, account_id, order_id) DO UPDATE SET version = excluded.version,
          status = excluded.status, answer = excluded.answer, expires_at = excluded.expires_at, said = excluded.said
      ), paid AS (
        INSERT INTO sandbox_payments (operator_id, account_id, ${sql.literal(namesOf(PaymentColumns))})
        SELECT ${whose}, ${sql.literal(namesOf(PaymentColumns, "given"))}
        FROM as_read, ${given(sql, payments, PaymentColumns)}
      ), word AS (
        INSERT INTO sandbox_words AS before (operator_id, account_id, ${sql.literal(namesOf(WordColumns))})
        SELECT ${whose}, ${sql.literal(namesOf(WordColumns, "given"))} FROM as_read, ${given(sql, words, WordColumns)}
        ON CONFLICT (operator_id, account_id, kind, subject) DO UPDATE SET version = excluded.version,
          told_version = greatest(before.told_version, excluded.told_version),
          said = excluded.said, attempts = 0, heard = NULL, due_at = CASE excluded.kind
            WHEN 'listing' THEN least(before.due_at, excluded.due_at) ELSE excluded.due_at END
      )
      SELECT EXISTS (SELECT FROM as_read) AS written`
  })
  return ({ operator_id, account_id }: Account, writing: Writing) => {
    const { order } = writing
    return Effect.map(
      readWritten(
        statement({
          operator_id,
          account_id,
          read: writing.listings.map(({ listing_id, revision }) => ({ listing_id, revision })),
          listings: writing.changedListings ?? [],
          days: writing.days ?? [],
          orders: order === undefined ? [] : [order.after],
          orderId: order?.after.order_id ?? "",
          orderVersion: order?.before?.version ?? 0,
          payments: writing.payment === undefined ? [] : [writing.payment],
          words: writing.words.map((word) => ({ told_version: 0, ...word }))
        })
      ),
      ({ written }) => written
    )
  }
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
    /** Answers false, and writes nothing, where something is not as it was read any more. */
    write: write(sql),
    /** For who finds again and again that something is not as it was read: one of these at a time in the process. */
    inTurn: turn.withPermits(1)
  }))
}) {
  static readonly layer = Layer.effect(Books, Books.make)
}
