import { ByteSize, Cause, Context, DateTime, Effect, Layer, type Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import { failureEnvelope, newRequestId, successEnvelope } from "../../contract/envelope.ts"
import { type ApiError, BadRequest, NotFound, ServerError } from "../../contract/errors.ts"
import { BODY_BYTES } from "../../platform/limits.ts"
import { requestPath } from "../http/paths.ts"
import { parseJsonFields } from "../http/request-body.ts"
import { WebhookReceiver } from "./WebhookReceiver.ts"

/** Routes that only a test server has. They need no token, and respond with the envelope. */
export const TEST_PREFIX = "/test/"

type Response = HttpServerResponse.HttpServerResponse

/** Returns undefined if there are no such routes. */
type TestHandler = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

export const TestEndpoint = Context.Reference<TestHandler>("latchkey/transports/test-endpoint/TestEndpoint", {
  defaultValue: () => () => Effect.succeed(undefined)
})

/** Gets the fields of the body. Its result is the `data` of the envelope. */
export type TestAction = (input: unknown) => Effect.Effect<Schema.Json, ApiError>

/** The actions by method and path below {@link TEST_PREFIX}, such as `POST clock`. */
export class TestActions extends Context.Service<TestActions, ReadonlyMap<string, TestAction>>()(
  "latchkey/transports/test-endpoint/TestActions"
) {}

const RECEIVE = "POST receiver"

const readBody = (request: HttpServerRequest): Effect.Effect<string, BadRequest> =>
  request.text.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(BODY_BYTES)),
    Effect.mapError(() => new BadRequest({ message: `The body must be text, not larger than ${BODY_BYTES} bytes.` }))
  )

const makeRouteNotFound = (path: string) =>
  new NotFound({ message: `The test server has no ${path}: see "Test your integration" in the documentation.` })

const hasDefect = (cause: Cause.Cause<ApiError>): boolean => Cause.hasDies(cause)

const reportDefect = (cause: Cause.Cause<ApiError>) =>
  Effect.andThen(
    Effect.logError("a route of the test server failed with a defect", cause),
    new ServerError({ message: "The test server could not do this. Its log has the reason." })
  )

const toResponse = Effect.fnUntraced(function* (result: Effect.Effect<Schema.Json, ApiError>) {
  const requestId = newRequestId((yield* DateTime.nowAsDate).getTime())
  const envelope = yield* Effect.match(Effect.catchCauseIf(result, hasDefect, reportDefect), {
    onSuccess: (data) => successEnvelope(requestId, data),
    onFailure: (error) => failureEnvelope(requestId, error)
  })
  return HttpServerResponse.jsonUnsafe(envelope, { headers: { "cache-control": "no-store" } })
})

export const layerTestEndpoint = Layer.effect(
  TestEndpoint,
  Effect.gen(function* () {
    const [actions, { receive }] = [yield* TestActions, yield* WebhookReceiver]
    return (request) => {
      const path = requestPath(request)
      const route = `${request.method} ${path.slice(TEST_PREFIX.length)}`
      if (route === RECEIVE)
        return readBody(request).pipe(
          Effect.flatMap((body) => receive(request, body)),
          // Not an envelope: with status 200 the delivery would count as successful.
          Effect.catch(({ message }) => Effect.succeed(HttpServerResponse.text(`${message}\n`, { status: 400 })))
        )
      const action = actions.get(route)
      if (action === undefined) return toResponse(Effect.fail(makeRouteNotFound(`${request.method} ${path}`)))
      return toResponse(
        readBody(request).pipe(
          Effect.flatMap((body) => Effect.fromResult(parseJsonFields(body))),
          Effect.flatMap(action)
        )
      )
    }
  })
)
