import { Clock, Deferred, Effect } from "effect"
import type { ExternalActionState, runAtMostOnce } from "../../../changes/external-action.ts"
import { CurrentActor } from "../../../contract/actor.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { Conflict, Upstream } from "../../../contract/errors.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import {
  CHANNEL_ACTION_TIMEOUT_MS,
  type ChannelApiError,
  withChannelTimeout
} from "../../channels/port/channel-api-errors.ts"
import type { ConversationRecipient } from "../conversations/conversation-lookup.ts"
import type { send_preapproval, send_special_offer } from "./contract.ts"
import { CONVERSATION_FIELD, requireConversation, toChannelAccountTarget } from "./conversation-field.ts"
import type { NewOffer } from "./offer-columns.ts"
import { type OfferRequest, toNewOffer, toOfferReference } from "./rules/created-offer.ts"
import {
  checkBookable,
  checkInquiryOpen,
  checkOfferDates,
  checkOffersSupported,
  checkPreapprovalsSupported,
  checkPriceDecimals,
  toOfferPrice
} from "./rules/offer-checks.ts"
import type { SpecialOfferStore } from "./store.ts"

type Store = SpecialOfferStore["Service"]
type Gateway = ChannelGateway["Service"]
type RunExternalAction = ReturnType<typeof runAtMostOnce>

const callerToday = Effect.flatMap(CurrentCaller, ({ timeZone }) =>
  Effect.map(Clock.currentTimeMillis, (now) => dateInZone(now, timeZone))
)

export const sendSpecialOffer = (store: Store, gateway: Gateway, runExternalAction: RunExternalAction) => {
  const sendOffer = makeSendOffer(store, gateway, runExternalAction)
  return Effect.fnUntraced(function* (payload: typeof send_special_offer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    yield* Effect.fromResult(checkOfferDates(payload, yield* callerToday))
    const preconditions = yield* requireConversation(
      yield* store.findPreconditions(operatorId, payload.conversation_id, payload),
      store.conversationExists(payload.conversation_id)
    )
    yield* Effect.fromResult(checkOffersSupported(preconditions.channel_type))
    const price = yield* Effect.fromResult(toOfferPrice(preconditions.channel_type, payload))
    const currency = yield* Effect.fromResult(checkBookable(preconditions, "listing_id"))
    yield* Effect.fromResult(checkPriceDecimals(payload.price, price.currency ?? currency))
    yield* sendOffer(preconditions, { ...price, ...toGuestsAndNights(payload), offerType: "special_offer" })
  })
}

export const sendPreapproval = (store: Store, gateway: Gateway, runExternalAction: RunExternalAction) => {
  const sendOffer = makeSendOffer(store, gateway, runExternalAction)
  return Effect.fnUntraced(function* ({ conversation_id }: typeof send_preapproval.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const preconditions = yield* requireConversation(
      yield* store.findInquiryPreconditions(operatorId, conversation_id),
      store.conversationExists(conversation_id)
    )
    yield* Effect.fromResult(checkPreapprovalsSupported(preconditions.channel_type))
    const inquiry = yield* Effect.fromResult(checkInquiryOpen(preconditions.inquiry, yield* callerToday))
    yield* Effect.fromResult(checkBookable(preconditions, CONVERSATION_FIELD))
    const atStandardPrice = { price: null, currency: null, ratePlanId: null }
    yield* sendOffer(preconditions, { ...atStandardPrice, ...toGuestsAndNights(inquiry), offerType: "preapproval" })
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

const toGuestsAndNights = (request: GuestsAndNights) => ({
  listingId: request.listing_id,
  checkInDate: request.check_in_date,
  checkOutDate: request.check_out_date,
  numberOfAdults: request.number_of_adults,
  numberOfChildren: request.number_of_children ?? 0,
  numberOfInfants: request.number_of_infants ?? 0,
  numberOfPets: request.number_of_pets ?? 0
})

/** A channel makes one offer per reference, so a repeated call returns the first offer. */
const makeSendOffer = (store: Store, gateway: Gateway, runExternalAction: RunExternalAction) =>
  Effect.fnUntraced(function* (conversation: ConversationRecipient, request: OfferRequest) {
    const { idempotencyKey } = yield* CurrentActor
    const createdOffer = yield* Deferred.make<NewOffer>()
    const remoteOffer = { ...request, threadId: conversation.thread_id, reference: toOfferReference(idempotencyKey) }
    const send = withChannelTimeout(
      gateway.sendOffer(toChannelAccountTarget(conversation), remoteOffer),
      CONVERSATION_FIELD
    )
    yield* runExternalAction<ChannelApiError, never>({
      check: Effect.void,
      run: Effect.flatMap(send, (response) =>
        Effect.flatMap(currentSecond, (now) => {
          const offer = toNewOffer(request, response, now)
          return offer === undefined
            ? Effect.fail(unreadableResponseError)
            : Effect.asVoid(Deferred.succeed(createdOffer, offer))
        })
      ),
      hasHappened: Effect.succeed(false),
      maxDurationMs: CHANNEL_ACTION_TIMEOUT_MS,
      stateAfterError: externalActionStateAfter
    })
    const offer = yield* Deferred.await(createdOffer)
    const isExpired = offer.expires_at.getTime() <= (yield* Clock.currentTimeMillis)
    if (idempotencyKey !== undefined && isExpired) return yield* offerExpiredError
    yield* store.recordOffer(conversation.operator_id, conversation.id, offer)
  })

/**
 * After a refusal the channel has done nothing. After any other error the outcome is unknown, but a repetition is safe.
 */
export const externalActionStateAfter = (error: ChannelApiError): ExternalActionState =>
  error._tag === "Upstream" ? "over" : "nothing"

const unreadableResponseError = new Upstream({ code: 502, message: "The channel's answer cannot be read." })

/** The channel still returns the offer of this key, but that offer has expired. */
const offerExpiredError = new Conflict({
  message: "Idempotency-Key: the offer of this key has ended; use a new key for a new offer."
})
