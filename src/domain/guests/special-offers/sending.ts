import { Clock, Deferred, Effect } from "effect"
import type { atMostOnce, Left } from "../../../changes/outward.ts"
import { Acting } from "../../../contract/acting.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import { Conflict, Upstream } from "../../../contract/errors.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import { inTime, OUTWARD_ACT_MS, type RefusedByChannel } from "../../channels/port/api-errors.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { NamedConversation } from "../conversations/known-conversation.ts"
import type { send_preapproval, send_special_offer } from "./contract.ts"
import { accountOf, CONVERSATION, ownConversation } from "./conversation.ts"
import { type OfferAsked, offerMade, referenceOf } from "./rules/made.ts"
import {
  approvable,
  letBy,
  offeredDates,
  payable,
  pricedFor,
  takesOffers,
  takesPreapprovals
} from "./rules/offering.ts"
import type { SpecialOfferStore } from "./store.ts"
import type { NewOffer } from "./table.ts"

// Offers go out as answers to requests do: the channel makes one first, and it is written down after that.

type Store = SpecialOfferStore["Service"]
type Gateway = ChannelGateway["Service"]
type Outward = ReturnType<typeof atMostOnce>

const today = Effect.flatMap(CurrentOperator, ({ timeZone }) =>
  Effect.map(Clock.currentTimeMillis, (now) => dateInZone(now, timeZone))
)

export const sendSpecialOffer = (store: Store, gateway: Gateway, outward: Outward) => {
  const make = making(store, gateway, outward)
  return Effect.fnUntraced(function* (payload: typeof send_special_offer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    yield* Effect.fromResult(offeredDates(payload, yield* today))
    const ground = yield* ownConversation(
      yield* store.groundOf(operatorId, payload.conversation_id, payload),
      store.isAnyones(payload.conversation_id)
    )
    yield* Effect.fromResult(takesOffers(ground.channel_type))
    const price = yield* Effect.fromResult(pricedFor(ground.channel_type, payload))
    const currency = yield* Effect.fromResult(letBy(ground, "listing_id"))
    yield* Effect.fromResult(payable(payload.price, price.currency ?? currency))
    yield* make(ground, { ...price, ...guestsAndNights(payload), offerType: "special_offer" })
  })
}

export const sendPreapproval = (store: Store, gateway: Gateway, outward: Outward) => {
  const make = making(store, gateway, outward)
  return Effect.fnUntraced(function* ({ conversation_id }: typeof send_preapproval.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const ground = yield* ownConversation(
      yield* store.inquiryOf(operatorId, conversation_id),
      store.isAnyones(conversation_id)
    )
    yield* Effect.fromResult(takesPreapprovals(ground.channel_type))
    const inquiry = yield* Effect.fromResult(approvable(ground.inquiry, yield* today))
    yield* Effect.fromResult(letBy(ground, CONVERSATION))
    const atStandardPrice = { price: null, currency: null, ratePlanId: null }
    yield* make(ground, { ...atStandardPrice, ...guestsAndNights(inquiry), offerType: "preapproval" })
  })
}

interface GuestsAndNights {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly number_of_adults: number
  readonly number_of_children?: number
  readonly number_of_infants?: number
  readonly number_of_pets?: number
}

const guestsAndNights = (asked: GuestsAndNights) => ({
  listingId: asked.listing_id,
  checkInDate: asked.check_in_date,
  checkOutDate: asked.check_out_date,
  numberOfAdults: asked.number_of_adults,
  numberOfChildren: asked.number_of_children ?? 0,
  numberOfInfants: asked.number_of_infants ?? 0,
  numberOfPets: asked.number_of_pets ?? 0
})

/**
 * Lets the channel make an offer and writes it down. One reference is one offer there, so whoever takes over from a call that
 * was cut off, or that the channel did not answer, has it made again and finds the first.
 */
const making = (store: Store, gateway: Gateway, outward: Outward) =>
  Effect.fnUntraced(function* (conversation: NamedConversation, asked: OfferAsked) {
    const { key } = yield* Acting
    const made = yield* Deferred.make<NewOffer>()
    const told = { ...asked, threadId: conversation.thread_id, reference: referenceOf(key) }
    const send = inTime(gateway.sendOffer(accountOf(conversation), told), CONVERSATION)
    yield* outward<RefusedByChannel, never>({
      check: Effect.void,
      act: Effect.flatMap(send, (answer) =>
        Effect.flatMap(currentSecond, (now) => {
          const offer = offerMade(asked, answer, now)
          return offer === undefined ? Effect.fail(unreadable) : Effect.asVoid(Deferred.succeed(made, offer))
        })
      ),
      happened: Effect.succeed(false),
      lastsMs: OUTWARD_ACT_MS,
      leaves: leftBy
    })
    const offer = yield* Deferred.await(made)
    const isOld = offer.expires_at.getTime() <= (yield* Clock.currentTimeMillis)
    if (key !== undefined && isOld) return yield* overByNow
    yield* store.record(conversation.operator_id, conversation.id, offer)
  })

/** What a channel refused has not happened; of all else nobody knows, and doing it again is safe at any time. */
export const leftBy = (error: RefusedByChannel): Left => (error._tag === "Upstream" ? "over" : "nothing")

const unreadable = new Upstream({ code: 502, message: "The channel's answer cannot be read." })

/** The key was forgotten here, and the channel still knows what was offered under it. */
const overByNow = new Conflict({
  message: "Idempotency-Key: the offer of this key has ended; use a new key for a new offer."
})
