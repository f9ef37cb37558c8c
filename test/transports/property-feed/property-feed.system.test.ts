import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { addDays, daysInRange } from "../../../src/contract/time.ts"
import { newFeedToken } from "../../../src/domain/calendars/property-feeds/feed-url.ts"
import { PropertyFeeds } from "../../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { READ_RECORD_INTERVAL_MS } from "../../../src/domain/calendars/property-feeds/rules.ts"
import { AVAILABILITY_END_DAYS, PROPERTY_FEED_READS_A_MINUTE } from "../../../src/platform/limits.ts"
import { matchesEtag } from "../../../src/transports/http/caching.ts"
import { renderFeedText } from "../../../src/transports/property-feed/feed-text.ts"
import { makePropertyFeedHandler } from "../../../src/transports/property-feed/property-feed.ts"
import { FEED_END, renderFeedStart } from "../../../src/transports/shared-calendar/feed-text.ts"
import { getOrCreateFeedAddress, renewFeedAddress } from "../../support/domain/calendars/feed-addresses.ts"
import {
  asSystemActor,
  createOperator,
  insertOrder,
  insertProperty,
  type OperatorOptions,
  typedClient,
  withToken
} from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { assertValidCalendar, parseCalendar } from "../../support/icalendar.ts"
import { insertImportedCalendar, insertImportedDays } from "../../support/imported-calendars.ts"

const TODAY = "2027-06-10"
const NOW = Date.parse(`${TODAY}T10:00:00Z`)
const LAST = addDays(TODAY, AVAILABILITY_END_DAYS)

const fetched = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    const { status, headers } = response
    return { status, headers, etag: headers.get("etag") ?? "", text: await response.text() }
  })

const stretches = (text: string) =>
  parseCalendar(text).events.map(({ summary, start, end }) => `${summary} ${start} ${end}`)

describe("the text of a feed", () => {
  const day = { today: TODAY, time_zone: "Pacific/Auckland" }
  const source = { token: newFeedToken(), host: "api.example.test" }

  it("is a calendar that RFC 5545 allows, with events and without, and so is that of a shared calendar", () => {
    const stay = { reason: "stay", start: "2027-06-12", end: "2027-06-14" } as const
    const closed = { reason: "closed", start: "2027-06-14", end: "2027-06-15" } as const
    const text = renderFeedText([stay, closed], day, source)
    for (const each of [renderFeedText([], day, source), text, renderFeedStart("a; b, \\ c") + FEED_END]) {
      assertValidCalendar(each)
      assert.lengthOf(parseCalendar(each).component.getAllSubcomponents("vtimezone"), 1)
    }
    // What it is held to finds what was wrong before there was a zone in it.
    assert.throws(() =>
      assertValidCalendar(
        text.replace(/BEGIN:VTIMEZONE[\s\S]*END:VTIMEZONE\r\n/, "").replace(/BEGIN:VEVENT[\s\S]*END:VEVENT\r\n/, "")
      )
    )
    assert.match(text, /\r\nMETHOD:PUBLISH\r\n/)
    assert.match(text, /\r\nTRANSP:OPAQUE\r\n/)
    assert.notInclude(text, source.token)
    assert.strictEqual(parseCalendar(text).component.getFirstPropertyValue("x-wr-calname"), null)
  })

  it("is stamped with the beginning of the merchant's day, which is never to come", () => {
    const text = renderFeedText([{ reason: "stay", start: "2027-06-12", end: "2027-06-14" }], day, source)
    assert.match(text, /\r\nDTSTAMP:20270609T120000Z\r\n/)
  })

  it("keeps the UID of an event whose end moves, and that of what is not let at all", () => {
    const uidOf = (reason: "stay" | "closed" | "not let", start: string, end: string, token = source.token) =>
      parseCalendar(renderFeedText([{ reason, start, end }], day, { ...source, token })).events[0]?.uid
    const uid = uidOf("stay", "2027-06-12", "2027-06-14")
    assert.strictEqual(uidOf("stay", "2027-06-12", "2027-06-20"), uid)
    assert.notStrictEqual(uidOf("stay", "2027-06-13", "2027-06-20"), uid)
    assert.notStrictEqual(uidOf("closed", "2027-06-12", "2027-06-14"), uid)
    assert.notStrictEqual(uidOf("stay", "2027-06-12", "2027-06-14", newFeedToken()), uid)
    assert.strictEqual(uidOf("not let", "2027-05-01", "2030-06-11"), uidOf("not let", "2027-06-01", "2030-07-11"))
    assert.match(uid ?? "", /^[0-9a-f]{32}@api\.example\.test$/)
  })
})

