import { Context, type Effect, Layer } from "effect"
import type { OfferType } from "./channel-events.ts"
import type { ConnectorError } from "./errors.ts"
import type { DayRangeInventory, DayRangePrice, DayRangeRestrictions, ListingDay } from "./listing-days.ts"
import type { AirbnbPriceAndRules, VrboPriceAndRules } from "./price-and-rules.ts"

/** An account at a channel, as its connector knows it. */
export interface RemoteAccount {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
  /** The channel's own id of the account. */
  readonly originAccountId: string
}

export interface RemoteOrder {
  readonly reservationCode: string
  /** The channel's own id of the order. */
  readonly channelId: string
}

export interface RemoteListing {
  /** The channel's own id of the listing. */
  readonly listingId: string
}

export interface RemoteThread {
  /** The channel's own id of the thread with a guest. */
  readonly threadId: string
}

/** A message to a guest. */
export interface OutboundMessage extends RemoteThread {
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
export type MessageSendResult =
  | { readonly outcome: "sent"; readonly channelMessageId: string | null }
  | { readonly outcome: "unknown" }

/** An offer to a guest; a pre-approval is at the standard price, which the channel knows. */
export interface OutboundOffer extends RemoteThread {
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
export interface CreatedOffer {
  readonly offerId: string
  readonly price: number
  readonly currency: string
  /** ISO 8601; anything else where the channel says no time. */
  readonly createdAt: string
  readonly expiresAt: string
}

/** What a host says of a guest's stay, and of what the guest said of it; both, or one. */
export interface OutboundReview extends RemoteOrder {
  readonly review: {
    readonly score: number | null
    readonly content: string
    readonly categoryRatings: Readonly<Record<string, number>>
  } | null
  readonly reply: string | null
}

/** What became of a request at its channel; `unknown` where the channel cannot tell. */
export type ChannelRequestStatus = "pending" | "approved" | "declined" | "unknown"

type ConnectorMethod<Payload, A = void> = (account: RemoteAccount, payload: Payload) => Effect.Effect<A, ConnectorError>

/**
 * What speaks to channels of a kind: one method and one payload an outward act. An act that succeeded has happened there and
 * is not taken back by a failure here; doing it again is safe. What a channel says by itself goes to `Ingest`
 * (connectors/ingest/Ingest.ts).
 */
export interface Connector {
  /** Accepts a pending order. One that still waits for its payment then is said to be so before this answers. */
  readonly approve: ConnectorMethod<RemoteOrder>
  /** Turns a pending order down. */
  readonly decline: ConnectorMethod<RemoteOrder>
  /** How a request stands: asked where an act was begun and nobody knows how it ended. */
  readonly answered: ConnectorMethod<RemoteOrder, ChannelRequestStatus>
  /** Of days that several ranges name, the last one counts. All of it or nothing. */
  readonly pushPrices: ConnectorMethod<RemoteListing & { readonly prices: ReadonlyArray<DayRangePrice> }>
  readonly pushInventories: ConnectorMethod<RemoteListing & { readonly inventories: ReadonlyArray<DayRangeInventory> }>
  /** Says nothing that the channel does not honour; a restriction that is not said stays. */
  readonly pushRestrictions: ConnectorMethod<
    RemoteListing & { readonly restrictions: ReadonlyArray<DayRangeRestrictions> }
  >
  /** The days from `start` to `end`, both included, in order. */
  readonly readCalendar: ConnectorMethod<
    RemoteListing & { readonly start: string; readonly end: string },
    ReadonlyArray<ListingDay>
  >
  /** As it is there now, with what `cancellation_policy` may be. */
  readonly readAirbnbPriceAndRules: ConnectorMethod<
    RemoteListing,
    {
      readonly settings: AirbnbPriceAndRules
      readonly eligible_cancellation_policies: ReadonlyArray<string>
    }
  >
  /** Changes the settings that are sent, and no others. Where one of two excludes the other, both are sent. */
  readonly writeAirbnbPriceAndRules: ConnectorMethod<
    RemoteListing & { readonly settings: Partial<AirbnbPriceAndRules> }
  >
  readonly writeVrboPriceAndRules: ConnectorMethod<RemoteListing & { readonly settings: Partial<VrboPriceAndRules> }>
  /**
   * At most once where the channel does not know `messageId`: told `again`, it then answers `unknown` and sends nothing. Of what
   * fails with 503 nothing got there.
   */
  readonly sendMessage: ConnectorMethod<OutboundMessage, MessageSendResult>
  readonly sendOffer: ConnectorMethod<OutboundOffer, CreatedOffer>
  /** One that is withdrawn already is no failure; one that is anything else is refused. */
  readonly withdrawOffer: ConnectorMethod<RemoteThread & { readonly offerId: string }>
  /** All of it or nothing. The same again is no failure; another review than the one there is refused. */
  readonly writeReview: ConnectorMethod<OutboundReview>
}

/** The connectors of this process by name: an account says which of them it is reached by. */
export class Connectors extends Context.Service<
  Connectors,
  { readonly find: (name: string) => Connector | undefined }
>()("latchkey/domain/channels/port/Connectors") {
  /** No connector at all. */
  static readonly layerNone = Layer.succeed(Connectors, { find: () => undefined })
}
