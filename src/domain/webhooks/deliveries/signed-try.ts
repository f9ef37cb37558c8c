import { Clock, Effect, Redacted } from "effect"
import { Sealing } from "../../../platform/sealing/Sealing.ts"
import type { Signing, SubscriptionKey, Tried } from "./delivery.ts"
import { Outbound } from "./Outbound.ts"
import { openedSigning } from "./sealing-secrets.ts"
import { SECRET_TOKEN_HEADER, signedHeaders } from "./signature.ts"

/** Sends a body once, signed as its receiver checks it, under the id the receiver knows it by. */
export const signedTry = Effect.fnUntraced(function* (kept: Signing & SubscriptionKey, id: string, body: string) {
  const { url, secret, former_secret: former, secret_token } = openedSigning(yield* Sealing, kept, kept)
  const outbound = yield* Outbound
  const startedAt = yield* Clock.currentTimeMillis
  const message = { id, timestamp: Math.floor(startedAt / 1000), body }
  const attempt = yield* outbound.post({
    url,
    headers: {
      "content-type": "application/json",
      [SECRET_TOKEN_HEADER]: Redacted.value(secret_token),
      ...signedHeaders(message, former === null ? [secret] : [secret, former])
    },
    body
  })
  return { startedAt: new Date(startedAt), attempt } satisfies Tried
})
