import { Clock, Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { dateInZone } from "../../../contract/time.ts"
import { BASE_PRICE_LISTINGS_MAX } from "../../../platform/limits.ts"
import { parseListingMapping } from "../../listings/rules.ts"
import { changeHandler, handleOperations, layerOperations } from "../../operation-handlers.ts"
import { unknownPropertyIdError, unknownRoomTypeIdError } from "../../properties/properties/ownership.ts"
import { BasePriceOperations, BasePricePushes, type get_base_prices, type set_base_prices } from "./contract.ts"
import type { PriceTarget } from "./price-target.ts"
import { checkReadableBasePrices, describeStayConflict, toDayChanges, validateBasePriceRanges } from "./rules.ts"
import { BasePriceStore } from "./store.ts"

const toUnknownTargetError = ({ type }: PriceTarget) =>
  type === "property" ? unknownPropertyIdError : unknownRoomTypeIdError

const getBasePrices = (store: BasePriceStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof get_base_prices.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const target = { operatorId, ...(yield* Effect.fromResult(parseListingMapping(payload))) }
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const requested = { start: payload.start_date, end: payload.end_date }
    const range = yield* Effect.fromResult(checkReadableBasePrices(requested, today))
    return (yield* store.readDays(target, range)) ?? (yield* toUnknownTargetError(target))
  })

const setBasePrices = (store: BasePriceStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof set_base_prices.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const target = { operatorId, ...(yield* Effect.fromResult(parseListingMapping(payload))) }
    const now = yield* Clock.currentTimeMillis
    const ranges = yield* Effect.fromResult(validateBasePriceRanges(payload.ranges, dateInZone(now, timeZone)))
    const change = yield* store.change(target, toDayChanges(ranges), new Date(now))
    if (!change.is_known) return yield* toUnknownTargetError(target)
    if (change.conflicting_date !== null)
      return yield* new ValidationFailed({ message: describeStayConflict(ranges, change.conflicting_date) })
    return change.has_too_many_listings ? yield* tooManyListingsError : change
  })

const tooManyListingsError = new ValidationFailed({
  message: `room_type_id: the room type and its properties have more than ${BASE_PRICE_LISTINGS_MAX} listings; set the prices of each property instead.`
})

const toPushes = ({ pushed, skipped }: BasePricePushes): BasePricePushes => ({ pushed, skipped })

export const layerBasePrices = layerOperations(
  Effect.map(BasePriceStore, (store) =>
    handleOperations(BasePriceOperations, {
      get_base_prices: getBasePrices(store),
      set_base_prices: changeHandler(setBasePrices(store), BasePricePushes, toPushes)
    })
  )
)
