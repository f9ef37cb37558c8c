import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { again } from "../background/again.ts"
import { rowOf } from "../database/rows.ts"
import {
  WEBHOOK_CLEANING_MS,
  WEBHOOK_CLEANING_ROWS,
  WEBHOOK_DEAD_KEPT_MS,
  WEBHOOK_KEPT_MS,
  WEBHOOK_WAIT_MS
} from "../limits.ts"
import { withWork } from "./with-work.ts"

const readCount = rowOf(Schema.Struct({ rows: Schema.Int }))
const readVacuum = rowOf(Schema.Struct({ present: Schema.Boolean }))

/**
 * Ends what has waited too long and removes what nobody looks at any more. Each statement works on a bounded number of
 * rows and skips those another process has in hand, so several may clean at once and nothing else waits for them.
 */
export class Cleaning extends Context.Service<
  Cleaning,
  {
    /** Does all that is to be done at this time. */
    readonly clean: (now: Date) => Effect.Effect<void>
  }
>()("latchkey/deliveries/Cleaning") {
  static readonly layer = Layer.effect(
    Cleaning,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Rows of a table by where they lie; the lock keeps them there until the statement ends. */
      const found = (rows: Fragment): Fragment => sql`
        ctid = ANY (ARRAY(${rows} LIMIT ${WEBHOOK_CLEANING_ROWS} FOR UPDATE SKIP LOCKED))`

      const counted = (change: Fragment) =>
        readCount(sql`WITH changed AS (${change} RETURNING 1) SELECT count(*) AS rows FROM changed`).pipe(
          Effect.map((row) => row?.rows ?? 0)
        )

      /** Subscription `s` of each with work. */
      const withSubscriptions = sql`
        with_work w JOIN webhook_subscriptions s ON s.operator_id = w.operator_id AND s.id = w.subscription_id`

      /**
       * Waiting deliveries that were due before `then`, of subscriptions that rest or are paused: it is not for want of a
       * worker. A lane is read from its head on and not to its end, which became due later than its beginning.
       */
      const expired = (then: Date): Fragment => sql`
        WITH RECURSIVE ${withWork(sql)}
        SELECT d.place FROM ${withSubscriptions}
        CROSS JOIN LATERAL (
          SELECT lane FROM webhook_lanes
          WHERE operator_id = s.operator_id AND subscription_id = s.id AND due_at <= ${then} AND event_id > 0
          ORDER BY due_at, event_id LIMIT ${WEBHOOK_CLEANING_ROWS}) l
        CROSS JOIN LATERAL (
          SELECT ctid AS place, due_at FROM webhook_deliveries
          WHERE operator_id = s.operator_id AND subscription_id = s.id AND lane = l.lane AND state = 'waiting'
          LIMIT ${WEBHOOK_CLEANING_ROWS} FOR UPDATE SKIP LOCKED) d
        WHERE s.health->>'state' NOT IN ('healthy', 'failing') AND d.due_at <= ${then}
        LIMIT ${WEBHOOK_CLEANING_ROWS}`

      const ofDeleted = sql`
        WITH RECURSIVE ${withWork(sql)}
        SELECT d.ctid FROM ${withSubscriptions}
        JOIN webhook_deliveries d ON d.operator_id = w.operator_id AND d.subscription_id = w.subscription_id
          AND d.state = 'waiting'
        WHERE s.deleted_at IS NOT NULL LIMIT ${WEBHOOK_CLEANING_ROWS} FOR UPDATE OF d SKIP LOCKED`

      const steps = (now: number): ReadonlyArray<Fragment> => {
        const before = (age: number) => new Date(now - age)
        return [
          sql`UPDATE webhook_deliveries SET state = 'dead', settled_at = ${new Date(now)}
            WHERE ctid = ANY (ARRAY(${expired(before(WEBHOOK_WAIT_MS))})) AND state = 'waiting'`,
          sql`DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(${ofDeleted})) AND state = 'waiting'`,
          sql`DELETE FROM webhook_attempts WHERE ${found(sql`
            SELECT ctid FROM webhook_attempts WHERE started_at <= ${before(WEBHOOK_KEPT_MS)}`)}`,
          sql`DELETE FROM webhook_deliveries WHERE ${found(sql`
            SELECT ctid FROM webhook_deliveries WHERE state = 'delivered' AND settled_at <= ${before(WEBHOOK_KEPT_MS)}`)}`,
          sql`DELETE FROM webhook_deliveries WHERE ${found(sql`
            SELECT ctid FROM webhook_deliveries WHERE state = 'dead' AND settled_at <= ${before(WEBHOOK_DEAD_KEPT_MS)}`)}`,
          sql`DELETE FROM events WHERE ${found(sql`
            SELECT ctid FROM events WHERE fanned_out_at <= ${before(WEBHOOK_KEPT_MS)} AND NOT EXISTS (
              SELECT FROM webhook_deliveries d WHERE d.operator_id = events.operator_id AND d.event_id = events.id)`)}`,
          // By then the last dead letter of a deleted subscription is gone.
          sql`DELETE FROM webhook_subscriptions s
            WHERE s.deleted_at <= ${before(WEBHOOK_DEAD_KEPT_MS + WEBHOOK_CLEANING_MS)} AND NOT EXISTS (
              SELECT FROM webhook_deliveries d WHERE d.operator_id = s.operator_id AND d.subscription_id = s.id)`
        ]
      }

      // Asked of this session's own row: of the server's processes an ordinary role sees only the names of its own.
      const hasVacuum = Effect.map(
        readVacuum(sql`
          SELECT current_setting('autovacuum')::boolean AND backend_type <> 'standalone backend' AS present
          FROM pg_stat_activity WHERE pid = pg_backend_pid()`),
        (row) => row?.present === true
      )

      /** A server does it by itself. In the embedded database nobody does, and a queue leaves more behind than it holds. */
      const vacuum = Effect.forEach(
        ["events", "webhook_deliveries", "webhook_lanes", "webhook_attempts"],
        (table) => Effect.orDie(sql`VACUUM (ANALYZE) ${sql(table)}`),
        { discard: true }
      )

      const clean = Effect.fnUntraced(function* (now: Date) {
        for (const step of steps(now.getTime())) {
          while ((yield* counted(step)) >= WEBHOOK_CLEANING_ROWS) yield* Effect.yieldNow
        }
        if (!(yield* hasVacuum)) yield* vacuum
      })

      return { clean }
    })
  )
}

/** Cleans from time to time, until the scope closes. */
export const cleaning = Effect.gen(function* () {
  const { clean } = yield* Cleaning
  const round = Effect.gen(function* () {
    yield* Effect.sleep(WEBHOOK_CLEANING_MS)
    const now = yield* Clock.currentTimeMillis
    yield* clean(new Date(now))
  })
  yield* Effect.forkScoped(again("cleaning", round))
})
