import tls from "node:tls"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import packageJson from "../../../../package.json" with { type: "json" }
import { AddressResolver } from "../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import { isDelivered, OutboundHttp } from "../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import {
  WEBHOOK_RESPONSE_BYTES,
  WEBHOOK_RESPONSE_STORED_BYTES,
  WEBHOOK_TRY_MS
} from "../../../../src/platform/limits.ts"
import {
  DOCUMENTATION_URL,
  layerLocalOutbound,
  layerOutbound,
  makeScriptedResolver,
  neverRespond,
  postTo,
  respondWith
} from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { RECEIVER_CERTIFICATE, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

beforeAll(() => tls.setDefaultCACertificates([...tls.getCACertificates(), RECEIVER_CERTIFICATE]))

describe("a delivery is answered", () => {
  it.effect.each([200, 204, 302, 404, 500])("by %i, whatever the status says", (status) =>
    Effect.gen(function* () {
      const server = yield* startReceiver(
        respondWith(status, status === 204 ? "" : "so be it", { location: "http://127.0.0.1:1/elsewhere" })
      )
      const attempt = yield* postTo(`http://127.0.0.1:${server.port}/`)
      expect(attempt).toEqual({
        outcome: "answered",
        status,
        firstBytes: status === 204 ? "" : "so be it",
        durationMs: 0
      })
      expect(isDelivered(attempt)).toBe(status < 300)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect.each([301, 302, 303, 307, 308])(
    "and a redirect with %d is the answer and not followed, to the receiver itself nor to another",
    (status) =>
      Effect.gen(function* () {
        const other = yield* startReceiver(respondWith(200, "followed"))
        for (const location of ["/other", `http://127.0.0.1:${other.port}/`]) {
          // Who follows it is answered well, once.
          const server = yield* startReceiver((response, received) =>
            (received.path === "/first"
              ? respondWith(status, "elsewhere", { location })
              : respondWith(200, "followed"))(response, received)
          )
          const attempt = yield* postTo(`http://127.0.0.1:${server.port}/first`)
          expect(attempt).toEqual({ outcome: "answered", status, firstBytes: "elsewhere", durationMs: 0 })
          expect(isDelivered(attempt)).toBe(false)
          expect((yield* Queue.clear(server.requests)).map(({ path }) => path)).toEqual(["/first"])
        }
        expect(yield* Queue.size(other.requests)).toBe(0)
      }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("over TLS, by the name and checked against its certificate", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200), { secure: true })
      const attempt = yield* postTo(`https://receiver.test:${server.port}/`)
      expect(attempt.outcome).toBe("answered")
      expect((yield* Queue.take(server.requests)).headers.host).toBe(`receiver.test:${server.port}`)
    }).pipe(
      Effect.provide(layerOutbound("127.0.0.1", makeScriptedResolver({ "receiver.test": [["127.0.0.1"]] }).layer))
    )
  )

  it.effect("with the first bytes kept as text", () =>
    Effect.gen(function* () {
      const bodyOf = (path: string | undefined) => {
        if (path === "/fits") return "a".repeat(WEBHOOK_RESPONSE_STORED_BYTES)
        if (path === "/longer") return `${"a".repeat(WEBHOOK_RESPONSE_STORED_BYTES)}b`
        if (path === "/torn") return `${"a".repeat(WEBHOOK_RESPONSE_STORED_BYTES - 1)}ä`
        return Buffer.from([0x61, 0x00, 0xff, 0x62])
      }
      const server = yield* startReceiver((response, { path }) => response.end(bodyOf(path)))
      const first = (path: string) =>
        postTo(`http://127.0.0.1:${server.port}${path}`).pipe(
          Effect.map((attempt) => (attempt.outcome === "answered" ? attempt.firstBytes : attempt))
        )
      expect(yield* first("/fits")).toBe("a".repeat(WEBHOOK_RESPONSE_STORED_BYTES))
      expect(yield* first("/longer")).toBe("a".repeat(WEBHOOK_RESPONSE_STORED_BYTES))
      expect(yield* first("/torn")).toBe("a".repeat(WEBHOOK_RESPONSE_STORED_BYTES - 1))
      expect(yield* first("/binary")).toBe("a\uFFFD\uFFFDb")
    }).pipe(Effect.provide(layerLocalOutbound))
  )
})

describe("a request", () => {
  it.effect("carries the body, the headers given, and who sends it", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200))
      const body = '{"event":"message_created","conversation_id":"é"}'
      yield* postTo(`http://127.0.0.1:${server.port}/hooks?key=1`, {
        body,
        headers: { "content-type": "application/json", "webhook-id": "evt_1", "user-agent": "forged" }
      })
      const received = yield* Queue.take(server.requests)
      const release = packageJson.version.split(".").slice(0, 2).join(".")
      expect(received).toMatchObject({ method: "POST", path: "/hooks?key=1", body })
      expect(received.headers).toMatchObject({
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "webhook-id": "evt_1",
        "user-agent": `Latchkey-Webhooks/${release} (+${DOCUMENTATION_URL})`,
        host: `127.0.0.1:${server.port}`
      })
      // The request is a span of its own, whether or not it is part of a greater one.
      expect(received.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("that asks is no webhook, and says so", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200))
      const { request: ask } = yield* OutboundHttp
      yield* ask({ method: "GET", url: `http://127.0.0.1:${server.port}/`, headers: {}, maxBytes: 1 })
      const { headers } = yield* Queue.take(server.requests)
      expect(headers["user-agent"]).toMatch(/^Latchkey\/\d+\.\d+ \(\+https:/)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("carries the trace it belongs to", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200))
      const span = yield* Effect.currentSpan
      yield* postTo(`http://127.0.0.1:${server.port}/`)
      const { headers } = yield* Queue.take(server.requests)
      const [, trace, parent] = String(headers.traceparent).split("-")
      expect(trace).toBe(span.traceId)
      expect(parent).not.toBe(span.spanId)
      expect(headers.b3).toBeUndefined()
    }).pipe(Effect.withSpan("delivery"), Effect.provide(layerLocalOutbound))
  )
})

