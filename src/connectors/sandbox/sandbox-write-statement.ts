import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { column, columnDefinitions } from "../../platform/database/columns.ts"
import { makeRowReaderOrFail } from "../../platform/database/constraint-violations.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { withSavepoint } from "../../platform/database/savepoint.ts"
import { SandboxDay, type SandboxListing, SandboxOrder } from "./rows.ts"
import type { OutboxEvent, SandboxAccountKey, SandboxWrite } from "./sandbox-write.ts"
import {
  insertIfUnchangedSql,
  type ThreadWriteParameters,
  toThreadWriteParameters,
  unchangedThreadsSql,
  writeThreadsSql
} from "./thread-write.ts"

type Sql = SqlClient.SqlClient

const ListingColumns = Schema.Struct({
  title: column("text", Schema.String),
  instant: column("boolean", Schema.Boolean),
  settings: column("jsonb", Schema.Json),
  version: column("bigint", Schema.Int)
})
const PaymentColumns = Schema.Struct({
  order_id: column("text", Schema.String),
  payment_id: column("text", Schema.String),
  kind: column("text", Schema.String),
  amount: column("numeric", Schema.String),
  paid_at: column("timestamptz", Schema.Date)
})
const OutboxColumns = Schema.Struct({
  kind: column("text", Schema.String),
  subject: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  said: column("jsonb", Schema.Json),
  due_at: column("timestamptz", Schema.Date),
  told_version: column("bigint", Schema.Int)
})

interface WriteParameters extends SandboxAccountKey, ThreadWriteParameters {
  readonly listingRevisions: ReadonlyArray<{ readonly listing_id: string; readonly revision: number }>
  readonly listings: ReadonlyArray<SandboxListing>
  readonly days: ReadonlyArray<SandboxDay>
  readonly orders: ReadonlyArray<SandboxOrder>
  readonly orderId: string
  readonly orderVersion: number
  readonly payments: ReadonlyArray<object>
  readonly outboxEvents: ReadonlyArray<OutboxEvent>
}

/** `as_read` has a row only if listings, order and threads are unchanged. All writers lock them in this order. */
const unchangedSql = (sql: Sql, parameters: WriteParameters): Fragment => {
  const { operator_id, account_id, listingRevisions, orderId, orderVersion } = parameters
  return sql`
  wanted AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(listingRevisions)}::jsonb) AS given (listing_id text, revision bigint)
  ), listing AS (
    SELECT listing_id, revision FROM sandbox_listings
    WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND listing_id IN (SELECT listing_id FROM wanted)
    ORDER BY listing_id FOR NO KEY UPDATE
  ), standing AS (
    SELECT version FROM sandbox_orders
    WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}
      AND (SELECT count(*) FROM listing) >= 0
    FOR NO KEY UPDATE
  ), ${unchangedThreadsSql(sql, parameters)}, as_read AS (
    SELECT 1 FROM (SELECT 1) one
    WHERE (SELECT count(*) FROM wanted JOIN listing USING (listing_id, revision)) = (SELECT count(*) FROM wanted)
      AND coalesce((SELECT version FROM standing), 0) = ${orderVersion}
      AND (SELECT is_so FROM threads_as_read)
  )`
}

const STALE_WRITE = Symbol("stale")

/** The unique index fails if a concurrent write has created a thread for the same guest. */
const readWriteResult = makeRowReaderOrFail(Schema.Struct({ written: Schema.Boolean }), ({ name }) =>
  name === "sandbox_threads_guest" ? STALE_WRITE : undefined
)

/**
 * Writes nothing if a listing, a thread or the order has changed since it was read. The event of a repeatedly changed
 * listing keeps its earliest due time.
 */
export const makeApplySandboxWrite = (sql: Sql) => {
  const inSavepoint = withSavepoint(sql)
  const statement = (parameters: WriteParameters) => {
    const { operator_id, account_id, listings, days, orders, payments, outboxEvents } = parameters
    const insertRows = insertIfUnchangedSql(sql, parameters)
    return sql`
      WITH ${unchangedSql(sql, parameters)}, revised AS (
        UPDATE sandbox_listings l SET revision = l.revision + 1,
          title = coalesce(given.title, l.title), instant = coalesce(given.instant, l.instant),
          settings = coalesce(given.settings, l.settings), version = coalesce(given.version, l.version)
        FROM as_read, wanted
        LEFT JOIN jsonb_to_recordset(${jsonParameter(listings)}::jsonb)
          AS given (listing_id text, ${sql.literal(columnDefinitions(ListingColumns))}) USING (listing_id)
        WHERE l.operator_id = ${operator_id} AND l.account_id = ${account_id} AND l.listing_id = wanted.listing_id
      ), day AS (
        INSERT INTO sandbox_days ${insertRows(days, SandboxDay)}
        ON CONFLICT (operator_id, account_id, listing_id, day) DO UPDATE SET price = excluded.price,
          offered = excluded.offered, taken = excluded.taken, sold = excluded.sold, restrictions = excluded.restrictions
      ), ordered AS (
        INSERT INTO sandbox_orders ${insertRows(orders, SandboxOrder)}
        ON CONFLICT (operator_id, account_id, order_id) DO UPDATE SET version = excluded.version,
          status = excluded.status, answer = excluded.answer, expires_at = excluded.expires_at, said = excluded.said
      ), paid AS (
        INSERT INTO sandbox_payments ${insertRows(payments, PaymentColumns)}
      ), ${writeThreadsSql(sql, parameters)} word AS (
        INSERT INTO sandbox_words AS before ${insertRows(outboxEvents, OutboxColumns)}
        ON CONFLICT (operator_id, account_id, kind, subject) DO UPDATE SET version = excluded.version,
          told_version = greatest(before.told_version, excluded.told_version),
          said = excluded.said, attempts = 0, heard = NULL, due_at = CASE excluded.kind
            WHEN 'listing' THEN least(before.due_at, excluded.due_at) ELSE excluded.due_at END
      )
      SELECT EXISTS (SELECT FROM as_read) AS written`
  }
  return ({ operator_id, account_id }: SandboxAccountKey, write: SandboxWrite): Effect.Effect<boolean> => {
    const { order } = write
    const result = statement({
      operator_id,
      account_id,
      listingRevisions: write.listings.map(({ listing_id, revision }) => ({ listing_id, revision })),
      listings: write.changedListings ?? [],
      days: write.days ?? [],
      orders: order === undefined ? [] : [order.after],
      orderId: order?.after.order_id ?? "",
      orderVersion: order?.before?.version ?? 0,
      payments: write.payment === undefined ? [] : [write.payment],
      outboxEvents: write.outboxEvents.map((event) => ({ told_version: 0, ...event })),
      ...toThreadWriteParameters(write)
    })
    const isNew = write.threads?.some(({ before }) => before === undefined) === true
    return readWriteResult(isNew ? inSavepoint(result) : result).pipe(
      Effect.map((row) => row.written),
      Effect.catch(() => Effect.succeed(false))
    )
  }
}
