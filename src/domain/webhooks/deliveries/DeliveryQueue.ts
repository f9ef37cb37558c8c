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

const makeDeliveryQueue = Effect.gen(function* () {
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
    take: (now: Date, most: number, inProgress: Iterable<SubscriptionKey>) =>
      readTaken(sql`${takingDue(sql, { now, leaseMs }, most, inProgress)}`),
    findSubscriptionsToProbe: (now: Date, most: number, inProgress: Iterable<SubscriptionKey>) =>
      readSubscriptionsToProbe(sql`${subscriptionsToProbeSql(sql, now, most, inProgress)}`),
    takeProbe: (now: Date, subscription: SubscriptionToProbe) =>
      readTaken(sql`${takingProbe(sql, { now, leaseMs }, subscription)}`),
    complete,
    fail: (delivery: TakenDelivery, attempt: DeliveryAttempt, nextTry: Date | undefined, now: Date) =>
      readHealth(sql`${settlingFailed(sql, delivery, attempt, nextTry, now)}`).pipe(Effect.map((row) => row?.health)),
    release: (delivery: TakenDelivery, now: Date) =>
      sql`${releaseDeliverySql(sql, delivery, now)}`.pipe(Effect.asVoid, Effect.orDie),
    findHealth: (subscription: SubscriptionAddress) =>
      readHealth(sql`${selectHealthSql(sql, subscription)}`).pipe(Effect.map((row) => row?.health)),
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
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /** Takes up to `most` due deliveries. `inProgress` are those this process has already. */
    readonly take: (
      now: Date,
      most: number,
      inProgress: Iterable<SubscriptionKey>
    ) => Effect.Effect<ReadonlyArray<TakenDelivery>>
    /** Returns up to `most` subscriptions whose rest is over and that have due deliveries. */
    readonly findSubscriptionsToProbe: (
      now: Date,
      most: number,
      inProgress: Iterable<SubscriptionKey>
    ) => Effect.Effect<ReadonlyArray<SubscriptionToProbe>>
    /** Takes the one delivery that ends a rest, or none if another worker was faster. */
    readonly takeProbe: (now: Date, subscription: SubscriptionToProbe) => Effect.Effect<ReadonlyArray<TakenDelivery>>
    /** Records a success, and resets the health of the subscription. */
    readonly complete: (success: DeliverySuccess) => Effect.Effect<void>
    /** Records a failed try. Returns the health of the subscription before, or undefined if it is gone or has another address. */
    readonly fail: (
      delivery: TakenDelivery,
      attempt: DeliveryAttempt,
      nextTry: Date | undefined,
      now: Date
    ) => Effect.Effect<SubscriptionHealth | undefined>
    /** Hands a delivery back untried. */
    readonly release: (delivery: TakenDelivery, now: Date) => Effect.Effect<void>
    readonly findHealth: (subscription: SubscriptionAddress) => Effect.Effect<SubscriptionHealth | undefined>
    /** Replaces the health. Returns false, and changes nothing, if the health or the address has changed meanwhile. */
    readonly replaceHealth: (
      subscription: SubscriptionAddress,
      from: SubscriptionHealth,
      to: SubscriptionHealth,
      pause?: SubscriptionPause
    ) => Effect.Effect<boolean>
  }
>()("latchkey/domain/webhooks/deliveries/DeliveryQueue") {
  static readonly layer = Layer.effect(DeliveryQueue, makeDeliveryQueue)
}
