import { Context, Effect, Layer } from "effect"
import { HttpMiddleware, HttpServer } from "effect/http"
import { type HttpSettings, makeHttpApp } from "../src/adapters/http.ts"
import { type ListenOptions, listen } from "../src/adapters/http-server/listen.ts"
import { Readiness } from "../src/database/Readiness.ts"
import { SharedCalendars } from "../src/resources/calendar-share-links/SharedCalendars.ts"
import { GuestPages } from "../src/resources/check-in/GuestPages.ts"
import { PropertyFeeds } from "../src/resources/property-feeds/PropertyFeeds.ts"
import { layerTest } from "./harness.ts"

/** Where the service under test listens, without a final slash. */
export class BaseUrl extends Context.Service<BaseUrl, string>()("latchkey/test/BaseUrl") {}

/** A service behind a real socket on a free port of this machine. */
export const layerServing = <E>(
  service: Layer.Layer<Inside, E>,
  settings: Partial<HttpSettings & ListenOptions> = {}
) =>
  Layer.effect(
    BaseUrl,
    Effect.gen(function* () {
      const app = yield* makeHttpApp({
        requireHttps: false,
        trustProxy: false,
        publicUrl: "http://127.0.0.1",
        ...settings
      })
      // No client of a test has a request on the way when the test is over.
      const quiet = { port: 0, host: "127.0.0.1", drainSeconds: 0, silence: 0 }
      return HttpServer.formatAddress(yield* listen(app, { ...quiet, ...settings }))
    })
  ).pipe(
    Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
    Layer.provide([SharedCalendars.layer, PropertyFeeds.layer, GuestPages.layer, Readiness.layer()]),
    Layer.provideMerge(service)
  )

type Inside = Layer.Success<typeof layerTest>

/** The service over the database of the test run. */
export const layerServed = (settings: Partial<HttpSettings & ListenOptions> = {}) => layerServing(layerTest, settings)
