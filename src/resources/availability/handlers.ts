import { Clock, Effect } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { dateInZone, wholeSecond } from "../../contract/time.ts"
import { Availability } from "./Availability.ts"
import { Availabilities } from "./contract.ts"
import { changeableDays, readableRange } from "./rules.ts"
import { AvailabilityStore } from "./store.ts"

export const layerAvailabilities = Availabilities.toLayer(
  Effect.gen(function* () {
    const availability = yield* Availability
    const store = yield* AvailabilityStore

    return Availabilities.of({
      get_property_availability: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const today = dateInZone(yield* Clock.currentTimeMillis, caller.timeZone)
        const range = { start: payload.start_date, end: payload.end_date }
        const { start, end } = yield* Effect.fromResult(readableRange(range, today))
        const found = yield* availability.days(caller.operatorId, payload.property_ids, start, end)
        if (found.length < new Set(payload.property_ids).size) return yield* noSuchProperty
        return { properties: found.map(({ propertyId, days }) => ({ id: propertyId, availabilities: days })) }
      }),

      update_availabilities: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const now = yield* Clock.currentTimeMillis
        const days = yield* Effect.fromResult(changeableDays(payload, dateInZone(now, caller.timeZone)))
        const wanted = { propertyIds: payload.property_ids, days, closed: !payload.available }
        const changed = yield* store.setClosed(caller.operatorId, wanted, wholeSecond(now))
        return changed.unknown === 0 ? {} : yield* noSuchProperty
      })
    })
  })
)

const noSuchProperty = new NotFound({ message: "property_ids: no such property." })
