import { Schema } from "effect"
import {
  ChannelMessageEvent,
  ChannelOfferEvent,
  ChannelOrderEvent,
  ChannelOrderStatus,
  ChannelReviewEvent,
  ChannelThreadEvent,
  OfferStatus
} from "../../domain/channels/port/channel-events.ts"
import { Restrictions } from "../../domain/channels/port/listing-days.ts"
import { column } from "../../platform/database/columns.ts"
import { SandboxChannel } from "./channel-profiles.ts"

// What the marketplace keeps.

/** Whose account at which channel, and the clock of its host. */
export const SandboxAccount = Schema.Struct({
  operator_id: Schema.Int,
  account_id: Schema.Int,
  channel_type: SandboxChannel,
  username: Schema.String,
  time_zone: Schema.String
})
export type SandboxAccount = typeof SandboxAccount.Type

export const FAILURE_MODES = ["accepts", "refuses", "late", "never", "502", "503", "disconnected"] as const

/** How an account answers what it is asked. */
export const FailureMode = Schema.Struct({
  mood: Schema.Literals(FAILURE_MODES),
  /** Of `late`: how late. */
  mood_ms: Schema.Int,
  /** Of `refuses`: why. */
  mood_reason: Schema.String
})
export type FailureMode = typeof FailureMode.Type

/** Prices and rules, by the names they have at the channel; whatever the channel, `base_price` and `cleaning_fee`. */
export const ListingSettings = Schema.Record(Schema.String, Schema.Json)
export type ListingSettings = typeof ListingSettings.Type

export const SandboxListing = Schema.Struct({
  listing_id: Schema.String,
  title: Schema.String,
  currency: Schema.String,
  /** How many of it there are. */
  rooms: Schema.Int,
  instant: Schema.Boolean,
  commission: Schema.Int,
  tax: Schema.Int,
  settings: ListingSettings,
  version: Schema.Int,
  revision: Schema.Int
})
export type SandboxListing = typeof SandboxListing.Type

/** A day of which something was said or sold. */
export const SandboxDay = Schema.Struct({
  listing_id: column("text", Schema.String),
  day: column("date", Schema.String),
  /** Decimal text; null: what the settings say. */
  price: column("numeric", Schema.NullOr(Schema.String)),
  /** How many the host said can still be sold; null: nothing was said. */
  offered: column("integer", Schema.NullOr(Schema.Int)),
  /** Sold since that was said. */
  taken: column("integer", Schema.Int),
  /** Sold in all. */
  sold: column("integer", Schema.Int),
  restrictions: column("jsonb", Restrictions)
})
export type SandboxDay = typeof SandboxDay.Type

const HOST_ANSWERS = ["approved", "declined"] as const

/** An order; `said` is how it is told, version and all. */
export const SandboxOrder = Schema.Struct({
  order_id: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  status: column("text", ChannelOrderStatus),
  /** What the host said of a request. */
  answer: column("text", Schema.NullOr(Schema.Literals(HOST_ANSWERS))),
  expires_at: column("timestamptz", Schema.NullOr(Schema.Date)),
  said: column("jsonb", ChannelOrderEvent),
  booked_at: column("timestamptz", Schema.Date)
})
export type SandboxOrder = typeof SandboxOrder.Type

export const SandboxPayment = Schema.Struct({
  payment_id: Schema.String,
  kind: Schema.Literals(["payment", "refund"]),
  /** Decimal text. */
  amount: Schema.String
})
export type SandboxPayment = typeof SandboxPayment.Type

/** A thread with a guest; `said` is how it is told, version and all. */
export const SandboxThread = Schema.Struct({
  thread_id: column("text", Schema.String),
  /** Who its guest is (threads.ts `toGuestKey`). */
  guest: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  revision: column("bigint", Schema.Int),
  /** How many it has. */
  messages: column("integer", Schema.Int),
  offers: column("integer", Schema.Int),
  said: column("jsonb", ChannelThreadEvent),
  last_message_at: column("timestamptz", Schema.Date)
})
export type SandboxThread = typeof SandboxThread.Type

export const SandboxMessage = Schema.Struct({
  thread_id: column("text", Schema.String),
  /** The first of its thread is 1. */
  number: column("integer", Schema.Int),
  /** What the service calls it, where its channel keeps that. */
  sent_as: column("text", Schema.NullOr(Schema.String)),
  said: column("jsonb", ChannelMessageEvent)
})
export type SandboxMessage = typeof SandboxMessage.Type

/** An offer; `said` is how it is told, version and all. */
export const SandboxOffer = Schema.Struct({
  offer_id: column("text", Schema.String),
  thread_id: column("text", Schema.String),
  /** What the service calls it. */
  reference: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  status: column("text", OfferStatus),
  said: column("jsonb", ChannelOfferEvent),
  expires_at: column("timestamptz", Schema.Date)
})
export type SandboxOffer = typeof SandboxOffer.Type

/** What guest and host have said of a stay; `said` is how it is told, version and all. */
export const SandboxReview = Schema.Struct({
  order_id: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  said: column("jsonb", ChannelReviewEvent)
})
export type SandboxReview = typeof SandboxReview.Type
