import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface BasePrices {
  readonly propertyId?: number
  readonly roomTypeId?: number
  readonly from: string
  readonly prices: ReadonlyArray<number | null>
  readonly minimumStay?: number
  readonly maximumStay?: number
}

/** Writes one row for each price, from the day `from` on. */
export const insertBasePrices = Effect.fnUntraced(function* (
  operatorId: number,
  { propertyId, roomTypeId, from, prices, minimumStay, maximumStay }: BasePrices
) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    prices,
    (price, index) => sql`
      INSERT INTO base_prices (operator_id, property_id, room_type_id, date, price, minimum_stay, maximum_stay)
      VALUES (${operatorId}, ${propertyId ?? null}, ${roomTypeId ?? null}, ${from}::date + ${index}::integer, ${price},
        ${minimumStay ?? null}, ${maximumStay ?? null})`
  )
}, Effect.orDie)
