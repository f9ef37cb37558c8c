import type { SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { receiverTokenBinding, webhookSecretBinding } from "../../../platform/sealing/sealed-columns.ts"
import type { SubscriptionKey, WebhookSigning } from "./delivery.ts"
import type { SigningSecret } from "./signature.ts"
import type { NewSubscription, WebhookReceiver } from "./subscription-statements.ts"

interface SubscriptionRef {
  readonly operatorId: number
  readonly id: number
}

export const sealSecret = (
  { sealRedacted }: SecretSealer,
  { operatorId, id }: SubscriptionRef,
  secret: SigningSecret
) => sealRedacted(webhookSecretBinding(operatorId, id), secret)

export const sealReceiver = (
  { sealRedacted }: SecretSealer,
  operatorId: number,
  { url, secretToken }: WebhookReceiver
): WebhookReceiver => ({ url, secretToken: sealRedacted(receiverTokenBinding(operatorId, url), secretToken) })

export const sealSubscription = (
  sealer: SecretSealer,
  subscriptionRef: SubscriptionRef,
  subscription: NewSubscription
): NewSubscription => ({
  ...subscription,
  ...sealReceiver(sealer, subscriptionRef.operatorId, subscription),
  secret: sealSecret(sealer, subscriptionRef, subscription.secret)
})

/** Called for each attempt, so that a damaged secret does not affect other deliveries. */
export const openSigning = (
  { openRedacted }: SecretSealer,
  { operator_id, subscription_id }: SubscriptionKey,
  { url, secret, former_secret, secret_token }: WebhookSigning
): WebhookSigning => {
  const secretColumn = webhookSecretBinding(operator_id, subscription_id)
  return {
    url,
    secret: openRedacted(secretColumn, secret),
    former_secret: former_secret === null ? null : openRedacted(secretColumn, former_secret),
    secret_token: openRedacted(receiverTokenBinding(operator_id, url), secret_token)
  }
}
