import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Availability } from "../../../../src/domain/calendars/availability/Availability.ts"
import type { CalendarShareLink } from "../../../../src/domain/calendars/calendar-share-links/contract.ts"
import { SharedCalendars } from "../../../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { PropertyEditStore } from "../../../../src/domain/properties/property-edits/PropertyEditStore.ts"
import { PublicUrl } from "../../../../src/platform/installation.ts"
import { NAMED_PROPERTIES_MAX } from "../../../../src/platform/limits.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  createOperator,
  insertOrder,
  insertProperty,
  layerService,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { deactivateProperty } from "../../../support/property-activation.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const PUBLIC_URL = "https://api.example.test/latchkey"

const layerLinks = Layer.merge(SharedCalendars.layer, PropertyEditStore.layer).pipe(
  Layer.provide(Availability.layer),
  Layer.provideMerge(layerService(layerTestDatabase)),
  Layer.provide(Layer.succeed(PublicUrl, PUBLIC_URL))
)

/** A client of a new operator with two properties. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator({ timeZone: "Asia/Tokyo" })
  const harbour = yield* insertProperty(operator.operatorId, "Harbour 10")
  const garden = yield* insertProperty(operator.operatorId, "Harbour 2")
  const api = yield* typedClient
  const as = withToken(operator.token)
  const link = (property_ids?: ReadonlyArray<number>) =>
    Effect.map(
      api
        .create_calendar_share_link(
          property_ids === undefined ? { scope: "entire" } : { scope: "partial", property_ids }
        )
        .pipe(as),
      ({ calendar_share_link }) => calendar_share_link
    )
  return { ...operator, harbour, garden, api, as, link }
})

const tokenIn = (link: CalendarShareLink) => link.url.split("/").at(-1) ?? ""

/** What the link opens: the first part of its properties, with their days. */
const opened = Effect.fnUntraced(function* (link: CalendarShareLink, span = { pastMonths: 0, months: 2 }) {
  const calendars = yield* SharedCalendars
  const found = yield* calendars.open(tokenIn(link))
  if (Option.isNone(found)) return Option.none()
  const { total, properties } = yield* calendars.listPropertiesPage(found.value, 1)
  return Option.some({
    today: found.value.today,
    total,
    properties: yield* calendars.listDays(found.value, properties, span)
  })
})

type Opened = Effect.Success<ReturnType<typeof opened>>

