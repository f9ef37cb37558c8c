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

/** Deliveries in progress in a process, of all subscriptions together, and deliveries that one statement completes. */
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
    /** Claims up to `maxJobs` due deliveries. `inProgress` are those that this process has claimed already. */
    claim: (now: Date, maxJobs: number, inProgress: Iterable<SubscriptionKey>) =>
      readClaimed(sql`${claimDueSql(sql, { now, leaseMs }, maxJobs, inProgress)}`),
    /** Returns up to `maxJobs` subscriptions whose cooldown is over and that have due deliveries. */
    findSubscriptionsToProbe: (now: Date, maxJobs: number, inProgress: Iterable<SubscriptionKey>) =>
      readSubscriptionsToProbe(sql`${subscriptionsToProbeSql(sql, now, maxJobs, inProgress)}`),
    /** Claims the probe, the one delivery that may end a cooldown. Claims none if another worker was faster. */
    claimProbe: (now: Date, subscription: SubscriptionToProbe) =>
      readClaimed(sql`${claimProbeSql(sql, { now, leaseMs }, subscription)}`),
    /** Records a success, and resets the health of the subscription. */
    complete,
    /** Records a failed attempt. Returns the health of the subscription before, or undefined if it is gone or has another address. */
    fail: (delivery: ClaimedDelivery, attempt: DeliveryAttempt, nextAttempt: Date | undefined, now: Date) =>
      readHealth(sql`${failDeliverySql(sql, delivery, attempt, nextAttempt, now)}`).pipe(
        Effect.map((row) => row?.health)
      ),
    /** Releases a claimed delivery that was not attempted. */
    release: (delivery: ClaimedDelivery, now: Date) =>
      sql`${releaseDeliverySql(sql, delivery, now)}`.pipe(Effect.asVoid, Effect.orDie),
    findHealth: (subscription: SubscriptionAddress) =>
      readHealth(sql`${selectHealthSql(sql, subscription)}`).pipe(Effect.map((row) => row?.health)),
    /** Replaces the health. Returns false, and changes nothing, if the health or the address has changed meanwhile. */
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
 * The pending deliveries, in the database, for the workers of all processes. Each delivery is a job (src/jobs/job-queue.ts). A success
 * that is recorded after the lease counts, unless the event was replayed since.
 *
 * Order: a delivery is not claimed while an earlier event of the same record is pending for the same subscription, unless that one has
 * failed three times. So the events of a record are sent one after the other, and a failing one delays the next for about two minutes and
 * not for three days. The queue partitions tell which delivery is next and when. The database keeps them beside the deliveries
 * (webhook_lanes, migration 0009_webhook_lanes).
 *
 * Fairness: a claim takes no more deliveries of a subscription than its share, one at a time while the subscription is failing, and none
 * while it is in cooldown or paused. If there are more due deliveries than free slots, the operator with the fewest deliveries in progress
 * comes first, so slow receivers of one operator do not delay another operator.
 */
export class DeliveryQueue extends Context.Service<DeliveryQueue>()(
  "latchkey/domain/webhooks/deliveries/DeliveryQueue",
  { make: makeDeliveryQueue }
) {
  static readonly layer = Layer.effect(DeliveryQueue, DeliveryQueue.make)
}
