import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch } from "effect"
import {
  connectAnsweredClient,
  EARLY_REQUEST,
  sendAndAwaitRead,
  startListeningServer,
  toGetRequest
} from "../../support/transports/http-server/listening-server.ts"
import { parseResponses, RawClient } from "../../support/transports/http-server/raw-client.ts"

const heardBy = (client: RawClient) => Effect.promise(() => client.receivedUntilEnd)

/** The paths that were answered, and whether each answer said it was the last. */
const said = (heard: string) =>
  parseResponses(heard).map(({ body, headers }) => [body, headers.get("connection") === "close"] as const)

const used = (server: Effect.Success<ReturnType<typeof startListeningServer>>) =>
  connectAnsweredClient(server, toGetRequest("/used"))

const LONG = 60_000
/** That of a stop for which somebody waits. */
const SILENCE_OF_A_STOP_MS = 500

describe("a stop", () => {
  it.effect.each(["/slow", "/page"])(
    "answers %s, which is under way, says that it was the last, and then is over",
    (path) =>
      Effect.gen(function* () {
        const server = yield* startListeningServer()
        const client = new RawClient(server.baseUrl).send(toGetRequest(path))
        const call = yield* server.takeCall
        const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
        yield* call.allowResponse
        assert.deepStrictEqual(said(yield* heardBy(client)), [[path, true]])
        yield* Fiber.join(stopping)
      })
  )

  it.effect("closes what nobody uses at once: kept connections, and those over which nothing has come", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ shutdownSeconds: LONG })
      const kept = yield* used(server)
      const silent = new RawClient(server.baseUrl)
      yield* used(server)
      yield* server.stop
      assert.deepStrictEqual(said(yield* heardBy(kept)), [["/used", false]])
      assert.strictEqual(yield* heardBy(silent), "")
    })
  )

  it.effect("waits for the next request of a connection in use, and answers it", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ silence: LONG, shutdownSeconds: LONG })
      const client = yield* used(server)
      const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
      client.send(toGetRequest("/next"))
      yield* (yield* server.takeCall).allowResponse
      assert.deepStrictEqual(said(yield* heardBy(client)), [
        ["/used", false],
        ["/next", true]
      ])
      yield* Fiber.join(stopping)
    })
  )

  it.effect(
    "of a process that was replaced needs no drain, and leaves its clients longer to say what is on its way",
    () =>
      Effect.gen(function* () {
        const replaced = yield* Latch.make(true)
        const server = yield* startListeningServer({ replaced, silence: undefined, drainSeconds: LONG })
        const client = yield* used(server)
        yield* Effect.promise(() => sleep(SILENCE_OF_A_STOP_MS + 100))
        const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
        client.send(toGetRequest("/next"))
        yield* (yield* server.takeCall).allowResponse
        assert.deepStrictEqual(said(yield* heardBy(client)), [
          ["/used", false],
          ["/next", true]
        ])
        yield* Fiber.join(stopping)
      })
  )

  it.effect("does not wait for what begins no request: the rest of an answered body, and empty lines", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ shutdownSeconds: LONG })
      const late = yield* connectAnsweredClient(server, EARLY_REQUEST)
      yield* sendAndAwaitRead(late, "late!")
      const never = yield* connectAnsweredClient(server, EARLY_REQUEST)
      yield* sendAndAwaitRead(never, "la")
      const empty = yield* connectAnsweredClient(server, toGetRequest("/empty"))
      yield* sendAndAwaitRead(empty, "\r\n")
      yield* server.stop
      for (const client of [late, never, empty]) assert.lengthOf(said(yield* heardBy(client)), 1)
    })
  )

  it.effect("waits for the rest of a request's headers, but not longer than for a next request", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ silence: LONG, shutdownSeconds: LONG })
      const client = new RawClient(server.baseUrl)
      yield* sendAndAwaitRead(client, "GET /in-two HT")
      const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
      yield* sendAndAwaitRead(client, "TP/1.1\r\nHost: x\r\n\r\n")
      yield* (yield* server.takeCall).allowResponse
      assert.deepStrictEqual(said(yield* heardBy(client)), [["/in-two", true]])
      yield* Fiber.join(stopping)

      const impatient = yield* startListeningServer({ silence: 100, shutdownSeconds: LONG })
      const half = yield* connectAnsweredClient(impatient, toGetRequest("/used"))
      yield* sendAndAwaitRead(half, "GET /in-two HT")
      yield* impatient.stop
      assert.deepStrictEqual(said(yield* heardBy(half)), [["/used", false]])
    })
  )

  it.effect("answers all that was sent ahead in its order, and only the newest says that it was the last", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer()
      const client = new RawClient(server.baseUrl).send(
        `${toGetRequest("/1")}${toGetRequest("/2")}${toGetRequest("/3")}`
      )
      const [one, two, three] = [yield* server.takeCall, yield* server.takeCall, yield* server.takeCall]
      const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
      for (const call of [three, one, two]) yield* call.allowResponse
      assert.deepStrictEqual(said(yield* heardBy(client)), [
        ["/1", false],
        ["/2", false],
        ["/3", true]
      ])
      yield* Fiber.join(stopping)
    })
  )

  it.effect("does not run what comes after a last answer, and does not reset the connection either", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ silence: LONG, shutdownSeconds: LONG })
      const client = new RawClient(server.baseUrl).send(toGetRequest("/last"))
      const last = yield* server.takeCall
      const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
      yield* last.allowResponse
      client.send(toGetRequest("/after"))
      assert.deepStrictEqual(said(yield* heardBy(client)), [["/last", true]])
      yield* Fiber.join(stopping)
      const more = yield* Effect.forkChild(server.takeCall, { startImmediately: true })
      assert.isUndefined(more.pollUnsafe())
    })
  )

  it.effect("cuts what takes too long: a call that does not end, and an upload", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ shutdownSeconds: 0 })
      const call = new RawClient(server.baseUrl).send(toGetRequest("/slow"))
      const { awaitInterruption: interrupted } = yield* server.takeCall
      const upload = new RawClient(server.baseUrl).send("POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
      yield* used(server)
      yield* server.stop
      assert.strictEqual(yield* heardBy(call), "")
      assert.strictEqual(yield* heardBy(upload), "")
      yield* interrupted
    })
  )

  it.effect("ends what callers only wait for when the drain is over, and not before", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const onStop = Effect.asVoid(Deferred.succeed(ended, undefined))
      const server = yield* startListeningServer({ drainSeconds: 3, onStop })
      const before = new RawClient(server.baseUrl).send(toGetRequest("/before"))
      const first = yield* server.takeCall
      const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
      const during = new RawClient(server.baseUrl).send(toGetRequest("/during"))
      const second = yield* server.takeCall
      assert.isFalse(yield* Deferred.isDone(ended))
      yield* Deferred.await(ended)
      for (const call of [first, second]) yield* call.allowResponse
      assert.deepStrictEqual(said(yield* heardBy(before)), [["/before", true]])
      assert.deepStrictEqual(said(yield* heardBy(during)), [["/during", true]])
      yield* Fiber.join(stopping)
    })
  )

  it.effect("takes new connections for the drain, in which it is no longer ready", () =>
    Effect.gen(function* () {
      const server = yield* startListeningServer({ drainSeconds: 3 })
      const kept = yield* used(server)
      const stopping = yield* Effect.forkChild(server.stop, { startImmediately: true })
      const [ready] = parseResponses(
        yield* heardBy(new RawClient(server.baseUrl).send(toGetRequest("/health/ready?from=lb")))
      )
      assert.strictEqual(ready?.status, "HTTP/1.1 503 Service Unavailable")
      assert.strictEqual(ready?.headers.get("connection"), "close")
      const client = new RawClient(server.baseUrl).send(toGetRequest("/new"))
      yield* (yield* server.takeCall).allowResponse
      assert.deepStrictEqual(said(yield* heardBy(client)), [["/new", true]])
      kept.send(toGetRequest("/kept"))
      yield* (yield* server.takeCall).allowResponse
      assert.deepStrictEqual(said(yield* heardBy(kept)).at(-1), ["/kept", true])
      yield* Fiber.join(stopping)
      const refused = yield* Effect.promise(() =>
        fetch(server.baseUrl).then(
          () => "",
          () => "refused"
        )
      )
      assert.strictEqual(refused, "refused")
    })
  )
})
