import { Clock, Context, Effect, Layer, Option } from "effect"
import { addDays, dateInZone } from "../../contract/time.ts"
import { Availability } from "../availability/Availability.ts"
import { isToken } from "./address.ts"
import { monthStart } from "./rules.ts"
import { ShareLinkStore } from "./store.ts"

/** What the holder of a link may see: property titles, and which days are free. Nothing else leaves this service. */
export interface SharedCalendar {
  /** Today where the merchant is. */
  readonly today: string
  readonly properties: ReadonlyArray<SharedProperty>
}

export interface SharedProperty {
  /** Only to tell properties apart; not to be shown. */
  readonly id: number
  readonly title: string
  /** One entry a day, in order and without gaps. */
  readonly days: ReadonlyArray<{ readonly date: string; readonly available: boolean }>
}

/** How a merchant's calendar looks from outside. */
export class SharedCalendars extends Context.Service<
  SharedCalendars,
  {
    /**
     * The calendar a token opens, over `months` whole months that begin `past` months before this one; none when the link
     * is unknown or deleted, or the account behind it is banned or closed.
     */
    readonly open: (
      token: string,
      span: { readonly past: number; readonly months: number }
    ) => Effect.Effect<Option.Option<SharedCalendar>>
  }
>()("latchkey/resources/SharedCalendars") {
  static readonly layer = Layer.effect(
    SharedCalendars,
    Effect.gen(function* () {
      const store = yield* ShareLinkStore
      const availability = yield* Availability
      return SharedCalendars.of({
        open: Effect.fn("SharedCalendars.open")(function* (token, span) {
          const link = isToken(token) ? yield* store.open(token) : undefined
          if (link === undefined) return Option.none()
          const today = dateInZone(yield* Clock.currentTimeMillis, link.timeZone)
          const start = monthStart(today, -span.past)
          const end = addDays(monthStart(today, span.months - span.past), -1)
          const properties = link.properties.toSorted((one, other) => byTitle.compare(one.title, other.title))
          const read = yield* availability.days(
            link.operatorId,
            properties.map(({ id }) => id),
            start,
            end
          )
          const daysOf = new Map(read.map(({ propertyId, days }) => [propertyId, days]))
          return Option.some({
            today,
            properties: properties.map(({ id, title }) => ({
              id,
              title,
              days: (daysOf.get(id) ?? []).map(({ date, available }) => ({ date, available }))
            }))
          })
        })
      })
    })
  ).pipe(Layer.provide(ShareLinkStore.layer))
}

/** As people sort: Room 2 before Room 10. */
const byTitle = new Intl.Collator("en", { numeric: true })
