import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { type Context, Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AnswerQueue } from "../../src/domain/automation/answering/AnswerQueue.ts"
import { PlanningQueue } from "../../src/domain/automation/planning/PlanningQueue.ts"
import { PlanQueue } from "../../src/domain/automation/running/PlanQueue.ts"
import { CalendarQueue } from "../../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import { ComparisonQueue } from "../../src/domain/calendars/listing-calendars/ComparisonQueue.ts"
import { PushQueue } from "../../src/domain/calendars/listing-calendars/PushQueue.ts"
import { SendQueue } from "../../src/domain/guests/conversations/sending/SendQueue.ts"
import { PreparingQueue } from "../../src/domain/knowledge/preparing/preparation-jobs.ts"
import { DeliveryQueue } from "../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { explainMissingCode, extractCode } from "../faults/former-code.ts"
import { createOperator } from "../support/harness.ts"
import { layerOwnDatabase } from "../support/own-database.ts"

// An upgrade, and a rollback, with jobs in all queues: the queues of an earlier release and of this one on the same rows. A job that one
// of them has claimed is not claimed by the other before the lease ends, and is claimed then: so none is repeated and none is lost.

/** The release from which an upgrade must lose and repeat nothing. */
const EARLIER_COMMIT = "e45e5bd"

const NOW = Date.parse("2027-04-20T10:00:00Z")

type Claim = (now: Date) => Effect.Effect<unknown, unknown, SqlClient.SqlClient>

/** A queue of the earlier release. */
interface EarlierQueue {
  readonly take: (now: Date, most: number, underWay: ReadonlyArray<never>) => Effect.Effect<unknown>
}
type EarlierService = Context.Key<unknown, EarlierQueue> & {
  readonly layer: Layer.Layer<unknown, never, SqlClient.SqlClient>
}

interface UpgradedQueue {
  readonly table: string
  /** Inserts a job that is due. */
  readonly insert: (sql: SqlClient.SqlClient, operatorId: number, at: Date) => Effect.Effect<unknown, unknown>
  readonly claim: Claim
  /** Where the earlier release has its queue, and its name there. */
  readonly earlier: readonly [file: string, name: string]
}

const QUEUES: ReadonlyArray<UpgradedQueue> = [
  {
    table: "message_lanes",
    insert: (sql, id, at) => sql`
      INSERT INTO message_lanes (operator_id, conversation_id, account_id, due_at, waiting) VALUES (${id}, 1, 1, ${at}, 1)`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(SendQueue, (queue) => queue.claim(now, 10, [])),
        SendQueue.layer
      ),
    earlier: ["resources/conversations/sending/SendQueue.ts", "SendQueue"]
  },
  {
    table: "listing_lanes",
    insert: (sql, id, at) => sql`
      INSERT INTO listing_lanes (operator_id, listing_row, account_id, due_at, waiting) VALUES (${id}, 1, 1, ${at}, 1)`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(PushQueue, (queue) => queue.claim(now, 10, [])),
        PushQueue.layer
      ),
    earlier: ["resources/listing-calendars/PushQueue.ts", "PushQueue"]
  },
  {
    table: "listing_comparisons",
    insert: (sql, id, at) => sql`
      INSERT INTO listing_comparisons (operator_id, listing_row, account_id, due_at) VALUES (${id}, 1, 0, ${at})`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(ComparisonQueue, (queue) => queue.claim(now, 10, [])),
        ComparisonQueue.layer
      ),
    earlier: ["resources/listing-calendars/Comparisons.ts", "Comparisons"]
  },
  {
    table: "automation_plans",
    insert: (sql, id, at) => sql`
      INSERT INTO automation_plans (operator_id, kind, stay_id, rule_id, account_id, scheduled_at, due_at, created_at, kept_until)
      VALUES (${id}, 'send_message', 1, 1, 0, ${at}, ${at}, ${at}, ${at})`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(PlanQueue, (queue) => queue.claim(now, 10, [])),
        PlanQueue.layer
      ),
    earlier: ["resources/automation/running/PlanQueue.ts", "PlanQueue"]
  },
  {
    table: "automation_stays",
    insert: (sql, id, at) => sql`
      INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at) VALUES (${id}, 1, 0, ${at})`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(PlanningQueue, (queue) => queue.claim(now, 10)),
        PlanningQueue.layer
      ),
    earlier: ["resources/automation/planning/StayMarks.ts", "StayMarks"]
  },
  {
    table: "answer_lanes",
    insert: (sql, id, at) => sql`
      INSERT INTO answer_lanes (operator_id, conversation_id, account_id, waiting, due_at) VALUES (${id}, 1, 0, 1, ${at})`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(AnswerQueue, (queue) => queue.claim(now, 10, [])),
        AnswerQueue.layer
      ),
    earlier: ["resources/automation/answering/AnswerQueue.ts", "AnswerQueue"]
  },
  {
    table: "imported_calendars",
    insert: (sql, id, at) => sql`
      INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
      VALUES (${id}, 1, 'https://calendar.example/1', 'calendar.example', ${at}, ${at})`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(CalendarQueue, (queue) => queue.claim(now, 10, [])),
        CalendarQueue.layer
      ),
    earlier: ["resources/imported-calendars/CalendarQueue.ts", "CalendarQueue"]
  },
  {
    table: "knowledge_bases",
    insert: (sql, id, at) => sql`
      INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
        scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
      VALUES (${id}, 'Parking', true, 'guests', 'all', '{-1}', 'all', '{unlimited}', '[]', 'waiting', ${at}, ${at})`,
    claim: (now) =>
      Effect.provide(
        Effect.flatMap(PreparingQueue, (queue) => queue.claim(now, 10, [])),
        PreparingQueue.layer
      ),
    earlier: ["resources/knowledge-bases/preparing/PreparingQueue.ts", "PreparingQueue"]
  },
  {
    table: "webhook_deliveries",
    insert: (sql, id, at) => sql`
      WITH subscription AS (
        INSERT INTO webhook_subscriptions (operator_id, url, events, secret_token, secret, older_events, created_at, updated_at)
        VALUES (${id}, 'https://receiver.example', '{transaction_updated}', 'token', 'secret', '{}', ${at}, ${at}) RETURNING id
      ), lane AS (
        INSERT INTO webhook_lanes (operator_id, subscription_id, lane, event_id, due_at)
        SELECT ${id}, id, 'transaction:1', 1, ${at} FROM subscription
      )
      INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, due_at)
      SELECT ${id}, 1, id, 'transaction:1', ${at} FROM subscription`,
    claim: (now) =>
      Effect.scoped(
        Effect.provide(
          Effect.flatMap(DeliveryQueue, (queue) => queue.claim(now, 10, [])),
          DeliveryQueue.layer
        )
      ),
    earlier: ["deliveries/DeliveryQueue.ts", "DeliveryQueue"]
  }
]

