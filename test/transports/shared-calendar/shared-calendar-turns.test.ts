import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Places } from "../../../src/admission/concurrency/Places.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import type { Bucket } from "../../../src/admission/windows/rate-window.ts"
import {
  SharedCalendars,
  type SharedPropertySummary
} from "../../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { newShareLinkToken } from "../../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { SHARED_PAGE_PROPERTIES_MAX, SHARED_PART_PROPERTIES_MAX } from "../../../src/platform/limits.ts"
import { makeSharedCalendarHandler } from "../../../src/transports/shared-calendar/shared-calendar.ts"

// What others notice of a large calendar while it is answered: that they get their turns.

const token = newShareLinkToken()
const named: ReadonlyArray<SharedPropertySummary> = Array.from({ length: SHARED_PART_PROPERTIES_MAX }, (_, index) => ({
  id: index + 1,
  title: `Room ${index + 1}`
}))
const days = [{ date: "2027-06-10", available: false }]

/** A link with a thousand properties; its database goes away before the property of that id is asked for. */
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

/** The turns somebody else has while this runs. */
const turnsDuring = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const done = yield* Deferred.make<void>()
  const other = yield* Effect.forkChild(
    Effect.gen(function* () {
      let turns = 0
      while (!(yield* Deferred.isDone(done))) {
        yield* Effect.yieldNow
        turns += 1
      }
      return turns
    })
  )
  yield* Effect.yieldNow
  const result = yield* effect
  yield* Deferred.succeed(done, undefined)
  return [result, yield* Fiber.join(other)] as const
})

describe("a large shared calendar", () => {
  layer(Layer.mergeAll(layerCalendars(), RateWindows.layerMemory, Places.layer()))((it) => {
    it.effect("lets others have their turn after a few properties of a page", () =>
      Effect.gen(function* () {
        const [page, turns] = yield* turnsDuring(Effect.flatMap(asked(`/calendar/${token}`), textOf))
        assert.strictEqual(page.split("<section").length - 1, SHARED_PAGE_PROPERTIES_MAX)
        assert.isAtLeast(turns, SHARED_PAGE_PROPERTIES_MAX / 10)
      })
    )

    it.effect("lets others have their turn after each property of the feed", () =>
      Effect.gen(function* () {
        const [feed, turns] = yield* turnsDuring(Effect.flatMap(asked(`/calendar/${token}.ics`), textOf))
        assert.strictEqual(feed.split("BEGIN:VEVENT").length - 1, SHARED_PART_PROPERTIES_MAX)
        assert.isAtLeast(turns, SHARED_PART_PROPERTIES_MAX)
      })
    )
  })

  const lines: Array<unknown> = []
  const layerLog = Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])

  layer(Layer.mergeAll(layerCalendars(500), RateWindows.layerMemory, Places.layer(), layerLog))((it) => {
    it.effect("ends in an error, not early, when its days cannot be read to the end, and the log says so", () =>
      Effect.gen(function* () {
        const feed = yield* asked(`/calendar/${token}.ics`)
        const ended = yield* Effect.exit(Effect.tryPromise(() => feed.text()))
        assert.strictEqual(ended._tag, "Failure")
        assert.isTrue(lines.some((line) => String(line).includes("the database is away")))
        assert.isFalse(lines.some((line) => String(line).includes(token)))
      })
    )
  })

  layer(Layer.mergeAll(layerCalendars(1), RateWindows.layerMemory, Places.layer()))((it) => {
    it.effect("is said to be away, when nothing can be read of it", () =>
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

  layer(Layer.mergeAll(layerCalendars(), layerWatched, Places.layer()))((it) => {
    it.effect("is counted by its link, and an address that opens nothing is not counted at all", () =>
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
