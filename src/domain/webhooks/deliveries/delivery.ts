import { Schema } from "effect"
import { Cooldown } from "./circuit-breaker.ts"
import type { DeliveryResult } from "./OutboundHttp.ts"

// A claimed delivery, and the outcome of its attempt.

/** The columns of a subscription that sign an attempt. The secrets are sealed as in the database. */
export const WebhookSigning = Schema.Struct({
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String),
  /** The replaced secret, while it still signs. */
  former_secret: Schema.NullOr(Schema.RedactedFromValue(Schema.String)),
  secret_token: Schema.RedactedFromValue(Schema.String)
})
export type WebhookSigning = typeof WebhookSigning.Type

/** A claimed delivery with all that one attempt needs. */
export const ClaimedDelivery = Schema.Struct({
  operator_id: Schema.Int,
  event_id: Schema.Int,
  subscription_id: Schema.Int,
  /** Attempts of all runs, this one included. No other worker has an attempt of the same number. */
  attempts: Schema.Int,
  /** Failed attempts before this one. */
  failures: Schema.Int,
  /** 1, and one more for each replay. */
  run: Schema.Int,
  event: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Json),
  queued_at: Schema.Date,
  /** The trace of the change that recorded the event. */
  traceparent: Schema.NullOr(Schema.String),
  ...WebhookSigning.fields
})
export type ClaimedDelivery = typeof ClaimedDelivery.Type

export type SubscriptionKey = Pick<ClaimedDelivery, "operator_id" | "subscription_id">

/** A subscription with its address, or with the address that it had when a delivery was claimed. */
export type SubscriptionAddress = Pick<ClaimedDelivery, "operator_id" | "subscription_id" | "url">

/** A subscription whose cooldown is over and that has due deliveries. */
export const SubscriptionToProbe = Schema.Struct({
  operator_id: Schema.Int,
  subscription_id: Schema.Int,
  health: Cooldown
})
export type SubscriptionToProbe = typeof SubscriptionToProbe.Type

/** An attempt: when it began, and its result. */
export interface DeliveryAttempt {
  readonly startedAt: Date
  readonly result: DeliveryResult
}

/** A delivery that the receiver accepted. */
export interface DeliverySuccess extends DeliveryAttempt {
  readonly delivery: ClaimedDelivery
}
