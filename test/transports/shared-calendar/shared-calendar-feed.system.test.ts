import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import ICAL from "ical.js"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { addDays, daysInRange } from "../../../src/contract/time.ts"
import { firstOfMonthAfter, listUnavailablePeriods } from "../../../src/domain/calendars/calendar-share-links/rules.ts"
import {
  SharedCalendars,
  type SharedProperty
} from "../../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { newShareLinkToken } from "../../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { calendarName } from "../../../src/transports/shared-calendar/calendar-page.ts"
import { FEED_SPAN } from "../../../src/transports/shared-calendar/feed-stream.ts"
import { FEED_END, renderFeedStart, renderPropertyEvents } from "../../../src/transports/shared-calendar/feed-text.ts"
import { makeSharedCalendarHandler } from "../../../src/transports/shared-calendar/shared-calendar.ts"
import { createOperator, insertOrder, insertProperty, typedClient, withToken } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

const NOW = new Date("2027-06-10T10:00:00Z")
const SOURCE = { token: "lkcal_0123456789", host: "api.example.test" }

/** A feed as a calendar program reads it. */
const read = (text: string) => {
  const feed = new ICAL.Component(ICAL.parse(text))
  const events = feed.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component)
    return {
      uid: event.uid,
      summary: event.summary,
      start: event.startDate.toString(),
      end: event.endDate.toString(),
      allDay: event.startDate.isDate && event.endDate.isDate,
      properties: component.getAllProperties().map(({ name }) => name)
    }
  })
  const value = (name: string) => feed.getFirstPropertyValue(name)?.toString()
  return { feed, events, value }
}

const daysOf = (pattern: ReadonlyArray<boolean>, first = "2027-06-01") =>
  pattern.map((available, index) => ({ date: addDays(first, index), available }))

/** A whole feed of these properties. */
const feedOf = (properties: ReadonlyArray<SharedProperty>, source: typeof SOURCE, now: Date): string =>
  [
    renderFeedStart(calendarName({ total: properties.length, properties })),
    ...properties.map((property) => renderPropertyEvents(property, source, now)),
    FEED_END
  ].join("")

describe("a calendar feed", () => {
  const title = fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 })
  const property = fc
    .record({ title, pattern: fc.array(fc.boolean(), { maxLength: 40 }) })
    .map(({ title, pattern }) => ({ title, days: daysOf(pattern) }))
  const calendars = fc
    .array(property, { maxLength: 4 })
    .map((properties) => properties.map((each, index) => ({ id: index + 1, ...each })))

  it("is read back by another library as one all-day event a taken stretch, named by its property", () => {
    fc.assert(
      fc.property(calendars, (calendar) => {
        const { events, value } = read(feedOf(calendar, SOURCE, NOW))
        const expected = calendar.flatMap(({ title, days }) =>
          listUnavailablePeriods(days).map(({ start, end }) => ({
            summary: `${title.replace(/\p{Cc}+/gu, " ")} – not available`,
            start,
            end,
            allDay: true
          }))
        )
        assert.deepStrictEqual(
          events.map(({ summary, start, end, allDay }) => ({ summary, start, end, allDay })),
          expected
        )
        assert.strictEqual(value("version"), "2.0")
        assert.strictEqual(value("prodid"), "-//Latchkey//Shared calendar//EN")
        assert.strictEqual(new Set(events.map(({ uid }) => uid)).size, events.length)
      })
    )
  })

  it("is made of lines that every calendar program can read", () => {
    fc.assert(
      fc.property(calendars, (calendar) => {
        const text = feedOf(calendar, SOURCE, NOW)
        // Every line has an end, the last one too (RFC 5545, 3.4 and 3.6).
        assert.isTrue(text.endsWith("\r\nEND:VCALENDAR\r\n"))
        for (const line of text.split("\r\n")) {
          assert.notMatch(line, /[\r\n]/)
          assert.isAtMost(Buffer.byteLength(line), 75, line)
        }
      })
    )
  })

  it("tells nothing but when and which property", () => {
    const { events, feed } = read(feedOf([{ id: 4711, title: "Harbour 1", days: daysOf([false]) }], SOURCE, NOW))
    assert.deepStrictEqual(events[0]?.properties.toSorted(), [
      "dtend",
      "dtstamp",
      "dtstart",
      "sequence",
      "summary",
      "transp",
      "uid",
      "x-microsoft-cdo-alldayevent",
      "x-microsoft-cdo-busystatus",
      "x-microsoft-msncalendar-alldayevent"
    ])
    assert.notInclude(feed.toString(), "4711")
    assert.notInclude(feed.toString(), SOURCE.token)
  })

  it("keeps the UID of a stretch whose end moves, and of all others", () => {
    const uidsOf = (pattern: ReadonlyArray<boolean>, id = 1, token = SOURCE.token) =>
      read(feedOf([{ id, title: "Harbour 1", days: daysOf(pattern) }], { ...SOURCE, token }, new Date())).events.map(
        ({ uid }) => uid
      )
    const before = uidsOf([true, false, false, true, true, false])
    assert.deepStrictEqual(uidsOf([true, false, true, true, true, false]), before)
    assert.deepStrictEqual(uidsOf([true, false, false, true, true, true]), before.slice(0, 1))
    assert.notStrictEqual(uidsOf([true, false], 2)[0], before[0])
    assert.notStrictEqual(uidsOf([true, false], 1, "lkcal_another")[0], before[0])
    assert.isTrue(before.every((uid) => uid.endsWith("@api.example.test")))
  })

  it("is called by its only property", () => {
    const named = (...titles: ReadonlyArray<string>) => {
      const { value } = read(
        feedOf(
          titles.map((title, id) => ({ id, title, days: [] })),
          SOURCE,
          NOW
        )
      )
      assert.strictEqual(value("name"), value("x-wr-calname"))
      return value("name")
    }
    // The reader does not know these two properties as text, so it leaves the escapes of RFC 5545 in them.
    assert.strictEqual(named('Harbour; 1, \\ "quoted" 🏠'), 'Harbour\\; 1\\, \\\\ "quoted" 🏠')
    assert.strictEqual(named("Harbour 1", "Harbour 2"), "Free and taken days")
    assert.strictEqual(named("two\r\nlines"), "two lines")
  })
})

