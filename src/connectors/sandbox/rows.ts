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

// `said` is the channel event of a record.

export const SandboxAccount = Schema.Struct({
  operator_id: Schema.Int,
  account_id: Schema.Int,
  channel_type: SandboxChannel,
  username: Schema.String,
  time_zone: Schema.String
})
export type SandboxAccount = typeof SandboxAccount.Type

export const FAILURE_MODES = ["accepts", "refuses", "late", "never", "502", "503", "disconnected"] as const

export const FailureMode = Schema.Struct({
  mood: Schema.Literals(FAILURE_MODES),
  mood_ms: Schema.Int,
  mood_reason: Schema.String
})
export type FailureMode = typeof FailureMode.Type

export const ListingSettings = Schema.Record(Schema.String, Schema.Json)
export type ListingSettings = typeof ListingSettings.Type

export const SandboxListing = Schema.Struct({
  listing_id: Schema.String,
  title: Schema.String,
  currency: Schema.String,
  rooms: Schema.Int,
  instant: Schema.Boolean,
  commission: Schema.Int,
  tax: Schema.Int,
  settings: ListingSettings,
  version: Schema.Int,
  revision: Schema.Int
})
export type SandboxListing = typeof SandboxListing.Type

export const SandboxDay = Schema.Struct({
  listing_id: column("text", Schema.String),
  day: column("date", Schema.String),
  /** If null, the settings of the listing determine the price. */
  price: column("numeric", Schema.NullOr(Schema.String)),
  /** The inventory that the host pushed last. Null before the first push. */
  offered: column("integer", Schema.NullOr(Schema.Int)),
  /** Rooms sold that `offered` still includes, because the host pushed it without knowing of the sale. */
  taken: column("integer", Schema.Int),
  sold: column("integer", Schema.Int),
  restrictions: column("jsonb", Restrictions)
})
export type SandboxDay = typeof SandboxDay.Type

const HOST_ANSWERS = ["approved", "declined"] as const

export const SandboxOrder = Schema.Struct({
  order_id: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  status: column("text", ChannelOrderStatus),
  answer: column("text", Schema.NullOr(Schema.Literals(HOST_ANSWERS))),
  expires_at: column("timestamptz", Schema.NullOr(Schema.Date)),
  said: column("jsonb", ChannelOrderEvent),
  booked_at: column("timestamptz", Schema.Date)
})
export type SandboxOrder = typeof SandboxOrder.Type

export const SandboxPayment = Schema.Struct({
  payment_id: Schema.String,
  kind: Schema.Literals(["payment", "refund"]),
  amount: Schema.String
})
export type SandboxPayment = typeof SandboxPayment.Type

export const SandboxThread = Schema.Struct({
  thread_id: column("text", Schema.String),
  guest: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  revision: column("bigint", Schema.Int),
  messages: column("integer", Schema.Int),
  offers: column("integer", Schema.Int),
  said: column("jsonb", ChannelThreadEvent),
  last_message_at: column("timestamptz", Schema.Date)
})
export type SandboxThread = typeof SandboxThread.Type

export const SandboxMessage = Schema.Struct({
  thread_id: column("text", Schema.String),
  number: column("integer", Schema.Int),
  sent_as: column("text", Schema.NullOr(Schema.String)),
  said: column("jsonb", ChannelMessageEvent)
})
export type SandboxMessage = typeof SandboxMessage.Type

export const SandboxOffer = Schema.Struct({
  offer_id: column("text", Schema.String),
  thread_id: column("text", Schema.String),
  reference: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  status: column("text", OfferStatus),
  said: column("jsonb", ChannelOfferEvent),
  expires_at: column("timestamptz", Schema.Date)
})
export type SandboxOffer = typeof SandboxOffer.Type

export const SandboxReview = Schema.Struct({
  order_id: column("text", Schema.String),
  version: column("bigint", Schema.Int),
  said: column("jsonb", ChannelReviewEvent)
})
export type SandboxReview = typeof SandboxReview.Type
