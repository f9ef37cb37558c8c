import { Schema } from "effect"
import { HONOURED_BY, type Restriction } from "../../domain/channels/port/days.ts"
import type { OfferType } from "../../domain/channels/port/said.ts"

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

export interface Differences {
  /** Percent of what the guest pays for the nights and the cleaning that the channel keeps. */
  readonly commission: number
  /** Percent of the same that comes on top as tax. */
  readonly tax: number
  /** How a listing is sold unless it says otherwise: at once, or after the host has agreed. */
  readonly instant: boolean
  /** Whose a pushed price is: what the guest pays includes the commission, and the calendar shows what is left of it. */
  readonly pricesAre: "the host's" | "the guest's"
  /** Whether an order says what its rate is made of. */
  readonly itemizes: boolean
  /** The price and rules it keeps, of the two kinds there are. */
  readonly rules: "airbnb" | "vrbo" | undefined
  /** What an order says of its cancellation, and what a listing may choose; none: nothing is said. */
  readonly cancellationPolicies: ReadonlyArray<string>
  /** Whether an agreed request waits for the guest's payment. */
  readonly paidAfterApproval: boolean
  /** Whether it keeps what the service calls a message: the same one told again is then one. */
  readonly knowsMessages: boolean
  /** What a host can offer a guest there. */
  readonly offers: ReadonlyArray<OfferType>
  /** Whether hosts can review guests there, and reply to them. */
  readonly hostsReview: boolean
  /** How the channel names its orders. */
  readonly orderNames: { readonly prefix: string; readonly of: "letters" | "digits"; readonly length: number }
}

const HOTEL: Differences = {
  commission: 15,
  tax: 10,
  instant: true,
  pricesAre: "the host's",
  itemizes: true,
  rules: undefined,
  cancellationPolicies: [],
  paidAfterApproval: false,
  knowsMessages: false,
  offers: [],
  hostsReview: false,
  orderNames: { prefix: "", of: "digits", length: 12 }
}

export const DIFFERENCES: Readonly<Record<SandboxChannel, Differences>> = {
  airbnb: {
    ...HOTEL,
    tax: 6,
    instant: false,
    rules: "airbnb",
    cancellationPolicies: [
      "flexible",
      "moderate",
      "firm",
      "strict",
      "long_term_flexible",
      "tiered_pricing_non_refundable"
    ],
    knowsMessages: true,
    offers: ["special_offer", "preapproval"],
    hostsReview: true,
    orderNames: { prefix: "HM", of: "letters", length: 10 }
  },
  vrbo: {
    ...HOTEL,
    commission: 8,
    tax: 6,
    instant: false,
    rules: "vrbo",
    paidAfterApproval: true,
    orderNames: { prefix: "HA-", of: "letters", length: 8 }
  },
  "booking.com": HOTEL,
  agoda: { ...HOTEL, commission: 18, tax: 0, itemizes: false },
  expedia: { ...HOTEL, commission: 18 },
  "trip.com": { ...HOTEL, commission: 12, tax: 0, itemizes: false, orderNames: { ...HOTEL.orderNames, length: 14 } },
  ctrip: {
    ...HOTEL,
    tax: 0,
    instant: false,
    pricesAre: "the guest's",
    itemizes: false,
    knowsMessages: true,
    hostsReview: true,
    orderNames: { ...HOTEL.orderNames, length: 16 }
  },
  booking_site: {
    ...HOTEL,
    commission: 0,
    knowsMessages: true,
    offers: ["special_offer"],
    orderNames: { prefix: "BS-", of: "letters", length: 8 }
  }
}

/** Whether a channel looks at a restriction; what it does not look at it refuses. */
export const isHonoured = (channel: SandboxChannel, restriction: Restriction): boolean =>
  HONOURED_BY[restriction].includes(channel)
