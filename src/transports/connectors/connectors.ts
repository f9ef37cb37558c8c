import { ByteSize, Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { type HttpServerError, HttpServerResponse } from "effect/http"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type Answer, Hearing, notSigned, type Signed, signedIn, unheard } from "../../connectors/http/Hearing.ts"
import { makeSparing } from "../../connectors/http/sparing.ts"
import { networkOf } from "../../contract/caller-address.ts"
import type { Answer as ServiceAnswer } from "../../contract/envelope.ts"
import type { ServerError } from "../../contract/errors.ts"
import { tookTooLong } from "../../platform/database/took-too-long.ts"
import { BODY_BYTES, BUSY_RETRY_SECONDS, CONNECTOR_BODY_MS } from "../../platform/limits.ts"
import { asRoot } from "../../platform/telemetry/spans.ts"
import { spanNamed } from "../../platform/telemetry/traceparent.ts"
import { callerAddress } from "../http/caller-address.ts"
import { NO_STORE } from "../http/no-store.ts"
import { statusTold } from "../http/status-told.ts"
import { ConnectorPermits } from "./connector-permits.ts"

/** Below which path connectors speak, each at its id. */
export const CONNECTORS_PREFIX = "/connectors/"

type Response = HttpServerResponse.HttpServerResponse

/** What is below {@link CONNECTORS_PREFIX}; undefined: nothing, as at any path that nobody knows. */
export type ConnectorsDoor = (request: HttpServerRequest) => Effect.Effect<Response | undefined>

/** The door of connectors, where the process has one. */
export const ConnectorDoor = Context.Reference<ConnectorsDoor>("latchkey/adapters/ConnectorDoor", {
  defaultValue: () => () => Effect.succeed(undefined)
})

const PATH = /^\/connectors\/([1-9]\d{0,14})$/

const toResponse = ({ status, body, retryAfter }: Answer): Response =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: retryAfter === undefined ? NO_STORE : { ...NO_STORE, "retry-after": String(retryAfter) }
  })

/** What the door answers that may not be opened as it was asked for, and where nothing is. */
export const connectorRefusal = ({ envelope }: ServiceAnswer): Response =>
  toResponse(unheard(envelope.error_code, envelope.error_msg))

const onlyPost = unheard(405, "This address takes POST.")
const notJson = unheard(415, "The body must be JSON: send Content-Type: application/json.")
const tooLarge = unheard(413, `The body must not be larger than ${BODY_BYTES} bytes.`)
const tooSlow = unheard(408, `The body must arrive within ${CONNECTOR_BODY_MS / 1000} seconds.`)
const unread = unheard(400, "The body could not be read.")
const tooMany = unheard(503, "Too many messages arrive at once: send this message again.", 1)
const busy = (seconds: number) => unheard(503, "The service is busy: wait for Retry-After seconds.", seconds)
const failed = unheard(500, "Something went wrong on our side: send the same message again.", BUSY_RETRY_SECONDS)

/** Why the body of a message is not even read. */
const refusalOf = ({ headers }: HttpServerRequest): Answer | undefined => {
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return notJson
  return Number(headers["content-length"] ?? 0) > BODY_BYTES ? tooLarge : undefined
}

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

/** The bytes of a message, or why there are none. */
const bodyOf = (request: HttpServerRequest): Effect.Effect<Uint8Array, Answer> =>
  request.arrayBuffer.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(BODY_BYTES)),
    Effect.mapError((error) => (isTooLarge(error) ? tooLarge : unread)),
    // Whoever is too slow mostly does not hear so: to stop reading ends the connection.
    Effect.timeoutOrElse({ duration: CONNECTOR_BODY_MS, orElse: () => Effect.fail(tooSlow) }),
    Effect.map((bytes) => new Uint8Array(bytes))
  )

/** What came of a request: who is known to have sent it, and the answer. */
interface Outcome {
  readonly signer?: number
  readonly answer: Answer
}

/** Settings of the connector endpoint. */
interface ConnectorSettings {
  /** Whether to trust `X-Forwarded-For`, because a proxy in front sets it. */
  readonly trustProxy?: boolean | undefined
}

/** Serves the endpoint of connectors. An unsigned message costs only its headers, or a body of limited size and time. */
export const layerConnectorDoor = ({ trustProxy = false }: ConnectorSettings = {}) =>
  Layer.effect(
    ConnectorDoor,
    Effect.gen(function* () {
      const hearing = yield* Hearing
      const permits = new ConnectorPermits(tooMany)
      const warn = makeSparing("the connector endpoint refused a message")

      /** Receives a body and returns it with the connector that signed it. Fails if no connector did, and drops the body. */
      const receiveSigned = (request: HttpServerRequest, id: number, signed: Signed) =>
        Effect.gen(function* () {
          const body = yield* bodyOf(request)
          const signer = yield* hearing.signer(id, signed, body)
          return signer === undefined ? yield* Effect.fail(notSigned) : { signer, body }
        })

      const answered = Effect.fnUntraced(function* (
        request: HttpServerRequest,
        id: number
      ): Effect.fn.Return<Outcome, ServerError> {
        if (request.method !== "POST") return { answer: onlyPost }
        const signed = signedIn(request.headers, yield* Clock.currentTimeMillis)
        const refusal = signed === undefined ? notSigned : refusalOf(request)
        if (signed === undefined || refusal !== undefined) return { answer: refusal ?? notSigned }
        if (!(yield* hearing.isKnown(id))) return { answer: notSigned }
        const source = { connectorId: id, network: networkOf(callerAddress(request, trustProxy) ?? "") }
        const received = yield* Effect.result(permits.within(source, receiveSigned(request, id, signed)))
        if (received._tag === "Failure") return { answer: received.failure }
        const { signer, body } = received.success
        return { signer, answer: yield* hearing.hear(signer, signed, body) }
      })

      /** Logs each signed message within its rate limit. Logs other messages, which anybody may send, once a minute. */
      const logged = (id: number, { signer, answer: { status, body } }: Outcome, ms: number) => {
        const about = { status, ...(status === 200 ? {} : { reason: body["reason"] }) }
        if (signer === undefined) return warn(String(status), { ...about, named: id })
        return status === 429
          ? warn(`429 of ${signer}`, { ...about, connector_id: signer })
          : Effect.annotateLogs(Effect.logInfo("connector message"), { ...about, connector_id: signer, ms })
      }

      const recorded = Effect.fnUntraced(function* (request: HttpServerRequest, id: number) {
        const startedAt = yield* Clock.currentTimeMillis
        const outcome = yield* Effect.catchCause(answered(request, id), insteadOf)
        yield* logged(id, outcome, (yield* Clock.currentTimeMillis) - startedAt)
        return toResponse(outcome.answer)
      })

      return (request) => {
        const [, digits] = PATH.exec(request.url.split("?", 1)[0] ?? "") ?? []
        return digits === undefined
          ? Effect.succeed(undefined)
          : asRoot(
              {
                name: "connector message",
                kind: "server",
                attributes: () => ({}),
                parent: spanNamed(request.headers["traceparent"]),
                told: statusTold
              },
              recorded(request, Number(digits))
            )
      }
    })
  )

/** Returns the response to a message that failed for a reason of ours. */
const insteadOf = (cause: Cause.Cause<ServerError>): Effect.Effect<Outcome> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed({ answer: busy(error.value.retryAfter ?? BUSY_RETRY_SECONDS) })
  return tookTooLong(cause)
    ? Effect.as(Effect.logWarning("a statement took too long", cause), { answer: busy(BUSY_RETRY_SECONDS) })
    : Effect.as(Effect.logError("defect", cause), { answer: failed })
}
