import { hash } from "node:crypto"
import { Result, Schema } from "effect"
import type { CallKey } from "../../../../contract/acting.ts"
import { Code, Currency, InstantText } from "../../../../contract/fields.ts"
import { decimalOf } from "../../../../contract/money.ts"
import { AMOUNT_MAX, OFFER_LASTS_MS } from "../../../../platform/limits.ts"
import type { OfferMade, OfferThere } from "../../../channels/port/connector.ts"
import { instantSaid } from "../../../channels/port/heard.ts"
import { newCode } from "../../conversations/known-conversation.ts"
import type { NewOffer } from "../table.ts"

// What an offer is known by at its channel, and what the channel makes of it.

/** Characters of a reference: 128 bits. */
const REFERENCE = 32

/**
 * What a channel is to know an offer by: the same in each call under one key, and another in any other call. It tells nothing
 * of the key.
 */
export const referenceOf = (key: CallKey | undefined): string => {
  if (key === undefined) return newCode()
  const { operatorId, digest, fingerprint } = key
  return hash("sha256", Buffer.concat([Buffer.from(`${operatorId} `), digest, fingerprint]), "hex").slice(0, REFERENCE)
}

/** An offer as a channel is told of it, whoever the guest is. */
export type OfferAsked = Omit<OfferThere, "threadId" | "reference">

/** Without these an offer cannot be known. */
const isReadable = Schema.is(
  Schema.Struct({
    offerId: Code,
    price: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX })),
    currency: Currency
  })
)
const isInstant = Schema.is(InstantText)

/** The offer that a channel made; undefined where its answer cannot be read. A time that is none is as one it did not say. */
export const offerMade = (asked: OfferAsked, made: OfferMade, now: Date): NewOffer | undefined => {
  if (!isReadable(made)) return undefined
  const price = decimalOf("price", made.price, made.currency)
  if (Result.isFailure(price)) return undefined
  const createTime = isInstant(made.createdAt) ? made.createdAt : null
  const expireTime = isInstant(made.expiresAt) ? made.expiresAt : null
  const created_at = createTime === null ? now : instantSaid(createTime)
  return {
    offer_id: made.offerId,
    offer_type: asked.offerType,
    status: "active",
    listing_id: asked.listingId,
    rate_plan_id: asked.ratePlanId,
    check_in_date: asked.checkInDate,
    check_out_date: asked.checkOutDate,
    number_of_adults: asked.numberOfAdults,
    number_of_children: asked.numberOfChildren,
    number_of_infants: asked.numberOfInfants,
    number_of_pets: asked.numberOfPets,
    price: price.success,
    currency: made.currency,
    create_time: createTime,
    expire_time: expireTime,
    created_at,
    expires_at: expireTime === null ? new Date(created_at.getTime() + OFFER_LASTS_MS) : instantSaid(expireTime)
  }
}
