import { Clock, Effect, Layer, Result } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { dateInZone, wholeSecond } from "../../../contract/time.ts"
import { done, handled, layerHandled } from "../../handled.ts"
import { Availability } from "./Availability.ts"
import { Availabilities, type get_property_availability, type update_availabilities } from "./contract.ts"
import { changeableDays, fitsAChange, fitsAnAnswer, readableRange } from "./rules.ts"
import { AvailabilityStore } from "./store.ts"

const readAvailability = (availability: Availability["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof get_property_availability.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const today = dateInZone(yield* Clock.currentTimeMillis, caller.timeZone)
    const asked = Array.from(new Set(payload.property_ids))
    const readable = readableRange({ start: payload.start_date, end: payload.end_date }, today)
    const range = yield* Effect.fromResult(Result.flatMap(readable, (each) => fitsAnAnswer(asked.length, each)))
    const properties = yield* availability.days(caller.operatorId, asked, range)
    return properties.length < asked.length ? yield* noSuchProperty : { properties }
  })

const changeAvailability = (store: AvailabilityStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof update_availabilities.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const now = yield* Clock.currentTimeMillis
    const property_ids = Array.from(new Set(payload.property_ids))
    const named = changeableDays(payload, dateInZone(now, caller.timeZone))
    const days = yield* Effect.fromResult(Result.flatMap(named, (each) => fitsAChange(property_ids.length, each)))
    const wanted = { property_ids, days, available: payload.available }
    const { unknown_properties } = yield* store.change(caller.operatorId, wanted, wholeSecond(now))
    return unknown_properties.length === 0 ? undefined : yield* noSuchProperty
  })

const noSuchProperty = new NotFound({ message: "property_ids: no such property." })

export const layerAvailabilities = layerHandled(
  Effect.gen(function* () {
    const availability = yield* Availability
    const store = yield* AvailabilityStore
    return handled(Availabilities, {
      get_property_availability: readAvailability(availability),
      update_availabilities: done(changeAvailability(store))
    })
  })
).pipe(Layer.provide([Availability.layer, AvailabilityStore.layer]))
