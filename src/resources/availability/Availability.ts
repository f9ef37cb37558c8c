import { Context, Effect, Layer } from "effect"
import type { DayAvailability } from "./contract.ts"
import { calendarOver } from "./rules.ts"
import { AvailabilityStore } from "./store.ts"

export interface PropertyAvailability {
  readonly propertyId: number
  /** One entry a day, in order. */
  readonly days: ReadonlyArray<DayAvailability>
}

/** Which days of its properties an operator can sell: what calendars, pages and other families read. */
export class Availability extends Context.Service<
  Availability,
  {
    /**
     * Every day from `start` to `end`, both included, of the named properties that exist, in the order named and each
     * once. One statement whatever their number.
     */
    readonly days: (
      operatorId: number,
      propertyIds: ReadonlyArray<number>,
      start: string,
      end: string
    ) => Effect.Effect<ReadonlyArray<PropertyAvailability>>
  }
>()("latchkey/resources/Availability") {
  static readonly layer = Layer.effect(
    Availability,
    Effect.gen(function* () {
      const store = yield* AvailabilityStore
      return Availability.of({
        days: Effect.fn("Availability.days")(function* (operatorId, propertyIds, start, end) {
          const range = { start, end }
          const known = yield* store.days(operatorId, propertyIds, range)
          const byId = new Map(known.map((property) => [property.id, property]))
          const calendar = calendarOver(range)
          return Array.from(new Set(propertyIds)).flatMap((propertyId) => {
            const property = byId.get(propertyId)
            return property === undefined ? [] : [{ propertyId, days: calendar(property) }]
          })
        })
      })
    })
  ).pipe(Layer.provide(AvailabilityStore.layer))
}
