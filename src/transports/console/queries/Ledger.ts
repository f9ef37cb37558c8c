import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { TransactionDirection, TransactionStatus } from "../../../domain/money/contract.ts"
import { resolveEntryName, selectDictionaries } from "../../../domain/money/dictionaries.ts"
import { selectEntryShares } from "../../../domain/money/entry-share-query.ts"
import { makePositionalRowReader } from "../../../platform/database/positional-row-reader.ts"
import { makeReader } from "../../../platform/database/rows.ts"
import type { TransactionFilter } from "./Sums.ts"

// A transaction of a reservation has one line for each stay with a share of it. So sums per property in a spreadsheet
// equal those of the page.

type Sql = SqlClient.SqlClient

const LedgerLine = Schema.Struct({
  id: Schema.Int,
  action_at: Schema.Date,
  direction: TransactionDirection,
  status: TransactionStatus,
  item_id: Schema.Int,
  item_name: Schema.NullOr(Schema.String),
  payment_method_id: Schema.Int,
  payment_method_name: Schema.NullOr(Schema.String),
  amount: Schema.String,
  currency: Schema.String,
  property_title: Schema.NullOr(Schema.String),
  reservation_code: Schema.NullOr(Schema.String),
  stay_code: Schema.NullOr(Schema.String),
  operator_name: Schema.String,
  note: Schema.String
})
export type LedgerLine = typeof LedgerLine.Type

const readLine = makePositionalRowReader(LedgerLine)
const readLines = makeReader(
  (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<LedgerLine> => rows.map(readLine)
)

interface LedgerInput extends TransactionFilter {
  readonly operatorId: number
  readonly limit: number
}

const selectLedger = (sql: Sql, { operatorId, limit, ...filter }: LedgerInput) =>
  sql`
      SELECT part.id, part.action_at, part.direction, part.status, part.item_id, item.name AS item_name,
        part.payment_method_id, method.name AS payment_method_name, part.amount::text AS amount, part.currency,
        p.title AS property_title, o.reservation_code, part.stay_code, part.operator_name, part.note
      FROM (${selectEntryShares(sql, { operatorId, ...filter })}) part
      LEFT JOIN properties p ON p.operator_id = part.operator_id AND p.id = part.property_id
      LEFT JOIN orders o ON o.operator_id = part.operator_id AND o.id = part.order_id
      LEFT JOIN dictionary_entries item ON item.operator_id = part.operator_id AND item.id = part.item_id
        AND item.dictionary = part.direction || '_items'
      LEFT JOIN dictionary_entries method ON method.operator_id = part.operator_id AND method.id = part.payment_method_id
        AND method.dictionary = part.direction || '_methods'
      ORDER BY part.action_at, part.id, part.stay_code LIMIT ${limit}`

const withDictionaryNames = (line: LedgerLine): LedgerLine => {
  const { items, methods } = selectDictionaries(line.direction)
  return {
    ...line,
    item_name: resolveEntryName(items, line.item_id, line.item_name),
    payment_method_name: resolveEntryName(methods, line.payment_method_id, line.payment_method_name)
  }
}

export class Ledger extends Context.Service<Ledger>()("latchkey/transports/console/queries/Ledger", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** Returns at most `limit` lines, oldest first. */
    lines: Effect.fnUntraced(function* ({ from, until, property_id, order_code }: TransactionFilter, limit: number) {
      const { operatorId } = yield* CurrentCaller
      const lines = yield* readLines(
        selectLedger(sql, { operatorId, limit, from, until, property_id, order_code }).values
      )
      return lines.map(withDictionaryNames)
    })
  }))
}) {
  static readonly layer = Layer.effect(Ledger, Ledger.make)
}
