import { assert, it, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { IdempotencyKeys } from "../../../src/changes/IdempotencyKeys.ts"
import { PlanningQueue } from "../../../src/domain/automation/planning/PlanningQueue.ts"
import {
  layerPlanner,
  PLANNING_POLL_GAP_MS,
  runPlanningCycle
} from "../../../src/domain/automation/planning/planner.ts"
import { PlanQueue } from "../../../src/domain/automation/running/PlanQueue.ts"
import { layerPlanJobs } from "../../../src/domain/automation/running/plan-jobs.ts"
import { RUN_LEASE_MS } from "../../../src/domain/automation/running/plan-statements.ts"
import { repeatForever } from "../../../src/jobs/loop.ts"
import {
  BEFORE_ARRIVAL_RULE,
  createHostOnEmptyTables,
  emptyAutomationTables,
  insertRule,
  insertStay,
  layerAutomationService,
  loadAutomaticMessages,
  planMessage,
  runPlan
} from "../../support/domain/automation/automation-service.ts"

const layerWorkers = Layer.merge(layerPlanner, Layer.provide(layerPlanJobs, IdempotencyKeys.layer))

layer(layerAutomationService)("the workers of three processes", (it) => {
  it.effect("plan what a new rule does, and do it once within a minute of its time", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { conversation } = yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      const due = Date.parse("2027-04-24T14:00:00Z")
      yield* TestClock.setTime(due - 20_000)
      for (const _ of [1, 2, 3]) yield* Layer.build(layerWorkers)
      // The clock goes on by little: what a worker asks of the database takes its own time.
      const planned = Effect.andThen(TestClock.adjust(20), host.actions("message"))
      const actions = yield* Effect.repeat(planned, { until: (all) => all.length > 0, times: 900 })
      assert.lengthOf(actions, 1)
      assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), [])
      yield* TestClock.setTime(due)
      const said = Effect.andThen(TestClock.adjust(50), loadAutomaticMessages(conversation))
      yield* Effect.repeat(said, { until: (all) => all.length > 0, times: 2_000 })
      assert.isBelow((yield* DateTime.nowAsDate).getTime(), due + 60_000)
      for (let more = 0; more < 50; more++) yield* said
      assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), ["See you tomorrow, Ada."])
    })
  )

  it.effect("cut off anywhere, leave a plan that is done or one that is done later, once", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const { conversation } = host
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      const queue = yield* PlanQueue
      const sql = yield* SqlClient.SqlClient
      for (let turns = 0; turns < 12; turns++) {
        const [taken] = yield* queue.claim(yield* DateTime.nowAsDate, 1, [])
        if (taken === undefined) break
        const running = yield* Effect.forkChild(runPlan(taken))
        for (let turn = 0; turn < turns; turn++) yield* Effect.andThen(Effect.yieldNow, sql`SELECT 1`)
        yield* Fiber.interrupt(running)
        // What was cut off before it began to run is free again when its lease ends.
        yield* TestClock.adjust(RUN_LEASE_MS)
      }
      const [left] = yield* queue.claim(yield* DateTime.nowAsDate, 1, [])
      if (left !== undefined) yield* runPlan(left)
      assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), ["See you tomorrow, Ada."])
    })
  )
})

it.effect(`the planner looks once in ${PLANNING_POLL_GAP_MS} ms, however often changes wake it`, () => {
  let looks = 0
  const nothing = Effect.sync(() => {
    looks += 1
    return []
  })
  return Effect.gen(function* () {
    const woken = yield* Latch.make()
    yield* Effect.forkScoped(repeatForever("planning", runPlanningCycle(woken)), { startImmediately: true })
    for (let ms = 0; ms < PLANNING_POLL_GAP_MS * 3; ms++) {
      yield* woken.open
      yield* TestClock.adjust(1)
    }
    assert.strictEqual(looks, 4)
  }).pipe(
    Effect.provide(
      Layer.mock(PlanningQueue, { markStaysOfChangedRules: () => Effect.succeed([]), claim: () => nothing })
    )
  )
})
