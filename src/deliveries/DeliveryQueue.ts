import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter, jsonParameter } from "../database/parameters.ts"
import { rowOf, rowsOf } from "../database/rows.ts"
import { WEBHOOK_LEASE_MS, WEBHOOK_SHARE, WEBHOOK_UNDER_WAY } from "../limits.ts"
import { type Health, healthy } from "./breaker.ts"
import { RestedSubscription, TakenDelivery } from "./delivery.ts"
import { gathered } from "./gathered.ts"
import { StoredHealth } from "./health.ts"
import type { Attempt } from "./Outbound.ts"
import { withWork } from "./with-work.ts"

/** A try: when it began and how it ended. */
export interface Tried {
  readonly startedAt: Date
  readonly attempt: Attempt
}

/** A delivery that was answered as it should be. */
export interface Success extends Tried {
  readonly delivery: TakenDelivery
}

const rowOfSuccess = ({ delivery, startedAt, attempt }: Success) => ({
  operator_id: delivery.operatorId,
  event_id: delivery.eventId,
  subscription_id: delivery.subscriptionId,
  run: delivery.run,
  attempt: delivery.attempt,
  started_at: startedAt.toISOString(),
  duration_ms: attempt.durationMs,
  ...(attempt.outcome === "answered" ? { status: attempt.status, first_bytes: attempt.firstBytes } : {})
})

/** What a failed delivery waits for; undefined: nothing more, it is a dead letter. */
export type NextTry = Date | undefined

type Subscription = Pick<TakenDelivery, "operatorId" | "subscriptionId">

const readTaken = rowsOf(TakenDelivery)
const readRested = rowsOf(RestedSubscription)
const readHealth = rowOf(Schema.Struct({ health: StoredHealth }))
const readReplaced = rowOf(Schema.Struct({ id: Schema.Int }))

/**
 * The second way of an event: deliveries that wait, in the database, for any worker of any process.
 *
 * To take a delivery is to put off when it is due by the lease. A worker that dies with it has done nothing more, so
 * the delivery is due again by itself: it may arrive twice, and is never lost. A worker that comes back late finds
 * another attempt number and writes down only what is still true: a success, if nobody has replayed the event since.
 *
 * Order: a delivery is not taken while an earlier event of the same record waits for the same subscription, except if
 * that one failed WEBHOOK_HOLDING_FAILURES times. So a record's events go out one after the other, and a failing one
 * holds back the next for about two minutes, not for three days. Which delivery is next, and when, is read from the
 * lanes, which the database keeps beside the deliveries (migration 0009_webhook_lanes).
 *
 * Share: a look takes no more of a subscription than its share leaves, nothing of one that rests or is paused, and one
 * at a time of one that fails; how much of it waits makes no difference to the others. Where room is short, the operator
 * with the fewest deliveries under way comes first: many slow receivers of one do not hold up another's.
 */
