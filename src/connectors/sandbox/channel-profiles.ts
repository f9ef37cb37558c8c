import { Schema } from "effect"
import type { OfferType } from "../../domain/channels/port/channel-events.ts"
import { CHANNELS_BY_RESTRICTION, type Restriction } from "../../domain/channels/port/listing-days.ts"

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
  /** Percent of nights and cleaning that the channel keeps. */
  readonly commission: number
  /** Percent of nights and cleaning, added to the price. */
  readonly tax: number
  readonly instant: boolean
  /**
   * `the guest's`: a pushed price includes the commission. The calendar that the host reads shows prices without it.
   */
  readonly pushedPriceIs: "the host's" | "the guest's"
  readonly itemizesRate: boolean
  readonly settingsKind: "airbnb" | "vrbo" | undefined
  readonly cancellationPolicies: ReadonlyArray<string>
  readonly requiresPaymentAfterApproval: boolean
  readonly deduplicatesMessages: boolean
  readonly offerTypes: ReadonlyArray<OfferType>
  readonly allowsHostReviews: boolean
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

export const supportsRestriction = (channel: SandboxChannel, restriction: Restriction): boolean =>
  CHANNELS_BY_RESTRICTION[restriction].includes(channel)
