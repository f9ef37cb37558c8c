import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DEFAULT_TIMEOUTS } from "../../../src/transports/http-server/node-server.ts"
import {
  connectAnsweredClient,
  EARLY_REQUEST,
  LARGE_BYTES,
  sendAndAwaitRead,
  startListeningServer,
  toGetRequest
} from "../../support/transports/http-server/listening-server.ts"
import {
  assertRejection,
  parseRejection,
  parseResponses,
  RawClient
} from "../../support/transports/http-server/raw-client.ts"

const heardBy = (client: RawClient) => Effect.promise(() => client.receivedUntilEnd)
const hears = (client: RawClient, pattern: RegExp) => Effect.promise(() => client.awaitText(pattern))
const closed = (client: RawClient) => heardBy(client).pipe(Effect.catchDefect(() => Effect.void))
const bodies = (heard: string) => parseResponses(heard).map(({ body }) => body)

describe("a client that ends its side", () => {
  it.effect("still gets its answer", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      const client = new RawClient(server.baseUrl).send(toGetRequest("/half"))
      client.socket.end()
      yield* (yield* server.takeCall).allowResponse
      assert.deepStrictEqual(bodies(yield* heardBy(client)), ["/half"])
    })
  )

  it.effect("may say so in its request, after which no other is run", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      const last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      const client = new RawClient(server.baseUrl).send(`${last}${toGetRequest("/ignored")}`)
      yield* (yield* server.takeCall).allowResponse
      assert.deepStrictEqual(bodies(yield* heardBy(client)), ["/last"])
      assert.strictEqual(yield* server.waitingCalls, 0)
    })
  )

  it.effect("and all of several sent ahead", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      const client = new RawClient(server.baseUrl).send(`${toGetRequest("/1")}${toGetRequest("/2")}`)
      client.socket.end()
      const [one, two] = [yield* server.takeCall, yield* server.takeCall]
      yield* two.allowResponse
      yield* one.allowResponse
      assert.deepStrictEqual(bodies(yield* heardBy(client)), ["/1", "/2"])
    })
  )

  it.effect("is asked whether it is there while a long call runs, and answered", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      const client = new RawClient(server.baseUrl).send(toGetRequest("/long"))
      client.socket.end()
      const call = yield* server.takeCall
      yield* hears(client, /^HTTP\/1\.1 102 Processing\r\n\r\n/)
      yield* call.allowResponse
      assert.strictEqual(bodies(yield* heardBy(client)).at(-1), "/long")
    })
  )

  it.effect.each(["/gone", "/page"])("and is gone takes its running call of %s with it", (path) =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      const client = new RawClient(server.baseUrl).send(toGetRequest(path))
      const { awaitInterruption: interrupted } = yield* server.takeCall
      client.socket.destroy()
      yield* interrupted
    })
  )

  it.effect("before its request is whole is told so", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      for (const part of ["GET /half HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"]) {
        const client = new RawClient(server.baseUrl).send(part)
        client.socket.end()
        assert.strictEqual(parseRejection(yield* heardBy(client)).error_code, 400)
      }
    })
  )
})

describe("a slow client", () => {
  const timeouts = { ...DEFAULT_TIMEOUTS, headerSeconds: 1, requestSeconds: 1, keepAliveSeconds: 1 }

  it.effect("is refused when its headers or its body take too long", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ timeouts })
      const slow = ["GET /half HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"].map((part) =>
        new RawClient(server.baseUrl).send(part)
      )
      for (const client of slow) {
        const { error_code, error_msg } = parseRejection(yield* heardBy(client))
        assert.strictEqual(error_code, 400)
        assert.match(error_msg, /\btime\b/)
      }
    })
  )

  it.effect("loses a connection it does not use, without a word", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ timeouts })
      const silent = new RawClient(server.baseUrl)
      const kept = new RawClient(server.baseUrl).send(toGetRequest("/once"))
      yield* (yield* server.takeCall).allowResponse
      assert.strictEqual(yield* heardBy(silent).pipe(Effect.catchDefect(() => Effect.succeed(""))), "")
      assert.deepStrictEqual(bodies(yield* heardBy(kept)), ["/once"])
    })
  )

  it.effect("may take as long as it likes to be answered", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ timeouts })
      const waiting = new RawClient(server.baseUrl).send(toGetRequest("/waits"))
      const call = yield* server.takeCall
      // By when this one is refused, the other has waited longer than a request may take to arrive.
      yield* heardBy(new RawClient(server.baseUrl).send("GET /half HT"))
      yield* call.allowResponse
      yield* hears(waiting, /\/waits$/)
    })
  )
})

