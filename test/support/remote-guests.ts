import { DateTime, Effect, Ref } from "effect"
import type { ChannelAccountTarget, ChannelGateway } from "../../src/domain/channels/port/ChannelGateway.ts"
import type {
  CreatedOffer,
  MessageSendResult,
  OutboundMessage,
  OutboundOffer,
  OutboundReview,
  RemoteThread
} from "../../src/domain/channels/port/connector.ts"
import type { ChannelError } from "../../src/domain/channels/port/errors.ts"
import { OFFER_VALIDITY_MS } from "../../src/platform/limits.ts"

// What a scripted channel does with what is meant for its guests. It is heard as `message <thread>`, `offer <thread>`,
// `withdraw <offer>` and `review <reservation code>`, whose answers a test decides by what stands after the space.

type GuestGatewayMethods = Pick<
  ChannelGateway["Service"],
  "sendMessage" | "sendOffer" | "withdrawOffer" | "writeReview"
>

export interface RemoteGuests {
  readonly gatewayMethods: GuestGatewayMethods
  readonly messages: Effect.Effect<ReadonlyArray<OutboundMessage>>
  /** What it answers to messages from now on; until then they are sent, as `C-<message id>`. */
  readonly setSendResult: (result: MessageSendResult) => Effect.Effect<void>
  readonly offers: Effect.Effect<ReadonlyArray<OutboundOffer>>
  readonly withdrawnOfferIds: Effect.Effect<ReadonlyArray<string>>
  readonly reviews: Effect.Effect<ReadonlyArray<OutboundReview>>
}

type RecordRequest = (name: string, code: string) => Effect.Effect<void, ChannelError>

/** The offer's own name at the channel: one reference, one offer. */
export const offerIdOf = (reference: string): string => `O-${reference}`

export const makeRemoteGuests = Effect.fnUntraced(function* (
  recordRequest: RecordRequest
): Effect.fn.Return<RemoteGuests> {
  const messages = yield* Ref.make<ReadonlyArray<OutboundMessage>>([])
  const sendResult = yield* Ref.make<MessageSendResult | undefined>(undefined)
  const offers = yield* Ref.make<ReadonlyArray<OutboundOffer>>([])
  const createdOffers = yield* Ref.make<ReadonlyMap<string, CreatedOffer>>(new Map())
  const withdrawnOfferIds = yield* Ref.make<ReadonlyArray<string>>([])
  const reviews = yield* Ref.make<ReadonlyArray<OutboundReview>>([])
  const append = <A>(all: Ref.Ref<ReadonlyArray<A>>, one: A) => Ref.update(all, (before) => [...before, one])
  const gatewayMethods: GuestGatewayMethods = {
    sendMessage: (_: ChannelAccountTarget, message) =>
      Effect.gen(function* () {
        yield* append(messages, message)
        yield* recordRequest("message", message.threadId)
        const sent: MessageSendResult = { outcome: "sent", channelMessageId: `C-${message.messageId}` }
        return (yield* Ref.get(sendResult)) ?? sent
      }),
    sendOffer: (_: ChannelAccountTarget, offer) =>
      Effect.gen(function* () {
        yield* recordRequest("offer", offer.threadId)
        yield* append(offers, offer)
        const existingOffer = (yield* Ref.get(createdOffers)).get(offer.reference)
        if (existingOffer !== undefined) return existingOffer
        const now = yield* DateTime.nowAsDate
        const offerCreated: CreatedOffer = {
          offerId: offerIdOf(offer.reference),
          price: offer.price ?? 100,
          currency: offer.currency ?? "EUR",
          createdAt: now.toISOString(),
          expiresAt: new Date(now.getTime() + OFFER_VALIDITY_MS).toISOString()
        }
        yield* Ref.update(createdOffers, (all) => new Map([...all, [offer.reference, offerCreated]]))
        return offerCreated
      }),
    withdrawOffer: (_: ChannelAccountTarget, { offerId }: RemoteThread & { readonly offerId: string }) =>
      Effect.andThen(recordRequest("withdraw", offerId), append(withdrawnOfferIds, offerId)),
    writeReview: (_: ChannelAccountTarget, review) =>
      Effect.andThen(recordRequest("review", review.reservationCode), append(reviews, review))
  }
  return {
    gatewayMethods,
    messages: Ref.get(messages),
    setSendResult: (answer) => Ref.set(sendResult, answer),
    offers: Ref.get(offers),
    withdrawnOfferIds: Ref.get(withdrawnOfferIds),
    reviews: Ref.get(reviews)
  }
})