const importEarlierClaim = (folder: string, [file, name]: UpgradedQueue["earlier"]) =>
  Effect.promise(async (): Promise<Claim> => {
    const module: { readonly [name: string]: EarlierService } = await import(join(folder, "src", file))
    const service = module[name] ?? assert.fail(`${file} has no ${name}`)
    return (now) =>
      Effect.scoped(
        Effect.provide(
          Effect.flatMap(service, (queue) => queue.take(now, 10, [])),
          service.layer
        )
      )
  })

/** Without foreign keys and triggers, and undone. */
const undone = <E, R>(work: Effect.Effect<void, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(
        sql`SET LOCAL session_replication_role = replica`.pipe(
          Effect.andThen(work),
          Effect.andThen(Effect.fail("undone"))
        )
      )
      .pipe(
        Effect.catchIf(
          (error) => error === "undone",
          () => Effect.void
        )
      )
  )

const missing = await Effect.runPromise(explainMissingCode(EARLIER_COMMIT))

layer(layerOwnDatabase)(`an upgrade from ${EARLIER_COMMIT}, and back`, (it) => {
  it.effect.skipIf(missing !== undefined)(
    missing === undefined ? "loses and repeats no job of any queue" : `skipped: ${missing}`,
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const folder = yield* extractCode(EARLIER_COMMIT)
        for (const { table, insert, claim, earlier } of QUEUES) {
          const earlierClaim = yield* importEarlierClaim(folder, earlier)
          for (const [first, second] of [
            [earlierClaim, claim],
            [claim, earlierClaim]
          ] as const) {
            const { operatorId } = yield* createOperator()
            const load = Effect.map(
              sql<{
                attempts: number
                due_at: Date
              }>`SELECT attempts, due_at FROM ${sql(table)} WHERE operator_id = ${operatorId}`,
              ([row]) => row ?? assert.fail(`${table} has lost its job`)
            )
            yield* undone(
              Effect.gen(function* () {
                yield* insert(sql, operatorId, new Date(NOW))
                yield* first(new Date(NOW))
                const claimed = yield* load
                assert.strictEqual(claimed.attempts, 1, `${table} is not claimed`)
                const leaseEnd = claimed.due_at.getTime()
                assert.isAbove(leaseEnd, NOW, table)
                // The other table of a delivery follows by a trigger.
                if (table === "webhook_deliveries")
                  yield* sql`UPDATE webhook_lanes SET due_at = ${claimed.due_at} WHERE operator_id = ${operatorId}`
                yield* second(new Date(leaseEnd - 1))
                assert.deepStrictEqual(yield* load, claimed, `${table} is repeated`)
                yield* second(new Date(leaseEnd))
                assert.strictEqual((yield* load).attempts, 2, `${table} is lost`)
              })
            )
          }
        }
      }).pipe(Effect.scoped),
    120_000
  )
})
