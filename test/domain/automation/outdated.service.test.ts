import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { PlanQueue } from "../../../src/domain/automation/running/PlanQueue.ts"
import { RUN_BACKOFF } from "../../../src/domain/automation/running/plan-jobs.ts"
import { WakeUp } from "../../../src/jobs/WakeUp.ts"
import {
  AFTER_LEAVING_RULE,
  BEFORE_ARRIVAL_RULE,
  dispatchAndPlan,
  emptyAutomationTables,
  layerAutomationService,
  loadAutomaticMessages,
  loadPlanLines,
  loadStayMarks,
  makePlanRunner,
  type PlannedMessage,
  planAllDue,
  planMessage,
  runAllDue,
  runPlan
} from "../../support/domain/automation/automation-service.ts"
import { call } from "../../support/harness.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"

// What is due, of a stay that is not what it was planned by: whoever plans decides what becomes of it, and nobody else.

/** When the message before an arrival on the 25th is due. */
const DUE = Date.parse("2027-04-24T14:00:00Z")
const WAITS = ["send_message waiting 2027-04-24T14:00:00.000Z"]

/** The longest, and the shortest, that a failure is put off for; the first, or a later one. */
const longest = (failures: number) => RUN_BACKOFF.firstMs * 2 ** (failures - 1) * (1 + RUN_BACKOFF.jitter)
const shortest = (failures: number) => RUN_BACKOFF.firstMs * 2 ** (failures - 1) * (1 - RUN_BACKOFF.jitter)

const stands = ({ operatorId }: PlannedMessage, status: "accepted" | "cancelled") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE orders SET status = ${status}, cancelled_at = CASE WHEN ${status} = 'cancelled' THEN now() END
      WHERE operator_id = ${operatorId}`
  ).pipe(Effect.orDie)

const arrives = ({ operatorId }: PlannedMessage, checkIn: string, checkOut: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE stays SET check_in_date = ${checkIn}, check_out_date = ${checkOut} WHERE operator_id = ${operatorId}`
  ).pipe(Effect.orDie)

/** Whoever changed the stay tells of it. */
const told = ({ operatorId, code }: PlannedMessage) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO events (operator_id, event, record, payload, queued_at)
      SELECT ${operatorId}, 'reservation_updated', 'reservation:' || code, jsonb_build_object('stay_code', code), now()
      FROM (SELECT ${code}::text AS code) stay`
  ).pipe(Effect.orDie)

/** Something happens after the plan was looked at, and before what became of it is written down. */
const meanwhile = (happens: Effect.Effect<void>) => {
  let hasHappened = false
  return Effect.provideService(Statement.CurrentTransformer, (statement) => {
    if (hasHappened || !/attempts = \$/.test(statement.compile()[0])) return Effect.succeed(statement)
    hasHappened = true
    return Effect.as(happens, statement)
  })
}

layer(layerAutomationService)("what is outdated when it is due", (it) => {
  it.effect.each([
    [
      "cancelled and accepted again",
      (host: PlannedMessage) => stands(host, "cancelled"),
      (host: PlannedMessage) => stands(host, "accepted")
    ],
    [
      "moved away and back",
      (host: PlannedMessage) => arrives(host, "2027-05-25", "2027-05-28"),
      (host: PlannedMessage) => arrives(host, "2027-04-25", "2027-04-28")
    ]
  ] as const)("is said where its stay is %s before that is written down", ([, away, back]) =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const queue = yield* PlanQueue
      yield* TestClock.setTime(DUE)
      const [taken] = yield* queue.claim(yield* DateTime.nowAsDate, 10, [])
      assert(taken !== undefined)
      yield* away(host)
      yield* told(host)
      const isBack = Effect.all([back(host), told(host), dispatchAndPlan], { discard: true })
      const services = yield* Effect.context<Effect.Services<typeof isBack>>()
      yield* runPlan(taken).pipe(meanwhile(Effect.provide(isBack, services)))
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), WAITS)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), WAITS)
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, 0)
      yield* TestClock.adjust(longest(1))
      yield* runAllDue(yield* makePlanRunner)
      assert.deepStrictEqual(yield* loadAutomaticMessages(host.conversation), ["See you tomorrow, Ada."])
    })
  )

  it.effect("is left to who plans, who hears of it, and looked at ever later until he has come", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const arrived = { ...BEFORE_ARRIVAL_RULE, trigger: { event: "check_in", when: "after", hours: 0 } }
      const host = yield* planMessage(arrived, { hasConversation: false })
      const at = Date.parse("2027-04-25T14:00:00Z")
      const running = yield* makePlanRunner
      yield* TestClock.setTime(at)
      yield* runAllDue(running)
      const waits = ["send_message waiting 2027-04-25T14:00:00.000Z: there is no conversation with the guest"]
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), waits)
      // Nobody has told of it.
      yield* stands(host, "cancelled")
      const woken = yield* (yield* WakeUp).latch
      yield* TestClock.adjust(longest(1))
      yield* runAllDue(running)
      assert.isTrue(woken.isOpen())
      const due = new Date(at + longest(1)).toISOString()
      assert.deepStrictEqual(yield* loadStayMarks(host.operatorId), { marks: 1, due })
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), waits)
      const queue = yield* PlanQueue
      const takenIn = (ms: number) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => queue.claim(new Date(now.getTime() + ms), 10, []))
      assert.deepStrictEqual(yield* takenIn(shortest(2) - 1), [])
      assert.deepStrictEqual(
        (yield* takenIn(longest(2))).map(({ failures }) => failures),
        [2]
      )
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [])
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, 0)
    })
  )

  it.effect("is no review where another stay of its order has become the last, nor by hand", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      const [{ id: plan_id } = { id: 0 }] = yield* host.actions("review")
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
        SELECT operator_id, order_id, stay_code || '_1', '2027-04-28', '2027-05-01' FROM stays
        WHERE operator_id = ${host.operatorId}`
      yield* TestClock.setTime(Date.parse("2027-04-28T12:00:00Z"))
      assert.strictEqual((yield* call(host.token, "execute_automation_action", { plan_id })).error_code, 404)
      yield* runAllDue(yield* makePlanRunner)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [])
      const { guests } = yield* ScriptedChannel
      assert.deepStrictEqual(
        (yield* guests.reviews).filter(({ reservationCode }) => reservationCode === host.code),
        []
      )
    })
  )
})
