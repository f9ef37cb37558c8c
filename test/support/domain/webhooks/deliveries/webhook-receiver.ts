import http from "node:http"
import https from "node:https"
import type { AddressInfo } from "node:net"
import { Effect, Queue } from "effect"

// Receivers on loopback that tests tell how to answer. Linux answers on all of 127.0.0.0/8.

/** A self-signed certificate of the name receiver.test, valid 2020 to 2120, and its key. Nothing else trusts it. */
export const RECEIVER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbDCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1yZWNlaXZl
ci50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzc0c
b6xcPX71ts1QAtfC0RSWqsAeoHmKBAMDWURKSuiqrORoD+MmAefz3TxknHvdIJGB
KnNdVQ47lfRHoIij8KNMMEowDwYDVR0TAQH/BAUwAwEB/zAYBgNVHREEETAPgg1y
ZWNlaXZlci50ZXN0MB0GA1UdDgQWBBTFLJ99hcYBDCqQwFmScfmaGVBJuzAKBggq
hkjOPQQDAgNHADBEAiAuYAuNzybFh93IAQkSJQVX4movuLtz/+OrhwgYPrDCvwIg
KBSG0gtPc5brVRzupON7Z4RtXV+TVQ6OjhUQp2V7Onw=
-----END CERTIFICATE-----
`
const RECEIVER_PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgt9woib9oIgOSxack
8SzttwdaVirck1OZFd25Fm5qR+yhRANCAATNzRxvrFw9fvW2zVAC18LRFJaqwB6g
eYoEAwNZREpK6Kqs5GgP4yYB5/PdPGSce90gkYEqc11VDjuV9EegiKPw
-----END PRIVATE KEY-----
`

export interface ReceivedRequest {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** Which connection it came over, counted from 1. */
  readonly connection: number
}

export interface Receiver {
  readonly port: number
  readonly requests: Queue.Queue<ReceivedRequest>
  /** A connection the receiver did not close itself is over: its number. */
  readonly closedConnections: Queue.Queue<number>
  readonly countConnections: () => number
}

export type ReceiverHandler = (response: http.ServerResponse, received: ReceivedRequest) => void

/** A receiver for the scope of the test. Each request is put into `requests` before it is answered. */
export const startReceiver = (
  handler: ReceiverHandler,
  { secure = false, host = "127.0.0.1", port = 0 }: { secure?: boolean; host?: string; port?: number } = {}
) =>
  Effect.gen(function* () {
    const requests = yield* Queue.unbounded<ReceivedRequest>()
    const closedConnections = yield* Queue.unbounded<number>()
    const connectionNumbers = new WeakMap<object, number>()
    let connectionCount = 0
    const server = secure
      ? https.createServer({ cert: RECEIVER_CERTIFICATE, key: RECEIVER_PRIVATE_KEY })
      : http.createServer()
    // Idle connections end when a test ends them, never by the server's own clock.
    server.keepAliveTimeout = 0
    server.on("connection", () => {
      connectionCount++
    })
    server.on(secure ? "secureConnection" : "connection", (socket) => {
      const number = connectionCount
      connectionNumbers.set(socket, number)
      socket.on("error", () => {})
      socket.on("close", () => Queue.offerUnsafe(closedConnections, number))
    })
    server.on("request", (request: http.IncomingMessage, response: http.ServerResponse) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { method, url: path, headers } = request
        const body = Buffer.concat(chunks).toString()
        const received = { method, path, headers, body, connection: connectionNumbers.get(request.socket) ?? 0 }
        Queue.offerUnsafe(requests, received)
        handler(response, received)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(port, host, () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const address = server.address() as AddressInfo
    return {
      port: address.port,
      requests,
      closedConnections,
      countConnections: () => connectionCount
    } satisfies Receiver
  })
