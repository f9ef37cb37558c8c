import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { SharedCalendars } from "../../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { newShareLinkToken } from "../../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { BUSY_RETRY_SECONDS, PERMIT_WAIT_MS } from "../../../src/platform/limits.ts"
import { makeSharedCalendarHandler } from "../../../src/transports/shared-calendar/shared-calendar.ts"

// A shared calendar is read and built with permits of the operator that shares it.

const OPERATOR = 1
const PROPERTIES = 60
const token = newShareLinkToken()
const page = `/calendar/${token}`
const feed = `${page}.ics`
const named = Array.from({ length: PROPERTIES }, (_, index) => ({ id: index + 1, title: `Room ${index + 1}` }))
const days = [{ date: "2027-06-10", available: false }]

/** A calendar; before any of it is read, `reading` is done. */
const calendarsWith = (reading: Effect.Effect<void> = Effect.void) =>
  SharedCalendars.of({
    open: () => Effect.succeed(Option.some({ operator_id: OPERATOR, id: 2, scope: "entire", today: "2027-06-10" })),
    listPropertiesPage: () => Effect.as(reading, { total: named.length, properties: named }),
    listDays: (_, properties) =>
      Effect.as(
        reading,
        properties.map((property) => ({ ...property, days }))
      )
  })

const asked = Effect.fnUntraced(function* (path: string, calendars = calendarsWith()) {
  const answer = yield* Effect.provideService(makeSharedCalendarHandler, SharedCalendars, calendars)
  const response = yield* answer(HttpServerRequest.fromWeb(new Request(`http://127.0.0.1${path}`)))
  return HttpServerResponse.toWeb(response, { context: yield* Effect.context() })
})

const textOf = (response: Response) => Effect.promise(() => response.text())

/** Holds the only permit until `release`. */
const occupied = Effect.gen(function* () {
  const limiter = yield* ConcurrencyLimiter
  const [taken, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const work = Effect.andThen(Deferred.succeed(taken, undefined), Deferred.await(release))
  const fiber = yield* Effect.forkChild(limiter.withPermit(OPERATOR, work))
  yield* Deferred.await(taken)
  return { release: Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(fiber)) }
})

/** Log lines of a test. */
const logged = () => {
  const lines: Array<{ readonly level: string; readonly text: string }> = []
  const logger = Logger.make((entry) => {
    lines.push({ level: entry.logLevel, text: Logger.formatJson.log(entry) })
  })
  return { lines, layer: Logger.layer([logger]) }
}

const withOnePermit = Effect.provide(Layer.fresh(Layer.mergeAll(ConcurrencyLimiter.layer(1), RateWindows.layerMemory)))

/** What is asked for was too much for now: HTTP 503, when to come again, one warning, and no defect. */
const assertBusy = Effect.fnUntraced(function* (response: Response, lines: ReturnType<typeof logged>["lines"]) {
  assert.strictEqual(response.status, 503)
  assert.strictEqual(response.headers.get("retry-after"), String(BUSY_RETRY_SECONDS))
  assert.strictEqual(response.headers.get("cache-control"), "no-store")
  assert.notInclude(yield* textOf(response), "VCALENDAR")
  assert.deepStrictEqual(
    lines.map(({ level }) => level).filter((level) => level !== "Info"),
    ["Warn"]
  )
  assert.isFalse(lines.some(({ text }) => text.includes(token)))
})

describe("a shared calendar", () => {
  it.effect.each([page, feed])("returns Retry-After when it gets no permit in time (%#)", (path) => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      const { release } = yield* occupied
      const late = yield* Effect.forkChild(asked(path), { startImmediately: true })
      yield* TestClock.adjust(PERMIT_WAIT_MS - 1)
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* assertBusy(yield* Fiber.join(late), lines)
      yield* release
      assert.strictEqual((yield* asked(path)).status, 200)
    }).pipe(withOnePermit, Effect.provide(layer))
  })

  it.effect.each([page, feed])("returns Retry-After when the server stopped its statement (%#)", (path) => {
    const { lines, layer } = logged()
    const stopped = new SqlError({ reason: new StatementTimeoutError({ cause: new Error("stopped") }) })
    return Effect.gen(function* () {
      yield* assertBusy(yield* asked(path, calendarsWith(Effect.die(stopped))), lines)
    }).pipe(withOnePermit, Effect.provide(layer))
  })

  it.effect.each([page, feed])("is read and built with permits of its operator, one at a time (%#)", (path) =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      let held = 0
      const readIn: Array<number> = []
      const built: Array<unknown> = []
      const watched = ConcurrencyLimiter.of({
        findRejection: limiter.findRejection,
        withPermit: (operator, work) => {
          assert.strictEqual(operator, OPERATOR)
          const counted = Effect.suspend(() => {
            held += 1
            return Effect.ensuring(
              work,
              Effect.sync(() => {
                held -= 1
              })
            )
          })
          return Effect.tap(limiter.withPermit(operator, counted), (result) => Effect.sync(() => built.push(result)))
        }
      })
      const reading = Effect.sync(() => void readIn.push(held))
      const text = yield* asked(path, calendarsWith(reading)).pipe(
        Effect.flatMap(textOf),
        Effect.provideService(ConcurrencyLimiter, watched)
      )
      assert.include(text, "Room 1")
      assert.isAtLeast(readIn.length, 2)
      assert.deepStrictEqual(new Set(readIn), new Set([1]))
      // The work with a permit returns the whole page, or pieces of text.
      if (path === page) assert.deepStrictEqual(built.map(HttpServerResponse.isHttpServerResponse), [true])
      else assert.include(JSON.stringify(built), "BEGIN:VEVENT")
    }).pipe(withOnePermit)
  )

  it.effect("is sent as a feed without a permit, so a stalled reader holds none", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const reader = (yield* asked(feed)).body?.pipeThrough(new TextDecoderStream()).getReader()
      if (reader === undefined) return assert.fail("no body")
      let text = (yield* Effect.promise(() => reader.read())).value ?? ""
      assert.include(text, "BEGIN:VCALENDAR")
      assert.strictEqual(yield* limiter.withPermit(OPERATOR, Effect.succeed("free")), "free")
      for (let done = false; !done; ) {
        const read = yield* Effect.promise(() => reader.read())
        text += read.value ?? ""
        done = read.done
        if (!done) assert.strictEqual(yield* limiter.withPermit(OPERATOR, Effect.succeed("free")), "free")
      }
      assert.strictEqual(text.split("BEGIN:VEVENT").length - 1, PROPERTIES)
      assert.isTrue(text.endsWith("END:VCALENDAR\r\n"))
    }).pipe(withOnePermit)
  )

  it.effect("is cut as a feed when a later piece gets no permit in time, with a warning", () => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      const response = yield* asked(feed)
      const { release } = yield* occupied
      const reading = yield* Effect.forkChild(Effect.exit(Effect.tryPromise(() => response.text())), {
        startImmediately: true
      })
      // The reader is ended by the web stream, whose steps no test clock makes.
      while (reading.pollUnsafe() === undefined) {
        yield* TestClock.adjust(PERMIT_WAIT_MS)
        yield* Effect.promise(() => new Promise((later) => setImmediate(later)))
      }
      assert.strictEqual((yield* Fiber.join(reading))._tag, "Failure")
      assert.deepStrictEqual(
        lines.map(({ level }) => level).filter((level) => level !== "Info"),
        ["Warn"]
      )
      yield* release
    }).pipe(withOnePermit, Effect.provide(layer))
  })
})
