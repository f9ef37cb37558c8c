import { Cause, Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerError } from "../../contract/errors.ts"
import { withRootSpan } from "../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../platform/telemetry/traceparent.ts"
import { serverErrorAttributes } from "../http/server-error-attributes.ts"
import { busyRetryAfterSeconds, logFailure } from "./failure-cause.ts"
import { PRIVATE_PAGE_HEADERS } from "./html-page.ts"

type Response = HttpServerResponse.HttpServerResponse

export const isReadMethod = ({ method }: HttpServerRequest): boolean => method === "GET" || method === "HEAD"

export const plainTextResponse = (text: string, status: number): Response =>
  HttpServerResponse.text(text, { status, headers: PRIVATE_PAGE_HEADERS })

export const methodNotAllowed = HttpServerResponse.setHeader(
  plainTextResponse("This address takes GET and HEAD.\n", 405),
  "allow",
  "GET, HEAD"
)

export const withRetryAfter = (response: Response, seconds: number): Response =>
  HttpServerResponse.setHeader(response, "retry-after", String(seconds))

interface FailureResponses {
  readonly toBusyResponse: (seconds: number) => Response
  readonly failedResponse: Response
}

/** The span and the log line never contain the URL, because it may be secret. */
export const traceAndLogResponse = Effect.fnUntraced(function* (
  { headers }: HttpServerRequest,
  name: string,
  respond: Effect.Effect<Response, ServerError>,
  { toBusyResponse, failedResponse }: FailureResponses
) {
  const startedAt = yield* Clock.currentTimeMillis
  const response = yield* respond.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(
            logFailure(cause),
            Option.match(busyRetryAfterSeconds(cause), { onNone: () => failedResponse, onSome: toBusyResponse })
          )
    ),
    (tracedResponse) =>
      withRootSpan(
        {
          name,
          kind: "server",
          attributes: () => ({}),
          parent: parseTraceparent(headers["traceparent"]),
          attributesAtEnd: serverErrorAttributes
        },
        tracedResponse
      )
  )
  const endedAt = yield* Clock.currentTimeMillis
  yield* Effect.logInfo(name).pipe(Effect.annotateLogs({ status: response.status, ms: endedAt - startedAt }))
  return response
})
