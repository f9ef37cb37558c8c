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

/** `whsec_` and base64 of 24 to 64 bytes. */
export type SigningSecret = Redacted.Redacted<string>

const decodeKey = (secret: SigningSecret): Buffer =>
  Buffer.from(Redacted.value(secret).slice(SECRET_PREFIX.length), "base64")

export const generateSigningSecret: Effect.Effect<SigningSecret> = Effect.sync(() =>
  Redacted.make(SECRET_PREFIX + randomBytes(WEBHOOK_SECRET_BYTES).toString("base64"))
)

/** The error message never contains the secret. */
export const parseSigningSecret = (text: string): Result.Result<SigningSecret, string> => {
  if (!text.startsWith(SECRET_PREFIX)) return Result.fail(`a signing secret begins with ${SECRET_PREFIX}`)
  const encoded = text.slice(SECRET_PREFIX.length)
  const key = Buffer.from(encoded, "base64")
  // Buffer ignores invalid characters, but receivers' parsers may not.
  if (key.toString("base64") !== encoded) return Result.fail(`a signing secret is ${SECRET_PREFIX} and base64`)
  if (key.length < WEBHOOK_SECRET_BYTES_MIN || key.length > WEBHOOK_SECRET_BYTES_MAX) {
    return Result.fail(`a signing secret has ${WEBHOOK_SECRET_BYTES_MIN} to ${WEBHOOK_SECRET_BYTES_MAX} bytes`)
  }
  return Result.succeed(Redacted.make(text))
}

interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. Receivers reject a time that differs from theirs by more than five minutes. */
  readonly timestamp: number
  readonly body: string | Uint8Array
}

const computeSignature = (message: SignedMessage, secret: SigningSecret): string =>
  `v1,${createHmac("sha256", decodeKey(secret)).update(`${message.id}.${message.timestamp}.`).update(message.body).digest("base64")}`

/** During a rotation there are two secrets. */
export const buildSignatureHeaders = (message: SignedMessage, secrets: Arr.NonEmptyReadonlyArray<SigningSecret>) => ({
  "webhook-id": message.id,
  "webhook-timestamp": String(message.timestamp),
  "webhook-signature": secrets.map((secret) => computeSignature(message, secret)).join(" ")
})

/**
 * Receivers without signature checks store this token from the first delivery and compare it later (contract facts
 * 11.2). So it is never rotated.
 */
export const SECRET_TOKEN_HEADER = "Service-Webhook-Secret-Token"

export const generateSecretToken: Effect.Effect<Redacted.Redacted<string>> = Effect.sync(() =>
  Redacted.make(randomBytes(WEBHOOK_SECRET_BYTES).toString("base64url"))
)

/** `timestamp` is in seconds, `now` in milliseconds. */
export const isFreshTimestamp = (timestamp: number, now: number): boolean =>
  Math.abs(now / 1000 - timestamp) <= WEBHOOK_SIGNATURE_SECONDS

/** `now` is in milliseconds. */
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
