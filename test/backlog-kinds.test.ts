import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BACKLOG_COUNTED } from "../src/background/backlog.ts"
import { BACKLOG_KINDS, type BacklogKind, makeBacklogLooks } from "../src/backlog.ts"
import { happened, layerScene, subscribed } from "./deliveries/scene.ts"
import { freshOperator } from "./harness.ts"

const looked = Effect.flatMap(makeBacklogLooks, (looks) => Effect.forEach(looks, (look) => look))

/** What a look says of one kind. */
const state = Effect.fnUntraced(function* (kind: BacklogKind) {
  const found = (yield* looked).find((each) => each.kind === kind)
  return { due: found?.due, oldest: found?.oldestSeconds }
})

const ago = (seconds: number) => Effect.map(Clock.currentTimeMillis, (now) => new Date(now - seconds * 1000))

/** A row with work in one queue, due so many seconds ago. Foreign keys are of no concern to who only counts. */
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

layer(layerScene)("what is due of each kind", (it) => {
  it.effect("is nothing, of each by its name, where there is no work", () =>
    Effect.gen(function* () {
      const states = yield* looked
      assert.deepStrictEqual(
        states.map(({ kind }) => kind),
        BACKLOG_KINDS
      )
      for (const { due, oldestSeconds } of states) assert.deepStrictEqual([due, oldestSeconds], [0, null])
    })
  )

  for (const [name, insert] of Object.entries(rows)) {
    const kind = BACKLOG_KINDS.find((each) => each === name) ?? "events"
    it.effect(`is counted, with the age of the oldest: ${name}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(Date.now())
        const operators = [yield* freshOperator(), yield* freshOperator(), yield* freshOperator()]
        const ages = [90, 30, -60]
        yield* sql
          .withTransaction(
            Effect.gen(function* () {
              yield* sql`SET LOCAL session_replication_role = replica`
              for (const [at, { operatorId }] of operators.entries())
                yield* insert(sql, operatorId, yield* ago(ages[at] ?? 0))
              // What is due in a minute does not count; an event is there to be handed out whatever its time.
              assert.deepStrictEqual(yield* state(kind), { due: kind === "events" ? 3 : 2, oldest: 90 })
              return yield* Effect.fail("undone")
            })
          )
          .pipe(
            Effect.catchIf(
              (error) => error === "undone",
              () => Effect.void
            )
          )
      })
    )
  }

  it.effect("is a delivery only while its receiver neither rests nor is paused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.now())
      const { operator, id } = yield* subscribed(9)
      const [event = 0] = yield* happened(operator, [{ event: "transaction_updated" }])
      yield* sql`
        INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, due_at)
        VALUES (${operator.operatorId}, ${event}, ${id}, 'transaction:1', ${yield* ago(120)})`
      assert.deepStrictEqual(yield* state("webhooks"), { due: 1, oldest: 120 })
      yield* sql`UPDATE webhook_subscriptions SET health = '{"state":"resting","until":0,"since":0,"rests":1}' WHERE id = ${id}`
      assert.deepStrictEqual(yield* state("webhooks"), { due: 0, oldest: null })
    })
  )

  it.effect("is not counted beyond the bound", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.now())
      const { operatorId } = yield* freshOperator()
      const before = (yield* state("stays_to_plan")).due ?? 0
      const marks = (from: number, count: number) => sql`
        INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at)
        SELECT ${operatorId}, ${from}::integer + n, 0, now() - interval '1 hour' FROM generate_series(1, ${count}::integer) n`
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`SET LOCAL session_replication_role = replica`
            yield* marks(0, BACKLOG_COUNTED - before)
            assert.strictEqual((yield* state("stays_to_plan")).due, BACKLOG_COUNTED)
            yield* marks(BACKLOG_COUNTED, 1)
            assert.strictEqual((yield* state("stays_to_plan")).due, BACKLOG_COUNTED + 1)
            yield* marks(BACKLOG_COUNTED + 1, 1)
            assert.strictEqual((yield* state("stays_to_plan")).due, BACKLOG_COUNTED + 1)
            return yield* Effect.fail("undone")
          })
        )
        .pipe(
          Effect.catchIf(
            (error) => error === "undone",
            () => Effect.void
          )
        )
    })
  )
})
