import { Schema } from "effect"
import { StoredHealth } from "./health.ts"

// What a worker has in its hands, and what it writes down afterwards.

/** A delivery that a worker has taken, with all it takes to make one try. */
export const TakenDelivery = Schema.Struct({
  operatorId: Schema.Int,
  eventId: Schema.Int,
  subscriptionId: Schema.Int,
  /** Number of this try, counted over all runs: no other worker has a try of the same number. */
  attempt: Schema.Int,
  /** Failed tries before this one. */
  failures: Schema.Int,
  /** 1, and one more for each replay. */
  run: Schema.Int,
  event: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Json),
  queuedAt: Schema.Date,
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String),
  /** The replaced secret, while it still signs. */
  formerSecret: Schema.NullOr(Schema.RedactedFromValue(Schema.String)),
  secretToken: Schema.RedactedFromValue(Schema.String)
})
export type TakenDelivery = typeof TakenDelivery.Type

/** A subscription whose rest is over and that has something to try. */
export const RestedSubscription = Schema.Struct({
  operatorId: Schema.Int,
  subscriptionId: Schema.Int,
  health: StoredHealth
})
export type RestedSubscription = typeof RestedSubscription.Type
