import { type Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { QuoteTerms } from "./contract.ts"

// create_reservation marks the quote as used in the statement that creates the order, so that a quote makes at most one
// reservation.

const StoredQuote = Schema.Struct({
  quote_id: Schema.String,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_guests: Schema.Int,
  terms: QuoteTerms,
  expires_at: Schema.Date,
  used_at: Schema.NullOr(Schema.Date)
})
export type StoredQuote = typeof StoredQuote.Type

const readStoredQuote = makeOptionalRowReader(StoredQuote)

export const findQuote =
  (sql: SqlClient) =>
  (operatorId: number, quoteId: string): Effect.Effect<StoredQuote | undefined> =>
    readStoredQuote(sql`
      SELECT quote_id, check_in_date::text AS check_in_date, check_out_date::text AS check_out_date, number_of_guests,
        terms, expires_at, used_at
      FROM quotes WHERE operator_id = ${operatorId} AND quote_id = ${quoteId}`)

interface QuoteUse {
  readonly operatorId: number
  readonly quoteId: string
  readonly at: Date
}

/** Selects and locks the quote if it can be used. A concurrent call waits for the lock, and then finds no row. */
export const lockUsableQuoteSql = (sql: SqlClient, { operatorId, quoteId, at }: QuoteUse): Fragment => sql`
  SELECT operator_id, id FROM quotes
  WHERE operator_id = ${operatorId} AND quote_id = ${quoteId} AND used_at IS NULL AND expires_at > ${at}::timestamptz
  FOR NO KEY UPDATE`

/** `usableQuote` is the CTE of {@link lockUsableQuoteSql}. `createdOrder` has at most one row, with `reservation_code`. */
export const markQuoteUsedSql = (sql: SqlClient, usableQuote: string, createdOrder: string, at: Date): Fragment => sql`
  UPDATE quotes q SET used_at = ${at}::timestamptz, reservation_code = o.reservation_code
  FROM ${sql(usableQuote)} usable, ${sql(createdOrder)} o
  WHERE q.operator_id = usable.operator_id AND q.id = usable.id`
