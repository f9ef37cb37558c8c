import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Queue, Scope } from "effect"
import { MAX_IDLE_SOCKETS } from "../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import {
  failureReasonOf,
  layerLocalOutbound,
  layerOutbound,
  makeScriptedResolver,
  postTo,
  respondWith
} from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

describe("a connection", () => {
  it.effect("is used again for the same host", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200, "ok"))
      const warnings: Array<Error> = []
      const listen = (warning: Error) => warnings.push(warning)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("warning", listen)),
        () => Effect.sync(() => process.off("warning", listen))
      )
      // Beyond the number of listeners at which Node warns of a leak.
      for (let n = 0; n < 15; n++) yield* postTo(`http://127.0.0.1:${server.port}/`)
      expect(server.countConnections()).toBe(1)
      expect(warnings).toEqual([])
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("is never used for another host, also at the same address and port", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200, "ok"))
      for (const host of ["a.test", "b.test", "a.test", "b.test"]) yield* postTo(`http://${host}:${server.port}/`)
      const received = yield* Queue.takeN(server.requests, 4)
      expect(received.map(({ headers, connection }) => [headers.host?.split(":")[0], connection])).toEqual([
        ["a.test", 1],
        ["b.test", 2],
        ["a.test", 1],
        ["b.test", 2]
      ])
    }).pipe(
      Effect.provide(
        layerOutbound(
          "a.test,b.test",
          makeScriptedResolver({ "a.test": [["127.0.0.1"]], "b.test": [["127.0.0.1"]] }).layer
        )
      )
    )
  )

  it.effect("that the receiver closed while it was idle costs no try", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver((response, { path, connection }) => {
        if (path === "/second" && connection === 1) response.destroy()
        else response.end()
      })
      yield* postTo(`http://127.0.0.1:${server.port}/first`)
      expect(yield* postTo(`http://127.0.0.1:${server.port}/second`)).toMatchObject({
        outcome: "answered",
        status: 200
      })
      expect(server.countConnections()).toBe(2)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("that was closed while idle is not replaced by another that was", () =>
    Effect.gen(function* () {
      const waiting: Array<() => void> = []
      const server = yield* startReceiver((response, { path, connection }) => {
        if (path === "/second") return connection <= 2 ? response.destroy() : response.end()
        waiting.push(() => response.end())
        if (waiting.length === 2) for (const answer of waiting.splice(0)) answer()
      })
      const first = postTo(`http://127.0.0.1:${server.port}/first`)
      yield* Effect.all([first, first], { concurrency: 2 })
      expect(server.countConnections()).toBe(2)
      expect(yield* postTo(`http://127.0.0.1:${server.port}/second`)).toMatchObject({
        outcome: "answered",
        status: 200
      })
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("that a receiver closes on every request is tried once more only", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver((response, { path }) => {
        if (path === "/second") response.destroy()
        else response.end()
      })
      yield* postTo(`http://127.0.0.1:${server.port}/first`)
      expect(failureReasonOf(yield* postTo(`http://127.0.0.1:${server.port}/second`))).toBe("closed")
      expect(yield* Queue.size(server.requests)).toBe(3)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect.each([
    { atOnce: MAX_IDLE_SOCKETS, afterwards: 0 },
    { atOnce: MAX_IDLE_SOCKETS + 1, afterwards: 1 }
  ])("of $atOnce at once: $afterwards is not kept idle", ({ atOnce, afterwards }) =>
    Effect.gen(function* () {
      const waiting: Array<() => void> = []
      const server = yield* startReceiver((response) => {
        waiting.push(() => response.end())
        if (waiting.length === atOnce) for (const answer of waiting.splice(0)) answer()
      })
      const together = Effect.all(
        Array.from({ length: atOnce }, () => postTo(`http://127.0.0.1:${server.port}/`)),
        { concurrency: "unbounded" }
      )
      yield* together
      expect(server.countConnections()).toBe(atOnce)
      yield* together
      expect(server.countConnections()).toBe(atOnce + afterwards)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("is closed with the service", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200))
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layerLocalOutbound, scope)
      yield* postTo(`http://127.0.0.1:${server.port}/`).pipe(Effect.provide(context))
      expect(yield* Queue.size(server.closedConnections)).toBe(0)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Queue.take(server.closedConnections)).toBe(1)
    })
  )
})
