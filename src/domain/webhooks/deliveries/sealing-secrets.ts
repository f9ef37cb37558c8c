import { receiverToken, webhookSecret } from "../../../platform/sealing/places.ts"
import type { Seals } from "../../../platform/sealing/Sealing.ts"
import type { Signing, SubscriptionKey } from "./delivery.ts"
import type { SigningSecret } from "./signature.ts"
import type { NewSubscription, Receiver } from "./subscriptions.ts"

// The secrets of subscriptions and receivers on their way into their columns and out of them.

/** Which subscription, as it is sealed for. */
interface Owner {
  readonly operatorId: number
  readonly id: number
}

export const sealedSecret = ({ sealRedacted }: Seals, { operatorId, id }: Owner, secret: SigningSecret) =>
  sealRedacted(webhookSecret(operatorId, id), secret)

export const sealedReceiver = (
  { sealRedacted }: Seals,
  operatorId: number,
  { url, secretToken }: Receiver
): Receiver => ({ url, secretToken: sealRedacted(receiverToken(operatorId, url), secretToken) })

/** A new subscription as it is kept. */
export const sealedSubscription = (seals: Seals, owner: Owner, made: NewSubscription): NewSubscription => ({
  ...made,
  ...sealedReceiver(seals, owner.operatorId, made),
  secret: sealedSecret(seals, owner, made.secret)
})

/** What a try needs, as it was before. Opened for each try alone, so that one which does not open keeps up no other. */
export const openedSigning = (
  { openRedacted }: Seals,
  { operator_id, subscription_id }: SubscriptionKey,
  { url, secret, former_secret, secret_token }: Signing
): Signing => {
  const place = webhookSecret(operator_id, subscription_id)
  return {
    url,
    secret: openRedacted(place, secret),
    former_secret: former_secret === null ? null : openRedacted(place, former_secret),
    secret_token: openRedacted(receiverToken(operator_id, url), secret_token)
  }
}
