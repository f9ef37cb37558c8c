import { Context, type Effect, Layer } from "effect"
import type { OfferType } from "./channel-events.ts"
import type { ConnectorError } from "./errors.ts"
import type { DayRangeInventory, DayRangePrice, DayRangeRestrictions, ListingDay } from "./listing-days.ts"
import type { AirbnbPriceAndRules, VrboPriceAndRules } from "./price-and-rules.ts"

export interface RemoteAccount {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: string
  readonly originAccountId: string
}

export interface RemoteOrder {
  readonly reservationCode: string
  readonly channelId: string
}

export interface RemoteListing {
  readonly listingId: string
}

export interface RemoteThread {
  readonly threadId: string
}

export interface OutboundMessage extends RemoteThread {
  /** The service's own id of the message, the same in every attempt. */
  readonly messageId: string
  /** Empty if there is only an image. */
  readonly text: string
  readonly imageUrl: string | null
  /**
   * True if an earlier attempt may have succeeded. A channel that ignores `messageId` must then not receive the
   * message.
   */
  readonly again: boolean
}

/** `unknown`: the message may or may not have been sent. `channelMessageId` is null if the channel reports none. */
export type MessageSendResult =
  | { readonly outcome: "sent"; readonly channelMessageId: string | null }
  | { readonly outcome: "unknown" }

export interface OutboundOffer extends RemoteThread {
  /** The service's own id of the offer, the same in every attempt. The channel creates one offer per reference. */
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
  /** Price of the whole stay, in major units. Null for a pre-approval, which has the standard price. */
  readonly price: number | null
  /** If null, the channel uses the listing's currency. */
  readonly currency: string | null
}

export interface CreatedOffer {
  readonly offerId: string
  readonly price: number
  readonly currency: string
  /** Both times are ISO 8601. Any other text means that the channel reports no time. */
  readonly createdAt: string
  readonly expiresAt: string
}

export interface OutboundReview extends RemoteOrder {
  readonly review: {
    readonly score: number | null
    readonly content: string
    readonly categoryRatings: Readonly<Record<string, number>>
  } | null
  readonly reply: string | null
}

export type ChannelRequestStatus = "pending" | "approved" | "declined" | "unknown"

type ConnectorMethod<Payload, A = void> = (account: RemoteAccount, payload: Payload) => Effect.Effect<A, ConnectorError>

/** A successful call is final, and repeating it is safe. */
export interface Connector {
  /** If an accepted order then waits for payment, the connector sends its `wait_pay` event before the call returns. */
  readonly approve: ConnectorMethod<RemoteOrder>
  readonly decline: ConnectorMethod<RemoteOrder>
  /** Used if the outcome of an approval or refusal is unknown. */
  readonly answered: ConnectorMethod<RemoteOrder, ChannelRequestStatus>
  /** Applies all ranges or none. Where ranges overlap, the last one applies. */
  readonly pushPrices: ConnectorMethod<RemoteListing & { readonly prices: ReadonlyArray<DayRangePrice> }>
  readonly pushInventories: ConnectorMethod<RemoteListing & { readonly inventories: ReadonlyArray<DayRangeInventory> }>
  /** Sends only restrictions that the channel supports. Omitted ones stay unchanged. */
  readonly pushRestrictions: ConnectorMethod<
    RemoteListing & { readonly restrictions: ReadonlyArray<DayRangeRestrictions> }
  >
  /** Returns days in order, `start` and `end` included. */
  readonly readCalendar: ConnectorMethod<
    RemoteListing & { readonly start: string; readonly end: string },
    ReadonlyArray<ListingDay>
  >
  readonly readAirbnbPriceAndRules: ConnectorMethod<
    RemoteListing,
    {
      readonly settings: AirbnbPriceAndRules
      readonly eligible_cancellation_policies: ReadonlyArray<string>
    }
  >
  /** Changes only the sent settings. If two settings exclude each other, both are sent, and one of them is null. */
  readonly writeAirbnbPriceAndRules: ConnectorMethod<
    RemoteListing & { readonly settings: Partial<AirbnbPriceAndRules> }
  >
  readonly writeVrboPriceAndRules: ConnectorMethod<RemoteListing & { readonly settings: Partial<VrboPriceAndRules> }>
  /**
   * If `again` is set and the channel ignores `messageId`, returns `unknown` and sends nothing, so no message is sent
   * twice. After 503, nothing was sent.
   */
  readonly sendMessage: ConnectorMethod<OutboundMessage, MessageSendResult>
  readonly sendOffer: ConnectorMethod<OutboundOffer, CreatedOffer>
  /** Succeeds if the offer is withdrawn already. Rejects any other inactive offer. */
  readonly withdrawOffer: ConnectorMethod<RemoteThread & { readonly offerId: string }>
  /** Writes all or nothing. Succeeds if the same review was written before, but rejects a different one. */
  readonly writeReview: ConnectorMethod<OutboundReview>
}

export class Connectors extends Context.Service<
  Connectors,
  { readonly find: (name: string) => Connector | undefined }
>()("latchkey/domain/channels/port/Connectors") {
  static readonly layerNone = Layer.succeed(Connectors, { find: () => undefined })
}