layer(layerLinks, { excludeTestServices: false })("calendar share links", (it) => {
  it.effect("are listed as they were created", () =>
    Effect.gen(function* () {
      const { api, as, harbour, garden, link } = yield* ready
      yield* TestClock.setTime(Date.parse("2027-05-10T12:00:00.789Z"))
      const entire = yield* link()
      const partial = yield* link([harbour, garden, harbour])
      const { id, url, ...rest } = partial
      assert.deepStrictEqual(rest, {
        scope: "partial",
        property_ids: [harbour, garden],
        created_at: "2027-05-10T12:00:00Z"
      })
      assert.deepInclude(entire, { scope: "entire", property_ids: [] })
      for (const each of [entire, partial]) {
        assert.isTrue(each.url.startsWith(`${PUBLIC_URL}/calendar/`))
        assert.match(tokenIn(each), /^[0-9A-Za-z_-]{16,}$/)
      }
      const all = yield* api.search_calendar_share_links({}).pipe(as)
      assert.deepStrictEqual(all, { calendar_share_links: [entire, partial], total: 2 })
      const one = yield* api.search_calendar_share_links({ id }).pipe(as)
      assert.deepStrictEqual(one, { calendar_share_links: [partial], total: 1 })
      const second = yield* api.search_calendar_share_links({ offset: 1, limit: 1 }).pipe(as)
      assert.deepStrictEqual(second, { calendar_share_links: [partial], total: 2 })
      assert.strictEqual(new Set([entire.url, partial.url]).size, 2)
    })
  )

  it.effect("to the entire calendar there is one of, however many ask at once", () =>
    Effect.gen(function* () {
      const { link, api, as } = yield* ready
      const links = yield* Effect.all(
        Array.from({ length: 20 }, () => link()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(links.map((each) => JSON.stringify(each))).size, 1)
      assert.deepStrictEqual(yield* link(), links[0])
      assert.strictEqual((yield* api.search_calendar_share_links({}).pipe(as)).total, 1)
    })
  )

  it.effect("are new every time for a part of the calendar", () =>
    Effect.gen(function* () {
      const { link, harbour } = yield* ready
      const [one, two] = [yield* link([harbour]), yield* link([harbour])]
      assert.notStrictEqual(one.id, two.id)
      assert.notStrictEqual(one.url, two.url)
    })
  )

  it.effect("show no free day of a property that is off, and do not say why", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-10T12:00:00Z"))
      const { link, harbour } = yield* ready
      yield* deactivateProperty(harbour)
      const { properties } = yield* Effect.fromOption(yield* opened(yield* link()))
      const freeFrom = properties.map(({ title, days }) => [title, days.filter((day) => day.available).at(-1)?.date])
      assert.deepStrictEqual(freeFrom, [
        ["Harbour 2", "2027-06-30"],
        ["Harbour 10", "2027-05-09"]
      ])
      assert.isTrue(properties.every(({ days }) => days.every((day) => Object.keys(day).length === 2)))
    })
  )

  it.effect("have a new address after a deletion, and the old one opens nothing", () =>
    Effect.gen(function* () {
      const { link, api, as, token } = yield* ready
      const first = yield* link()
      assert.isTrue(Option.isSome(yield* opened(first)))
      yield* api.delete_calendar_share_link({ id: first.id }).pipe(as)
      assert.isTrue(Option.isNone(yield* opened(first)))
      const again = yield* call(token, "delete_calendar_share_link", { id: first.id })
      assert.deepStrictEqual([again.error_code, fieldOfError(again)], [404, "id"])
      const second = yield* link()
      assert.notStrictEqual(second.url, first.url)
      assert.isTrue(Option.isNone(yield* opened(first)))
      assert.isTrue(Option.isSome(yield* opened(second)))
    })
  )

  it.effect("open property titles and days, in the order people sort by, and later properties if entire", () =>
    Effect.gen(function* () {
      const { link, operatorId, harbour, garden } = yield* ready
      // In Tokyo it is June already.
      yield* TestClock.setTime(Date.parse("2027-05-31T16:00:00Z"))
      yield* insertOrder(operatorId, [{ propertyId: harbour, checkIn: "2027-06-29", checkOut: "2027-07-02" }])
      const entire = yield* link()
      const partial = yield* link([harbour])
      yield* insertProperty(operatorId, "Annex")
      const titlesOf = (calendar: Opened) =>
        Option.map(calendar, ({ properties }) => properties.map(({ title }) => title))
      assert.deepStrictEqual(titlesOf(yield* opened(entire)), Option.some(["Annex", "Harbour 2", "Harbour 10"]))
      const calendar = yield* opened(partial)
      assert.deepStrictEqual(titlesOf(calendar), Option.some(["Harbour 10"]))
      assert.notStrictEqual(garden, harbour)
      const shown = Option.getOrThrow(calendar)
      assert.strictEqual(shown.today, "2027-06-01")
      const days = shown.properties[0]?.days ?? []
      assert.strictEqual(days.length, 61)
      assert.deepStrictEqual([days[0]?.date, days.at(-1)?.date], ["2027-06-01", "2027-07-31"])
      assert.deepStrictEqual(
        days.filter(({ available }) => !available).map(({ date }) => date),
        ["2027-06-29", "2027-06-30", "2027-07-01"]
      )
      const withPast = Option.getOrThrow(yield* opened(partial, { pastMonths: 1, months: 3 }))
      assert.strictEqual(withPast.properties[0]?.days[0]?.date, "2027-05-01")
      assert.strictEqual(withPast.properties[0]?.days.at(-1)?.date, "2027-07-31")
    })
  )

  it.effect("open nothing for accounts that are banned or closed, but do while a subscription is lapsed", () =>
    Effect.gen(function* () {
      const { link, operatorId } = yield* ready
      const entire = yield* link()
      const sql = yield* SqlClient.SqlClient
      const opensAs = Effect.fnUntraced(function* (status: string) {
        yield* sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`
        return Option.isSome(yield* opened(entire))
      })
      assert.isFalse(yield* opensAs("banned"))
      assert.isFalse(yield* opensAs("closed"))
      assert.isTrue(yield* opensAs("active"))
      yield* sql`UPDATE operators SET subscription_until = '1969-01-01' WHERE id = ${operatorId}`
      assert.isTrue(Option.isSome(yield* opened(entire)))
    })
  )

  it.effect("name the field a rule refuses, and change nothing", () =>
    Effect.gen(function* () {
      const { token, harbour, api, as, link } = yield* ready
      const elsewhere = yield* ready
      yield* link([harbour])
      const before = yield* api.search_calendar_share_links({}).pipe(as)
      const unknown = Array.from({ length: NAMED_PROPERTIES_MAX + 1 }, (_, index) => 900_000_000 + index)
      const broken: ReadonlyArray<readonly [object, number, string]> = [
        [{}, 400, "scope"],
        [{ scope: "all" }, 422, "scope"],
        [{ scope: true }, 400, "scope"],
        [{ scope: "entire", property_ids: [harbour] }, 400, "property_ids"],
        [{ scope: "partial" }, 400, "property_ids"],
        [{ scope: "partial", property_ids: [] }, 422, "property_ids"],
        [{ scope: "partial", property_ids: `${harbour}` }, 400, "property_ids"],
        [{ scope: "partial", property_ids: [harbour, 999_999_999] }, 404, "property_ids"],
        [{ scope: "partial", property_ids: [elsewhere.harbour] }, 404, "property_ids"],
        [{ scope: "partial", property_ids: unknown.slice(1) }, 404, "property_ids"],
        [{ scope: "partial", property_ids: unknown }, 422, "property_ids"]
      ]
      for (const [fields, code, field] of broken) {
        const envelope = yield* call(token, "create_calendar_share_link", fields)
        assert.strictEqual(envelope.error_code, code, `${JSON.stringify(fields).slice(0, 80)}: ${envelope.error_msg}`)
        assert.match(envelope.error_msg, new RegExp(`^${field}\\b`))
      }
      assert.deepStrictEqual(yield* api.search_calendar_share_links({}).pipe(as), before)
    })
  )
})
