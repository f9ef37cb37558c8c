import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { type Array as Arr, Effect, Redacted, Result } from "effect"
import {
  WEBHOOK_SECRET_BYTES,
  WEBHOOK_SECRET_BYTES_MAX,
  WEBHOOK_SECRET_BYTES_MIN,
  WEBHOOK_SIGNATURE_SECONDS
} from "../../../platform/limits.ts"

// Standard Webhooks (standardwebhooks.com, version 1), symmetric scheme "v1".

const SECRET_PREFIX = "whsec_"

/** A signing secret as the host sees it: `whsec_` + base64 of 24 to 64 random bytes. Redacted, so it cannot reach a log. */
export type SigningSecret = Redacted.Redacted<string>

const decodeKey = (secret: SigningSecret): Buffer =>
  Buffer.from(Redacted.value(secret).slice(SECRET_PREFIX.length), "base64")

export const generateSigningSecret: Effect.Effect<SigningSecret> = Effect.sync(() =>
  Redacted.make(SECRET_PREFIX + randomBytes(WEBHOOK_SECRET_BYTES).toString("base64"))
)

/** Reads a stored or brought secret. The reason of a failure never repeats the secret. */
export const parseSigningSecret = (text: string): Result.Result<SigningSecret, string> => {
  if (!text.startsWith(SECRET_PREFIX)) return Result.fail(`a signing secret begins with ${SECRET_PREFIX}`)
  const encoded = text.slice(SECRET_PREFIX.length)
  const key = Buffer.from(encoded, "base64")
  // Buffer skips what is not base64: only a text it would write itself is one every receiver reads the same way.
  if (key.toString("base64") !== encoded) return Result.fail(`a signing secret is ${SECRET_PREFIX} and base64`)
  if (key.length < WEBHOOK_SECRET_BYTES_MIN || key.length > WEBHOOK_SECRET_BYTES_MAX) {
    return Result.fail(`a signing secret has ${WEBHOOK_SECRET_BYTES_MIN} to ${WEBHOOK_SECRET_BYTES_MAX} bytes`)
  }
  return Result.succeed(Redacted.make(text))
}

interface SignedMessage {
  /** The event's id, the same on every try: what a receiver drops duplicates by. */
  readonly id: string
  /** Seconds since 1970 of THIS try: receivers refuse one more than five minutes away from their own clock. */
  readonly timestamp: number
  /** The body exactly as sent; its bytes, where nobody knows yet whether they are text. */
  readonly body: string | Uint8Array
}

const computeSignature = (message: SignedMessage, secret: SigningSecret): string =>
  `v1,${createHmac("sha256", decodeKey(secret)).update(`${message.id}.${message.timestamp}.`).update(message.body).digest("base64")}`

/** The three headers of a try. While a rotated secret overlaps give both: a receiver accepts either signature. */
export const buildSignatureHeaders = (message: SignedMessage, secrets: Arr.NonEmptyReadonlyArray<SigningSecret>) => ({
  "webhook-id": message.id,
  "webhook-timestamp": String(message.timestamp),
  "webhook-signature": secrets.map((secret) => computeSignature(message, secret)).join(" ")
})

/**
 * Header of receivers written before signatures: an opaque text they store from the first delivery and compare from
 * then on (contract facts 11.2). It is therefore kept with the subscription, made once for each URL, never rotated, and
 * not derived from the signing secret, which is.
 */
export const SECRET_TOKEN_HEADER = "Service-Webhook-Secret-Token"

export const generateSecretToken: Effect.Effect<Redacted.Redacted<string>> = Effect.sync(() =>
  Redacted.make(randomBytes(WEBHOOK_SECRET_BYTES).toString("base64url"))
)

/** Whether a message of that time may still be taken at `now` (ms). */
export const isFreshTimestamp = (timestamp: number, now: number): boolean =>
  Math.abs(now / 1000 - timestamp) <= WEBHOOK_SIGNATURE_SECONDS

/** Whether one of the signatures a delivery carries is the secret's, and fresh at `now` (ms): what a receiver checks. */
export const hasValidSignature = (
  message: SignedMessage,
  signatures: string,
  secret: SigningSecret,
  now: number
): boolean => {
  if (!isFreshTimestamp(message.timestamp, now)) return false
  const expected = Buffer.from(computeSignature(message, secret))
  return signatures.split(" ").some((signature) => {
    const bytes = Buffer.from(signature)
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}
