import { setImmediate } from "node:timers/promises"
import { Deferred, Effect, Exit, Queue, Scope, Stream } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { failureEnvelope } from "../../../../src/contract/envelope.ts"
import { Service } from "../../../../src/service/service.ts"
import type { HttpApp } from "../../../../src/transports/http/api-http.ts"
import { READY_PATH } from "../../../../src/transports/http/paths.ts"
import { type ListenOptions, listen } from "../../../../src/transports/http-server/listen.ts"
import { RawClient } from "./raw-client.ts"

// A server over an application that answers when the test says so.

export interface HeldCall {
  readonly path: string
  readonly body: string
  readonly allowResponse: Effect.Effect<void>
  readonly awaitInterruption: Effect.Effect<void>
}

const fakeService = Service.of({
  call: () => Effect.die(new Error("called")),
  respondWithError: (error) =>
    Effect.succeed({ envelope: failureEnvelope("RT20200101000000AAAAAAAA", error), headers: {} }),
  findCaller: () => Effect.succeed({ operatorId: 1, scope: "writable" as const }),
  rejectIfStillOverloaded: () => undefined
})

/** More than the kernel keeps for a client that does not read. */
export const LARGE_BYTES = 48 * 1024 * 1024
/** Paths that are answered as pages are. */
const PAGES: ReadonlySet<string> = new Set(["/large", "/page", `${READY_PATH}?from=lb`])
const BODY_BYTES = 1024
const toDefect = ({ _tag }: { readonly _tag: string }) => new Error(_tag)
const CHUNK = new Uint8Array(64 * 1024)

/** Listens; each call waits in `calls` until its answer is allowed. `stop` ends the server as its process would. */
export const startListeningServer = Effect.fnUntraced(function* (options: Partial<ListenOptions> = {}) {
  const calls = yield* Queue.unbounded<HeldCall>()
  /** Waits until the response is allowed, and returns what tells that the call was interrupted. */
  const hold = Effect.fnUntraced(function* (path: string, body: string) {
    const [responseAllowed, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    yield* Queue.offer(calls, {
      path,
      body,
      allowResponse: Effect.asVoid(Deferred.succeed(responseAllowed, undefined)),
      awaitInterruption: Deferred.await(interrupted)
    })
    yield* Effect.onInterrupt(Deferred.await(responseAllowed), () => Deferred.succeed(interrupted, undefined))
    return interrupted
  })
  const app: HttpApp = {
    answerApi: (request) =>
      PAGES.has(request.url)
        ? undefined
        : Effect.gen(function* () {
            // Some answers do not wait for the body.
            const body =
              request.url === "/early"
                ? new Uint8Array()
                : yield* Effect.mapError(request.receiveBody(BODY_BYTES), toDefect)
            yield* hold(request.url, new TextDecoder().decode(body))
            return { status: 200, headers: { "content-type": "text/plain" }, body: request.url }
          }).pipe(Effect.orDie),
    reject: () => Effect.die(new Error("no request of these tests is refused by the server")),
    pages: Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const interrupted = yield* hold(request.url, yield* Effect.orDie(request.text))
      if (request.url !== "/large") return HttpServerResponse.text(request.url)
      const large = Stream.range(1, LARGE_BYTES / CHUNK.length).pipe(
        Stream.map(() => CHUNK),
        Stream.ensuring(Deferred.succeed(interrupted, undefined))
      )
      return HttpServerResponse.stream(large, { contentLength: LARGE_BYTES })
    })
  }
  const scope = yield* Scope.make()
  const address = yield* listen(app, { port: 0, host: "127.0.0.1", drainSeconds: 0, silence: 0, ...options }).pipe(
    Effect.provideService(Service, fakeService),
    Scope.provide(scope)
  )
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  return {
    baseUrl: HttpServer.formatAddress(address),
    takeCall: Queue.take(calls),
    waitingCalls: Queue.size(calls),
    stop: Scope.close(scope, Exit.void)
  }
})

export const toGetRequest = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A request whose answer does not wait for the five bytes of its body. */
export const EARLY_REQUEST = "POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"

/** A client whose first request is answered, so that its connection is kept. */
export const connectAnsweredClient = Effect.fnUntraced(function* (
  server: Effect.Success<ReturnType<typeof startListeningServer>>,
  request: string
) {
  const client = new RawClient(server.baseUrl).send(request)
  const { allowResponse, path } = yield* server.takeCall
  yield* allowResponse
  yield* Effect.promise(() => client.awaitText(new RegExp(`${path}$`)))
  return client
})

/** Sends, and waits until the server, which is this process, has read it. */
export const sendAndAwaitRead = (client: RawClient, text: string) =>
  Effect.promise(async () => {
    await new Promise((resolve) => client.socket.write(text, resolve))
    for (let turn = 0; turn < 5; turn++) await setImmediate()
  })
