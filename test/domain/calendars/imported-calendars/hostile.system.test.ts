import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import { CONCURRENT_FETCHES_MAX } from "../../../../src/domain/calendars/imported-calendars/claim-statements.ts"
import { FeedReader, READING_THREADS } from "../../../../src/domain/calendars/imported-calendars/FeedReader.ts"
import { FEED_REQUEST_TIMEOUT_MS } from "../../../../src/domain/calendars/imported-calendars/feed-request.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { PublicUrl } from "../../../../src/platform/installation.ts"
import {
  CALENDAR_FEED_BYTES,
  CALENDAR_FEED_MS,
  CALENDAR_FEED_READ_MS,
  CALENDAR_FEED_REDIRECTS_MAX
} from "../../../../src/platform/limits.ts"
import {
  addImportedCalendar,
  createImportOnEmptyTables,
  fetchAllDue,
  layerImportService,
  loadCalendarDays,
  loadCalendarState,
  MINUTE_MS,
  makeCalendarImportWorker,
  toBusyCalendar,
  toCalendarText
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { asSystemActor } from "../../../support/harness.ts"

/** A property that follows one calendar, and a way to fetch it now. */
const following = Effect.gen(function* () {
  const one = yield* createImportOnEmptyTables
  const calendars = yield* ImportedCalendars
  const fetched = Effect.map(asSystemActor(calendars.fetch(one.operatorId, one.calendarId)), ({ error }) => error ?? "")
  return { ...one, fetched }
})

const redirecting = (location: string) => respondWith(302, "", { location })

layer(layerImportService)("a hostile host of a calendar", (it) => {
  it.effect("sends two mebibytes at most", () =>
    Effect.gen(function* () {
      const { serveCalendar: says, calendarId: id, fetched } = yield* following
      const frame = toBusyCalendar("2027-05-01/2027-05-02").replace("END:VCALENDAR", "X-FILL:END:VCALENDAR")
      const filled = (bytes: number) =>
        frame.replace("X-FILL:END", `X-FILL:${"x".repeat(bytes - frame.length - 2)}\r\nEND`)
      says(filled(CALENDAR_FEED_BYTES))
      assert.strictEqual(filled(CALENDAR_FEED_BYTES).length, CALENDAR_FEED_BYTES)
      assert.strictEqual(yield* fetched, "")
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
      says(filled(CALENDAR_FEED_BYTES + 1))
      assert.match(yield* fetched, /2 MiB/)
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
    })
  )

  it.effect("sends on three times at most, and never to where it must not", () =>
    Effect.gen(function* () {
      const { makeUrl: url, behavior: mood, requests, fetched } = yield* following
      const path = (n: number) => `/hop/${n}?s=SECRET`
      const hops =
        (most: number): typeof mood.respond =>
        (response, received) => {
          const n = Number(/hop\/(\d+)/.exec(received.path ?? "")?.[1] ?? 0)
          return (n < most ? redirecting(path(n + 1)) : respondWith(200, toBusyCalendar()))(response, received)
        }
      mood.respond = hops(CALENDAR_FEED_REDIRECTS_MAX)
      assert.strictEqual(yield* fetched, "")
      mood.respond = hops(CALENDAR_FEED_REDIRECTS_MAX + 1)
      assert.match(yield* fetched, /more than 3 times/)
      yield* Queue.clear(requests)
      for (const target of [
        "http://127.0.0.2/x",
        "https://10.0.0.1/x",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "http://[::1]/x",
        "https://user:pass@example.com/",
        "//10.0.0.1/x",
        "gopher://x/"
      ]) {
        mood.respond = redirecting(target)
        assert.match(yield* fetched, / redirects .* must .*[^.]$/)
      }
      assert.lengthOf(yield* Queue.clear(requests), 8)
      mood.respond = respondWith(302)
      assert.strictEqual(yield* fetched, "its host answered 302")
      mood.respond = redirecting(url("/calendar.ics"))
      assert.match(yield* fetched, /more than 3 times/)
    })
  )

  it.effect("has no TLS that works, which is said without the library's words", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, makeUrl: url } = yield* following
      const id = yield* addImportedCalendar(property, url().replace("http:", "https:"))
      const { error } = yield* asSystemActor((yield* ImportedCalendars).fetch(operatorId, id))
      assert.match(error ?? "", /TLS/)
    })
  )

  it.effect("sends on to no feed of ours, which would tell it what it said", () =>
    Effect.gen(function* () {
      const { makeUrl: url, behavior: mood, calendarId: id, fetched } = yield* following
      const here = new URL(url()).origin
      const own = /feed of this service/
      const sentTo = (target: string, publicUrl: string) => {
        mood.respond = (response, received) =>
          (received.path?.startsWith("/calendar.ics") ? redirecting(target) : respondWith(200, toBusyCalendar()))(
            response,
            received
          )
        return Effect.provideService(fetched, PublicUrl, publicUrl)
      }
      for (const path of ["/feeds/lkfeed_x.ics", "/calendar/lkcal_x", "/%66eeds/lkfeed_x.ics"]) {
        assert.match(yield* sentTo(path, here), own)
        assert.match(yield* sentTo(`${here}/pms${path}`, `${here}/pms`), own)
        assert.strictEqual(yield* sentTo(path, "http://127.0.0.1:1"), "")
        assert.strictEqual(yield* sentTo(path, `${here}/pms`), "")
      }
      assert.strictEqual(yield* sentTo("/feedsof/x.ics", here), "")
      assert.deepInclude(yield* loadCalendarState(id), { state: "ok" })
    })
  )

  it.effect("that drips, or does not answer, is given up in time and holds up nobody else's", () =>
    Effect.gen(function* () {
      const { behavior: mood, propertyId: property, makeUrl: url, calendarId: id } = yield* following
      const drip = yield* addImportedCalendar(property, url("/drip"))
      const good = yield* addImportedCalendar(property, url("/good"))
      mood.respond = (response, received) => {
        if (received.path === "/good") respondWith(200, toBusyCalendar("2027-05-01/2027-05-02"))(response, received)
        else if (received.path === "/drip") response.writeHead(200).write("BEGIN:VCALENDAR\r\n")
      }
      const importing = yield* makeCalendarImportWorker
      yield* importing.claimDue
      const waitFor = (
        state: string,
        calendarId: number
      ): Effect.Effect<void, never, Effect.Services<ReturnType<typeof loadCalendarState>>> =>
        Effect.flatMap(loadCalendarState(calendarId), (row) =>
          row?.state === state
            ? Effect.void
            : Effect.andThen(
                Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
                waitFor(state, calendarId)
              )
        )
      yield* waitFor("ok", good)
      assert.strictEqual((yield* loadCalendarState(id))?.state, "new")
      yield* TestClock.adjust(FEED_REQUEST_TIMEOUT_MS)
      yield* waitFor("failing", id)
      yield* waitFor("failing", drip)
      assert.match((yield* loadCalendarState(drip))?.error ?? "", /too slow: no complete answer within 20s/)
    })
  )

  it.effect("that is much work to read is no failure of those that wait for it", () =>
    Effect.gen(function* () {
      const { serveCalendar: says, calendarId: id } = yield* following
      says(toBusyCalendar("2027-05-01/2027-05-02"))
      const reader = yield* FeedReader
      const [waits, turn] = [yield* Latch.make(), yield* Latch.make()]
      const behind = FeedReader.of({
        read: (asked) => waits.open.pipe(Effect.andThen(turn.await), Effect.andThen(reader.read(asked)))
      })
      const importing = yield* makeCalendarImportWorker
      yield* importing.claimDue.pipe(Effect.provideService(FeedReader, behind))
      yield* waits.await
      const others = Math.ceil((CONCURRENT_FETCHES_MAX - 1) / READING_THREADS) * CALENDAR_FEED_READ_MS
      yield* TestClock.adjust(CALENDAR_FEED_MS + others)
      // Nobody else has taken it, and its turn comes.
      yield* importing.claimDue
      yield* turn.open
      yield* importing.awaitIdle
      assert.deepInclude(yield* loadCalendarState(id), { state: "ok", failures: 0, error: null })
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
    })
  )

  it.effect("may ask to be left alone, for six hours at most", () =>
    Effect.gen(function* () {
      const { behavior: mood, calendarId: id, fetched } = yield* following
      const pauseAfter = (value: string) =>
        Effect.gen(function* () {
          mood.respond = respondWith(429, "", { "retry-after": value })
          yield* fetched
          const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
          return Math.round((((yield* loadCalendarState(id))?.due_at.getTime() ?? 0) - now) / MINUTE_MS)
        })
      assert.strictEqual(yield* pauseAfter("14400"), 240)
      assert.strictEqual(yield* pauseAfter("999999999"), 360)
      assert.strictEqual(yield* pauseAfter("Tue, 20 Apr 2027 13:00:00 GMT"), 180)
      assert.isAtMost(yield* pauseAfter("soon"), 132)
    })
  )

  it.effect("is asked less and less while it fails, every two hours in the end, and said of once", () =>
    Effect.gen(function* () {
      const { behavior: mood, calendarId: id } = yield* following
      const importing = yield* makeCalendarImportWorker
      mood.respond = respondWith(500)
      const lines: Array<string> = []
      const keeping = Logger.make(({ message, logLevel }) => {
        if (logLevel === "Warn") lines.push(JSON.stringify(message))
      })
      const pauses: Array<number> = []
      for (let n = 0; n < 6; n++) {
        yield* fetchAllDue(importing).pipe(Effect.provide(Logger.layer([keeping])))
        const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
        const pause = ((yield* loadCalendarState(id))?.due_at.getTime() ?? 0) - now
        pauses.push(pause / MINUTE_MS)
        yield* TestClock.adjust(Duration.millis(pause))
      }
      for (const [nth, steady] of [15, 30, 60, 120, 120, 120].entries()) {
        assert.isTrue(Math.abs((pauses[nth] ?? 0) - steady) <= steady / 10, `${pauses}`)
      }
      assert.lengthOf(lines, 1)
      assert.notMatch(lines.join(""), /SECRET|http:/)
    })
  )
})

