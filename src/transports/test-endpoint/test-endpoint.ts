import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { makeDecoder } from "../../contract/decoder.ts"
import { failureEnvelope, newRequestId, successEnvelope } from "../../contract/envelope.ts"
import { type ApiError, BadRequest, NotFound, ServerError } from "../../contract/errors.ts"
import { SteeredWork } from "../../jobs/SteeredWork.ts"
import { requestPath } from "../http/paths.ts"
import { Advance, parseAdvance } from "./advance-duration.ts"

/** Routes that only a server for tests has. They need no token, and respond with the envelope. */
export const TEST_PREFIX = "/test/"

type Response = HttpServerResponse.HttpServerResponse

/** Returns undefined if the path is unknown. */
type TestHandler = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

export const TestEndpoint = Context.Reference<TestHandler>("latchkey/transports/test-endpoint/TestEndpoint", {
  defaultValue: () => () => Effect.succeed(undefined)
})

type Action = (input: unknown) => Effect.Effect<Schema.Json, ApiError>

const decodeAdvance = makeDecoder(Schema.Struct({ advance: Advance }))

const makeAdvanceClock =
  ({ advance }: SteeredWork["Service"]): Action =>
  (input) =>
    Effect.gen(function* () {
      const request = yield* decodeAdvance(input)
      const now = yield* Effect.mapError(
        advance(parseAdvance(request.advance) ?? 0),
        ({ message }) => new ServerError({ message })
      )
      return { now: new Date(now).toISOString() }
    })

const readJson = (request: HttpServerRequest): Effect.Effect<unknown, BadRequest> =>
  Effect.mapError(request.json, () => new BadRequest({ message: "The body must be JSON." }))

const notFoundError = new NotFound({ message: "The test server has no such route." })

const toResponse = Effect.fnUntraced(function* (result: Effect.Effect<Schema.Json, ApiError>) {
  const requestId = newRequestId((yield* DateTime.nowAsDate).getTime())
  const envelope = yield* Effect.match(result, {
    onSuccess: (data) => successEnvelope(requestId, data),
    onFailure: (error) => failureEnvelope(requestId, error)
  })
  return HttpServerResponse.jsonUnsafe(envelope, { headers: { "cache-control": "no-store" } })
})

export const layerTestEndpoint = Layer.effect(
  TestEndpoint,
  Effect.gen(function* () {
    const actions: ReadonlyMap<string, Action> = new Map([["POST clock", makeAdvanceClock(yield* SteeredWork)]])
    return (request) => {
      const action = actions.get(`${request.method} ${requestPath(request).slice(TEST_PREFIX.length)}`)
      return toResponse(action === undefined ? notFoundError : Effect.flatMap(readJson(request), action))
    }
  })
)
