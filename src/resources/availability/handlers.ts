import { Clock, Effect, Layer, Result } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { dateInZone, wholeSecond } from "../../contract/time.ts"
import { handled, layerHandled } from "../handled.ts"
import { Availability } from "./Availability.ts"
import { Availabilities } from "./contract.ts"
import { changeableDays, fitsAChange, fitsAnAnswer, readableRange } from "./rules.ts"
import { AvailabilityStore } from "./store.ts"

export const layerAvailabilities = layerHandled(
  Effect.gen(function* () {
    const availability = yield* Availability
    const store = yield* AvailabilityStore

    return handled(Availabilities, {
      get_property_availability: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const today = dateInZone(yield* Clock.currentTimeMillis, caller.timeZone)
        const range = { start: payload.start_date, end: payload.end_date }
        const asked = Array.from(new Set(payload.property_ids))
        const { start, end } = yield* Effect.fromResult(
          Result.flatMap(readableRange(range, today), (readable) => fitsAnAnswer(asked.length, readable))
        )
        const found = yield* availability.days(caller.operatorId, asked, start, end)
        if (found.length < asked.length) return yield* noSuchProperty
        return { properties: found.map(({ propertyId, days }) => ({ id: propertyId, availabilities: days })) }
      }),

      update_availabilities: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const now = yield* Clock.currentTimeMillis
        const propertyIds = Array.from(new Set(payload.property_ids))
        const named = changeableDays(payload, dateInZone(now, caller.timeZone))
        const days = yield* Effect.fromResult(Result.flatMap(named, (each) => fitsAChange(propertyIds.length, each)))
        const wanted = { propertyIds, days, closed: !payload.available }
        const changed = yield* store.setClosed(caller.operatorId, wanted, wholeSecond(now))
        return changed.unknown === 0 ? {} : yield* noSuchProperty
      })
    })
  })
).pipe(Layer.provide([Availability.layer, AvailabilityStore.layer]))

const noSuchProperty = new NotFound({ message: "property_ids: no such property." })
