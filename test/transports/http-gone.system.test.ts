import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option } from "effect"
import { HttpServer } from "effect/http"
import { ConcurrencyLimiter } from "../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../src/admission/windows/RateWindows.ts"
import { GuestPortal } from "../../src/domain/bookings/check-in/GuestPortal.ts"
import { SharedCalendars } from "../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { newShareLinkToken } from "../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { PropertyFeeds } from "../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { Images } from "../../src/domain/guests/images/Images.ts"
import { Readiness } from "../../src/platform/database/Readiness.ts"
import { PublicUrl } from "../../src/platform/installation.ts"
import { Service } from "../../src/service/service.ts"
import { makeHttpApp } from "../../src/transports/http-app.ts"
import { listen } from "../../src/transports/http-server/listen.ts"
import { abortRequestWhen } from "../support/aborted-request.ts"
import { makeToolCall } from "../support/transports/mcp/mcp-requests.ts"

const OPERATOR = 1

/** Work that never ends, and says when it runs and when it was interrupted. */
const endless = Effect.gen(function* () {
  const [running, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const work = Effect.andThen(Deferred.succeed(running, undefined), Effect.never)
  return {
    work: Effect.onInterrupt(work, () => Deferred.succeed(interrupted, undefined)),
    running: Deferred.await(running),
    interrupted: Deferred.await(interrupted)
  }
})

const notAsked = () =>
  Effect.die(new Error("nobody reads a feed of a property here, or looks at an image or the page of a stay"))

/** All doors on a bare server; a link opens a calendar without properties. Answers its address. */
const serving = Effect.fnUntraced(function* (call: Effect.Effect<never>, limiter: ConcurrencyLimiter["Service"]) {
  const link = { operator_id: OPERATOR, id: 2, scope: "entire", today: "2027-06-10" } as const
  const service = Service.of({
    call: () => call,
    respondWithError: () => Effect.die(new Error("refused")),
    findCaller: () => Effect.succeed({ operatorId: 1, scope: "writable" as const }),
    rejectIfStillOverloaded: () => undefined
  })
  const app = yield* makeHttpApp({ publicUrl: "http://127.0.0.1", requireHttps: false, trustProxy: false }).pipe(
    Effect.provideService(Service, service),
    Effect.provideService(SharedCalendars, {
      open: () => Effect.succeed(Option.some(link)),
      listPropertiesPage: () => Effect.succeed({ total: 0, properties: [] }),
      listDays: () => Effect.succeed([])
    }),
    Effect.provideService(PropertyFeeds, {
      open: notAsked,
      read: notAsked,
      readHouseEvents: notAsked,
      recordRead: notAsked
    }),
    Effect.provideService(Images, { put: notAsked, open: notAsked, read: notAsked }),
    Effect.provideService(GuestPortal, { open: notAsked, setArrivalTime: notAsked, submitIdentityImage: notAsked }),
    Effect.provideService(ConcurrencyLimiter, limiter),
    Effect.provideService(Readiness, { isReady: Effect.succeed(true) }),
    Effect.provideService(PublicUrl, "http://127.0.0.1"),
    Effect.provide(RateWindows.layerMemory)
  )
  const address = yield* listen(app, { port: 0, host: "127.0.0.1", drainSeconds: 0, silence: 0 }).pipe(
    Effect.provideService(Service, service)
  )
  return HttpServer.formatAddress(address)
})

const TOOL_CALL: RequestInit = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify(makeToolCall("search_transactions"))
}

describe("a client that goes away", () => {
  it.effect.each([
    ["REST", "/v3/transactions", {}],
    ["MCP", "/mcp", TOOL_CALL]
  ] as const)("takes its running call of %s with it", ([, path, init]) =>
    Effect.gen(function* () {
      const { work, running, interrupted } = yield* endless
      const base = yield* serving(work, yield* ConcurrencyLimiter)
      yield* abortRequestWhen(`${base}${path}`, running, init)
      yield* interrupted
    }).pipe(Effect.provide(ConcurrencyLimiter.layer()))
  )

  // In real time, so that one that does go on waiting comes to an end.
  it.live.each(["", ".ics"])("leaves the queue for the permit of a shared calendar%s, and holds none", (ending) =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const [waiting, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const watched = ConcurrencyLimiter.of({
        findRejection: limiter.findRejection,
        withPermit: (operator, work) =>
          Deferred.succeed(waiting, undefined).pipe(
            Effect.andThen(limiter.withPermit(operator, work)),
            Effect.onInterrupt(() => Deferred.succeed(left, undefined))
          )
      })
      const other = yield* endless
      yield* Effect.forkChild(Effect.ignore(limiter.withPermit(OPERATOR, other.work)))
      yield* other.running
      const base = yield* serving(Effect.never, watched)
      yield* abortRequestWhen(`${base}/calendar/${newShareLinkToken()}${ending}`, Deferred.await(waiting))
      // While the only permit is still held.
      yield* Deferred.await(left)
    }).pipe(Effect.provide(Layer.fresh(ConcurrencyLimiter.layer(1))))
  )

  it.effect("releases the permit of its shared calendar", () =>
    Effect.gen(function* () {
      const limiter = yield* ConcurrencyLimiter
      const { work, running, interrupted } = yield* endless
      const withPermit: ConcurrencyLimiter["Service"]["withPermit"] = (operator, page) =>
        limiter.withPermit(operator, Effect.andThen(work, page))
      const base = yield* serving(
        Effect.never,
        ConcurrencyLimiter.of({ withPermit, findRejection: limiter.findRejection })
      )
      yield* abortRequestWhen(`${base}/calendar/${newShareLinkToken()}`, running)
      yield* interrupted
      assert.strictEqual(yield* limiter.withPermit(OPERATOR, Effect.succeed("free")), "free")
    }).pipe(Effect.provide(Layer.fresh(ConcurrencyLimiter.layer(1))))
  )
})
