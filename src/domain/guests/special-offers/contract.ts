import { Schema } from "effect"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import {
  CalendarDate,
  Currency,
  Integer,
  NumberOfGuests,
  PositiveAmount,
  RecordCode
} from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { GUESTS_MAX, OFFERS_SHOWN, STAY_NIGHTS } from "../../../platform/limits.ts"
import { channelErrors } from "../../channels/port/channel-api-errors.ts"
import { OfferStatus, OfferType } from "../../channels/port/channel-events.ts"
import { CONVERSATION_ERRORS, ConversationIdField } from "../conversations/contract.ts"

// Specification, "Conversations" and "Special offer status"; contract facts 4.5.

export const SpecialOffer = Schema.Struct({
  id: Schema.String.annotateKey({ documentation: "Id of the offer on its channel." }),
  offer_type: OfferType.annotateKey({
    documentation: "`special_offer`: at a price of the host. `preapproval`: at the standard price."
  }),
  status: OfferStatus.annotateKey({
    documentation:
      "`active`: the guest can book it. `accepted`: the guest booked it. `declined`: the guest declined it. `expired`: its `expire_time` has passed. `withdrawn`: the host withdrew it. An expired offer can still become `accepted`, if its channel reports a booking in time."
  }),
  listing_id: Schema.NullOr(Schema.String).annotateKey({ documentation: "Offered listing, an id of the channel." }),
  check_in_date: Schema.String.annotateKey({ documentation: "Check-in date, YYYY-MM-DD." }),
  check_out_date: Schema.String.annotateKey({ documentation: "Check-out date, YYYY-MM-DD." }),
  nights: Schema.Int.annotateKey({ documentation: "Number of nights." }),
  number_of_guests: Schema.Int.annotateKey({
    documentation: "Number of adults and children, at least 1. Infants do not count."
  }),
  price: Schema.Finite.annotateKey({ documentation: "Price of the whole stay, in major units of `currency`." }),
  currency: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Currency of the price, an ISO 4217 code, or null if it is unknown."
  }),
  expire_time: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Time until which the guest can book, as the channel writes it. Null if the channel sent none; the offer then expires 24 hours after its creation."
  }),
  create_time: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Time of the offer, as the channel writes it, or null if the channel sent none."
  })
})
export type SpecialOffer = typeof SpecialOffer.Type

const GuestCount = Integer.check(
  Schema.isBetween({ minimum: 0, maximum: GUESTS_MAX }, { expected: `a number from 0 to ${GUESTS_MAX}` })
)

const CHANNEL_CALL = `The channel decides before the call returns and gets 30 seconds to answer. After a 502, 503 or 504 the guest may have the offer: repeat the call with the same idempotency key. The channel makes one offer per key; a call without it makes another offer. If the offer of the key has ended, the call returns 409.`

const operation = defineFamily({ category: "reservation", since: "3.7.0", openWorld: true })

const offerChangeErrors = [Forbidden, ...channelErrors] as const

export const search_special_offers = operation("search_special_offers", {
  route: "GET /conversations/{conversation_id}/special_offers",
  summary: "List the special offers and pre-approvals of a conversation",
  details: `No event reports a change of an offer; only the booking does. ${CONVERSATION_ERRORS}`,
  payload: { conversation_id: ConversationIdField },
  success: Schema.Struct({
    special_offers: Schema.Array(SpecialOffer).annotateKey({
      documentation: `The newest ${OFFERS_SHOWN} offers and pre-approvals, newest first.`
    })
  }),
  errors: [Forbidden, NotFound],
  exposure: toolMetadata(
    `Lists what a guest was offered (the newest ${OFFERS_SHOWN}, newest first) and what became of it. Find conversation_id with query_conversations.`,
    ["Has she taken my offer?"],
    false
  )
})

export const send_special_offer = operation("send_special_offer", {
  route: "POST /conversations/{conversation_id}/special_offers",
  summary: "Offer a guest a stay at a special price",
  details: `${CHANNEL_CALL}

The call returns no id; search_special_offers shows it. Two guests may have offers for the same nights, and the first booking gets them.

- Channels other than \`airbnb\` and \`booking_site\` return 422.
- A listing that the conversation's channel account does not have returns 404.
- Nights that are not free return 409: those of the property, or of every property of the room type. A listing that is mapped to neither is not checked.
- A refusal by the channel returns 409, or 422 if it names a field. A disconnected account returns 400.
- ${CONVERSATION_ERRORS}`,
  payload: {
    conversation_id: ConversationIdField,
    listing_id: RecordCode.annotateKey({
      description: "Listing of the conversation's channel account, from search_listings."
    }),
    check_in_date: CalendarDate.annotateKey({
      description: "Check-in date, YYYY-MM-DD, today or later in the host's time zone."
    }),
    check_out_date: CalendarDate.annotateKey({
      documentation: `Check-out date, YYYY-MM-DD, at most ${STAY_NIGHTS} nights after \`check_in_date\`.`
    }),
    price: PositiveAmount.annotateKey({
      documentation:
        "Price of the whole stay, in major units of `currency`, or on `airbnb` of the listing's currency. It may not have more decimals than the currency."
    }),
    number_of_adults: NumberOfGuests.annotateKey({ documentation: "Number of adults." }),
    number_of_children: Schema.optionalKey(GuestCount).annotateKey({
      documentation: "Number of children. Default: 0."
    }),
    number_of_infants: Schema.optionalKey(GuestCount).annotateKey({ documentation: "Number of infants. Default: 0." }),
    number_of_pets: Schema.optionalKey(GuestCount).annotateKey({ documentation: "Number of pets. Default: 0." }),
    rate_plan_id: Schema.optionalKey(RecordCode).annotateKey({
      documentation:
        "The booking site's own id of the rate plan; no operation lists these ids. Required in conversations of `booking_site` (otherwise 400). It has no effect on `airbnb`."
    }),
    currency: Schema.optionalKey(Currency).annotateKey({
      documentation:
        "Currency of the price, an ISO 4217 code. Required in conversations of `booking_site` (otherwise 400). It has no effect on `airbnb`."
    })
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
  details: `${CHANNEL_CALL}

- Channels other than \`airbnb\` return 422. So does a guest without an open inquiry, and an inquiry whose check-in date has passed.
- Nights that are not free return 409, as for send_special_offer.
- A refusal by the channel returns 409. A disconnected account returns 400.
- ${CONVERSATION_ERRORS}`,
  payload: { conversation_id: ConversationIdField },
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
  details: `Only an \`active\` offer can be withdrawn; another status returns 409, which names it. If the guest accepts at the same moment, the channel refuses with 409 and the offer keeps its status. A disconnected account returns 400. An offer that the conversation does not have returns 404. ${CONVERSATION_ERRORS}`,
  payload: {
    conversation_id: ConversationIdField,
    special_offer_id: RecordCode.annotateKey({
      description: "`id` of the offer or pre-approval, from search_special_offers."
    })
  },
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
