import { Context, Deferred, Effect, Latch, Layer, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import { ConcurrencyLimiter } from "../../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { readToken } from "../../../../src/admission/gate/credentials.ts"
import { failureEnvelope, type ServiceResponse, successEnvelope } from "../../../../src/contract/envelope.ts"
import { type ApiError, RateLimited, SubscriptionRequired, Unauthenticated } from "../../../../src/contract/errors.ts"
import { Id } from "../../../../src/contract/fields.ts"
import { defineFamily, type ToolMetadata } from "../../../../src/contract/operation.ts"
import { Service, type ServiceCall } from "../../../../src/service/service.ts"
import { listen } from "../../../../src/transports/http-server/listen.ts"
import { makeMcpHandler } from "../../../../src/transports/mcp/mcp-endpoint.ts"

// The tool endpoint on a real socket, over a Service small enough to see through: it echoes what it was called with.

const defineEntryOperation = defineFamily({ category: "finance", since: "3.4.0", openWorld: false })

const makeToolMetadata = (requiresConfirmation = false): ToolMetadata => ({
  requiresConfirmation,
  description: "Works with entries.",
  intentExamples: ["What did I earn in May?", "Show the cleaning costs"]
})

const Keyword = Schema.String.check(Schema.isMaxCodePoints(500, { expected: "at most 500 characters" }))
const Entry = Schema.Struct({ id: Id })

export const entryOperations = [
  defineEntryOperation("search_entries", {
    route: "GET /entries",
    summary: "List entries",
    payload: { keyword: Schema.optionalKey(Keyword), id: Schema.optionalKey(Id) },
    success: Schema.Struct({ entries: Schema.Array(Entry) }),
    exposure: makeToolMetadata()
  }),
  defineEntryOperation("create_entry", {
    route: "POST /entries",
    summary: "Record an entry",
    payload: { note: Schema.String },
    success: Entry,
    exposure: makeToolMetadata(true)
  }),
  defineEntryOperation("delete_entry", {
    route: "DELETE /entries/{id}",
    summary: "Delete an entry",
    payload: { id: Id },
    success: Schema.Struct({}),
    exposure: { ...makeToolMetadata(true), category: "messaging", openWorld: true }
  }),
  defineEntryOperation("send_picture", {
    route: "POST /pictures",
    body: "image",
    summary: "Send a picture",
    payload: { image: Schema.String },
    success: Schema.Struct({}),
    exposure: { ...makeToolMetadata(), destructive: true, idempotent: true }
  }),
  defineEntryOperation("wait_for_all", {
    route: "GET /all",
    summary: "Answers once everybody waits",
    payload: { mine: Schema.String },
    success: Schema.Struct({}),
    exposure: makeToolMetadata()
  }),
  defineEntryOperation("wait_for_ever", {
    route: "GET /ever",
    summary: "Never answers",
    payload: {},
    success: Schema.Struct({}),
    exposure: makeToolMetadata()
  }),
  defineEntryOperation("fill_answer", {
    route: "GET /filler",
    summary: "Answers with so many characters",
    payload: { characters: Id },
    success: Schema.Struct({}),
    exposure: makeToolMetadata()
  }),
  defineEntryOperation("rotate_secret", {
    route: "POST /secret",
    summary: "Private configuration",
    payload: {},
    success: Schema.Struct({}),
    exposure: { notATool: "private configuration" }
  })
]

export const PUBLIC_URL = "http://localhost:8080"
export const RATE_LIMIT_HEADERS = { "retry-after": "17", "x-ratelimit-scope": "user", "x-ratelimit-window": "1m" }
/** How many calls of `wait_for_all` it takes. */
export const WAIT_FOR_ALL_CALLS = 50

export class EchoEndpoint extends Context.Service<
  EchoEndpoint,
  {
    readonly url: URL
    /** Done when a call of `wait_for_ever` runs, and when it was interrupted. */
    readonly waitStarted: Deferred.Deferred<void>
    readonly waitInterrupted: Deferred.Deferred<void>
    /** The operations called so far, in order. */
    readonly calledOperations: ReadonlyArray<string>
  }
>()("test/adapters/mcp/Endpoint") {
  static readonly layer = Layer.effect(
    EchoEndpoint,
    Effect.gen(function* () {
      const waitStarted = yield* Deferred.make<void>()
      const waitInterrupted = yield* Deferred.make<void>()
      const calledOperations: Array<string> = []
      const service = makeEchoService(yield* Latch.make(), waitStarted, waitInterrupted, calledOperations)
      const app = yield* makeMcpHandler({ operations: entryOperations, publicUrl: PUBLIC_URL }).pipe(
        Effect.provideService(Service, service),
        Effect.provide(ConcurrencyLimiter.layerUnbounded)
      )
      const options = { port: 0, host: "127.0.0.1", drainSeconds: 0, silence: 0 }
      const address = yield* listen(
        {
          answerApi: app,
          reject: () => Effect.die(new Error("no request of these tests is refused by the server")),
          pages: Effect.succeed(HttpServerResponse.empty({ status: 404 }))
        },
        options
      ).pipe(Effect.provideService(Service, service))
      return {
        url: new URL("/mcp", NetAddress.formatUrlUnsafe(address)),
        waitStarted,
        waitInterrupted,
        calledOperations
      }
    })
  )
}

const ERRORS_BY_TOKEN: Readonly<Record<string, (operation: string) => ApiError | undefined>> = {
  alice: () => undefined,
  reader: (name) =>
    name === "create_entry" ? new Unauthenticated({ message: "Not authorized for this action" }) : undefined,
  lapsed: () => new SubscriptionRequired({ message: "Subscription expired" }),
  hasty: () => new RateLimited({ message: "Too Many Attempts.", headers: RATE_LIMIT_HEADERS })
}

const findKnownToken = (headers: ServiceCall["headers"]): string | undefined => {
  const token = readToken(headers)
  return token !== undefined && (token in ERRORS_BY_TOKEN || token.startsWith("guest-")) ? token : undefined
}

const findCallerOf = (token: string | undefined) =>
  token === undefined
    ? undefined
    : { operatorId: 1, scope: token === "reader" ? ("read-only" as const) : ("writable" as const) }

const toErrorResponse = (error: ApiError): ServiceResponse => ({
  envelope: failureEnvelope("RT20270507100000FAILED00", error),
  headers: error._tag === "RateLimited" ? error.headers : {}
})

const makeEchoService = (
  allArrived: Latch.Latch,
  waitStarted: Deferred.Deferred<void>,
  waitInterrupted: Deferred.Deferred<void>,
  calledOperations: Array<string>
) => {
  let arrivedCount = 0
  return Service.of({
    findCaller: (headers) => Effect.succeed(findCallerOf(findKnownToken(headers))),
    respondWithError: (error) => Effect.succeed(toErrorResponse(error)),
    rejectIfStillOverloaded: () => undefined,
    call: Effect.fnUntraced(function* (name, { transport, headers, params, receive }) {
      const token = findKnownToken(headers)
      const error = ERRORS_BY_TOKEN[token ?? ""]?.(name)
      if (error !== undefined) return toErrorResponse(error)
      const input = yield* Effect.orDie(Effect.flatMap(receive, ({ parse }) => parse))
      calledOperations.push(name)
      if (name === "fill_answer") {
        const filler = "x".repeat(Number(params["characters"]))
        return { envelope: successEnvelope("RT20270507100000ECHO0000", { filler }), headers: {} }
      }
      if (name === "wait_for_all" && ++arrivedCount === WAIT_FOR_ALL_CALLS) yield* allArrived.open
      if (name === "wait_for_all") yield* allArrived.await
      if (name === "wait_for_ever") {
        yield* Deferred.succeed(waitStarted, undefined)
        yield* Effect.onInterrupt(Effect.never, () => Deferred.succeed(waitInterrupted, undefined))
      }
      const echoedCall = {
        token: token ?? "",
        name,
        door: transport,
        params: JSON.stringify(params),
        input: JSON.stringify(input)
      }
      return { envelope: successEnvelope("RT20270507100000ECHO0000", echoedCall), headers: {} }
    })
  })
}