// On the test clock: who is read while it stands still waits for nobody's end of time.
layer(FeedReader.layer)("a feed that is too much work", (it) => {
  const wanted = { zone: "Europe/Berlin", first: 20_000, last: 21_000 }
  const endless = [
    "BEGIN:VTIMEZONE",
    "TZID:Bomb",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0100",
    "RRULE:FREQ=SECONDLY",
    "END:STANDARD",
    "END:VTIMEZONE",
    "BEGIN:VEVENT",
    "DTSTART;TZID=Bomb:20270501T100000",
    "END:VEVENT"
  ]

  it.effect("is no burden that stays: a thread that has read many feeds is as it was", () =>
    Effect.gen(function* () {
      const { read } = yield* FeedReader
      const warnings: Array<string> = []
      const keep = ({ name }: Error) => warnings.push(name)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("warning", keep)),
        () => Effect.sync(() => process.off("warning", keep))
      )
      for (let n = 0; n < 30; n++)
        yield* read({ bytes: Buffer.from(toBusyCalendar("2027-05-01/2027-05-02")), ...wanted })
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("is given up, and others are read meanwhile and afterwards", () =>
    Effect.gen(function* () {
      const { read } = yield* FeedReader
      const bomb = { bytes: Buffer.from(toCalendarText(...endless)), ...wanted }
      const good = { bytes: Buffer.from(toBusyCalendar("2027-05-01/2027-05-02")), ...wanted, last: 22_000 }
      const bombed = yield* Effect.forkChild(read(bomb), { startImmediately: true })
      assert.strictEqual((yield* read(good)).outcome, "read")
      yield* TestClock.adjust(CALENDAR_FEED_READ_MS)
      const reading = yield* Fiber.join(bombed)
      assert.match(reading.outcome === "broken" ? reading.reason : "", /read$/)
      assert.strictEqual((yield* read(good)).outcome, "read")
    })
  )
})
