import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import {
  PLANNING_LEASE_MS,
  PLANNING_ROOM,
  PlanningQueue
} from "../../../src/domain/automation/planning/PlanningQueue.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  dispatchAndPlan,
  emptyAutomationTables,
  layerAutomationService,
  planAllDue
} from "../../support/domain/automation/automation-service.ts"
import { CLEANING_RULE, createCleanedHost } from "../../support/domain/automation/cleaned-host.ts"
import { dispatchAllEvents } from "../../support/domain/calendars/listing-calendars/availability-push-service.ts"
import { canOverlap, holdLock, runOverlapping, withServerNote } from "../../support/overlapping-transactions.ts"

const PENDING = { status: "pending", expected_date: "2027-04-28", note: "" }

const pick = (tasks: ReadonlyArray<{ readonly [Name in keyof typeof PENDING]: unknown }>) =>
  tasks.map(({ status, expected_date, note }) => ({ status, expected_date, note }))

/** A host whose stay has moved to another check-out. Its task is planned, and the planner has not yet seen the move. */
const prepareMove = Effect.gen(function* () {
  const host = yield* createCleanedHost
  yield* host.createRule
  const { reservation_code: code } = yield* host.bookStay("2027-04-25", "2027-04-28")
  const [task] = yield* host.listTasks
  assert.deepStrictEqual(pick(yield* host.listTasks), [PENDING])
  yield* host.api.update_reservation_basic({ stay_code: code, check_out_date: "2027-04-30" }).pipe(host.as)
  yield* dispatchAllEvents
  return { ...host, code, taskId: task?.id ?? 0 }
})

const toNote = (code: string, reason: string) =>
  `Automation: stay ${code} now needs this task on 2027-04-30 12:00 in Harbour 1. It was not moved, because ${reason}.`

const awaitBlocked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(
    sql<{ waiting: boolean }>`
      SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND cardinality(pg_blocking_pids(pid)) > 0) AS waiting`,
    { until: ([row]) => row?.waiting === true }
  )
)

layer(Layer.provideMerge(Ingest.layer, layerAutomationService))("a task of a rule", (it) => {
  it.effect("keeps the edit that a person makes while its stay is being planned, and then notes the move", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, taskId, code } = yield* prepareMove
      const queue = yield* PlanningQueue
      const claimedAt = yield* DateTime.nowAsDate
      const [stay] = yield* queue.claim(claimedAt, PLANNING_ROOM)
      if (stay === undefined) return assert.fail("no stay is due")
      const [existing] = stay.rule_tasks
      if (existing === undefined) return assert.fail("the stay has no task")
      yield* api.update_task({ id: taskId, status: "in_progress" }).pipe(as)
      const { operator_id, stay_id, attempts, account_id } = stay
      const key = { operator_id, stay_id, kept_until: claimedAt }
      const target = { ...existing.target, expected_date: "2027-04-30" }
      const { rule_id, plan_id, task_id, revision, scheduled_at } = existing
      yield* queue.savePlans({
        stays: [{ ...key, attempts, account_id, look_again: null }],
        plans: [],
        tasks: [
          { ...key, rule_id, plan_id, task_id, revision, scheduled_at, target, ...target, note: "", traceparent: null }
        ],
        claimedAt,
        now: claimedAt
      })
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...PENDING, status: "in_progress" }])
      yield* TestClock.adjust(PLANNING_LEASE_MS)
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [
        { ...PENDING, status: "in_progress", note: toNote(code, "it had been started") }
      ])
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("keeps an edit that is committed while the planner waits for it"), () =>
    Effect.gen(function* () {
      const { api, as, listTasks, taskId, code } = yield* prepareMove
      yield* runOverlapping(api.update_task({ id: taskId, expected_date: "2027-04-29" }).pipe(as), planAllDue)
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...PENDING, expected_date: "2027-04-29" }])
      yield* TestClock.adjust(PLANNING_LEASE_MS)
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [
        { ...PENDING, expected_date: "2027-04-29", note: toNote(code, "a person had edited it") }
      ])
    })
  )

  it.effect.skipIf(!canOverlap)(
    withServerNote("is not locked by a planner that waits for its stay, so the removal of the stay never waits for it"),
    () =>
      Effect.gen(function* () {
        const { listTasks, taskId, operatorId } = yield* prepareMove
        const sql = yield* SqlClient.SqlClient
        // The deletion of a stay locks it in the same way.
        const release = yield* holdLock(sql`SELECT FROM stays WHERE operator_id = ${operatorId} FOR UPDATE`)
        const planner = yield* Effect.forkChild(planAllDue)
        yield* awaitBlocked
        assert.lengthOf(yield* sql`SELECT FROM tasks WHERE id = ${taskId} FOR UPDATE NOWAIT`, 1)
        yield* release
        yield* Fiber.join(planner)
        assert.deepStrictEqual(pick(yield* listTasks), [{ ...PENDING, expected_date: "2027-04-30" }])
      })
  )

  it.effect("is cancelled with a stay that a channel removes while the planner runs", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const { api, as, listingId, otherListingId, ingestEvent, operatorId } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      yield* api.create_automation_rule(CLEANING_RULE).pipe(as)
      const first = makeChannelRoom(listingId)
      const second = makeChannelRoom(otherListingId, { room_id: "R2" })
      let version = 0
      for (let round = 0; round < 5; round++) {
        yield* ingestEvent(makeOrderEvent([first, second], { version: ++version }))
        yield* dispatchAndPlan
        const moved = { ...first, check_out_date: round % 2 === 0 ? "2027-05-08" : "2027-05-09" }
        yield* ingestEvent(
          makeOrderEvent([moved, { ...second, check_out_date: moved.check_out_date }], { version: ++version })
        )
        yield* dispatchAllEvents
        yield* Effect.all([planAllDue, ingestEvent(makeOrderEvent([moved], { version: ++version }))], {
          concurrency: 2
        })
        yield* dispatchAndPlan
        const pending = sql<{ property_id: number; expected_date: string }>`
          SELECT property_id::int, expected_date::text FROM tasks
          WHERE operator_id = ${operatorId} AND status <> 'cancelled'`
        assert.deepStrictEqual(
          (yield* pending).map(({ expected_date }) => expected_date),
          [moved.check_out_date]
        )
      }
      const counts = yield* sql<{ tasks: number; logged: number }>`
        SELECT (SELECT count(*)::int FROM tasks WHERE operator_id = ${operatorId} AND status = 'cancelled') AS tasks,
          (SELECT count(*)::int FROM trail WHERE operator_id = ${operatorId} AND record LIKE 'task:%'
            AND fields = '{status}') AS logged`
      assert.deepStrictEqual(counts, [{ tasks: 5, logged: 5 }])
    })
  )
})