describe("connections", () => {
  it.effect("beyond the limit take the place of the longest idle one; where all are in use they are closed", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ connections: 2 })
      const used = Effect.fnUntraced(function* (path: string) {
        const client = new RawClient(server.baseUrl).send(toGetRequest(path))
        const call = yield* server.takeCall
        return { client, call }
      })
      const first = yield* used("/1")
      yield* first.call.allowResponse
      yield* hears(first.client, /\/1$/)
      const second = yield* used("/2")
      assert.isFalse(first.client.socket.closed)
      const third = yield* used("/3")
      yield* heardBy(first.client).pipe(Effect.catchDefect(() => Effect.void))
      const fourth = new RawClient(server.baseUrl)
      assert.strictEqual(yield* heardBy(fourth).pipe(Effect.catchDefect(() => Effect.succeed(""))), "")
      for (const { client, call } of [second, third]) {
        yield* call.allowResponse
        yield* hears(client, /\/[23]$/)
      }
    })
  )

  it.effect(
    "that are idle or send the rest of an answered body make room; one whose next request is coming does not, unless all are",
    () =>
      Effect.gen(function* () {
        const server = yield* startListeningServer({ connections: 3 })
        const half = yield* connectAnsweredClient(server, toGetRequest("/half"))
        const idle = yield* connectAnsweredClient(server, toGetRequest("/idle"))
        const late = yield* connectAnsweredClient(server, EARLY_REQUEST)
        yield* sendAndAwaitRead(half, "GET /ha")
        yield* sendAndAwaitRead(late, "late!")
        for (const gone of [idle, late]) {
          const newcomer = yield* connectAnsweredClient(server, toGetRequest("/new"))
          yield* sendAndAwaitRead(newcomer, "GET /ha")
          yield* closed(gone)
        }
        assert.isFalse(half.socket.closed)
        yield* connectAnsweredClient(server, toGetRequest("/new"))
        yield* closed(half)
      })
  )
})

describe("empty lines", () => {
  const drip = (client: RawClient) => {
    const timer = setInterval(() => client.send("\r\n"), 100)
    client.socket.on("close", () => clearInterval(timer))
    return client
  }

  it.effect("keep no connection: neither after an answer nor before the first request", () =>
    Effect.gen(function* () {
      const timeouts = { ...DEFAULT_TIMEOUTS, headerSeconds: 1, keepAliveSeconds: 2 }
      const server = yield* startListeningServer({ timeouts })
      const kept = drip(yield* connectAnsweredClient(server, toGetRequest("/once")))
      const fresh = drip(new RawClient(server.baseUrl))
      const half = (yield* connectAnsweredClient(server, toGetRequest("/half"))).send("\r\nGET /half HT")
      yield* closed(kept)
      yield* closed(fresh)
      // It has its own clock, that of headers, and an answer.
      assert.strictEqual(assertRejection(parseResponses(yield* heardBy(half)).at(-1)).error_code, 400)
    })
  )
})

describe("a client that takes nothing of a long answer", () => {
  it.effect("is cut, and its call ended, whatever it sends; one that reads slowly gets all of it", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ timeouts: { ...DEFAULT_TIMEOUTS, stalledSeconds: 3 } })
      const stalled = new RawClient(server.baseUrl).send(toGetRequest("/large"))
      stalled.socket.pause()
      const drip = setInterval(() => stalled.send("\r\n"), 100)
      stalled.socket.on("close", () => clearInterval(drip))
      const call = yield* server.takeCall
      yield* call.allowResponse
      const slow = new RawClient(server.baseUrl).send(toGetRequest("/large"))
      let bytes = 0
      const pace = setInterval(() => slow.socket.resume(), 10)
      slow.socket.on("data", (text: string) => {
        bytes += text.length
        slow.socket.pause()
      })
      yield* (yield* server.takeCall).allowResponse
      yield* call.awaitInterruption
      assert.isFalse(slow.socket.closed)
      assert.isBelow(bytes, LARGE_BYTES)
      clearInterval(pace)
      slow.socket.removeAllListeners("data").on("data", (text: string) => {
        bytes += text.length
        if (bytes >= LARGE_BYTES) slow.socket.end()
      })
      slow.socket.resume()
      yield* closed(slow)
      assert.isAtLeast(bytes, LARGE_BYTES)
    })
  )
})
