import { createHash } from "node:crypto"
import { Clock, Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Places } from "../../admission/concurrency/Places.ts"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import { type Bucket, windowOf } from "../../admission/windows/window.ts"
import { decoderOf } from "../../contract/decode.ts"
import type { ServerError } from "../../contract/errors.ts"
import { Id, isUpTo } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json-text.ts"
import { textOf } from "../../contract/utf8.ts"
import { isFresh, isSigned } from "../../domain/webhooks/deliveries/signature.ts"
import { CONNECTOR_MESSAGE_ID, CONNECTOR_MESSAGES_A_MINUTE } from "../../platform/limits.ts"
import { type Heard, Ingest } from "../ingest/Ingest.ts"
import { Known } from "./Known.ts"
import { groundOf, noting, type Outcome } from "./messages.ts"

// What connectors say by themselves, on its way to `Ingest`.

/** What the headers of a message say of it. */
export interface Signed {
  readonly id: string
  readonly timestamp: number
  readonly signatures: string
}

/** What became of a message, as HTTP says it. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
  /** Seconds after which the same message is worth sending again. */
  readonly retryAfter?: number
}

/** A message that was not heard, and why. */
export const unheard = (status: number, reason: string, retryAfter?: number): Answer => ({
  status,
  body: { reason },
  ...(retryAfter === undefined ? {} : { retryAfter })
})

export const notSigned = unheard(
  401,
  "The message must be signed by a registered connector, within the last five minutes."
)

const TIMESTAMP = /^\d{1,12}$/

/** What can be said of a message before its body is there; undefined: it is not signed, whatever its body. */
export const signedIn = (headers: Readonly<Record<string, string | undefined>>, now: number): Signed | undefined => {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers
  if (id === undefined || signatures === undefined || time === undefined || !TIMESTAMP.test(time)) return undefined
  const timestamp = Number(time)
  return isFresh(timestamp, now) ? { id, timestamp, signatures } : undefined
}

const MINUTE = windowOf("1m")

const bucketOf = (connectorId: number): Bucket => ({
  key: `{connector:${connectorId}}`,
  scope: "connector",
  window: MINUTE,
  max: CONNECTOR_MESSAGES_A_MINUTE
})

const readSaid = decoderOf(
  Schema.Struct({
    account: Schema.Struct({ channel_account_id: Id }),
    said: Schema.Record(Schema.String, Schema.Unknown)
  })
)

/** What of a body is heard: whose account speaks, and what it says; the rest is `Ingest`'s to judge. */
const readBody = (body: Uint8Array) =>
  Effect.fromResult(Result.flatMap(textOf(body), parseJson)).pipe(
    Effect.mapError((why) => unheard(400, `The body ${why}.`)),
    Effect.flatMap((value) =>
      Effect.mapError(readSaid(value), ({ _tag, message }) => unheard(_tag === "BadRequest" ? 400 : 422, message))
    )
  )

const outcomeOf = (become: Heard): Outcome => ({
  outcome: become.outcome,
  reason: become.outcome === "refused" ? become.reason : null
})

const answerOf = ({ outcome, reason }: Outcome): Answer =>
  outcome === "refused" ? { status: 422, body: { outcome, reason: reason ?? "" } } : { status: 200, body: { outcome } }

const longId = unheard(422, `webhook-id: must be at most ${CONNECTOR_MESSAGE_ID} characters.`)
const replayed = unheard(
  409,
  "webhook-timestamp: this message was already received; sign it again before you resend it."
)
const anotherMessage = unheard(409, "webhook-id: was used for another message; use a new id for each message.")
const noSuchAccount = unheard(403, "account.channel_account_id: must be an account of this connector.")
const tooMany = (seconds: number) =>
  unheard(429, `More than ${CONNECTOR_MESSAGES_A_MINUTE} messages a minute.`, seconds)

/** Hears connectors. */
export class Hearing extends Context.Service<
  Hearing,
  {
    /** Returns whether a connector with this id exists. A message to another id is rejected before its body is received. */
    readonly isKnown: (connectorId: number) => Effect.Effect<boolean>
    /** Which connector signed the message; undefined: none, or another one than it says. */
    readonly signer: (connectorId: number, signed: Signed, body: Uint8Array) => Effect.Effect<number | undefined>
    /**
     * Hears a message that its connector signed. One that is sent again, signed anew, is answered as it was; a copy of what
     * was heard is refused. The id is written down after the message was heard, since one that was heard twice changes
     * nothing (`Ingest`), and one that was written down and never heard would be lost.
     */
    readonly hear: (connectorId: number, signed: Signed, body: Uint8Array) => Effect.Effect<Answer, ServerError>
  }
>()("latchkey/connectors/Hearing") {
  static readonly layer = Layer.effect(
    Hearing,
    Effect.gen(function* () {
      const [sql, known, windows] = [yield* SqlClient.SqlClient, yield* Known, yield* RateWindows]
      const [places, ingest] = [yield* Places, yield* Ingest]
      const [look, note] = [groundOf(sql), noting(sql)]

      const heard = Effect.fnUntraced(function* (
        connectorId: number,
        { id: messageId, timestamp: signedAt }: Signed,
        body: Uint8Array
      ) {
        if (!isUpTo(messageId, CONNECTOR_MESSAGE_ID)) return longId
        const { account, said } = yield* readBody(body)
        const accountId = account.channel_account_id
        const message = { connectorId, messageId, signedAt, digest: createHash("sha256").update(body).digest() }
        const { operator_id: operatorId, channel_type: channelType, before } = yield* look(message, accountId)
        if (before?.same === false) return anotherMessage
        if (before?.anew === false) return replayed
        if (operatorId === null || channelType === null) return noSuchAccount
        const speaking = ingest.ingest({ operatorId, accountId, channelType }, said)
        const outcome = before ?? outcomeOf(yield* places.within(operatorId, speaking, body.length))
        yield* note(message, outcome, yield* DateTime.nowAsDate)
        return answerOf(outcome)
      })

      return Hearing.of({
        isKnown: known.has,
        signer: Effect.fnUntraced(function* (connectorId, { id, timestamp, signatures }, body) {
          const connector = yield* known.find(connectorId)
          const now = yield* Clock.currentTimeMillis
          const message = { id, timestamp, body }
          const isOwn = connector?.secrets.some((secret) => isSigned(message, signatures, secret, now)) === true
          return isOwn ? connector.id : undefined
        }),
        hear: Effect.fnUntraced(function* (connectorId, signed, body) {
          const admission = yield* windows.admit([bucketOf(connectorId)], [])
          if (admission._tag === "Refused") return tooMany(admission.retryAfterSeconds)
          return yield* Effect.catchIf(heard(connectorId, signed, body), isAnswer, Effect.succeed)
        })
      })
    })
  ).pipe(Layer.provide(Known.layer))
}

const isAnswer = (error: Answer | ServerError): error is Answer => "status" in error
