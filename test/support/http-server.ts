import { Context, Effect, Layer } from "effect"
import { HttpMiddleware, HttpServer } from "effect/http"
import { Clients } from "../../src/domain/access/oauth/Clients.ts"
import { MailedLinks } from "../../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../../src/domain/access/sign-in/Passwords.ts"
import { Sessions } from "../../src/domain/access/sign-in/Sessions.ts"
import { SubAccounts } from "../../src/domain/access/sign-in/SubAccounts.ts"
import { GuestPortal } from "../../src/domain/bookings/check-in/GuestPortal.ts"
import { SharedCalendars } from "../../src/domain/calendars/calendar-share-links/SharedCalendars.ts"
import { PropertyFeeds } from "../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { NotificationStore } from "../../src/domain/notifications/store.ts"
import { AddressResolver } from "../../src/domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers } from "../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { Readiness } from "../../src/platform/database/Readiness.ts"
import { layerConsoleEndpoint } from "../../src/transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "../../src/transports/console/queries/layer.ts"
import type { HttpSettings } from "../../src/transports/http/https.ts"
import { makeHttpApp } from "../../src/transports/http-app.ts"
import { type ListenOptions, listen } from "../../src/transports/http-server/listen.ts"
import { layerTest } from "./harness.ts"

/** Where the service under test listens, without a final slash. */
export class BaseUrl extends Context.Service<BaseUrl, string>()("latchkey/test/BaseUrl") {}

/** Goes where the test's own list of allowed receivers lets it. */
const layerOutbound = Layer.unwrap(Effect.map(AllowedReceivers, (allowed) => OutboundHttp.layer(allowed))).pipe(
  Layer.provide(AddressResolver.layer)
)

/** Who is signed in at the console, and the consents of hosts. */
const layerConsoleServices = Layer.mergeAll(Sessions.layer, Passwords.layer, Clients.layer)

/** A service behind a real socket on a free port of this machine. `console`: others in the place of what its pages work with. */
export const layerHttpServerOf = <E, More = never>(
  service: Layer.Layer<TestServices | More, E>,
  settings: Partial<HttpSettings & ListenOptions> = {},
  consoleServices: typeof layerConsoleServices = layerConsoleServices
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
      const listenOptions = { port: 0, host: "127.0.0.1", drainSeconds: 0, silence: 0 }
      return HttpServer.formatAddress(yield* listen(app, { ...listenOptions, ...settings }))
    })
  ).pipe(
    Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
    Layer.provide([SharedCalendars.layer, PropertyFeeds.layer, GuestPortal.layer, Readiness.layer()]),
    Layer.provide(
      Layer.provide(layerConsoleEndpoint(settings.publicUrl ?? "http://127.0.0.1", settings), [
        consoleServices,
        SubAccounts.layer,
        MailedLinks.layer,
        NotificationStore.layer,
        Layer.provide(layerConsoleQueries, layerOutbound)
      ])
    ),
    Layer.provideMerge(service)
  )

type TestServices = Layer.Success<typeof layerTest>

/** The service over the database of the test run. */
export const layerHttpServer = (settings: Partial<HttpSettings & ListenOptions> = {}) =>
  layerHttpServerOf(layerTest, settings)
