import { ByteSize, Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { type HttpServerError, HttpServerResponse } from "effect/http"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import {
  ConnectorMessageReceiver,
  type ConnectorMessageResponse,
  parseSignatureHeaders,
  type SignatureHeaders,
  toRejectionResponse,
  unsignedResponse
} from "../../connectors/http/ConnectorMessageReceiver.ts"
import { makeThrottledWarning } from "../../connectors/http/throttled-warning.ts"
import { networkOf } from "../../contract/caller-address.ts"
import type { ServiceResponse as ServiceAnswer } from "../../contract/envelope.ts"
import type { ServerError } from "../../contract/errors.ts"
import { isStatementTimeout } from "../../platform/database/statement-timeout.ts"
import { BODY_BYTES, BUSY_RETRY_SECONDS, CONNECTOR_BODY_MS } from "../../platform/limits.ts"
import { withRootSpan } from "../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../platform/telemetry/traceparent.ts"
import { NO_STORE } from "../http/caching.ts"
import { pageCallerIpAddress } from "../http/caller-address.ts"
import { serverErrorAttributes } from "../http/server-error-attributes.ts"
import { ConnectorPermits } from "./connector-permits.ts"

export const CONNECTORS_PREFIX = "/connectors/"

type Response = HttpServerResponse.HttpServerResponse

/** Returns undefined if the path is unknown. */
type ConnectorHandler = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

export const ConnectorEndpoint = Context.Reference<ConnectorHandler>(
  "latchkey/transports/connectors/ConnectorEndpoint",
  {
    defaultValue: () => () => Effect.succeed(undefined)
  }
)

const PATH = /^\/connectors\/([1-9]\d{0,14})$/

const toResponse = ({ status, body, retryAfter }: ConnectorMessageResponse): Response =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: retryAfter === undefined ? NO_STORE : { ...NO_STORE, "retry-after": String(retryAfter) }
  })

export const toConnectorErrorResponse = ({ envelope }: ServiceAnswer): Response =>
  toResponse(toRejectionResponse(envelope.error_code, envelope.error_msg))

const methodNotAllowed = toRejectionResponse(405, "This address takes POST.")
const unsupportedMediaType = toRejectionResponse(415, "The body must be JSON: send Content-Type: application/json.")
const tooLarge = toRejectionResponse(413, `The body must not be larger than ${BODY_BYTES} bytes.`)
const tooSlow = toRejectionResponse(408, `The body must arrive within ${CONNECTOR_BODY_MS / 1000} seconds.`)
const unreadableBody = toRejectionResponse(400, "The body could not be read.")
const tooManyBodies = toRejectionResponse(503, "Too many messages arrive at once: send this message again.", 1)
const toBusyReply = (seconds: number) =>
  toRejectionResponse(503, "The service is busy: wait for Retry-After seconds.", seconds)
const internalError = toRejectionResponse(
  500,
  "Something went wrong on our side: send the same message again.",
  BUSY_RETRY_SECONDS
)

const checkHeaders = ({ headers }: HttpServerRequest): ConnectorMessageResponse | undefined => {
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return unsupportedMediaType
  return Number(headers["content-length"] ?? 0) > BODY_BYTES ? tooLarge : undefined
}

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

const readBody = (request: HttpServerRequest): Effect.Effect<Uint8Array, ConnectorMessageResponse> =>
  request.arrayBuffer.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(BODY_BYTES)),
    Effect.mapError((error) => (isTooLarge(error) ? tooLarge : unreadableBody)),
    // A slow sender rarely receives `tooSlow`, because an unread body ends the connection.
    Effect.timeoutOrElse({ duration: CONNECTOR_BODY_MS, orElse: () => Effect.fail(tooSlow) }),
    Effect.map((bytes) => new Uint8Array(bytes))
  )

interface MessageOutcome {
  readonly signer?: number
  readonly reply: ConnectorMessageResponse
}

interface ConnectorSettings {
  readonly trustProxy?: boolean | undefined
}

/** A message with invalid headers is rejected before its body is read. */
export const layerConnectorEndpoint = ({ trustProxy = false }: ConnectorSettings = {}) =>
  Layer.effect(
    ConnectorEndpoint,
    Effect.gen(function* () {
      const messages = yield* ConnectorMessageReceiver
      const permits = new ConnectorPermits(tooManyBodies)
      const warn = makeThrottledWarning("the connector endpoint refused a message")

      const receiveSigned = (request: HttpServerRequest, id: number, signature: SignatureHeaders) =>
        Effect.gen(function* () {
          const body = yield* readBody(request)
          const signer = yield* messages.findSigner(id, signature, body)
          return signer === undefined ? yield* Effect.fail(unsignedResponse) : { signer, body }
        })

      const handleMessage = Effect.fnUntraced(function* (
        request: HttpServerRequest,
        id: number
      ): Effect.fn.Return<MessageOutcome, ServerError> {
        if (request.method !== "POST") return { reply: methodNotAllowed }
        const signature = parseSignatureHeaders(request.headers, yield* Clock.currentTimeMillis)
        const headerError = signature === undefined ? unsignedResponse : checkHeaders(request)
        if (signature === undefined || headerError !== undefined) return { reply: headerError ?? unsignedResponse }
        if (!(yield* messages.connectorExists(id))) return { reply: unsignedResponse }
        const source = { connectorId: id, network: networkOf(pageCallerIpAddress(request, trustProxy) ?? "") }
        const received = yield* Effect.result(permits.within(source, receiveSigned(request, id, signature)))
        if (received._tag === "Failure") return { reply: received.failure }
        const { signer, body } = received.success
        return { signer, reply: yield* messages.receive(signer, signature, body) }
      })

      /**
       * Logs each signed message unless it is rate-limited. Anyone may send other messages, so these are logged at most
       * once a minute.
       */
      const logOutcome = (id: number, { signer, reply: { status, body } }: MessageOutcome, ms: number) => {
        const annotations = { status, ...(status === 200 ? {} : { reason: body["reason"] }) }
        if (signer === undefined) return warn(String(status), { ...annotations, named: id })
        return status === 429
          ? warn(`429 of ${signer}`, { ...annotations, connector_id: signer })
          : Effect.annotateLogs(Effect.logInfo("connector message"), { ...annotations, connector_id: signer, ms })
      }

      const handleAndLog = Effect.fnUntraced(function* (request: HttpServerRequest, id: number) {
        const startedAt = yield* Clock.currentTimeMillis
        const outcome = yield* Effect.catchCause(handleMessage(request, id), toFailureOutcome)
        yield* logOutcome(id, outcome, (yield* Clock.currentTimeMillis) - startedAt)
        return toResponse(outcome.reply)
      })

      return (request) => {
        const [, digits] = PATH.exec(request.url.split("?", 1)[0] ?? "") ?? []
        return digits === undefined
          ? Effect.succeed(undefined)
          : withRootSpan(
              {
                name: "connector message",
                kind: "server",
                attributes: () => ({}),
                parent: parseTraceparent(request.headers["traceparent"]),
                attributesAtEnd: serverErrorAttributes
              },
              handleAndLog(request, Number(digits))
            )
      }
    })
  )

const toFailureOutcome = (cause: Cause.Cause<ServerError>): Effect.Effect<MessageOutcome> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed({ reply: toBusyReply(error.value.retryAfter ?? BUSY_RETRY_SECONDS) })
  return isStatementTimeout(cause)
    ? Effect.as(Effect.logWarning("a statement took too long", cause), { reply: toBusyReply(BUSY_RETRY_SECONDS) })
    : Effect.as(Effect.logError("defect", cause), { reply: internalError })
}
