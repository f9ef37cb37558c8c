import { Cause, Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerError } from "../../contract/errors.ts"
import { asRoot } from "../../platform/telemetry/spans.ts"
import { spanNamed } from "../../platform/telemetry/traceparent.ts"
import { statusTold } from "../http/status-told.ts"
import { PRIVATE_HEADERS } from "./document.ts"
import { busySeconds, logFailure } from "./failure.ts"

// What doors have in common whose address is the only credential: they can be looked at and nothing else, and what is told
// of it knows no address.

type Response = HttpServerResponse.HttpServerResponse

export const isLooking = ({ method }: HttpServerRequest): boolean => method === "GET" || method === "HEAD"

export const plainText = (text: string, status: number): Response =>
  HttpServerResponse.text(text, { status, headers: PRIVATE_HEADERS })

export const onlyLooking = HttpServerResponse.setHeader(
  plainText("This address takes GET and HEAD.\n", 405),
  "allow",
  "GET, HEAD"
)

export const retryAfter = (response: Response, seconds: number): Response =>
  HttpServerResponse.setHeader(response, "retry-after", String(seconds))

/** What is answered when it cannot be shown. */
interface Failing {
  readonly busy: (seconds: number) => Response
  readonly failed: Response
}

/** With its span and its log line, neither of which knows the token. */
export const recorded = Effect.fnUntraced(function* (
  { headers }: HttpServerRequest,
  name: string,
  answer: Effect.Effect<Response, ServerError>,
  { busy, failed }: Failing
) {
  const startedAt = yield* Clock.currentTimeMillis
  const response = yield* answer.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(logFailure(cause), Option.match(busySeconds(cause), { onNone: () => failed, onSome: busy }))
    ),
    (shown) =>
      asRoot(
        {
          name,
          kind: "server",
          attributes: () => ({}),
          parent: spanNamed(headers["traceparent"]),
          told: statusTold
        },
        shown
      )
  )
  const endedAt = yield* Clock.currentTimeMillis
  yield* Effect.logInfo(name).pipe(Effect.annotateLogs({ status: response.status, ms: endedAt - startedAt }))
  return response
})
