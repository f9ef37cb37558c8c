import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeBatcher } from "../../../jobs/batcher.ts"
import { LeaseDuration } from "../../../jobs/lease.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { SubscriptionHealth } from "./circuit-breaker.ts"
import {
  type DeliveryAttempt,
  type DeliverySuccess,
  type SubscriptionAddress,
  type SubscriptionKey,
  SubscriptionToProbe,
  TakenDelivery
} from "./delivery.ts"
import { releaseDeliverySql, settlingDelivered, settlingFailed } from "./settling.ts"
import { replaceHealthSql, type SubscriptionPause, selectHealthSql } from "./subscription-statements.ts"
import { subscriptionsToProbeSql, takingDue, takingProbe } from "./taking.ts"

/** Deliveries under way at once in a process, of all subscriptions together, and those one statement settles. */
export const MAX_DELIVERIES_IN_PROGRESS = 256

const readTaken = makeRowsReader(TakenDelivery)
const readSubscriptionsToProbe = makeRowsReader(SubscriptionToProbe)
const readHealth = makeOptionalRowReader(Schema.Struct({ health: SubscriptionHealth }))
const readReplacedHealthId = makeOptionalRowReader(Schema.Struct({ id: Schema.Int }))

/**
 * The second way of an event: deliveries that wait, in the database, for any worker of any process. Each is timed work
 * done once (src/jobs/timed-work.ts). A success that comes late counts, if nobody has replayed the event since.
 *
 * Order: a delivery is not taken while an earlier event of the same record waits for the same subscription, except if
 * that one failed three times. So a record's events go out one after the other, and a failing one holds back the next
 * for about two minutes, not for three days. Which delivery is next, and when, is read from the lanes, which the
 * database keeps beside the deliveries (migration 0009_webhook_lanes).
 *
 * Share: a poll takes no more of a subscription than its share leaves, nothing of one that rests or is paused, and one
 * at a time of one that fails; how much of it waits makes no difference to the others. Where room is short, the operator
 * with the fewest deliveries under way comes first: many slow receivers of one do not hold up another's.
 */
export class DeliveryQueue extends Context.Service<DeliveryQueue>()(
  "latchkey/domain/webhooks/deliveries/DeliveryQueue",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const leaseMs = yield* LeaseDuration
      const complete = yield* makeBatcher(
        (successes: ReadonlyArray<DeliverySuccess>) =>
          DateTime.nowAsDate.pipe(
            Effect.flatMap((now) => sql`${settlingDelivered(sql, successes, now)}`),
            Effect.asVoid,
            Effect.orDie
          ),
        MAX_DELIVERIES_IN_PROGRESS
      )
      return {
        /** Takes up to `most` due deliveries. `underWay` are those this process has already. */
        take: (now: Date, most: number, inProgress: Iterable<SubscriptionKey>) =>
          readTaken(sql`${takingDue(sql, { now, leaseMs }, most, inProgress)}`),

        /** Up to `most` subscriptions whose rest is over and that something is due for. */
        findSubscriptionsToProbe: (now: Date, most: number, inProgress: Iterable<SubscriptionKey>) =>
          readSubscriptionsToProbe(sql`${subscriptionsToProbeSql(sql, now, most, inProgress)}`),

        /** Takes the one delivery that ends a rest; nothing where another worker was faster. */
        takeProbe: (now: Date, subscription: SubscriptionToProbe) =>
          readTaken(sql`${takingProbe(sql, { now, leaseMs }, subscription)}`),

        /** The receiver has it, and its subscription is healed. */
        complete,

        /** Records a failed try. Returns the health of the subscription before, or undefined if it is gone or has another address. */
        fail: (delivery: TakenDelivery, attempt: DeliveryAttempt, nextTry: Date | undefined, now: Date) =>
          readHealth(sql`${settlingFailed(sql, delivery, attempt, nextTry, now)}`).pipe(
            Effect.map((row) => row?.health)
          ),

        /** Hands a delivery back untried. */
        release: (delivery: TakenDelivery, now: Date) =>
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
  }
) {
  static readonly layer = Layer.effect(DeliveryQueue, DeliveryQueue.make)
}
