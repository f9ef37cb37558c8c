import { Context, type Effect, Layer } from "effect"
import type { ListingDay, PricedDays, RestrictedDays, StockedDays } from "./days.ts"
import type { ConnectorError } from "./errors.ts"
import type { AirbnbPriceAndRules, VrboPriceAndRules } from "./price-and-rules.ts"
import type { OfferType } from "./said.ts"

/** An account at a channel, as its connector knows it. */
export interface AccountThere {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
  /** The channel's own id of the account. */
  readonly originAccountId: string
}

export interface OrderThere {
  readonly reservationCode: string
  /** The channel's own id of the order. */
  readonly channelId: string
}

export interface ListingThere {
  /** The channel's own id of the listing. */
  readonly listingId: string
}

export interface ThreadThere {
  /** The channel's own id of the thread with a guest. */
  readonly threadId: string
}

/** A message to a guest. */
export interface MessageThere extends ThreadThere {
  /** What the service calls it, the same however often it is tried. */
  readonly messageId: string
  /** Empty where there is only an image. */
  readonly text: string
  /** Where the channel can fetch the JPEG that goes with it. */
  readonly imageUrl: string | null
  /** A try before this one may have got there: a channel that does not know `messageId` must not be told again. */
  readonly again: boolean
}

/** What became of a message: it is there, under the channel's own id if that says one; or nobody can know. */
export type MessageTaken =
  | { readonly outcome: "sent"; readonly channelMessageId: string | null }
  | { readonly outcome: "unknown" }

/** An offer to a guest; a pre-approval is at the standard price, which the channel knows. */
export interface OfferThere extends ThreadThere {
  /** What the service calls it, the same however often it is tried: one reference, one offer. */
  readonly reference: string
  readonly offerType: OfferType
  readonly listingId: string
  readonly ratePlanId: string | null
  readonly checkInDate: string
  readonly checkOutDate: string
  readonly numberOfAdults: number
  readonly numberOfChildren: number
  readonly numberOfInfants: number
  readonly numberOfPets: number
  /** Of the whole stay, major units; null of a pre-approval. */
  readonly price: number | null
  /** Null where the channel knows the listing's own. */
  readonly currency: string | null
}

/** An offer as the channel made it. */
export interface OfferMade {
  readonly offerId: string
  readonly price: number
  readonly currency: string
  /** ISO 8601; anything else where the channel says no time. */
  readonly createdAt: string
  readonly expiresAt: string
}

/** What a host says of a guest's stay, and of what the guest said of it; both, or one. */
export interface ReviewThere extends OrderThere {
  readonly review: {
    readonly score: number | null
    readonly content: string
    readonly categoryRatings: Readonly<Record<string, number>>
  } | null
  readonly reply: string | null
}

/** What became of a request at its channel; `unknown` where the channel cannot tell. */
export type ChannelAnswer = "pending" | "approved" | "declined" | "unknown"

type Act<Payload, A = void> = (account: AccountThere, payload: Payload) => Effect.Effect<A, ConnectorError>

/**
 * What speaks to channels of a kind: one method and one payload an outward act. An act that succeeded has happened there and
 * is not taken back by a failure here; doing it again is safe. What a channel says by itself goes to `Ingest`
 * (connectors/ingest/Ingest.ts).
 */
export interface Connector {
  /** Accepts a pending order. One that still waits for its payment then is said to be so before this answers. */
  readonly approve: Act<OrderThere>
  /** Turns a pending order down. */
  readonly decline: Act<OrderThere>
  /** How a request stands: asked where an act was begun and nobody knows how it ended. */
  readonly answered: Act<OrderThere, ChannelAnswer>
  /** Of days that several ranges name, the last one counts. All of it or nothing. */
  readonly pushPrices: Act<ListingThere & { readonly prices: ReadonlyArray<PricedDays> }>
  readonly pushInventories: Act<ListingThere & { readonly inventories: ReadonlyArray<StockedDays> }>
  /** Says nothing that the channel does not honour; a restriction that is not said stays. */
  readonly pushRestrictions: Act<ListingThere & { readonly restrictions: ReadonlyArray<RestrictedDays> }>
  /** The days from `start` to `end`, both included, in order. */
  readonly readCalendar: Act<ListingThere & { readonly start: string; readonly end: string }, ReadonlyArray<ListingDay>>
  /** As it is there now, with what `cancellation_policy` may be. */
  readonly readAirbnbPriceAndRules: Act<
    ListingThere,
    {
      readonly settings: AirbnbPriceAndRules
      readonly eligible_cancellation_policies: ReadonlyArray<string>
    }
  >
  /** Changes the settings that are sent, and no others. Where one of two excludes the other, both are sent. */
  readonly writeAirbnbPriceAndRules: Act<ListingThere & { readonly settings: Partial<AirbnbPriceAndRules> }>
  readonly writeVrboPriceAndRules: Act<ListingThere & { readonly settings: Partial<VrboPriceAndRules> }>
  /**
   * At most once where the channel does not know `messageId`: told `again`, it then answers `unknown` and sends nothing. Of what
   * fails with 503 nothing got there.
   */
  readonly sendMessage: Act<MessageThere, MessageTaken>
  readonly sendOffer: Act<OfferThere, OfferMade>
  /** One that is withdrawn already is no failure; one that is anything else is refused. */
  readonly withdrawOffer: Act<ThreadThere & { readonly offerId: string }>
  /** All of it or nothing. The same again is no failure; another review than the one there is refused. */
  readonly writeReview: Act<ReviewThere>
}

/** The connectors of this process by name: an account says which of them it is reached by. */
export class Connectors extends Context.Service<
  Connectors,
  { readonly find: (name: string) => Connector | undefined }
>()("latchkey/channels/Connectors") {
  /** No connector at all. */
  static readonly layerNone = Layer.succeed(Connectors, { find: () => undefined })
}
