import { createHash } from "node:crypto"
import { Clock, Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import { type Bucket, windowOf } from "../../admission/windows/rate-window.ts"
import { makeDecoder } from "../../contract/decoder.ts"
import type { ServerError } from "../../contract/errors.ts"
import { hasAtMostCharacters, Id } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json-text.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import { hasValidSignature, isFreshTimestamp } from "../../domain/webhooks/deliveries/signature.ts"
import { CONNECTOR_MESSAGE_ID_LENGTH, CONNECTOR_MESSAGES_A_MINUTE } from "../../platform/limits.ts"
import { Ingest, type IngestResult } from "../ingest/Ingest.ts"
import { ConnectorCache } from "./ConnectorCache.ts"
import { type ConnectorMessageOutcome, makeLoadMessageContext, makeRecordMessageOutcome } from "./message-log.ts"

export interface SignatureHeaders {
  readonly id: string
  readonly timestamp: number
  readonly signatures: string
}

export interface ConnectorMessageResponse {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
  readonly retryAfter?: number
}

export const toRejectionResponse = (status: number, reason: string, retryAfter?: number): ConnectorMessageResponse => ({
  status,
  body: { reason },
  ...(retryAfter === undefined ? {} : { retryAfter })
})

export const unsignedResponse = toRejectionResponse(
  401,
  "The message must be signed by a registered connector, within the last five minutes."
)

const TIMESTAMP_PATTERN = /^\d{1,12}$/

/** `now` is in milliseconds. */
export const parseSignatureHeaders = (
  headers: Readonly<Record<string, string | undefined>>,
  now: number
): SignatureHeaders | undefined => {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers
  if (id === undefined || signatures === undefined || time === undefined || !TIMESTAMP_PATTERN.test(time))
    return undefined
  const timestamp = Number(time)
  return isFreshTimestamp(timestamp, now) ? { id, timestamp, signatures } : undefined
}

const MINUTE_WINDOW = windowOf("1m")

const toRateBucket = (connectorId: number): Bucket => ({
  key: `{connector:${connectorId}}`,
  scope: "connector",
  window: MINUTE_WINDOW,
  max: CONNECTOR_MESSAGES_A_MINUTE
})

const decodeMessage = makeDecoder(
  Schema.Struct({
    account: Schema.Struct({ channel_account_id: Id }),
    said: Schema.Record(Schema.String, Schema.Unknown)
  })
)

const parseBody = (body: Uint8Array) =>
  Effect.fromResult(Result.flatMap(decodeUtf8(body), parseJson)).pipe(
    Effect.mapError((problem) => toRejectionResponse(400, `The body ${problem}.`)),
    Effect.flatMap((value) =>
      Effect.mapError(decodeMessage(value), ({ _tag, message }) =>
        toRejectionResponse(_tag === "BadRequest" ? 400 : 422, message)
      )
    )
  )

const toMessageOutcome = (result: IngestResult): ConnectorMessageOutcome => ({
  outcome: result.outcome,
  reason: result.outcome === "refused" ? result.reason : null
})

const toResponse = ({ outcome, reason }: ConnectorMessageOutcome): ConnectorMessageResponse =>
  outcome === "refused" ? { status: 422, body: { outcome, reason: reason ?? "" } } : { status: 200, body: { outcome } }

const idTooLongResponse = toRejectionResponse(
  422,
  `webhook-id: must be at most ${CONNECTOR_MESSAGE_ID_LENGTH} characters.`
)
const replayedResponse = toRejectionResponse(
  409,
  "webhook-timestamp: this message was already received; sign it again before you resend it."
)
const idReusedResponse = toRejectionResponse(
  409,
  "webhook-id: was used for another message; use a new id for each message."
)
const unknownAccountResponse = toRejectionResponse(
  403,
  "account.channel_account_id: must be an account of this connector."
)
const toRateLimitedResponse = (seconds: number) =>
  toRejectionResponse(429, `More than ${CONNECTOR_MESSAGES_A_MINUTE} messages a minute.`, seconds)

export class ConnectorMessageReceiver extends Context.Service<
  ConnectorMessageReceiver,
  {
    readonly connectorExists: (connectorId: number) => Effect.Effect<boolean>
    /** Returns undefined if the connector did not sign the message. */
    readonly findSigner: (
      connectorId: number,
      headers: SignatureHeaders,
      body: Uint8Array
    ) => Effect.Effect<number | undefined>
    /**
     * Ingests a new message and stores its outcome. A repeated message gets the stored outcome if it was signed again,
     * otherwise 409.
     *
     * A message whose outcome was not stored, because of a crash, is ingested again. This is safe, because ingest
     * ignores applied versions.
     */
    readonly receive: (
      connectorId: number,
      headers: SignatureHeaders,
      body: Uint8Array
    ) => Effect.Effect<ConnectorMessageResponse, ServerError>
  }
>()("latchkey/connectors/http/ConnectorMessageReceiver") {
  static readonly layer = Layer.effect(
    ConnectorMessageReceiver,
    Effect.gen(function* () {
      const [sql, connectorCache, windows] = [yield* SqlClient.SqlClient, yield* ConnectorCache, yield* RateWindows]
      const [limiter, ingest] = [yield* ConcurrencyLimiter, yield* Ingest]
      const [loadContext, recordOutcome] = [makeLoadMessageContext(sql), makeRecordMessageOutcome(sql)]

      const handleMessage = Effect.fnUntraced(function* (
        connectorId: number,
        { id: messageId, timestamp: signedAt }: SignatureHeaders,
        body: Uint8Array
      ) {
        if (!hasAtMostCharacters(messageId, CONNECTOR_MESSAGE_ID_LENGTH)) return idTooLongResponse
        const { account, said } = yield* parseBody(body)
        const accountId = account.channel_account_id
        const message = { connectorId, messageId, signedAt, digest: createHash("sha256").update(body).digest() }
        const { operator_id: operatorId, channel_type: channelType, before } = yield* loadContext(message, accountId)
        if (before?.same === false) return idReusedResponse
        if (before?.anew === false) return replayedResponse
        if (operatorId === null || channelType === null) return unknownAccountResponse
        const ingestion = ingest.ingest({ operatorId, accountId, channelType }, said)
        const outcome = before ?? toMessageOutcome(yield* limiter.withPermit(operatorId, ingestion, body.length))
        yield* recordOutcome(message, outcome, yield* DateTime.nowAsDate)
        return toResponse(outcome)
      })

      return ConnectorMessageReceiver.of({
        connectorExists: connectorCache.has,
        findSigner: Effect.fnUntraced(function* (connectorId, { id, timestamp, signatures }, body) {
          const connector = yield* connectorCache.find(connectorId)
          const now = yield* Clock.currentTimeMillis
          const message = { id, timestamp, body }
          const isOwn =
            connector?.secrets.some((secret) => hasValidSignature(message, signatures, secret, now)) === true
          return isOwn ? connector.id : undefined
        }),
        receive: Effect.fnUntraced(function* (connectorId, headers, body) {
          const admission = yield* windows.admit([toRateBucket(connectorId)], [])
          if (admission._tag === "Refused") return toRateLimitedResponse(admission.retryAfterSeconds)
          return yield* Effect.catchIf(handleMessage(connectorId, headers, body), isResponse, Effect.succeed)
        })
      })
    })
  ).pipe(Layer.provide(ConnectorCache.layer))
}

const isResponse = (error: ConnectorMessageResponse | ServerError): error is ConnectorMessageResponse =>
  "status" in error