describe("an If-None-Match", () => {
  it("names an ETag strong or weak, alone or in a list, or whatever there is", () => {
    for (const value of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a" , "c"', "*", " * ", '"x,y", "a"']) {
      assert.isTrue(matchesEtag(value, '"a"'), value)
    }
    for (const value of ["", "a", '"b"', '"A"', '"a', '"b, a"', '"*"', 'W/"b"'])
      assert.isFalse(matchesEtag(value, '"a"'), value)
  })
})

layer(layerHttpServer(), { excludeTestServices: false })("the feed of a property", (it) => {
  const ready = Effect.fnUntraced(function* (options: OperatorOptions = {}) {
    yield* TestClock.setTime(NOW)
    const base = yield* BaseUrl
    const operator = yield* createOperator(options)
    const property = yield* insertProperty(operator.operatorId, "Harbour 1; secret, name")
    const feeds = yield* Effect.provide(PropertyFeeds, PropertyFeeds.layer)
    const addressFor = (calendar?: number) =>
      Effect.map(getOrCreateFeedAddress(operator.operatorId, property, calendar), ({ url, feed_id }) => ({
        feed_id,
        here: `${base}${new URL(url).pathname}`
      })).pipe(asSystemActor)
    const api = yield* typedClient
    const as = withToken(operator.token)
    const close = (available: boolean, ...dates: ReadonlyArray<string>) =>
      api.update_availabilities({ property_ids: [property], available, dates }).pipe(as)
    return { ...operator, base, property, feeds, addressFor, api, as, close, ...(yield* addressFor()) }
  })

  const toldTo = Effect.fnUntraced(function* (feedId: number) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ told: string; told_at: Date | null }>`
      SELECT told::text AS told, told_at FROM property_feeds WHERE id = ${feedId}`
    return { told: row?.told, told_at: row?.told_at?.getTime() ?? null }
  })

  it.effect("has an event for each stay and for each closed stretch, and a word about neither", () =>
    Effect.gen(function* () {
      const { here, property, operatorId, close } = yield* ready()
      const one = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-29", checkOut: "2027-06-12" }
      ])
      const two = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-06-12", checkOut: "2027-06-14" }
      ])
      yield* close(false, "2027-06-13", "2027-06-14", "2027-06-15", "2027-06-20", LAST)
      const { status, headers, text } = yield* fetched(here)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/calendar; charset=utf-8")
      assert.strictEqual(headers.get("cache-control"), "private, no-cache")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.isNull(headers.get("last-modified"))
      assertValidCalendar(text)
      assert.deepStrictEqual(stretches(text), [
        "Reserved 2027-05-29 2027-06-12",
        "Reserved 2027-06-12 2027-06-14",
        "Not available 2027-06-14 2027-06-16",
        "Not available 2027-06-20 2027-06-21",
        `Not available ${LAST} ${addDays(LAST, 1)}`
      ])
      for (const secret of [one, two, "Harbour", "secret"]) assert.notInclude(text, secret)
    })
  )

  it.effect("without anything in it is a calendar all the same", () =>
    Effect.gen(function* () {
      const { here, feed_id } = yield* ready()
      const { text } = yield* fetched(here)
      assertValidCalendar(text)
      assert.deepStrictEqual(stretches(text), [])
      // Nothing was told, and nothing is news.
      assert.deepStrictEqual(yield* toldTo(feed_id), { told: "{}", told_at: null })
    })
  )

  it.effect("of a property that is not let is one event over all", () =>
    Effect.gen(function* () {
      const { here, property, operatorId, close, feed_id } = yield* ready()
      const sql = yield* SqlClient.SqlClient
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-06-12", checkOut: "2027-06-14" }])
      yield* close(false, "2027-06-20")
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE operator_id = ${operatorId} AND id = ${property}`
      const off = yield* fetched(here)
      assert.deepStrictEqual(stretches(off.text), [`Not available 2027-05-01 ${addDays(LAST, 1)}`])
      assert.strictEqual((yield* toldTo(feed_id)).told, `{[${TODAY},${addDays(LAST, 1)})}`)
      yield* sql`UPDATE properties SET deactivated_at = NULL WHERE operator_id = ${operatorId} AND id = ${property}`
      assert.lengthOf(stretches((yield* fetched(here)).text), 2)
    })
  )

  it.effect(
    "is told a source without its own words and without echoes of anybody, with all that others alone say",
    () =>
      Effect.gen(function* () {
        const { here, property, operatorId, addressFor, close } = yield* ready()
        const a = yield* insertImportedCalendar(operatorId, property, "https://a.example.test/a.ics")
        const b = yield* insertImportedCalendar(operatorId, property, "https://b.example.test/b.ics")
        yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-06-12", checkOut: "2027-06-14" }])
        yield* close(false, "2027-06-20", "2027-07-01")
        // What A says itself, and of it a day that the host closed and one that a stay holds.
        yield* insertImportedDays(
          operatorId,
          property,
          a,
          false,
          "2027-07-01",
          "2027-07-02",
          "2027-07-03",
          "2027-06-13"
        )
        yield* insertImportedDays(operatorId, property, b, false, "2027-07-02", "2027-07-05")
        yield* insertImportedDays(operatorId, property, b, true, "2027-06-12", "2027-07-09")
        const own = [
          "Reserved 2027-06-12 2027-06-14",
          "Not available 2027-06-20 2027-06-21",
          "Not available 2027-07-01 2027-07-02"
        ]
        assert.deepStrictEqual(stretches((yield* fetched(here)).text), own)
        const toA = yield* addressFor(a)
        assert.deepStrictEqual(stretches((yield* fetched(toA.here)).text), [
          ...own,
          "Not available 2027-07-05 2027-07-06"
        ])
        assert.strictEqual(
          (yield* toldTo(toA.feed_id)).told,
          "{[2027-06-12,2027-06-14),[2027-06-20,2027-06-21),[2027-07-01,2027-07-02),[2027-07-05,2027-07-06)}"
        )
        assert.deepStrictEqual(stretches((yield* fetched((yield* addressFor(b)).here)).text), [
          ...own,
          "Not available 2027-07-03 2027-07-04"
        ])
      })
  )

  it.effect("is the same bytes the whole day, under one ETag, and 304 to who has them", () =>
    Effect.gen(function* () {
      const { here, close } = yield* ready()
      yield* close(false, "2027-06-20")
      const first = yield* fetched(here)
      assert.match(first.etag, /^"[\w-]{32}"$/)
      yield* TestClock.setTime(Date.parse(`${TODAY}T21:59:59Z`))
      const later = yield* fetched(here)
      assert.deepStrictEqual([later.text, later.etag], [first.text, first.etag])
      for (const value of [first.etag, `W/${first.etag}`, `"other", ${first.etag}`, "*"]) {
        const again = yield* fetched(here, { headers: { "if-none-match": value } })
        assert.deepStrictEqual([again.status, again.text, again.etag], [304, "", first.etag])
        assert.strictEqual(again.headers.get("cache-control"), "private, no-cache")
      }
      assert.strictEqual((yield* fetched(here, { headers: { "if-none-match": '"other"' } })).status, 200)
      yield* close(false, "2027-06-22")
      const changed = yield* fetched(here, { headers: { "if-none-match": first.etag } })
      assert.strictEqual(changed.status, 200)
      assert.notStrictEqual(changed.etag, first.etag)
      assert.strictEqual(parseCalendar(changed.text).events[0]?.uid, parseCalendar(first.text).events[0]?.uid)
    })
  )

  it.effect("is known to be told, by who reads it and by who has it already, and not by HEAD", () =>
    Effect.gen(function* () {
      const { here, close, feed_id, operatorId, property } = yield* ready()
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-06-08", checkOut: "2027-06-12" }])
      yield* close(false, "2027-06-12", "2027-06-20")
      const head = yield* fetched(here, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.deepStrictEqual(yield* toldTo(feed_id), { told: "{}", told_at: null })

      const full = yield* fetched(here)
      assert.strictEqual(head.etag, full.etag)
      const told = { told: "{[2027-06-10,2027-06-13),[2027-06-20,2027-06-21)}", told_at: NOW }
      assert.deepStrictEqual(yield* toldTo(feed_id), told)
      // What is said again is written down again after an hour, by which it is known who still reads.
      yield* TestClock.setTime(NOW + READ_RECORD_INTERVAL_MS - 1)
      yield* fetched(here)
      assert.deepStrictEqual(yield* toldTo(feed_id), told)
      yield* TestClock.setTime(NOW + READ_RECORD_INTERVAL_MS)
      yield* fetched(here)
      assert.deepStrictEqual(yield* toldTo(feed_id), { ...told, told_at: NOW + READ_RECORD_INTERVAL_MS })
      // That days are past is none by itself.
      const lateToday = Date.parse(`${TODAY}T21:59:59Z`)
      yield* TestClock.setTime(lateToday)
      yield* fetched(here)
      yield* TestClock.setTime(lateToday + 60_000)
      yield* fetched(here)
      assert.deepStrictEqual(yield* toldTo(feed_id), { ...told, told_at: lateToday })

      // A feed that closes the same days by other events is told as it was; one that has others is news.
      yield* close(true, "2027-06-20")
      const { etag } = yield* fetched(here, { method: "HEAD" })
      assert.deepStrictEqual(yield* toldTo(feed_id), { ...told, told_at: lateToday })
      const same = yield* fetched(here, { headers: { "if-none-match": etag } })
      assert.strictEqual(same.status, 304)
      assert.deepStrictEqual(yield* toldTo(feed_id), {
        told: "{[2027-06-11,2027-06-13)}",
        told_at: lateToday + 60_000
      })
    })
  )

  it.effect("opens by its token alone, and tells nothing of any other address", () =>
    Effect.gen(function* () {
      const { here, base, operatorId, property } = yield* ready()
      const token = here.split("/").at(-1)?.slice(0, -4) ?? ""
      assert.strictEqual((yield* fetched(`${here}?utm=1`)).status, 200)
      const renewed = yield* renewFeedAddress(operatorId, property)
      const answers = yield* Effect.forEach(
        [
          here,
          `${base}/feeds/`,
          `${base}/feeds/x.ics`,
          `${base}/feeds/${newFeedToken()}.ics`,
          `${base}/feeds/${token}`,
          `${base}/feeds/%00.ics`,
          `${here}/x`,
          `${here}.ics`
        ],
        (url) => fetched(url)
      )
      for (const { status, text, headers } of answers) {
        assert.deepStrictEqual([status, text], [404, answers[0]?.text])
        assert.notInclude(text, "VCALENDAR")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.isNull(headers.get("etag"))
      }
      assert.strictEqual((yield* fetched(`${base}${new URL(renewed.url).pathname}`)).status, 200)
      for (const method of ["POST", "PUT", "DELETE"]) {
        const refused = yield* fetched(here, { method })
        assert.deepStrictEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"])
      }
    })
  )

  it.effect.each([
    ["banned", {}, 404],
    ["closed", {}, 404],
    ["active", { subscriptionUntil: new Date(0) }, 200]
  ] as const)("of an operator that is %s", ([status, options, expected]) =>
    Effect.gen(function* () {
      const { here } = yield* ready({ status, ...options })
      assert.strictEqual((yield* fetched(here)).status, expected)
    })
  )

  it.effect(`is read ${PROPERTY_FEED_READS_A_MINUTE} times a minute, and then says when to come again`, () =>
    Effect.gen(function* () {
      const { here, property, operatorId, addressFor } = yield* ready()
      const other = yield* addressFor(
        yield* insertImportedCalendar(operatorId, property, "https://a.example.test/a.ics")
      )
      yield* TestClock.setTime(Date.parse(`${TODAY}T10:01:20Z`))
      const reads = yield* Effect.all(
        Array.from({ length: PROPERTY_FEED_READS_A_MINUTE }, () => fetched(here)),
        { concurrency: 5 }
      )
      assert.isTrue(reads.every(({ status }) => status === 200))
      const refused = yield* fetched(here)
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "40"])
      assert.strictEqual((yield* fetched(here, { method: "HEAD" })).status, 429)
      assert.strictEqual((yield* fetched(other.here)).status, 200)
      yield* TestClock.setTime(Date.parse(`${TODAY}T10:02:00Z`))
      assert.strictEqual((yield* fetched(here)).status, 200)
    })
  )

  it.effect("read by the library that reads those of others has exactly the days that are busy", () =>
    Effect.gen(function* () {
      const { here, property, operatorId, addressFor } = yield* ready()
      const sql = yield* SqlClient.SqlClient
      const [a, b] = [
        yield* insertImportedCalendar(operatorId, property, "https://a.example.test/a.ics"),
        yield* insertImportedCalendar(operatorId, property, "https://b.example.test/b.ics")
      ]
      const toA = yield* addressFor(a)
      const kind = fc.record({
        closed: fc.boolean(),
        a: fc.constantFrom("", "real", "echo"),
        b: fc.constantFrom("", "real", "echo")
      })
      const samples = fc.sample(fc.array(kind, { minLength: 1, maxLength: 40 }), { numRuns: 12 })
      for (const [round, days] of samples.entries()) {
        // Each round is in a minute of its own, and the days begin where none of another round are.
        yield* TestClock.setTime(NOW + round * 60_000)
        yield* sql`DELETE FROM imported_days WHERE operator_id = ${operatorId}`
        yield* sql`DELETE FROM calendar_days WHERE operator_id = ${operatorId}`
        const first = addDays(TODAY, round * 80)
        const on = (wanted: (day: (typeof days)[number]) => boolean) =>
          days.flatMap((each, at) => (wanted(each) ? [addDays(first, at)] : []))
        const closed = on((day) => day.closed)
        yield* sql`
          INSERT INTO calendar_days (operator_id, property_id, day, closed)
          SELECT ${operatorId}::bigint, ${property}::bigint, unnest(${closed}::text[])::date, true`
        for (const [calendar, name] of [
          [a, "a"],
          [b, "b"]
        ] as const) {
          yield* insertImportedDays(operatorId, property, calendar, false, ...on((day) => day[name] === "real"))
          yield* insertImportedDays(operatorId, property, calendar, true, ...on((day) => day[name] === "echo"))
        }
        const readDays = (url: string) =>
          Effect.map(fetched(url), ({ text }) => {
            assertValidCalendar(text)
            return parseCalendar(text).events.flatMap(({ start, end }) =>
              Array.from({ length: daysInRange(start, end) - 1 }, (_, day) => addDays(start, day))
            )
          })
        assert.deepStrictEqual(yield* readDays(here), closed)
        const sent = yield* readDays(toA.here)
        assert.deepStrictEqual(
          sent,
          on((day) => day.closed || (day.b === "real" && day.a !== "real"))
        )
        const known = yield* sql<{ day: string }>`
          SELECT day::date::text AS day FROM property_feeds, generate_series(${TODAY}::date, ${LAST}::date, interval '1 day') day
          WHERE id = ${toA.feed_id} AND told @> day::date ORDER BY 1`
        assert.deepStrictEqual(
          known.map(({ day }) => day),
          sent
        )
      }
    })
  )
})

describe("a feed that cannot be read", () => {
  const token = newFeedToken()
  const away = Effect.die(new Error("the database is away"))
  const lines: Array<unknown> = []
  const feed = {
    operator_id: 1,
    id: 2,
    property_id: 3,
    calendar_id: null,
    houseCalendar: null,
    time_zone: "UTC",
    today: TODAY
  }
  const layerBroken = Layer.mergeAll(
    Layer.succeed(PropertyFeeds, {
      open: () => Effect.succeedSome(feed),
      read: () => Effect.succeedSome({ busyPeriods: [], unrecordedBusyDays: Option.some("{}") }),
      readHouseEvents: () => away,
      recordRead: () => away
    }),
    RateWindows.layerMemory,
    ConcurrencyLimiter.layer(),
    Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])
  )

  layer(layerBroken)((it) => {
    it.effect(
      "or of which it cannot be written down what it tells, tells nothing, and the log has no address of it",
      () =>
        Effect.gen(function* () {
          const answer = yield* makePropertyFeedHandler
          const response = yield* Effect.map(
            answer(HttpServerRequest.fromWeb(new Request(`http://127.0.0.1/feeds/${token}.ics`))),
            HttpServerResponse.toWeb
          )
          assert.strictEqual(response.status, 500)
          assert.notInclude(yield* Effect.promise(() => response.text()), "database")
          assert.isTrue(lines.some((line) => String(line).includes("the database is away")))
          assert.isFalse(lines.some((line) => String(line).includes(token)))
        })
    )
  })
})
