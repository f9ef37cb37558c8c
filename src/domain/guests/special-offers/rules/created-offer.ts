import { hash } from "node:crypto"
import { Result, Schema } from "effect"
import type { IdempotencyKeyState } from "../../../../contract/actor.ts"
import { Currency, InstantText, RecordCode } from "../../../../contract/fields.ts"
import { toDecimalText } from "../../../../contract/money.ts"
import { AMOUNT_MAX, OFFER_VALIDITY_MS } from "../../../../platform/limits.ts"
import type { CreatedOffer, OutboundOffer } from "../../../channels/port/connector.ts"
import { parseChannelInstant } from "../../../channels/port/event-handling.ts"
import { newPublicCode } from "../../conversations/conversation-lookup.ts"
import type { NewOffer } from "../offer-columns.ts"

/** Hex digits, 128 bits. */
const REFERENCE_LENGTH = 32

/**
 * The reference derives from the idempotency key, so that the channel recognizes repetitions. It does not reveal the
 * key.
 */
export const toOfferReference = (key: IdempotencyKeyState | undefined): string => {
  if (key === undefined) return newPublicCode()
  const { operatorId, digest, fingerprint } = key
  return hash("sha256", Buffer.concat([Buffer.from(`${operatorId} `), digest, fingerprint]), "hex").slice(
    0,
    REFERENCE_LENGTH
  )
}

export type OfferRequest = Omit<OutboundOffer, "threadId" | "reference">

const isReadableOffer = Schema.is(
  Schema.Struct({
    offerId: RecordCode,
    price: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX })),
    currency: Currency
  })
)
const isInstant = Schema.is(InstantText)

/** Returns undefined if the channel's response is unusable. An invalid time counts as missing. */
export const toNewOffer = (request: OfferRequest, createdOffer: CreatedOffer, now: Date): NewOffer | undefined => {
  if (!isReadableOffer(createdOffer)) return undefined
  const price = toDecimalText("price", createdOffer.price, createdOffer.currency)
  if (Result.isFailure(price)) return undefined
  const createTime = isInstant(createdOffer.createdAt) ? createdOffer.createdAt : null
  const expireTime = isInstant(createdOffer.expiresAt) ? createdOffer.expiresAt : null
  const created_at = createTime === null ? now : parseChannelInstant(createTime)
  return {
    offer_id: createdOffer.offerId,
    offer_type: request.offerType,
    status: "active",
    listing_id: request.listingId,
    rate_plan_id: request.ratePlanId,
    check_in_date: request.checkInDate,
    check_out_date: request.checkOutDate,
    number_of_adults: request.numberOfAdults,
    number_of_children: request.numberOfChildren,
    number_of_infants: request.numberOfInfants,
    number_of_pets: request.numberOfPets,
    price: price.success,
    currency: createdOffer.currency,
    create_time: createTime,
    expire_time: expireTime,
    created_at,
    expires_at:
      expireTime === null ? new Date(created_at.getTime() + OFFER_VALIDITY_MS) : parseChannelInstant(expireTime)
  }
}
