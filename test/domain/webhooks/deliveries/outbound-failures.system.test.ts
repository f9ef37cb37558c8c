import type net from "node:net"
import tls from "node:tls"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Queue, type Scope } from "effect"
import {
  failureReasonOf,
  layerLocalOutbound,
  layerOutbound,
  makeScriptedResolver,
  neverRespond,
  postTo,
  respondWith,
  startRawReceiver
} from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { RECEIVER_CERTIFICATE, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

beforeAll(() => tls.setDefaultCACertificates([...tls.getCACertificates(), RECEIVER_CERTIFICATE]))

describe("a delivery fails", () => {
  const failsWith = (reason: string, url: Effect.Effect<string, never, Scope.Scope>) =>
    Effect.gen(function* () {
      expect(failureReasonOf(yield* postTo(yield* url))).toBe(reason)
    }).pipe(Effect.provide(layerLocalOutbound))
  const raw = (talk: (socket: net.Socket) => void) =>
    startRawReceiver((socket) => socket.once("data", () => talk(socket)))

  it.effect("when the receiver closes before it answers", () =>
    failsWith(
      "closed",
      raw((socket) => socket.end())
    )
  )

  it.effect("when the receiver resets", () =>
    failsWith(
      "closed",
      raw((socket) => socket.resetAndDestroy())
    )
  )

  it.effect("when the receiver closes in the middle of its answer, although the status was known", () =>
    Effect.gen(function* () {
      const url = yield* raw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc"))
      expect(yield* postTo(url)).toMatchObject({
        reason: "closed",
        detail: "answered 200 and closed the connection before the end"
      })
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("not when the close is the end of the answer", () =>
    Effect.gen(function* () {
      const url = yield* raw((socket) => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabc"))
      expect(yield* postTo(url)).toMatchObject({ outcome: "answered", firstBytes: "abc" })
    }).pipe(Effect.provide(layerLocalOutbound))
  )

  it.effect("when the receiver switches protocols", () =>
    failsWith(
      "closed",
      raw((socket) => socket.write("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"))
    )
  )

  it.effect("when the answer is not HTTP", () =>
    failsWith(
      "protocol",
      raw((socket) => socket.end("220 mail ready\r\n"))
    )
  )

  it.effect("when the answer's head is endless", () =>
    failsWith(
      "protocol",
      raw((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}`))
    )
  )

  it.effect("when nobody listens", () =>
    failsWith(
      "connect",
      Effect.scoped(startReceiver(neverRespond)).pipe(Effect.map(({ port }) => `http://127.0.0.1:${port}/`))
    )
  )

  it.effect("when nobody listens behind a name, whose address is not told", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(startReceiver(neverRespond))
      const attempt = yield* postTo(`https://receiver.test:${port}/`)
      expect(attempt).toMatchObject({ reason: "connect", detail: "ECONNREFUSED" })
    }).pipe(
      Effect.provide(layerOutbound("127.0.0.1", makeScriptedResolver({ "receiver.test": [["127.0.0.1"]] }).layer))
    )
  )

  it.effect("when the receiver speaks no TLS", () =>
    failsWith("tls", startReceiver(neverRespond).pipe(Effect.map(({ port }) => `https://127.0.0.1:${port}/`)))
  )

  it.effect("when the certificate is another name's", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200), { secure: true })
      const attempt = yield* postTo(`https://another.test:${server.port}/`)
      expect(attempt).toMatchObject({ reason: "tls", detail: expect.stringContaining("altnames") })
      expect(yield* Queue.size(server.requests)).toBe(0)
    }).pipe(Effect.provide(layerOutbound("127.0.0.1", makeScriptedResolver({ "another.test": [["127.0.0.1"]] }).layer)))
  )

  it.effect("when the name is unknown or has no address", () =>
    Effect.gen(function* () {
      expect(yield* postTo("https://unknown.test/")).toMatchObject({ reason: "dns", detail: "unknown.test is unknown" })
      expect(yield* postTo("https://empty.test/")).toMatchObject({ reason: "dns", detail: "empty.test has no address" })
    }).pipe(Effect.provide(layerOutbound("", makeScriptedResolver({ "empty.test": [[]] }).layer)))
  )

  it.effect.each(["", "nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "http://receiver.test/"])(
    "when the URL is not one to deliver to: %s",
    (url) => failsWith("refused_url", Effect.succeed(url))
  )
})
