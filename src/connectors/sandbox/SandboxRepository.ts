import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { SANDBOX_ORDERS_MAX } from "../../platform/limits.ts"
import type { SandboxStayDates } from "./bookability.ts"
import { SandboxDay, SandboxListing, SandboxOrder, SandboxPayment } from "./rows.ts"
import type { OutboxEvent, SandboxAccountKey, SandboxWrite } from "./sandbox-write.ts"
import { makeApplySandboxWrite } from "./sandbox-write-statement.ts"
import { makeThreadQueries, type ThreadQueries } from "./thread-queries.ts"

export type { OutboxEvent, SandboxAccountKey, SandboxWrite } from "./sandbox-write.ts"

type Sql = SqlClient.SqlClient

const readListings = makeRowsReader(SandboxListing)
const readDays = makeRowsReader(SandboxDay)
const readOrder = makeOptionalRowReader(SandboxOrder)
const readPayments = makeRowsReader(SandboxPayment)

const makeFindListings =
  (sql: Sql): SandboxRepository["Service"]["findListings"] =>
  ({ operator_id, account_id }, listingIds) =>
    readListings(sql`
      SELECT listing_id, title, currency, rooms, instant, commission, tax, settings, version, revision
      FROM sandbox_listings
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND listing_id = ANY (${listingIds}::text[])
      ORDER BY listing_id`)

const makeFindDays =
  (sql: Sql): SandboxRepository["Service"]["findDays"] =>
  ({ operator_id, account_id }, listingIds, start, end) =>
    readDays(sql`
      SELECT listing_id, day::text AS day, price::text AS price, offered, taken, sold, restrictions FROM sandbox_days
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND listing_id = ANY (${listingIds}::text[])
        AND day BETWEEN ${start}::date AND ${end}::date
      ORDER BY listing_id, day`)

const makeFindOrder =
  (sql: Sql): SandboxRepository["Service"]["findOrder"] =>
  ({ operator_id, account_id }, orderId) =>
    readOrder(sql`
      SELECT order_id, version, status, answer, expires_at, said, booked_at FROM sandbox_orders
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}`)

const makeListPayments =
  (sql: Sql): SandboxRepository["Service"]["listPayments"] =>
  ({ operator_id, account_id }, orderId) =>
    readPayments(sql`
      SELECT payment_id, kind, amount::text AS amount FROM sandbox_payments
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}
      ORDER BY paid_at, payment_id`)

const readOrderCount = makeSingleRowReader(Schema.Struct({ orders: Schema.Int }))

const makeCountOrders =
  (sql: Sql): SandboxRepository["Service"]["countOrders"] =>
  ({ operator_id, account_id }) =>
    Effect.map(
      readOrderCount(sql`
        SELECT count(*)::int AS orders FROM (
          SELECT FROM sandbox_orders WHERE operator_id = ${operator_id} AND account_id = ${account_id}
          LIMIT ${sql.literal(String(SANDBOX_ORDERS_MAX))}) counted`),
      ({ orders }) => orders
    )

const readIngestOutcome = makeOptionalRowReader(Schema.Struct({ heard: Schema.NullOr(Schema.String) }))

const makeFindIngestOutcome =
  (sql: Sql): SandboxRepository["Service"]["findIngestOutcome"] =>
  ({ operator_id, account_id }, kind, subject) =>
    Effect.map(
      readIngestOutcome(sql`
        SELECT heard FROM sandbox_words
        WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND kind = ${kind} AND subject = ${subject}`),
      (row) => row?.heard ?? null
    )

const readStayDates = makeRowsReader(Schema.Struct({ checkIn: Schema.String, checkOut: Schema.String }))

/**
 * Returns stays that are not in the host's calendar: those of pending orders, and those of accepted orders that the
 * service does not know yet.
 */
const makeListUnreportedStays =
  (sql: Sql): SandboxRepository["Service"]["listUnreportedStays"] =>
  ({ operator_id, account_id }, listingId) =>
    readStayDates(sql`
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
      WHERE room ->> 'listing_id' = ${listingId}`)

export class SandboxRepository extends Context.Service<
  SandboxRepository,
  ThreadQueries & {
    readonly findListings: (
      account: SandboxAccountKey,
      listingIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SandboxListing>>
    readonly findDays: (
      account: SandboxAccountKey,
      listingIds: ReadonlyArray<string>,
      start: string,
      end: string
    ) => Effect.Effect<ReadonlyArray<SandboxDay>>
    readonly findOrder: (account: SandboxAccountKey, orderId: string) => Effect.Effect<SandboxOrder | undefined>
    readonly listPayments: (account: SandboxAccountKey, orderId: string) => Effect.Effect<ReadonlyArray<SandboxPayment>>
    readonly countOrders: (account: SandboxAccountKey) => Effect.Effect<number>
    /** Returns null until the first attempt to send the event's latest version. */
    readonly findIngestOutcome: (
      account: SandboxAccountKey,
      kind: OutboxEvent["kind"],
      subject: string
    ) => Effect.Effect<string | null>
    readonly listUnreportedStays: (
      account: SandboxAccountKey,
      listingId: string
    ) => Effect.Effect<ReadonlyArray<SandboxStayDates>>
    /** Returns false, and writes nothing, if a record has changed since it was read. */
    readonly applyWrite: (account: SandboxAccountKey, write: SandboxWrite) => Effect.Effect<boolean>
    readonly runSerially: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("latchkey/connectors/sandbox/SandboxRepository") {
  static readonly layer = Layer.effect(
    SandboxRepository,
    Effect.map(Effect.all([SqlClient.SqlClient, Semaphore.make(1)]), ([sql, semaphore]) =>
      SandboxRepository.of({
        findListings: makeFindListings(sql),
        findDays: makeFindDays(sql),
        findOrder: makeFindOrder(sql),
        listPayments: makeListPayments(sql),
        countOrders: makeCountOrders(sql),
        findIngestOutcome: makeFindIngestOutcome(sql),
        listUnreportedStays: makeListUnreportedStays(sql),
        ...makeThreadQueries(sql),
        applyWrite: makeApplySandboxWrite(sql),
        runSerially: semaphore.withPermits(1)
      })
    )
  )
}
