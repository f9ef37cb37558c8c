import { Schema } from "effect"
import type { OfferType } from "../../domain/channels/port/channel-events.ts"
import { CHANNELS_BY_RESTRICTION, type Restriction } from "../../domain/channels/port/listing-days.ts"

// What tells the marketplaces of the sandbox from each other, as data.

export const SANDBOX_CHANNELS = [
  "airbnb",
  "vrbo",
  "booking.com",
  "agoda",
  "expedia",
  "trip.com",
  "ctrip",
  "booking_site"
] as const
export const SandboxChannel = Schema.Literals(SANDBOX_CHANNELS)
export type SandboxChannel = typeof SandboxChannel.Type

interface ChannelProfile {
  /** Percent of what the guest pays for the nights and the cleaning that the channel keeps. */
  readonly commission: number
  /** Percent of the same that comes on top as tax. */
  readonly tax: number
  /** How a listing is sold unless it says otherwise: at once, or after the host has agreed. */
  readonly instant: boolean
  /** Whose a pushed price is: what the guest pays includes the commission, and the calendar shows what is left of it. */
  readonly pushedPriceIs: "the host's" | "the guest's"
  /** Whether an order says what its rate is made of. */
  readonly itemizesRate: boolean
  /** The price and rules it keeps, of the two kinds there are. */
  readonly settingsKind: "airbnb" | "vrbo" | undefined
  /** What an order says of its cancellation, and what a listing may choose; none: nothing is said. */
  readonly cancellationPolicies: ReadonlyArray<string>
  /** Whether an agreed request waits for the guest's payment. */
  readonly requiresPaymentAfterApproval: boolean
  /** Whether it keeps what the service calls a message: the same one told again is then one. */
  readonly deduplicatesMessages: boolean
  /** What a host can offer a guest there. */
  readonly offerTypes: ReadonlyArray<OfferType>
  /** Whether hosts can review guests there, and reply to them. */
  readonly allowsHostReviews: boolean
  /** How the channel names its orders. */
  readonly orderIdFormat: { readonly prefix: string; readonly alphabet: "letters" | "digits"; readonly length: number }
}

const HOTEL_PROFILE: ChannelProfile = {
  commission: 15,
  tax: 10,
  instant: true,
  pushedPriceIs: "the host's",
  itemizesRate: true,
  settingsKind: undefined,
  cancellationPolicies: [],
  requiresPaymentAfterApproval: false,
  deduplicatesMessages: false,
  offerTypes: [],
  allowsHostReviews: false,
  orderIdFormat: { prefix: "", alphabet: "digits", length: 12 }
}

export const CHANNEL_PROFILES: Readonly<Record<SandboxChannel, ChannelProfile>> = {
  airbnb: {
    ...HOTEL_PROFILE,
    tax: 6,
    instant: false,
    settingsKind: "airbnb",
    cancellationPolicies: [
      "flexible",
      "moderate",
      "firm",
      "strict",
      "long_term_flexible",
      "tiered_pricing_non_refundable"
    ],
    deduplicatesMessages: true,
    offerTypes: ["special_offer", "preapproval"],
    allowsHostReviews: true,
    orderIdFormat: { prefix: "HM", alphabet: "letters", length: 10 }
  },
  vrbo: {
    ...HOTEL_PROFILE,
    commission: 8,
    tax: 6,
    instant: false,
    settingsKind: "vrbo",
    requiresPaymentAfterApproval: true,
    orderIdFormat: { prefix: "HA-", alphabet: "letters", length: 8 }
  },
  "booking.com": HOTEL_PROFILE,
  agoda: { ...HOTEL_PROFILE, commission: 18, tax: 0, itemizesRate: false },
  expedia: { ...HOTEL_PROFILE, commission: 18 },
  "trip.com": {
    ...HOTEL_PROFILE,
    commission: 12,
    tax: 0,
    itemizesRate: false,
    orderIdFormat: { ...HOTEL_PROFILE.orderIdFormat, length: 14 }
  },
  ctrip: {
    ...HOTEL_PROFILE,
    tax: 0,
    instant: false,
    pushedPriceIs: "the guest's",
    itemizesRate: false,
    deduplicatesMessages: true,
    allowsHostReviews: true,
    orderIdFormat: { ...HOTEL_PROFILE.orderIdFormat, length: 16 }
  },
  booking_site: {
    ...HOTEL_PROFILE,
    commission: 0,
    deduplicatesMessages: true,
    offerTypes: ["special_offer"],
    orderIdFormat: { prefix: "BS-", alphabet: "letters", length: 8 }
  }
}

/** Whether a channel looks at a restriction; what it does not look at it refuses. */
export const supportsRestriction = (channel: SandboxChannel, restriction: Restriction): boolean =>
  CHANNELS_BY_RESTRICTION[restriction].includes(channel)
