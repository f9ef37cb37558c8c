import { Clock, Effect, Redacted } from "effect"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import type { DeliveryAttempt, SubscriptionKey, WebhookSigning } from "./delivery.ts"
import { OutboundHttp } from "./OutboundHttp.ts"
import { openSigning } from "./secret-sealing.ts"
import { buildSignatureHeaders, SECRET_TOKEN_HEADER } from "./signature.ts"

export const postSignedBody = Effect.fnUntraced(function* (
  signing: WebhookSigning & SubscriptionKey,
  id: string,
  body: string
) {
  const { url, secret, former_secret: formerSecret, secret_token } = openSigning(yield* CurrentSealer, signing, signing)
  const outbound = yield* OutboundHttp
  const startedAt = yield* Clock.currentTimeMillis
  const message = { id, timestamp: Math.floor(startedAt / 1000), body }
  const result = yield* outbound.post({
    url,
    headers: {
      "content-type": "application/json",
      [SECRET_TOKEN_HEADER]: Redacted.value(secret_token),
      ...buildSignatureHeaders(message, formerSecret === null ? [secret] : [secret, formerSecret])
    },
    body
  })
  return { startedAt: new Date(startedAt), result } satisfies DeliveryAttempt
})
