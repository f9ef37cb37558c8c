import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { addDays } from "../../../../src/contract/time.ts"
import { PropertyFeeds } from "../../../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { getOrCreateFeedAddress } from "../../../support/domain/calendars/feed-addresses.ts"
import {
  addImportedCalendar,
  createPropertyOwner,
  emptyCalendarTables,
  fetchAllDue,
  layerImportService,
  MINUTE_MS,
  makeCalendarImportWorker,
  startCalendarSource,
  toBusyCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"

// A property among marketplaces that know each other through it alone, and that tell on whatever they have read, without its
// UIDs. Each reads and is read whenever it pleases.

const FIRST = "2027-05-01"
const DAYS = 4
const ROUNDS = 4
const RUNS = 2

const night = (day: number) => addDays(FIRST, day)
const days = Array.from({ length: DAYS }, (_, day) => day)

/** A marketplace: what its own guests have, and what it has read here. */
interface Marketplace {
  readonly own: Set<number>
  readonly imported: Set<number>
}

const step = (marketplaces: number) =>
  fc.record({
    what: fc.constantFrom("book", "cancel", "read", "fetch"),
    /** Which marketplace; here, where there is none of that number. */
    who: fc.nat(marketplaces),
    day: fc.nat(DAYS - 1)
  })

const among = Effect.fnUntraced(function* (count: number) {
  yield* emptyCalendarTables
  const { propertyId: property, operatorId, api, as } = yield* createPropertyOwner
  const importing = yield* makeCalendarImportWorker
  const feeds = yield* PropertyFeeds
  const marketplaces = yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const elsewhere = yield* startCalendarSource
      const calendar = yield* addImportedCalendar(property, elsewhere.makeUrl())
      const there: Marketplace = { own: new Set(), imported: new Set() }
      const says = () => {
        const taken = days.filter((day) => there.own.has(day) || there.imported.has(day))
        elsewhere.serveCalendar(toBusyCalendar(...taken.map((day) => `${night(day)}/${night(day + 1)}`)))
      }
      says()
      const read = Effect.gen(function* () {
        const { url } = yield* getOrCreateFeedAddress(operatorId, property, calendar)
        const token = url.slice(url.lastIndexOf("/") + 1, -".ics".length)
        const feed = Option.getOrThrow(yield* feeds.open(token))
        const content = Option.getOrThrow(yield* feeds.read(feed))
        yield* feeds.recordRead(feed, content)
        there.imported.clear()
        for (const day of days) {
          if (content.busyPeriods.some(({ start, end }) => night(day) >= start && night(day) < end))
            there.imported.add(day)
        }
        says()
      })
      return { ...there, says, read }
    })
  )
  const closed = new Set<number>()
  const setOpen = (day: number, available: boolean) =>
    as(api.update_availabilities({ property_ids: [property], available, dates: [night(day)] }))
  const free = Effect.gen(function* () {
    const range = { start_date: FIRST, end_date: night(DAYS - 1) }
    const { properties } = yield* as(api.get_property_availability({ property_ids: [property], ...range }))
    const known = properties[0]?.availabilities ?? []
    return new Set(days.filter((day) => known[day]?.available === true))
  })
  const fetch = Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchAllDue(importing))
  return { marketplaces, closed, setOpen, free, fetch }
})
type Star = Effect.Success<ReturnType<typeof among>>

/** Who looks at his own calendar, and takes what is free in it or gives back what he has. */
const acting = Effect.fnUntraced(function* (star: Star, who: number, day: number, books: boolean) {
  const marketplace = star.marketplaces[who]
  if (marketplace === undefined) {
    if (books && !(yield* star.free).has(day)) return
    yield* star.setOpen(day, !books)
    if (books) star.closed.add(day)
    else star.closed.delete(day)
    return
  }
  if (!books) marketplace.own.delete(day)
  else if (!marketplace.imported.has(day)) marketplace.own.add(day)
  marketplace.says()
})

layer(Layer.provideMerge(PropertyFeeds.layer, layerImportService))("a property among marketplaces", (it) => {
  for (const count of [1, 2, 3]) {
    it.effect(
      `${count} of which tell on what they read: in the end a day is closed everywhere if somebody holds it, and nowhere else`,
      () =>
        Effect.gen(function* () {
          for (const steps of fc.sample(fc.array(step(count), { minLength: 20, maxLength: 40 }), RUNS)) {
            const star = yield* among(count)
            for (const { what, who, day } of steps) {
              if (what === "book" || what === "cancel") yield* acting(star, who, day, what === "book")
              else if (what === "fetch") yield* star.fetch
              else yield* star.marketplaces[who]?.read ?? Effect.void
            }
            for (let round = 0; round < ROUNDS; round++) {
              for (const { read } of star.marketplaces) yield* read
              yield* star.fetch
            }
            const held = days.filter((day) => star.closed.has(day) || star.marketplaces.some(({ own }) => own.has(day)))
            const openHere = yield* star.free
            const told = JSON.stringify(steps)
            assert.deepStrictEqual(
              days.filter((day) => !openHere.has(day)),
              held,
              `here, after ${told}`
            )
            for (const { own, imported } of star.marketplaces) {
              const shut = days.filter((day) => own.has(day) || imported.has(day))
              assert.deepStrictEqual(shut, held, `at a marketplace, after ${told}`)
            }
          }
        })
    )
  }
})
