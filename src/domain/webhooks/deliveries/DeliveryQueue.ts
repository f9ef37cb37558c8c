import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeBatcher } from "../../../jobs/batcher.ts"
import { LeaseDuration } from "../../../jobs/lease.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { SubscriptionHealth } from "./circuit-breaker.ts"
import { claimDueSql, claimProbeSql, subscriptionsToProbeSql } from "./claim-statements.ts"
import { completeDeliveriesSql, failDeliverySql, releaseDeliverySql } from "./completion-statements.ts"
import {
  ClaimedDelivery,
  type DeliveryAttempt,
  type DeliverySuccess,
  type SubscriptionAddress,
  type SubscriptionKey,
  SubscriptionToProbe
} from "./delivery.ts"
import { replaceHealthSql, type SubscriptionPause, selectHealthSql } from "./subscription-statements.ts"

/** Of a process. Also the largest batch of completions. */
export const MAX_DELIVERIES_IN_PROGRESS = 256

const readClaimed = makeRowsReader(ClaimedDelivery)
const readSubscriptionsToProbe = makeRowsReader(SubscriptionToProbe)
const readHealth = makeOptionalRowReader(Schema.Struct({ health: SubscriptionHealth }))
const readReplacedHealthId = makeOptionalRowReader(Schema.Struct({ id: Schema.Int }))

const makeDeliveryQueue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leaseMs = yield* LeaseDuration
  const complete = yield* makeBatcher(
    (successes: ReadonlyArray<DeliverySuccess>) =>
      DateTime.nowAsDate.pipe(
        Effect.flatMap((now) => sql`${completeDeliveriesSql(sql, successes, now)}`),
        Effect.asVoid,
        Effect.orDie
      ),
    MAX_DELIVERIES_IN_PROGRESS
  )
  return {
    claim: (now: Date, maxJobs: number, inProgress: Iterable<SubscriptionKey>) =>
      readClaimed(sql`${claimDueSql(sql, { now, leaseMs }, maxJobs, inProgress)}`),
    findSubscriptionsToProbe: (now: Date, maxJobs: number, inProgress: Iterable<SubscriptionKey>) =>
      readSubscriptionsToProbe(sql`${subscriptionsToProbeSql(sql, now, maxJobs, inProgress)}`),
    /** Claims the delivery that may end a cooldown, unless another worker has claimed it. */
    claimProbe: (now: Date, subscription: SubscriptionToProbe) =>
      readClaimed(sql`${claimProbeSql(sql, { now, leaseMs }, subscription)}`),
    /** Also resets the health of the subscription. */
    complete,
    /**
     * Returns the subscription's health before the failure, or undefined if the subscription is gone or has another
     * URL.
     */
    fail: (delivery: ClaimedDelivery, attempt: DeliveryAttempt, nextAttempt: Date | undefined, now: Date) =>
      readHealth(sql`${failDeliverySql(sql, delivery, attempt, nextAttempt, now)}`).pipe(
        Effect.map((row) => row?.health)
      ),
    release: (delivery: ClaimedDelivery, now: Date) =>
      sql`${releaseDeliverySql(sql, delivery, now)}`.pipe(Effect.asVoid, Effect.orDie),
    findHealth: (subscription: SubscriptionAddress) =>
      readHealth(sql`${selectHealthSql(sql, subscription)}`).pipe(Effect.map((row) => row?.health)),
    /** Returns false and changes nothing if the health is no longer `from` or the URL has changed. */
    replaceHealth: (
      subscription: SubscriptionAddress,
      from: SubscriptionHealth,
      to: SubscriptionHealth,
      pause?: SubscriptionPause
    ) =>
      readReplacedHealthId(sql`${replaceHealthSql(sql, subscription, from, to, pause)} RETURNING id`).pipe(
        Effect.map((row) => row !== undefined)
      )
  }
})

/**
 * All processes share the pending deliveries. A success after the lease still counts, unless the event was replayed.
 *
 * Order: a delivery waits for earlier events of its record and subscription, until they have failed three times, which
 * takes about two minutes. A row of `webhook_lanes` (a queue partition) contains the next delivery.
 *
 * Fairness: a claim takes a limited number of deliveries per subscription, and only one of a failing subscription. The
 * operator with the fewest deliveries in progress comes first.
 */
export class DeliveryQueue extends Context.Service<DeliveryQueue>()(
  "latchkey/domain/webhooks/deliveries/DeliveryQueue",
  { make: makeDeliveryQueue }
) {
  static readonly layer = Layer.effect(DeliveryQueue, DeliveryQueue.make)
}
