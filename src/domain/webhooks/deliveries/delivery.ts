import { Schema } from "effect"
import { Cooldown } from "./circuit-breaker.ts"
import type { DeliveryResult } from "./OutboundHttp.ts"

// What a worker has in its hands, and what it writes down afterwards.

/** What a try needs to know of its subscription, its secrets as they are kept. */
export const WebhookSigning = Schema.Struct({
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String),
  /** The replaced secret, while it still signs. */
  former_secret: Schema.NullOr(Schema.RedactedFromValue(Schema.String)),
  secret_token: Schema.RedactedFromValue(Schema.String)
})
export type WebhookSigning = typeof WebhookSigning.Type

/** A delivery that a worker has taken, with all it takes to make one try. */
export const TakenDelivery = Schema.Struct({
  operator_id: Schema.Int,
  event_id: Schema.Int,
  subscription_id: Schema.Int,
  /** Tries begun over all runs, this one included: no other worker has a try of the same number. */
  attempts: Schema.Int,
  /** Failed tries before this one. */
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
export type TakenDelivery = typeof TakenDelivery.Type

export type SubscriptionKey = Pick<TakenDelivery, "operator_id" | "subscription_id">

/** A subscription with its address, or with the address that it had when a delivery was claimed. */
export type SubscriptionAddress = Pick<TakenDelivery, "operator_id" | "subscription_id" | "url">

/** A subscription whose rest is over and that has something to try. */
export const SubscriptionToProbe = Schema.Struct({
  operator_id: Schema.Int,
  subscription_id: Schema.Int,
  health: Cooldown
})
export type SubscriptionToProbe = typeof SubscriptionToProbe.Type

/** A try: when it began and how it ended. */
export interface DeliveryAttempt {
  readonly startedAt: Date
  readonly result: DeliveryResult
}

/** A delivery that was answered as it should be. */
export interface DeliverySuccess extends DeliveryAttempt {
  readonly delivery: TakenDelivery
}
