import { Cause, Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerError } from "../../contract/errors.ts"
import { withRootSpan } from "../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../platform/telemetry/traceparent.ts"
import { serverErrorAttributes } from "../http/server-error-attributes.ts"
import { busyRetryAfterSeconds, logFailure } from "./failure-cause.ts"
import { PRIVATE_PAGE_HEADERS } from "./html-page.ts"

// What doors have in common whose address is the only credential: they can be looked at and nothing else, and what is told
// of it knows no address.

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

/** What is answered when it cannot be shown. */
interface FailureResponses {
  readonly toBusyResponse: (seconds: number) => Response
  readonly failedResponse: Response
}

/** With its span and its log line, neither of which knows the token. */
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
