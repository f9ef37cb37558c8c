import { Clock, Effect, Result } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { dateInZone, truncateToSecond } from "../../../contract/time.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { Availability } from "./Availability.ts"
import { AvailabilityOperations, type get_property_availability, type update_availabilities } from "./contract.ts"
import { checkChangeSize, checkReadableRange, checkResponseSize, resolveChangedDays } from "./rules.ts"
import { AvailabilityStore } from "./store.ts"

const readAvailability = (availability: Availability["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof get_property_availability.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const today = dateInZone(yield* Clock.currentTimeMillis, caller.timeZone)
    const propertyIds = Array.from(new Set(payload.property_ids))
    const readable = checkReadableRange({ start: payload.start_date, end: payload.end_date }, today)
    const range = yield* Effect.fromResult(
      Result.flatMap(readable, (each) => checkResponseSize(propertyIds.length, each))
    )
    const properties = yield* availability.listDays(caller.operatorId, propertyIds, range)
    return properties.length < propertyIds.length ? yield* unknownPropertyIdsError : { properties }
  })

const changeAvailability = (store: AvailabilityStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof update_availabilities.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const now = yield* Clock.currentTimeMillis
    const property_ids = Array.from(new Set(payload.property_ids))
    const changedDays = resolveChangedDays(payload, dateInZone(now, caller.timeZone))
    const days = yield* Effect.fromResult(
      Result.flatMap(changedDays, (each) => checkChangeSize(property_ids.length, each))
    )
    const daysChange = { property_ids, days, available: payload.available }
    const { unknown_properties } = yield* store.changeDays(caller.operatorId, daysChange, truncateToSecond(now))
    return unknown_properties.length === 0 ? undefined : yield* unknownPropertyIdsError
  })

const unknownPropertyIdsError = new NotFound({ message: "property_ids: no such property." })

export const layerAvailabilities = layerOperations(
  Effect.gen(function* () {
    const availability = yield* Availability
    const store = yield* AvailabilityStore
    return handleOperations(AvailabilityOperations, {
      get_property_availability: readAvailability(availability),
      update_availabilities: voidChangeHandler(changeAvailability(store))
    })
  })
)
