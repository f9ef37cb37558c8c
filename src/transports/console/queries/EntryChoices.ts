import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import type { TransactionDirection } from "../../../domain/money/contract.ts"
import { type DictionaryEntry, listSelectableEntries, selectDictionaries } from "../../../domain/money/dictionaries.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { USUAL_METHOD_TRANSACTIONS } from "../../../platform/limits.ts"
import { PropertyChoices, propertyChoicesSql, subjectCurrencySql } from "./form-choices.ts"

export interface TransactionChoices {
  readonly properties: PropertyChoices
  readonly items: ReadonlyArray<DictionaryEntry>
  readonly methods: ReadonlyArray<DictionaryEntry>
  readonly currency: string
  /** The most frequent payment method of the latest {@link USUAL_METHOD_TRANSACTIONS} of the direction, if any. */
  readonly usual_method: number | null
}

const DictionaryEntryRows = Schema.Array(
  Schema.Struct({ id: Schema.Int, name: Schema.String, retired: Schema.Boolean })
)

const readChoices = makeSingleRowReader(
  Schema.Struct({
    properties: PropertyChoices,
    items: DictionaryEntryRows,
    methods: DictionaryEntryRows,
    currency: Schema.String,
    usual_method: Schema.NullOr(Schema.Int)
  })
)

interface TransactionChoicesInput {
  readonly operatorId: number
  readonly direction: TransactionDirection
  readonly items: string
  readonly methods: string
  readonly order: string | undefined
  readonly property: number | undefined
}

/**
 * `currency` is that of `order`, a reservation code or stay code, otherwise that of `property`, otherwise the operator's.
 */
export class EntryChoices extends Context.Service<EntryChoices>()("latchkey/transports/console/queries/EntryChoices", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const usualMethodSql = (operatorId: number, direction: TransactionDirection) => sql`(
          SELECT payment_method_id FROM (
            SELECT direction, payment_method_id FROM transactions WHERE operator_id = ${operatorId}
            ORDER BY action_at DESC, id DESC LIMIT ${sql.literal(String(USUAL_METHOD_TRANSACTIONS))}) latest
          WHERE direction = ${direction} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)`
    const statement = ({ operatorId, direction, items, methods, order, property }: TransactionChoicesInput) => {
      const ownEntriesSql = (dictionary: typeof items) => sql`(
          SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'retired', retired_at IS NOT NULL)), '[]')
          FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${dictionary})`
      return sql`
          SELECT ${propertyChoicesSql(sql, operatorId)} AS properties, ${ownEntriesSql(items)} AS items, ${ownEntriesSql(methods)} AS methods, coalesce(
              (SELECT currency FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${order ?? null}::text),
              (SELECT o.currency FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
                WHERE s.operator_id = ${operatorId} AND s.stay_code = ${order ?? null}::text),
              ${subjectCurrencySql(sql, operatorId, { property })}) AS currency, ${usualMethodSql(operatorId, direction)} AS usual_method`
    }
    return {
      of: Effect.fnUntraced(function* (direction: TransactionDirection, order?: string, property?: number) {
        const { operatorId } = yield* CurrentCaller
        const { items, methods } = selectDictionaries(direction)
        const row = yield* readChoices(statement({ operatorId, direction, items, methods, order, property }))
        return {
          properties: row.properties,
          items: listSelectableEntries(items, row.items),
          methods: listSelectableEntries(methods, row.methods),
          currency: row.currency,
          usual_method: row.usual_method
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(EntryChoices, EntryChoices.make)
}
