import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import type { Bucket } from "../../../src/admission/windows/rate-window.ts"
import {
  SharedCalendars,
  type SharedPropertySummary
} from "../../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { newShareLinkToken } from "../../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { SHARED_PAGE_PROPERTIES_MAX, SHARED_PART_PROPERTIES_MAX } from "../../../src/platform/limits.ts"
import { makeSharedCalendarHandler } from "../../../src/transports/shared-calendar/shared-calendar.ts"

// A large calendar yields to other fibers while its response is built.

const token = newShareLinkToken()
const named: ReadonlyArray<SharedPropertySummary> = Array.from({ length: SHARED_PART_PROPERTIES_MAX }, (_, index) => ({
  id: index + 1,
  title: `Room ${index + 1}`
}))
const days = [{ date: "2027-06-10", available: false }]

/** A link with a thousand properties. `goneBefore`: the database fails from the property of that id on. */
const layerCalendars = (goneBefore = Number.POSITIVE_INFINITY) =>
  Layer.succeed(SharedCalendars, {
    open: (asked) =>
      Effect.succeed(
        asked === token ? Option.some({ operator_id: 1, id: 2, scope: "entire", today: "2027-06-10" }) : Option.none()
      ),
    listPropertiesPage: () => Effect.succeed({ total: named.length, properties: named }),
    listDays: (_, properties) =>
      properties.some(({ id }) => id >= goneBefore)
        ? Effect.die(new Error("the database is away"))
        : Effect.succeed(properties.map((property) => ({ ...property, days })))
  })

const asked = Effect.fnUntraced(function* (path: string) {
  const answer = yield* makeSharedCalendarHandler
  const response = yield* answer(HttpServerRequest.fromWeb(new Request(`http://127.0.0.1${path}`)))
  return HttpServerResponse.toWeb(response, { context: yield* Effect.context() })
})

const textOf = (response: Response) => Effect.promise(() => response.text())

/** Runs an effect and counts how often another fiber runs meanwhile. */
const countYieldsDuring = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const done = yield* Deferred.make<void>()
  const other = yield* Effect.forkChild(
    Effect.gen(function* () {
      let yields = 0
      while (!(yield* Deferred.isDone(done))) {
        yield* Effect.yieldNow
        yields += 1
      }
      return yields
    })
  )
  yield* Effect.yieldNow
  const result = yield* effect
  yield* Deferred.succeed(done, undefined)
  return [result, yield* Fiber.join(other)] as const
})

describe("a large shared calendar", () => {
  layer(Layer.mergeAll(layerCalendars(), RateWindows.layerMemory, ConcurrencyLimiter.layer()))((it) => {
    it.effect("yields after a few properties of a page", () =>
      Effect.gen(function* () {
        const [page, yields] = yield* countYieldsDuring(Effect.flatMap(asked(`/calendar/${token}`), textOf))
        assert.strictEqual(page.split("<section").length - 1, SHARED_PAGE_PROPERTIES_MAX)
        assert.isAtLeast(yields, SHARED_PAGE_PROPERTIES_MAX / 10)
      })
    )

    it.effect("yields after each property of the feed", () =>
      Effect.gen(function* () {
        const [feed, yields] = yield* countYieldsDuring(Effect.flatMap(asked(`/calendar/${token}.ics`), textOf))
        assert.strictEqual(feed.split("BEGIN:VEVENT").length - 1, SHARED_PART_PROPERTIES_MAX)
        assert.isAtLeast(yields, SHARED_PART_PROPERTIES_MAX)
      })
    )
  })

  const lines: Array<unknown> = []
  const layerLog = Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])

  layer(Layer.mergeAll(layerCalendars(500), RateWindows.layerMemory, ConcurrencyLimiter.layer(), layerLog))((it) => {
    it.effect("fails, instead of ending early, when some days cannot be read, and logs the cause", () =>
      Effect.gen(function* () {
        const feed = yield* asked(`/calendar/${token}.ics`)
        const ended = yield* Effect.exit(Effect.tryPromise(() => feed.text()))
        assert.strictEqual(ended._tag, "Failure")
        assert.isTrue(lines.some((line) => String(line).includes("the database is away")))
        assert.isFalse(lines.some((line) => String(line).includes(token)))
      })
    )
  })

  layer(Layer.mergeAll(layerCalendars(1), RateWindows.layerMemory, ConcurrencyLimiter.layer()))((it) => {
    it.effect("returns 500 when nothing can be read", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* asked(`/calendar/${token}.ics`)).status, 500)
        assert.strictEqual((yield* asked(`/calendar/${token}`)).status, 500)
      })
    )
  })

  const counted: Array<Bucket> = []
  const layerWatched = Layer.succeed(RateWindows, {
    admit: (buckets) =>
      Effect.sync(() => {
        counted.push(...buckets)
        return { _tag: "Admitted", at: 0, remaining: [] }
      }),
    count: () => Effect.void,
    giveBack: () => Effect.void
  })

  layer(Layer.mergeAll(layerCalendars(), layerWatched, ConcurrencyLimiter.layer()))((it) => {
    it.effect("counts in the rate limit by its link, and an unknown address does not count", () =>
      Effect.gen(function* () {
        for (const unknown of [newShareLinkToken(), newShareLinkToken(), "x", ""]) {
          assert.strictEqual((yield* asked(`/calendar/${unknown}`)).status, 404)
          assert.strictEqual((yield* asked(`/calendar/${unknown}.ics`)).status, 404)
        }
        assert.deepStrictEqual(counted, [])
        yield* asked(`/calendar/${token}`)
        yield* asked(`/calendar/${token}.ics`)
        assert.deepStrictEqual(
          counted.map(({ key }) => key),
          ["{op:1}:share_link:2:page", "{op:1}:share_link:2:feed"]
        )
      })
    )
  })
})