/** Nothing that is drawn by chance is written so. */
const REVENUE = "777.25"

layer(layerHttpServer(), { excludeTestServices: false })("what share links open", (it) => {
  const ready = Effect.gen(function* () {
    yield* TestClock.setTime(NOW.getTime())
    const base = yield* BaseUrl
    const operator = yield* createOperator()
    const harbour = yield* insertProperty(operator.operatorId, "Harbour 1")
    const garden = yield* insertProperty(operator.operatorId, "Garden")
    const order = yield* insertOrder(operator.operatorId, [
      { propertyId: harbour, checkIn: "2027-06-29", checkOut: "2027-07-02", revenue: REVENUE },
      { propertyId: garden, checkIn: "2027-06-29", checkOut: "2027-06-30" }
    ])
    const api = yield* typedClient
    const as = withToken(operator.token)
    const { calendar_share_link: link } = yield* api.create_calendar_share_link({ scope: "entire" }).pipe(as)
    const here = `${base}/calendar/${link.url.split("/").at(-1)}`
    return { ...operator, base, harbour, garden, order, api, as, link, here }
  })

  const fetched = (url: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const response = await fetch(url, init)
      return { status: response.status, headers: response.headers, text: await response.text() }
    })

  it.effect("is a feed under the address with .ics", () =>
    Effect.gen(function* () {
      const { here } = yield* ready
      const { status, headers, text } = yield* fetched(`${here}.ics`)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/calendar; charset=utf-8")
      assert.deepStrictEqual(
        read(text).events.map(({ summary, start, end }) => ({ summary, start, end })),
        [
          { summary: "Garden – not available", start: "2027-06-29", end: "2027-06-30" },
          { summary: "Harbour 1 – not available", start: "2027-06-29", end: "2027-07-02" }
        ]
      )
      assert.strictEqual((yield* fetched(`${here}.ics`)).text, text)
    })
  )

  it.effect("follows what is booked and closed", () =>
    Effect.gen(function* () {
      const { here, api, as, harbour } = yield* ready
      yield* api
        .update_availabilities({
          property_ids: [harbour],
          available: false,
          start_date: "2027-07-02",
          end_date: "2027-07-04"
        })
        .pipe(as)
      const { text } = yield* fetched(`${here}.ics`)
      const stretches = read(text).events.filter(({ summary }) => summary.startsWith("Harbour 1"))
      // Why a day is taken is not told: the booking and the closed days are one stretch.
      assert.deepStrictEqual(
        stretches.map(({ start, end }) => [start, end]),
        [["2027-06-29", "2027-07-05"]]
      )
    })
  )

  it.effect("reaches back and ahead by whole months", () =>
    Effect.gen(function* () {
      const { here, api, as, harbour } = yield* ready
      const first = firstOfMonthAfter("2027-06-10", -FEED_SPAN.pastMonths)
      const next = firstOfMonthAfter("2027-06-10", FEED_SPAN.months - FEED_SPAN.pastMonths)
      const last = addDays(next, -1)
      yield* api.update_availabilities({ property_ids: [harbour], available: false, dates: [last, next] }).pipe(as)
      const { text } = yield* fetched(`${here}.ics`)
      const ends = read(text).events.map(({ end }) => end)
      assert.isTrue(ends.includes(next) && !ends.includes(addDays(next, 1)))
      assert.strictEqual(first, "2027-05-01")
      assert.isAbove(daysInRange(first, last), 365)
    })
  )

  it.effect("tells nobody but its reader", () =>
    Effect.gen(function* () {
      const { here, order, base } = yield* ready
      const page = yield* fetched(here)
      const feed = yield* fetched(`${here}.ics`)
      for (const { headers } of [
        page,
        feed,
        yield* fetched(`${base}/calendar/x`),
        yield* fetched(`${base}/calendar/x.ics`)
      ]) {
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.strictEqual(headers.get("x-robots-tag"), "noindex, nofollow")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.isNull(headers.get("set-cookie"))
      }
      const policy = page.headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; /)
      assert.notMatch(policy, /unsafe|script-src/)
      for (const { text } of [page, feed]) {
        assert.notInclude(text, order)
        assert.notInclude(text, REVENUE)
      }
    })
  )

  it.effect("answers HEAD without a body, and nothing but reading", () =>
    Effect.gen(function* () {
      const { here } = yield* ready
      const head = yield* fetched(here, { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
      for (const method of ["POST", "PUT", "DELETE"]) {
        const refused = yield* fetched(here, { method })
        assert.strictEqual(refused.status, 405)
        assert.strictEqual(refused.headers.get("allow"), "GET, HEAD")
      }
    })
  )

  it.effect("is invalid once the link is deleted, and under any other address", () =>
    Effect.gen(function* () {
      const { here, link, api, as, base } = yield* ready
      yield* api.delete_calendar_share_link({ id: link.id }).pipe(as)
      for (const url of [here, `${base}/calendar/`, `${base}/calendar/x`, `${base}/calendar/%00`, `${here}/x`]) {
        const page = yield* fetched(url)
        assert.strictEqual(page.status, 404)
        assert.include(page.text, "Share link invalid")
        const feed = yield* fetched(`${url}.ics`)
        assert.strictEqual(feed.status, 404)
        assert.strictEqual(feed.text, "Share link invalid.\n")
      }
    })
  )
})