export class DeliveryQueue extends Context.Service<DeliveryQueue>()("latchkey/deliveries/DeliveryQueue", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const stored = (health: Health): Fragment => sql`${jsonParameter(health)}::jsonb`

    const leaseEnd = (now: Date): Date => new Date(now.getTime() + WEBHOOK_LEASE_MS)

    /** What a try needs to know of its subscription `s`. */
    const sending = (now: Date): Fragment => sql`
      s.operator_id, s.id, s.url, s.secret, s.secret_token,
      CASE WHEN s.former_secret_until > ${now} THEN s.former_secret END AS former_secret`

    // PostgreSQL plans these statements once, when nothing waits, and uses the plan when a hundred thousand do. Left to
    // itself it then reads the whole table, or all that waits, to change four rows. So the way is said: rows that were
    // found are changed by where they lie (ctid), under conditions no index of waiting rows fits (settled_at IS NULL is as
    // much as waiting), OFFSET 0 looks up one row for each row before it, and a limit that is the text of the statement tells
    // how few rows to expect.

    /**
     * The deliveries of subscription `o` that may go now, oldest first: the heads of its lanes that are due. One that
     * somebody else has in hand is passed by: who writes down how it ended asks for the subscription next.
     */
    const dueOf = (now: Date, most: Fragment): Fragment => sql`
      SELECT head.place, due.due_at
      FROM (
        SELECT * FROM (
          SELECT event_id, due_at FROM webhook_lanes
          WHERE operator_id = o.operator_id AND subscription_id = o.id AND due_at <= ${now} AND event_id > 0
          ORDER BY due_at, event_id LIMIT ${sql.literal(String(WEBHOOK_SHARE))}
        ) share LIMIT ${most}
      ) due
      CROSS JOIN LATERAL (
        SELECT ctid AS place FROM webhook_deliveries
        WHERE operator_id = o.operator_id AND event_id = due.event_id AND subscription_id = o.id
          AND settled_at IS NULL
        FOR NO KEY UPDATE SKIP LOCKED) head`

    /** Takes the rows of `chosen`; one that somebody else has changed since lies elsewhere and is left to them. */
    const taking = (now: Date): Fragment => sql`
      taken AS (
        UPDATE webhook_deliveries d SET attempts = d.attempts + 1, due_at = ${leaseEnd(now)}
        WHERE d.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND d.settled_at IS NULL AND d.due_at <= ${now}
        RETURNING d.operator_id, d.event_id, d.subscription_id, d.attempts, d.failures, d.run
      )
      SELECT taken.operator_id AS "operatorId", taken.event_id AS "eventId", taken.subscription_id AS "subscriptionId",
        taken.attempts AS attempt, taken.failures, taken.run, e.event, e.payload, e.queued_at AS "queuedAt",
        o.url, o.secret, o.secret_token AS "secretToken", o.former_secret AS "formerSecret"
      FROM taken
      JOIN o ON o.operator_id = taken.operator_id AND o.id = taken.subscription_id
      JOIN events e ON e.operator_id = taken.operator_id AND e.id = taken.event_id
      ORDER BY taken.event_id`

    /**
     * Takes up to `free` due deliveries. `underWay` counts, by subscription, those this process has already. The row of
     * a subscription is locked while its deliveries are taken; other workers pass it by and take another one's.
     */
    const take = (now: Date, free: number, underWay: ReadonlyMap<string, number>) => {
      const subscriptions = Array.from(underWay.keys(), Number)
      const counts = Array.from(underWay.values())
      return readTaken(sql`
        WITH RECURSIVE ${withWork(sql)}, o AS MATERIALIZED (
          SELECT ${sending(now)},
            CASE s.health->>'state' WHEN 'failing' THEN 1 ELSE ${WEBHOOK_SHARE}::integer END
              - coalesce(busy.deliveries, 0) AS room,
            sum(coalesce(busy.deliveries, 0)) OVER (PARTITION BY s.operator_id) AS of_operator
          FROM with_work
          CROSS JOIN LATERAL (
            SELECT * FROM webhook_subscriptions
            WHERE operator_id = with_work.operator_id AND id = with_work.subscription_id AND deleted_at IS NULL
              AND health->>'state' IN ('healthy', 'failing')
            FOR NO KEY UPDATE SKIP LOCKED) s
          LEFT JOIN unnest(${idsParameter(subscriptions)}::bigint[], ${idsParameter(counts)}::bigint[])
            AS busy (id, deliveries) ON busy.id = s.id
        ), chosen AS (
          SELECT due.place FROM o CROSS JOIN LATERAL (${dueOf(now, sql`greatest(o.room, 0)`)}) due
          ORDER BY o.of_operator + row_number() OVER (PARTITION BY o.operator_id ORDER BY due.due_at), due.due_at
          LIMIT ${free}
        ), ${taking(now)}`)
    }

    /** Up to `most` subscriptions whose rest is over and that something is due for. */
    const rested = (now: Date, most: number) =>
      readRested(sql`
        WITH RECURSIVE ${withWork(sql)}
        SELECT s.operator_id AS "operatorId", s.id AS "subscriptionId", s.health
        FROM with_work
        JOIN webhook_subscriptions s ON s.operator_id = with_work.operator_id AND s.id = with_work.subscription_id
        WHERE s.deleted_at IS NULL AND s.health->>'state' IN ('resting', 'probing')
          AND (s.health->>'until')::bigint <= ${now.getTime()}
          AND EXISTS (
            SELECT FROM webhook_lanes l
            WHERE l.operator_id = s.operator_id AND l.subscription_id = s.id AND l.due_at <= ${now} AND l.event_id > 0)
        ORDER BY s.health->>'until' LIMIT ${most}`)

    /** Takes the one delivery that ends a rest, if the health is still the one it was judged by and something is due. */
    const takeProbe = (subscription: RestedSubscription, probing: Health, now: Date) =>
      readTaken(sql`
        WITH o AS (
          SELECT ${sending(now)} FROM webhook_subscriptions s
          WHERE s.operator_id = ${subscription.operatorId} AND s.id = ${subscription.subscriptionId}
        ), due AS (
          SELECT o.operator_id, o.id, due.place FROM o CROSS JOIN LATERAL (${dueOf(now, sql`1`)}) due
        ), chosen AS (
          UPDATE webhook_subscriptions s SET health = ${stored(probing)}
          FROM due
          WHERE s.operator_id = due.operator_id AND s.id = due.id AND s.deleted_at IS NULL
            AND s.health = ${stored(subscription.health)}
          RETURNING due.place
        ), ${taking(now)}`)

    const keyIs = (delivery: TakenDelivery): Fragment => sql`
      operator_id = ${delivery.operatorId} AND event_id = ${delivery.eventId}
        AND subscription_id = ${delivery.subscriptionId}`

    /** The row of a try; a delivery that was cleared away meanwhile keeps none. */
    const recording = (delivery: TakenDelivery, { startedAt, attempt }: Tried): Fragment => sql`
      INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status, reason,
        detail, first_bytes)
      SELECT operator_id, event_id, subscription_id, ${delivery.attempt}, ${startedAt}, ${attempt.durationMs}::integer,
        ${attempt.outcome === "answered" ? attempt.status : null}::integer,
        ${attempt.outcome === "failed" ? attempt.reason : null}::text,
        ${attempt.outcome === "failed" ? attempt.detail.replaceAll("\0", "\uFFFD") : null}::text,
        ${attempt.outcome === "answered" ? attempt.firstBytes : null}::text
      FROM webhook_deliveries WHERE ${keyIs(delivery)}
      ON CONFLICT DO NOTHING`

    /**
     * The receivers have these. True also if a lease is over and another worker tries again, and it heals the
     * subscription.
     */
    const deliveredAll = (successes: ReadonlyArray<Success>, now: Date) =>
      sql`
        WITH given AS (
          SELECT * FROM jsonb_to_recordset(${jsonParameter(successes.map(rowOfSuccess))}::jsonb) AS row (
            operator_id bigint, event_id bigint, subscription_id bigint, run integer, attempt integer,
            started_at timestamptz, duration_ms integer, status integer, first_bytes text)
        ), found AS (
          SELECT given.*, d.place, d.run = given.run AS current FROM given CROSS JOIN LATERAL (
            SELECT ctid AS place, run FROM webhook_deliveries
            WHERE operator_id = given.operator_id AND event_id = given.event_id AND subscription_id = given.subscription_id
            OFFSET 0) d
        ), settled AS (
          UPDATE webhook_deliveries d SET state = 'delivered', settled_at = ${now}
          WHERE d.ctid = ANY (ARRAY(SELECT place FROM found WHERE current)) AND d.settled_at IS NULL
        ), tried AS (
          INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status,
            first_bytes)
          SELECT operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status, first_bytes FROM found
          ON CONFLICT DO NOTHING
        )
        UPDATE webhook_subscriptions s SET health = ${stored(healthy)}
        WHERE s.ctid = ANY (ARRAY(
            SELECT receiving.place
            FROM (SELECT DISTINCT operator_id, subscription_id FROM given) one CROSS JOIN LATERAL (
              SELECT ctid AS place FROM webhook_subscriptions
              WHERE operator_id = one.operator_id AND id = one.subscription_id OFFSET 0) receiving))
          AND s.health->>'state' NOT IN ('healthy', 'paused')`.pipe(Effect.asVoid, Effect.orDie)

    const delivered = yield* gathered(
      (successes: ReadonlyArray<Success>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => deliveredAll(successes, new Date(now))),
      WEBHOOK_UNDER_WAY
    )

    /** Whether this try is still the one that counts: nobody has taken the delivery since, nor replayed it. */
    const isMine = (delivery: TakenDelivery): Fragment => sql`
      ${keyIs(delivery)} AND settled_at IS NULL AND run = ${delivery.run} AND attempts = ${delivery.attempt}`

    /**
     * The receiver has it not. Answers the health of the subscription before this failure; undefined: it is gone. Done
     * twice (the answer of the database was lost) it counts once, because the try has its row.
     */
    const failed = (delivery: TakenDelivery, tried: Tried, nextTry: NextTry, now: Date) =>
      readHealth(sql`
        WITH settled AS (
          UPDATE webhook_deliveries SET failures = failures + 1,
            state = ${nextTry === undefined ? "dead" : "waiting"}, due_at = ${nextTry ?? now},
            settled_at = ${nextTry === undefined ? now : null}::timestamptz
          WHERE ${isMine(delivery)} AND NOT EXISTS (
            SELECT FROM webhook_attempts WHERE ${keyIs(delivery)} AND attempt = ${delivery.attempt})
        ), tried AS (${recording(delivery, tried)})
        ${healthOf(delivery)}`).pipe(Effect.map((row) => row?.health))

    const healthOf = (subscription: Subscription): Fragment => sql`
      SELECT health FROM webhook_subscriptions
      WHERE operator_id = ${subscription.operatorId} AND id = ${subscription.subscriptionId} AND deleted_at IS NULL`

    const health = (subscription: Subscription) =>
      readHealth(sql`${healthOf(subscription)}`).pipe(Effect.map((row) => row?.health))

    /** Replaces the health, unless it has changed meanwhile; then it answers false. `pause` is what the host is told. */
    const replaceHealth = (
      subscription: Subscription,
      from: Health,
      to: Health,
      pause?: { at: Date; reason: string }
    ) =>
      readReplaced(sql`
        UPDATE webhook_subscriptions SET health = ${stored(to)},
          paused_at = ${pause?.at ?? null}::timestamptz, paused_reason = ${pause?.reason ?? null}::text
        WHERE operator_id = ${subscription.operatorId} AND id = ${subscription.subscriptionId}
          AND health = ${stored(from)} RETURNING id`).pipe(Effect.map((row) => row !== undefined))

    /** Hands a delivery back untried. */
    const release = (delivery: TakenDelivery, now: Date) =>
      sql`
        UPDATE webhook_deliveries SET attempts = attempts - 1, due_at = ${now} WHERE ${isMine(delivery)}`.pipe(
        Effect.asVoid,
        Effect.orDie
      )

    return { take, rested, takeProbe, delivered, failed, health, replaceHealth, release }
  })
}) {
  static readonly layer = Layer.effect(DeliveryQueue, DeliveryQueue.make)
}
