import { Context, type Effect, Layer } from "effect"
import type { ListingDay, PricedDays, RestrictedDays, StockedDays } from "./days.ts"
import type { ConnectorError } from "./errors.ts"
import type { AirbnbPriceAndRules, VrboPriceAndRules } from "./price-and-rules.ts"

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

/** What became of a request at its channel; `unknown` where the channel cannot tell. */
export type ChannelAnswer = "pending" | "approved" | "declined" | "unknown"

type Act<Payload, A = void> = (account: AccountThere, payload: Payload) => Effect.Effect<A, ConnectorError>

/**
 * What speaks to channels of a kind: one method and one payload an outward act. An act that succeeded has happened there and
 * is not taken back by a failure here; doing it again is safe. What a channel says by itself goes to `Ingest`
 * (ingest/Ingest.ts).
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
}

/** The connectors of this process by name: an account says which of them it is reached by. */
export class Connectors extends Context.Service<
  Connectors,
  { readonly find: (name: string) => Connector | undefined }
>()("latchkey/channels/Connectors") {
  /** No connector at all. */
  static readonly layerNone = Layer.succeed(Connectors, { find: () => undefined })
}
