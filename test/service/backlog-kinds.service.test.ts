import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BACKLOG_COUNT_LIMIT } from "../../src/jobs/backlog-statements.ts"
import { BACKLOG_KINDS, type BacklogKind, makeBacklogReaders } from "../../src/service/backlog.ts"
import {
  createSubscription,
  layerDeliveryService,
  recordEvents
} from "../support/domain/webhooks/deliveries/delivery-service.ts"
import { createOperator } from "../support/harness.ts"

const looked = Effect.flatMap(makeBacklogReaders, (looks) => Effect.all(looks))

/** What a look says of one kind. */
const state = (kind: BacklogKind) =>
  Effect.map(looked, (states) => {
    const found = states.find((each) => each.kind === kind)
    return [found?.due, found?.oldestSeconds] as const
  })

const ago = (seconds: number) => Effect.map(Clock.currentTimeMillis, (now) => new Date(now - seconds * 1000))

/** A row with work of one kind, due so many seconds ago. Foreign keys are of no concern to who only counts. */
const rows: Partial<
  Record<BacklogKind, (sql: SqlClient.SqlClient, operatorId: number, at: Date) => Effect.Effect<unknown, unknown>>
> = {
  events: (sql, id, at) => sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at) VALUES (${id}, 'message_created', 'r', '{}', ${at})`,
  pushes: (sql, id, at) => sql`
    INSERT INTO listing_lanes (operator_id, listing_row, account_id, due_at, waiting) VALUES (${id}, 1, 1, ${at}, 1)`,
  messages: (sql, id, at) => sql`
    INSERT INTO message_lanes (operator_id, conversation_id, account_id, due_at, waiting) VALUES (${id}, 1, 1, ${at}, 1)`,
  planned_messages: (sql, id, at) => sql`
    INSERT INTO automation_plans (operator_id, kind, stay_id, rule_id, account_id, scheduled_at, due_at, created_at, kept_until)
    VALUES (${id}, 'send_message', 1, 1, 0, ${at}, ${at}, ${at}, ${at})`,
  planned_reviews: (sql, id, at) => sql`
    INSERT INTO automation_plans (operator_id, kind, stay_id, rule_id, account_id, scheduled_at, due_at, created_at, kept_until)
    VALUES (${id}, 'review', 1, 1, 0, ${at}, ${at}, ${at}, ${at})`,
  stays_to_plan: (sql, id, at) => sql`
    INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at) VALUES (${id}, 1, 0, ${at})`,
  answers: (sql, id, at) => sql`
    INSERT INTO answer_lanes (operator_id, conversation_id, account_id, waiting, due_at) VALUES (${id}, 1, 0, 1, ${at})`,
  comparisons: (sql, id, at) => sql`
    INSERT INTO listing_comparisons (operator_id, listing_row, account_id, due_at) VALUES (${id}, 1, 0, ${at})`
}

/** Without foreign keys, and undone. */
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

layer(layerDeliveryService)("what is due of each kind", (it) => {
  it.effect("is nothing where there is no work", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* looked,
        BACKLOG_KINDS.map((kind) => ({ kind, due: 0, oldestSeconds: null }))
      )
    })
  )

  for (const kind of BACKLOG_KINDS) {
    const insert = rows[kind]
    if (insert === undefined) continue
    it.effect(`is counted, with the age of the oldest: ${kind}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(Date.now())
        const operators = [yield* createOperator(), yield* createOperator(), yield* createOperator()]
        yield* undone(
          Effect.gen(function* () {
            for (const [at, { operatorId }] of operators.entries())
              yield* insert(sql, operatorId, yield* ago([90, 30, -60][at] ?? 0))
            // What is due in a minute does not count; an event is there to be handed out whatever its time.
            assert.deepStrictEqual(yield* state(kind), [kind === "events" ? 3 : 2, 90])
          })
        )
      })
    )
  }

  it.effect("is a delivery only while its receiver neither rests nor is paused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.now())
      const { operator, id } = yield* createSubscription(9)
      const [event = 0] = yield* recordEvents(operator, [{ event: "transaction_updated" }])
      yield* sql`
        INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, due_at)
        VALUES (${operator.operatorId}, ${event}, ${id}, 'transaction:1', ${yield* ago(120)})`
      assert.deepStrictEqual(yield* state("webhooks"), [1, 120])
      yield* sql`UPDATE webhook_subscriptions SET health = '{"state":"resting","until":0,"since":0,"rests":1}' WHERE id = ${id}`
      assert.deepStrictEqual(yield* state("webhooks"), [0, null])
    })
  )

  it.effect(`is counted up to ${BACKLOG_COUNT_LIMIT} and one, which says that there is more`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.now())
      const { operatorId } = yield* createOperator()
      const marks = (from: number, count: number) => sql`
        INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at)
        SELECT ${operatorId}, ${from}::integer + n, 0, now() - interval '1 hour' FROM generate_series(1, ${count}::integer) n`
      yield* undone(
        Effect.gen(function* () {
          for (const [from, count, due] of [
            [0, BACKLOG_COUNT_LIMIT, BACKLOG_COUNT_LIMIT],
            [BACKLOG_COUNT_LIMIT, 1, BACKLOG_COUNT_LIMIT + 1],
            [BACKLOG_COUNT_LIMIT + 1, 1, BACKLOG_COUNT_LIMIT + 1]
          ] as const) {
            yield* marks(from, count)
            assert.strictEqual((yield* state("stays_to_plan"))[0], due)
          }
        })
      )
    })
  )
})
