import { Effect } from "effect"
import { addDays } from "../../../../../src/contract/time.ts"
import { call, dataOf } from "../../../harness.ts"

export interface BasePrices {
  readonly propertyId?: number
  readonly roomTypeId?: number
  readonly from: string
  readonly prices: ReadonlyArray<number>
  readonly minimumStay?: number
  readonly maximumStay?: number
}

/** Builds the body of POST /base_prices, with one range for each price, from the day `from` on. */
export const toBasePriceBody = ({ propertyId, roomTypeId, from, prices, minimumStay, maximumStay }: BasePrices) => ({
  ...(propertyId === undefined ? {} : { property_id: propertyId }),
  ...(roomTypeId === undefined ? {} : { room_type_id: roomTypeId }),
  ranges: prices.map((price, index) => {
    const date = addDays(from, index)
    return {
      start_date: date,
      end_date: date,
      price,
      ...(minimumStay === undefined ? {} : { minimum_stay: minimumStay }),
      ...(maximumStay === undefined ? {} : { maximum_stay: maximumStay })
    }
  })
})

export const setBasePrices = (token: string, prices: BasePrices) =>
  Effect.flatMap(call(token, "set_base_prices", toBasePriceBody(prices)), dataOf)
