import { Schema } from "effect"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { CalendarDate, Currency, Integer, PositiveAmount, RecordCode } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { GUESTS_MAX, OFFERS_SHOWN } from "../../../platform/limits.ts"
import { NumberOfGuests } from "../../bookings/reservations/fields.ts"
import { channelErrors } from "../../channels/port/channel-api-errors.ts"
import { OfferStatus, OfferType } from "../../channels/port/channel-events.ts"
import { ConversationId } from "../conversations/conversation-lookup.ts"

// Offers to guests: at a price of their own, or a pre-approval at the standard one (specification, "Conversations" and
// "Special offer status"; contract facts 4.5).

export const SpecialOffer = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The channel's own id." }),
  offer_type: OfferType,
  status: OfferStatus,
  listing_id: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  nights: Schema.Int,
  number_of_guests: Schema.Int.annotateKey({ description: "Adults and children, as in a stay." }),
  price: Schema.Finite.annotateKey({ description: "Of the whole stay, major units." }),
  currency: Schema.NullOr(Schema.String),
  expire_time: Schema.NullOr(Schema.String).annotateKey({ description: "As the channel tells them." }),
  create_time: Schema.NullOr(Schema.String)
})
export type SpecialOffer = typeof SpecialOffer.Type

const GuestCount = Integer.check(
  Schema.isBetween({ minimum: 0, maximum: GUESTS_MAX }, { expected: `a number from 0 to ${GUESTS_MAX}` })
)

const operation = defineFamily({ category: "reservation", since: "3.7.0", openWorld: true })

const offerChangeErrors = [Forbidden, ...channelErrors] as const

export const search_special_offers = operation("search_special_offers", {
  route: "GET /conversations/{conversation_id}/special_offers",
  summary: "List the special offers and pre-approvals of a conversation",
  payload: { conversation_id: ConversationId },
  success: Schema.Struct({ special_offers: Schema.Array(SpecialOffer) }),
  errors: [Forbidden, NotFound],
  exposure: toolMetadata(
    `Lists what a guest was offered (the newest ${OFFERS_SHOWN}, newest first) and what became of it. Find conversation_id with query_conversations.`,
    ["Has she taken my offer?"],
    false
  )
})

export const send_special_offer = operation("send_special_offer", {
  route: "POST /conversations/{conversation_id}/special_offers",
  summary: "Offer a guest a stay at a price of its own",
  payload: {
    conversation_id: ConversationId,
    listing_id: RecordCode,
    check_in_date: CalendarDate,
    check_out_date: CalendarDate,
    price: PositiveAmount,
    number_of_adults: NumberOfGuests,
    number_of_children: Schema.optionalKey(GuestCount),
    number_of_infants: Schema.optionalKey(GuestCount),
    number_of_pets: Schema.optionalKey(GuestCount),
    rate_plan_id: Schema.optionalKey(RecordCode),
    currency: Schema.optionalKey(Currency)
  },
  success: Schema.Struct({}),
  errors: offerChangeErrors,
  exposure: toolMetadata(
    "Offers the guest of a conversation (query_conversations) a stay; he sees it at once and can book it for about a day. Conversations of airbnb and booking_site only; the latter also need rate_plan_id and currency. listing_id is one of the conversation's account (search_listings). price is for the whole stay. Nights must be free (409) and are not held.",
    ["Offer her Harbour 1 from the 4th to the 7th for 380"],
    true
  )
})

export const send_preapproval = operation("send_preapproval", {
  route: "POST /conversations/{conversation_id}/preapprovals",
  summary: "Pre-approve a guest's inquiry at the standard price",
  payload: { conversation_id: ConversationId },
  success: Schema.Struct({}),
  errors: offerChangeErrors,
  exposure: toolMetadata(
    "Invites the guest of a conversation (query_conversations) to book what the inquiry asks for, at the standard price; he sees it at once. airbnb only. Nights must be free (409) and are not held.",
    ["Pre-approve his inquiry"],
    true
  )
})

export const withdraw_special_offer = operation("withdraw_special_offer", {
  route: "DELETE /conversations/{conversation_id}/special_offers/{special_offer_id}",
  summary: "Withdraw a special offer or a pre-approval",
  payload: { conversation_id: ConversationId, special_offer_id: RecordCode },
  success: Schema.Struct({}),
  errors: offerChangeErrors,
  exposure: toolMetadata(
    "Takes an offer or a pre-approval back while it is active; find its id with search_special_offers. The guest sees it; it cannot be undone.",
    ["Take my offer back"],
    false
  )
})

export const SpecialOfferOperations = {
  search_special_offers,
  send_special_offer,
  send_preapproval,
  withdraw_special_offer
}
