import { Context, Effect, Layer } from "effect"
import type { DateRange } from "../../../contract/date-range.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import type { PropertyAvailability } from "./contract.ts"
import { makeCalendarBuilder } from "./rules.ts"
import { AvailabilityStore } from "./store.ts"

export class Availability extends Context.Service<
  Availability,
  {
    /** Omits unknown properties. Keeps the given order without duplicates. */
    readonly listDays: (
      operatorId: number,
      propertyIds: ReadonlyArray<number>,
      range: DateRange
    ) => Effect.Effect<ReadonlyArray<PropertyAvailability>>
  }
>()("latchkey/domain/calendars/availability/Availability") {
  static readonly layer = Layer.effect(
    Availability,
    Effect.gen(function* () {
      const store = yield* AvailabilityStore
      return Availability.of({
        listDays: Effect.fnUntraced(function* (operatorId, propertyIds, range) {
          const propertyDays = yield* store.listDays(operatorId, propertyIds, range)
          const byId = new Map(propertyDays.map((property) => [property.id, property]))
          const buildCalendar = makeCalendarBuilder(range)
          return Array.from(new Set(propertyIds)).flatMap((id) => {
            const property = byId.get(id)
            return property === undefined ? [] : [{ id, availabilities: buildCalendar(property) }]
          })
        }, withChildSpan("Availability.days"))
      })
    })
  ).pipe(Layer.provide(AvailabilityStore.layer))
}
