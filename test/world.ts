import { Effect } from "effect"
import { type AnyOperation, routeOf } from "../src/contract/operation.ts"
import { freshOperator, orderOf, propertyOf, typedClient, withToken } from "./harness.ts"

// One operator that owns a record of every kind, and a valid value for every field name of the contracts: what the
// contract walk builds its calls from. A family whose fields have other names adds them here, once.

/** Values by field name; ids and codes name records of this operator. */
export type World = Effect.Success<typeof makeWorld>

export const makeWorld = Effect.gen(function* () {
  const operator = yield* freshOperator()
  const as = withToken(operator.token)
  const api = yield* typedClient
  const property_id = yield* propertyOf(operator.operatorId, "Harbour 1")
  const reservation_code = yield* orderOf(operator.operatorId, [{ propertyId: property_id }])
  const { transaction_id } = yield* api
    .create_transaction({ direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197, property_id })
    .pipe(as)
  return {
    ...operator,
    /** By the first segment of a route: the id of a record of that kind. */
    records: { transactions: transaction_id } as Readonly<Record<string, number | string>>,
    /** By field name. */
    fields: {
      property_id,
      reservation_code,
      stay_code: reservation_code,
      direction: "income",
      amount: 5,
      currency: "EUR",
      item_id: 11,
      payment_method_id: 197,
      start_date: "2027-05-01",
      end_date: "2027-05-31"
    } as Readonly<Record<string, unknown>>
  }
}).pipe(Effect.orDie)

/** Fields of the contracts that name a record of the operator. */
export const REFERENCES: ReadonlySet<string> = new Set(["id", "property_id", "reservation_code", "stay_code"])

/** The value of a field in a world: `id` means a record of the kind the route begins with. */
export const valueOf = (world: World, operation: AnyOperation, field: string): unknown => {
  const [, kind = ""] = routeOf(operation).path.split("/")
  return field === "id" ? world.records[kind] : world.fields[field]
}
