import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { HttpMiddleware, HttpServer } from "effect/http"
import { type HttpSettings, makeHttpApp } from "../src/adapters/http.ts"
import { layerSharedCalendars } from "../src/resources/index.ts"
import { layerTest } from "./harness.ts"

/** Where the service under test listens, without a final slash. */
export class BaseUrl extends Context.Service<BaseUrl, string>()("latchkey/test/BaseUrl") {}

/** The service behind a real socket on a free port of this machine. */
export const layerServed = (settings: Partial<HttpSettings> = {}) =>
  Layer.effect(
    BaseUrl,
    Effect.gen(function* () {
      const app = yield* makeHttpApp({
        requireHttps: false,
        trustProxy: false,
        publicUrl: "http://127.0.0.1",
        ...settings
      })
      yield* HttpServer.serveEffect(app)
      const { address } = yield* HttpServer.HttpServer
      return HttpServer.formatAddress(address)
    })
  ).pipe(
    Layer.provide(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
    Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
    Layer.provide(layerSharedCalendars),
    Layer.provideMerge(layerTest)
  )