describe("time", () => {
  it.effect("ends a try that is never answered, after ten seconds and not before, and hangs up", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(neverRespond)
      const fiber = yield* Effect.forkChild(postTo(`http://127.0.0.1:${server.port}/`))
      yield* Queue.take(server.requests)
      yield* TestClock.adjust(WEBHOOK_TRY_MS - 1)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toEqual({
        outcome: "failed",
        reason: "timeout",
        detail: "no answer within 10s",
        durationMs: WEBHOOK_TRY_MS
      })
      expect(yield* Queue.take(server.closedConnections)).toBe(1)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("can be shorter for one delivery", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(neverRespond)
      const fiber = yield* Effect.forkChild(postTo(`http://127.0.0.1:${server.port}/`, { timeout: "2 seconds" }))
      yield* Queue.take(server.requests)
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ reason: "timeout", durationMs: 2_000 })
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("is for the whole answer: a drip does not lengthen it", () =>
    Effect.gen(function* () {
      const dripping = yield* Queue.unbounded<(text: string) => void>()
      const server = yield* startReceiver((response) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write("x")
        Queue.offerUnsafe(dripping, (text) => response.write(text))
      })
      const fiber = yield* Effect.forkChild(postTo(`http://127.0.0.1:${server.port}/`))
      const drip = yield* Queue.take(dripping)
      for (let second = 1; second < 10; second++) {
        yield* TestClock.adjust("1 second")
        drip("x")
        expect(fiber.pollUnsafe()).toBeUndefined()
      }
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ reason: "timeout", durationMs: WEBHOOK_TRY_MS })
      expect(yield* Queue.take(server.closedConnections)).toBe(1)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("includes the look-up of the name", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<string>()
      const resolver = Layer.succeed(AddressResolver, {
        resolve: (host) => Effect.andThen(Queue.offer(asked, host), Effect.never)
      })
      const fiber = yield* postTo("https://slow.test/").pipe(
        Effect.provide(layerOutbound("", resolver)),
        Effect.forkChild
      )
      expect(yield* Queue.take(asked)).toBe("slow.test")
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      expect(yield* Fiber.join(fiber)).toMatchObject({ reason: "timeout", detail: "no connection within 10s" })
    })
  )

  it.effect("given up by the caller closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(neverRespond)
      const fiber = yield* Effect.forkChild(postTo(`http://127.0.0.1:${server.port}/`))
      yield* Queue.take(server.requests)
      yield* Fiber.interrupt(fiber)
      expect(yield* Queue.take(server.closedConnections)).toBe(1)
    }).pipe(Effect.provide(layerLocalOutbound))
  )
})

describe("a long answer", () => {
  const answers = (bytes: number) => respondWith(200, Buffer.alloc(bytes, "a"))

  it.effect("of a mebibyte counts by its status, and the connection is cut off", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(answers(1024 * 1024))
      expect(yield* postTo(`http://127.0.0.1:${server.port}/`)).toMatchObject({ outcome: "answered", status: 200 })
      expect(yield* Queue.take(server.closedConnections)).toBe(1)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("that never ends counts by its status too", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver((response) => {
        response.writeHead(500)
        const pour = () => {
          while (!response.destroyed && response.write("a".repeat(1024))) {}
        }
        response.on("drain", pour)
        pour()
      })
      expect(yield* postTo(`http://127.0.0.1:${server.port}/`)).toMatchObject({ outcome: "answered", status: 500 })
      expect(yield* Queue.take(server.closedConnections)).toBe(1)
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect.each([
    { bytes: WEBHOOK_RESPONSE_BYTES, connections: 1 },
    { bytes: WEBHOOK_RESPONSE_BYTES + 1, connections: 2 }
  ])("of $bytes bytes leaves two deliveries $connections connection(s)", ({ bytes, connections }) =>
    Effect.gen(function* () {
      const server = yield* startReceiver(answers(bytes))
      for (const _ of [1, 2]) {
        expect((yield* postTo(`http://127.0.0.1:${server.port}/`)).outcome).toBe("answered")
      }
      expect(server.countConnections()).toBe(connections)
    }).pipe(Effect.provide(layerLocalOutbound))
  )
})