describe("a calendar that cannot be read", () => {
  const token = newShareLinkToken()
  const away = Effect.die(new Error("the database is away"))
  const lines: Array<unknown> = []
  const layerBroken = Layer.mergeAll(
    Layer.succeed(SharedCalendars, { open: () => away, listPropertiesPage: () => away, listDays: () => away }),
    RateWindows.layerMemory,
    ConcurrencyLimiter.layer(),
    Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])
  )

  layer(layerBroken)((it) => {
    it.effect("is said to be so, on the page and in the feed, and the log does not hold its address", () =>
      Effect.gen(function* () {
        const answer = yield* makeSharedCalendarHandler
        const respond = (path: string) =>
          Effect.map(
            answer(HttpServerRequest.fromWeb(new Request(`http://127.0.0.1${path}`))),
            HttpServerResponse.toWeb
          )
        const page = yield* respond(`/calendar/${token}`)
        assert.strictEqual(page.status, 500)
        const text = yield* Effect.promise(() => page.text())
        assert.match(text, /<h1>[^<]+<\/h1>/)
        assert.notInclude(text, "database")
        const feed = yield* respond(`/calendar/${token}.ics`)
        assert.strictEqual(feed.status, 500)
        assert.match(feed.headers.get("content-type") ?? "", /^text\/plain/)
        assert.isAtLeast(lines.length, 4)
        assert.isTrue(lines.some((line) => String(line).includes("the database is away")))
        assert.isFalse(lines.some((line) => String(line).includes(token)))
      })
    )
  })
})
