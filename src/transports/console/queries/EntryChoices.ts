import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type DictionaryEntry, dictionariesOf, listed } from "../../../domain/money/dictionaries.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { PropertyChoices, propertyChoices } from "./choices.ts"

// What an entry of money can be on and under, in one statement.

/** What there is to choose from for an entry. */
export interface Choices {
  readonly properties: PropertyChoices
  readonly items: ReadonlyArray<DictionaryEntry>
  readonly methods: ReadonlyArray<DictionaryEntry>
  /** Of the order that was asked for; null: of none, or there is none. */
  readonly currency: string | null
}

const Own = Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, retired: Schema.Boolean }))

const read = onlyRowOf(
  Schema.Struct({ properties: PropertyChoices, items: Own, methods: Own, currency: Schema.NullOr(Schema.String) })
)

interface Asked {
  readonly operatorId: number
  readonly items: string
  readonly methods: string
  readonly order: string | undefined
}

/** The categories, payment methods and properties of an entry, and the currency of an order by its code or that of one of its stays. */
export class EntryChoices extends Context.Service<
  EntryChoices,
  { readonly of: (operatorId: number, direction: "income" | "expense", order?: string) => Effect.Effect<Choices> }
>()("latchkey/desk/EntryChoices") {
  static readonly layer = Layer.effect(
    EntryChoices,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = inForms(sql, ({ operatorId, items, methods, order }: Givens<Asked>) => {
        const own = (dictionary: typeof items) => sql`(
          SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'retired', retired_at IS NOT NULL)), '[]')
          FROM dictionary_entries WHERE operator_id = ${operatorId} AND dictionary = ${dictionary})`
        return sql`
          SELECT ${propertyChoices(sql, operatorId)} AS properties, ${own(items)} AS items, ${own(methods)} AS methods, coalesce(
              (SELECT currency FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${order ?? null}::text),
              (SELECT o.currency FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
                WHERE s.operator_id = ${operatorId} AND s.stay_code = ${order ?? null}::text)) AS currency`
      })
      return EntryChoices.of({
        of: (operatorId, direction, order) => {
          const { items, methods } = dictionariesOf(direction)
          return Effect.map(read(statement({ operatorId, items, methods, order })), (own) => ({
            properties: own.properties,
            items: listed(items, own.items),
            methods: listed(methods, own.methods),
            currency: own.currency
          }))
        }
      })
    })
  )
}
