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

type Acts = Pick<ChannelGateway["Service"], "sendMessage" | "sendOffer" | "withdrawOffer" | "writeReview">

export interface RemoteGuests {
  readonly acts: Acts
  readonly messages: Effect.Effect<ReadonlyArray<OutboundMessage>>
  /** What it answers to messages from now on; until then they are sent, as `C-<message id>`. */
  readonly takes: (taken: MessageSendResult) => Effect.Effect<void>
  readonly offers: Effect.Effect<ReadonlyArray<OutboundOffer>>
  readonly withdrawn: Effect.Effect<ReadonlyArray<string>>
  readonly reviews: Effect.Effect<ReadonlyArray<OutboundReview>>
}

type Hear = (name: string, code: string) => Effect.Effect<void, ChannelError>

/** The offer's own name at the channel: one reference, one offer. */
export const offerIdOf = (reference: string): string => `O-${reference}`

export const makeRemoteGuests = Effect.fnUntraced(function* (hear: Hear): Effect.fn.Return<RemoteGuests> {
  const messages = yield* Ref.make<ReadonlyArray<OutboundMessage>>([])
  const taken = yield* Ref.make<MessageSendResult | undefined>(undefined)
  const offers = yield* Ref.make<ReadonlyArray<OutboundOffer>>([])
  const made = yield* Ref.make<ReadonlyMap<string, CreatedOffer>>(new Map())
  const withdrawn = yield* Ref.make<ReadonlyArray<string>>([])
  const reviews = yield* Ref.make<ReadonlyArray<OutboundReview>>([])
  const add = <A>(all: Ref.Ref<ReadonlyArray<A>>, one: A) => Ref.update(all, (before) => [...before, one])
  const acts: Acts = {
    sendMessage: (_: ChannelAccountTarget, message) =>
      Effect.gen(function* () {
        yield* add(messages, message)
        yield* hear("message", message.threadId)
        const sent: MessageSendResult = { outcome: "sent", channelMessageId: `C-${message.messageId}` }
        return (yield* Ref.get(taken)) ?? sent
      }),
    sendOffer: (_: ChannelAccountTarget, offer) =>
      Effect.gen(function* () {
        yield* hear("offer", offer.threadId)
        yield* add(offers, offer)
        const known = (yield* Ref.get(made)).get(offer.reference)
        if (known !== undefined) return known
        const now = yield* DateTime.nowAsDate
        const one: CreatedOffer = {
          offerId: offerIdOf(offer.reference),
          price: offer.price ?? 100,
          currency: offer.currency ?? "EUR",
          createdAt: now.toISOString(),
          expiresAt: new Date(now.getTime() + OFFER_VALIDITY_MS).toISOString()
        }
        yield* Ref.update(made, (all) => new Map([...all, [offer.reference, one]]))
        return one
      }),
    withdrawOffer: (_: ChannelAccountTarget, { offerId }: RemoteThread & { readonly offerId: string }) =>
      Effect.andThen(hear("withdraw", offerId), add(withdrawn, offerId)),
    writeReview: (_: ChannelAccountTarget, review) =>
      Effect.andThen(hear("review", review.reservationCode), add(reviews, review))
  }
  return {
    acts,
    messages: Ref.get(messages),
    takes: (answer) => Ref.set(taken, answer),
    offers: Ref.get(offers),
    withdrawn: Ref.get(withdrawn),
    reviews: Ref.get(reviews)
  }
})
