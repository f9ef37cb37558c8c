import { Schema } from "effect"
import { Cooldown } from "./circuit-breaker.ts"
import type { DeliveryResult } from "./OutboundHttp.ts"

/** The secrets are sealed. */
export const WebhookSigning = Schema.Struct({
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String),
  /** Replaced, but deliveries are still signed with it too. */
  former_secret: Schema.NullOr(Schema.RedactedFromValue(Schema.String)),
  secret_token: Schema.RedactedFromValue(Schema.String)
})
export type WebhookSigning = typeof WebhookSigning.Type

export const ClaimedDelivery = Schema.Struct({
  operator_id: Schema.Int,
  event_id: Schema.Int,
  subscription_id: Schema.Int,
  /** In all runs, including this one. It identifies the claim. */
  attempts: Schema.Int,
  failures: Schema.Int,
  /** 1 plus the number of replays. */
  run: Schema.Int,
  event: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Json),
  queued_at: Schema.Date,
  traceparent: Schema.NullOr(Schema.String),
  ...WebhookSigning.fields
})
export type ClaimedDelivery = typeof ClaimedDelivery.Type

export type SubscriptionKey = Pick<ClaimedDelivery, "operator_id" | "subscription_id">

/** `url` is the URL at the time of the claim. */
export type SubscriptionAddress = Pick<ClaimedDelivery, "operator_id" | "subscription_id" | "url">

export const SubscriptionToProbe = Schema.Struct({
  operator_id: Schema.Int,
  subscription_id: Schema.Int,
  health: Cooldown
})
export type SubscriptionToProbe = typeof SubscriptionToProbe.Type

export interface DeliveryAttempt {
  readonly startedAt: Date
  readonly result: DeliveryResult
}

export interface DeliverySuccess extends DeliveryAttempt {
  readonly delivery: ClaimedDelivery
}
