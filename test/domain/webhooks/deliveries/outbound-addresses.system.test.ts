import tls from "node:tls"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { AddressResolver, NameNotResolved } from "../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import {
  failureReasonOf,
  layerLocalOutbound,
  layerOutbound,
  makeScriptedResolver,
  postTo,
  respondWith
} from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { RECEIVER_CERTIFICATE, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

beforeAll(() => tls.setDefaultCACertificates([...tls.getCACertificates(), RECEIVER_CERTIFICATE]))

describe("a forbidden address", () => {
  /** A receiver on 127.0.0.2, which is not on the allow-list of these tests: it must not see a connection. */
  const forbidden = startReceiver(respondWith(200), { secure: true, host: "127.0.0.2" })

  it.effect.each(["127.0.0.2", "2130706434", "0x7f.2", "0177.0.0.2", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]"])(
    "is refused as a literal: %s",
    (host) =>
      Effect.gen(function* () {
        const server = yield* forbidden
        expect(failureReasonOf(yield* postTo(`https://${host}:${server.port}/`))).toBe("refused_address")
        expect(server.countConnections()).toBe(0)
      }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect.each([
    { how: "alone", answer: ["127.0.0.2"] },
    { how: "as mapped IPv6", answer: ["::ffff:127.0.0.2"] },
    { how: "after a permitted one", answer: ["127.0.0.1", "127.0.0.2"] },
    { how: "before a permitted one", answer: ["127.0.0.2", "127.0.0.1"] },
    { how: "in a form that cannot be judged", answer: ["127.2"] }
  ])("is refused as what a name answers, $how", ({ answer }) =>
    Effect.gen(function* () {
      const server = yield* forbidden
      const permitted = yield* startReceiver(respondWith(200), { secure: true, port: server.port })
      const attempt = yield* postTo(`https://receiver.test:${server.port}/`).pipe(
        Effect.provide(layerOutbound("127.0.0.1", makeScriptedResolver({ "receiver.test": [answer] }).layer))
      )
      expect(attempt).toMatchObject({
        reason: "refused_address",
        detail: "receiver.test resolves to an address that is not public"
      })
      expect([server.countConnections(), permitted.countConnections()]).toEqual([0, 0])
    })
  )

  it.effect("is refused through the system's resolver", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200), { secure: true })
      expect(failureReasonOf(yield* postTo(`https://localhost:${server.port}/`))).toBe("refused_address")
      expect(server.countConnections()).toBe(0)
    }).pipe(Effect.provide(layerOutbound("")))
  )

  it.effect("is not reached by a name that answers it the second time: nobody asks twice for one delivery", () =>
    Effect.gen(function* () {
      const server = yield* forbidden
      const permitted = yield* startReceiver(respondWith(200), { secure: true, port: server.port })
      const { layer, lookups: asked } = makeScriptedResolver({ "receiver.test": [["127.0.0.1"], ["127.0.0.2"]] })
      const attempt = yield* postTo(`https://receiver.test:${server.port}/`).pipe(
        Effect.provide(layerOutbound("127.0.0.1", layer))
      )
      expect(attempt).toMatchObject({ outcome: "answered", status: 200 })
      expect(asked).toEqual(["receiver.test"])
      expect([server.countConnections(), permitted.countConnections()]).toEqual([0, 1])
    })
  )

  it.effect("is not reached when the name has changed to it before the next connection", () =>
    Effect.gen(function* () {
      const server = yield* forbidden
      const permitted = yield* startReceiver(respondWith(200, "", { connection: "close" }), {
        secure: true,
        port: server.port
      })
      const { layer } = makeScriptedResolver({ "receiver.test": [["127.0.0.1"], ["127.0.0.2"]] })
      const attempts = yield* Effect.all([1, 2].map(() => postTo(`https://receiver.test:${server.port}/`))).pipe(
        Effect.provide(layerOutbound("127.0.0.1", layer))
      )
      expect(attempts.map(failureReasonOf)).toEqual([expect.objectContaining({ status: 200 }), "refused_address"])
      expect([server.countConnections(), permitted.countConnections()]).toEqual([0, 1])
    })
  )

  it.effect("is reached by an allowed name", () =>
    Effect.gen(function* () {
      const server = yield* forbidden
      const attempt = yield* postTo(`https://receiver.test:${server.port}/`).pipe(
        Effect.provide(layerOutbound("receiver.test", makeScriptedResolver({ "receiver.test": [["127.0.0.2"]] }).layer))
      )
      expect(attempt).toMatchObject({ outcome: "answered", status: 200 })
    })
  )
})

describe("the system's resolver", () => {
  it.effect("answers every address, or says that there is none", () =>
    Effect.gen(function* () {
      const resolver = yield* AddressResolver
      expect(yield* resolver.resolve("localhost")).toContain("127.0.0.1")
      // A label of 64 characters fails on this machine: no question leaves it.
      const refused = yield* Effect.flip(resolver.resolve(`${"a".repeat(64)}.test`))
      expect(refused).toBeInstanceOf(NameNotResolved)
    }).pipe(Effect.provide(AddressResolver.layer))
  )
})
