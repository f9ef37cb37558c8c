import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { HttpServer, HttpServerRequest } from "effect/http"
import { makeRest } from "../../src/adapters/rest.ts"
import { Service } from "../../src/service.ts"

describe("a client of the REST door that goes away", () => {
  it.effect("takes its running call with it", () =>
    Effect.gen(function* () {
      const waiting = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const never = Effect.andThen(
        Deferred.succeed(waiting, undefined),
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      )
      const service = Service.of({
        call: () => never,
        refuse: () => Effect.die(new Error("refused")),
        knows: () => Effect.succeed(true)
      })
      const rest = yield* Effect.provideService(makeRest, Service, service)
      const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
      yield* server.serve(Effect.flatMap(HttpServerRequest.HttpServerRequest, rest))
      const client = new AbortController()
      const gone = fetch(`${HttpServer.formatAddress(server.address)}/v3/transactions`, { signal: client.signal }).then(
        () => "answered",
        () => "gone"
      )
      yield* Deferred.await(waiting)
      client.abort()
      assert.strictEqual(yield* Effect.promise(() => gone), "gone")
      yield* Deferred.await(interrupted)
    })
  )
})
