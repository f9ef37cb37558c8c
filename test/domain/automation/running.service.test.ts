import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { applyPlanRetention } from "../../../src/domain/automation/retention.ts"
import { makeRunAction } from "../../../src/domain/automation/running/action-runner.ts"
import { PlanQueue } from "../../../src/domain/automation/running/PlanQueue.ts"
import { RUN_BACKOFF } from "../../../src/domain/automation/running/plan-jobs.ts"
import {
  RUN_LEASE_MS,
  RUNNING_ACCOUNT_SHARE,
  RUNNING_ROOM
} from "../../../src/domain/automation/running/plan-statements.ts"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../../src/domain/channels/port/channel-api-errors.ts"
import { ChannelNotServed, ChannelUnavailable } from "../../../src/domain/channels/port/errors.ts"
import { HostReviews } from "../../../src/domain/guests/reviews/HostReviews.ts"
import { COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../../src/jobs/job-runner.ts"
import { PLAN_MAX_DELAY_MS, PLAN_RETENTION_MS, QUEUED_MESSAGES_MAX } from "../../../src/platform/limits.ts"
import {
  AFTER_LEAVING_RULE,
  BEFORE_ARRIVAL_RULE,
  createHostOnEmptyTables,
  emptyAutomationTables,
  insertRule,
  insertStay,
  layerAutomationService,
  loadAutomaticMessages,
  loadPlanLines,
  loadStayMarks,
  makePlanRunner,
  NOW,
  type PlannedMessage,
  planAllDue,
  planMessage,
  runAllDue,
  runPlan,
  setRuleState
} from "../../support/domain/automation/automation-service.ts"
import { asSystemActor, call } from "../../support/harness.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"

/** When the message before an arrival on the 25th is due. */
const DUE = Date.parse("2027-04-24T14:00:00Z")
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The longest that a first failure is put off for. */
const PAUSE = RUN_BACKOFF.firstMs * (1 + RUN_BACKOFF.jitter)

layer(layerAutomationService)("what is due", (it) => {
  it.effect("is said once, by itself and with what it is made of, and a millisecond before it is not", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage({
        ...BEFORE_ARRIVAL_RULE,
        text: "Hi {{guest.first_name}}, from {{stay.check_in_time}}."
      })
      const running = yield* makePlanRunner
      yield* TestClock.setTime(DUE - 1)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadAutomaticMessages(host.conversation), [])
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      yield* runAllDue(running)
      const { messages } = yield* host.api.get_conversation({ id: host.conversation }).pipe(host.as)
      assert.lengthOf(messages, 1)
      assert.deepInclude(messages[0], {
        sender_role: "host",
        sender_name: "Assistant",
        content: "Hi Ada, from 15:00.",
        display_type: "Text",
        delivery: "queued",
        sources: [
          {
            type: "automation_reply",
            docs: [
              {
                title: "Before arrival",
                fragment: ["Hi Ada, from 15:00."],
                source_type: "automation_reply",
                link_id: host.ruleId
              }
            ]
          },
          {
            type: "checkin_guide",
            docs: [{ title: "", fragment: ["15:00"], source_type: "checkin_guide", link_id: -1 }]
          }
        ]
      })
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message done 2027-04-24T14:00:00.000Z"])
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ event: string }>`SELECT event FROM events WHERE operator_id = ${host.operatorId}`
      assert.deepStrictEqual(events, [{ event: "message_created" }])
      const trail = yield* sql<{ application: string; operation: string }>`
        SELECT DISTINCT application, operation FROM trail WHERE operator_id = ${host.operatorId}`
      assert.deepStrictEqual(trail, [{ application: "automation", operation: "run plan" }])
    })
  )

  it.effect("is said once by three workers that look at the same moment", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const stays = yield* Effect.forEach(Array.from({ length: 6 }), () => insertStay(host))
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      yield* TestClock.setTime(DUE)
      const workers = [yield* makePlanRunner, yield* makePlanRunner, yield* makePlanRunner]
      yield* Effect.forEach(workers, runAllDue, { concurrency: 3, discard: true })
      for (const { conversation } of stays) assert.lengthOf(yield* loadAutomaticMessages(conversation), 1)
    })
  )

  it.effect("is said once where two had the same plan in hand, and by hand at the same moment", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const queue = yield* PlanQueue
      yield* TestClock.setTime(DUE)
      const [first] = yield* queue.claim(yield* DateTime.nowAsDate, 10, [])
      yield* TestClock.adjust(RUN_LEASE_MS)
      const [second] = yield* queue.claim(yield* DateTime.nowAsDate, 10, [])
      assert(first !== undefined && second !== undefined)
      const byHand = host.api.execute_automation_action({ plan_id: first.id }).pipe(host.as, Effect.exit)
      yield* Effect.all([runPlan(first), runPlan(second), byHand], { concurrency: 3, discard: true })
      assert.lengthOf(yield* loadAutomaticMessages(host.conversation), 1)
    })
  )

  it.effect("is in one worker's hands for longer than it may take, and then in another's", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      assert.isAbove(RUN_LEASE_MS, CHANNEL_ACTION_TIMEOUT_MS + COMPLETION_RETRIES * COMPLETION_RETRY_MS)
      const host = yield* planMessage()
      const queue = yield* PlanQueue
      yield* TestClock.setTime(DUE)
      const [dead] = yield* queue.claim(yield* DateTime.nowAsDate, 10, [])
      assert(dead !== undefined)
      const running = yield* makePlanRunner
      yield* TestClock.adjust(RUN_LEASE_MS - 1)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadAutomaticMessages(host.conversation), [])
      yield* TestClock.adjust(1)
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(host.conversation), 1)
      // It comes back, and says what it meant to: nothing changes.
      const now = yield* DateTime.nowAsDate
      assert.isUndefined(yield* queue.skip(dead, "no", now).pipe(asSystemActor))
      yield* queue.postpone(dead, "no", now)
      yield* queue.markStayForPlanning(dead, now)
      yield* queue.release(dead, now)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message done 2027-04-24T14:00:00.000Z"])
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, 0)
    })
  )

  it.effect("that is handed back is free for others at once", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const queue = yield* PlanQueue
      yield* TestClock.setTime(DUE)
      const now = yield* DateTime.nowAsDate
      const [taken] = yield* queue.claim(now, 10, [])
      assert(taken !== undefined)
      // The process ends as the worker begins to look.
      const began = yield* Deferred.make<void>()
      const hangs = Effect.provideService(Statement.CurrentTransformer, (statement) =>
        statement.compile()[0].includes("plan AS MATERIALIZED")
          ? Effect.andThen(Deferred.succeed(began, undefined), Effect.never)
          : Effect.succeed(statement)
      )
      const running = yield* Effect.forkChild(hangs(runPlan(taken)))
      yield* Deferred.await(began)
      assert.deepStrictEqual(yield* queue.claim(now, 10, []), [])
      yield* Fiber.interrupt(running)
      const [other] = yield* queue.claim(now, 10, [])
      assert.deepStrictEqual(other, { ...taken, attempts: taken.attempts + 1 })
      assert(other !== undefined)
      yield* runPlan(other)
      assert.lengthOf(yield* loadAutomaticMessages(host.conversation), 1)
    })
  )

  it.effect("is said after the service was away for some hours, and after a day it is skipped and says so", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const arrived = { ...BEFORE_ARRIVAL_RULE, trigger: { event: "check_in", when: "after", hours: 0 } }
      const [early, late] = [yield* planMessage(arrived), yield* planMessage(arrived)]
      const at = Date.parse("2027-04-25T14:00:00Z")
      const running = yield* makePlanRunner
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE automation_plans SET due_at = ${new Date(at + 48 * HOUR)} WHERE operator_id = ${late.operatorId}`
      yield* TestClock.setTime(at + 3 * HOUR)
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(early.conversation), 1)
      yield* TestClock.setTime(at + 48 * HOUR)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadAutomaticMessages(late.conversation), [])
      assert.match(
        (yield* loadPlanLines(late.operatorId)).join(),
        /^send_message skipped 2027-04-25T14:00:00\.000Z: .*time has passed$/
      )
      const trail = yield* sql<{ record: string; fields: ReadonlyArray<string> }>`
        SELECT split_part(record, ':', 1) AS record, fields FROM trail WHERE operator_id = ${late.operatorId}`
      assert.deepStrictEqual(trail, [{ record: "automation_plan", fields: ["state", "reason"] }])
    })
  )

  it.effect("goes by what is known then: what moved waits for its new time, and what follows no more goes", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const sql = yield* SqlClient.SqlClient
      const [moved, cancelled, paused] = [yield* planMessage(), yield* planMessage(), yield* planMessage()]
      // Nobody has told of any of it.
      yield* sql`
        UPDATE stays SET check_in_date = '2027-04-26', check_out_date = '2027-04-29' WHERE operator_id = ${moved.operatorId}`
      yield* sql`
        UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE operator_id = ${cancelled.operatorId}`
      yield* setRuleState(paused.ruleId, "paused")
      const running = yield* makePlanRunner
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(moved.operatorId), ["send_message waiting 2027-04-25T14:00:00.000Z"])
      assert.deepStrictEqual(yield* loadPlanLines(cancelled.operatorId), [])
      assert.deepStrictEqual(yield* loadPlanLines(paused.operatorId), [])
      yield* TestClock.adjust("1 day")
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadAutomaticMessages(moved.conversation), ["See you tomorrow, Ada."])
      for (const { conversation } of [cancelled, paused])
        assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), [])
    })
  )

  it.effect("that was moved while it was in hand is not said, and waits", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const queue = yield* PlanQueue
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(DUE)
      const [taken] = yield* queue.claim(yield* DateTime.nowAsDate, 10, [])
      assert(taken !== undefined)
      const plan = yield* queue.findContext(host.operatorId, taken.id)
      assert(plan?.kind === "send_message")
      yield* sql`
        UPDATE stays SET check_in_date = '2027-04-26', check_out_date = '2027-04-29' WHERE operator_id = ${host.operatorId}`
      yield* sql`UPDATE automation_rules SET mark_before = 9223372036854775807 WHERE id = ${host.ruleId}`
      yield* planAllDue
      const message = { kind: "message" as const, conversationId: 1, text: "no", sources: [] }
      assert.isUndefined(yield* queue.sendMessage(plan, message).pipe(asSystemActor))
      assert.isUndefined(yield* queue.skip(taken, "no", yield* DateTime.nowAsDate).pipe(asSystemActor))
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-25T14:00:00.000Z"])
    })
  )

  it.effect("is not said where its order was cancelled or its rule paused while it was in hand, nor by hand", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queue = yield* PlanQueue
      const changes = [
        ({ operatorId }: PlannedMessage) =>
          sql`UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE operator_id = ${operatorId}`,
        ({ operatorId }: PlannedMessage) =>
          sql`UPDATE orders SET status = 'wait_accept' WHERE operator_id = ${operatorId}`,
        ({ operatorId }: PlannedMessage) =>
          sql`UPDATE automation_rules SET state = 'paused' WHERE operator_id = ${operatorId}`
      ]
      for (const change of changes) {
        yield* emptyAutomationTables
        const [host, byHand] = [yield* planMessage(), yield* planMessage()]
        const [{ id } = { id: 0 }] = yield* host.actions("message")
        const plan = yield* queue.findContext(host.operatorId, id)
        assert(plan?.kind === "send_message" && plan.conversation_id !== null)
        yield* change(host)
        const message = { kind: "message" as const, conversationId: plan.conversation_id, text: "no", sources: [] }
        assert.isUndefined(yield* queue.sendMessage(plan, message).pipe(asSystemActor))
        const [{ id: plan_id } = { id: 0 }] = yield* byHand.actions("message")
        const answer = yield* call(byHand.token, "execute_automation_action", { plan_id }).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            statement.compile()[0].includes("'done'")
              ? Effect.as(Effect.orDie(change(byHand)), statement)
              : Effect.succeed(statement)
          )
        )
        assert.strictEqual(answer.error_code, 404)
        for (const { operatorId, conversation } of [host, byHand]) {
          assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
          assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), [])
        }
      }
    })
  )

  it.effect("without a conversation waits for one, and says so when its time has passed", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const arrived = { ...BEFORE_ARRIVAL_RULE, trigger: { event: "check_in", when: "after", hours: 0 } }
      const [comes, never] = [
        yield* planMessage(arrived, { hasConversation: false }),
        yield* planMessage(arrived, { hasConversation: false })
      ]
      const running = yield* makePlanRunner
      const at = Date.parse("2027-04-25T14:00:00Z")
      yield* TestClock.setTime(at)
      yield* runAllDue(running)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE orders SET conversation_id = ${comes.conversation} WHERE operator_id = ${comes.operatorId}`
      yield* TestClock.adjust(PAUSE)
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(comes.conversation), 1)
      assert.match(
        (yield* loadPlanLines(never.operatorId)).join(),
        /^send_message waiting 2027-04-25T14:00:00\.000Z: .*conversation/
      )
      yield* TestClock.setTime(at + 25 * HOUR)
      yield* runAllDue(running)
      assert.match(
        (yield* loadPlanLines(never.operatorId)).join(),
        /^send_message skipped 2027-04-25T14:00:00\.000Z: .*time has passed: .*conversation/
      )
    })
  )

  it.effect("that cannot be filled, or is too long for its channel, is skipped and says why", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const nameless = yield* planMessage(BEFORE_ARRIVAL_RULE, { guestName: null })
      const fits = yield* planMessage({ ...BEFORE_ARRIVAL_RULE, text: "x".repeat(10_000) })
      const long = yield* planMessage({ ...BEFORE_ARRIVAL_RULE, text: "x".repeat(10_001) })
      const running = yield* makePlanRunner
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      assert.match(
        (yield* loadPlanLines(nameless.operatorId)).join(),
        /^send_message skipped 2027-04-24T14:00:00\.000Z: \{\{guest\.first_name\}\}: /
      )
      assert.lengthOf(yield* loadAutomaticMessages(fits.conversation), 1)
      assert.match(
        (yield* loadPlanLines(long.operatorId)).join(),
        /^send_message skipped 2027-04-24T14:00:00\.000Z: .*10000 characters/
      )
    })
  )

  it.effect("waits for room in a lane that is full", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
        SELECT operator_id, id, account_id, ${QUEUED_MESSAGES_MAX}, 'infinity' FROM conversations
        WHERE code = ${host.conversation}`
      const running = yield* makePlanRunner
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadAutomaticMessages(host.conversation), [])
      yield* sql`UPDATE message_lanes SET waiting = waiting - 1 WHERE operator_id = ${host.operatorId}`
      yield* TestClock.adjust(PAUSE)
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(host.conversation), 1)
    })
  )

  it.effect("of a host whose account is closed waits", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET status = 'closed' WHERE id = ${host.operatorId}`
      const running = yield* makePlanRunner
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
      yield* sql`UPDATE operators SET status = 'active' WHERE id = ${host.operatorId}`
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(host.conversation), 1)
    })
  )

  it.effect(
    "of a host whose account is closed is put off day by day once it is late, and skipped when the account is open again",
    () =>
      Effect.gen(function* () {
        yield* emptyAutomationTables
        const host = yield* planMessage()
        const sql = yield* SqlClient.SqlClient
        const standing = (status: string) => sql`UPDATE operators SET status = ${status} WHERE id = ${host.operatorId}`
        const dueAt = Effect.map(
          sql<{ due_at: Date }>`SELECT due_at FROM automation_plans WHERE operator_id = ${host.operatorId}`,
          (rows) => rows.map(({ due_at }) => due_at.toISOString())
        )
        yield* standing("closed")
        const late = DUE + PLAN_MAX_DELAY_MS
        yield* applyPlanRetention(new Date(late - 1))
        assert.deepStrictEqual(yield* dueAt, ["2027-04-24T14:00:00.000Z"])
        yield* applyPlanRetention(new Date(late))
        assert.deepStrictEqual(yield* dueAt, ["2027-04-26T00:00:00.000Z"])
        yield* applyPlanRetention(new Date("2027-04-26T00:00:00Z"))
        assert.deepStrictEqual(yield* dueAt, ["2027-04-27T00:00:00.000Z"])
        yield* standing("active")
        const running = yield* makePlanRunner
        yield* TestClock.setTime(Date.parse("2027-04-27T00:00:00Z"))
        yield* applyPlanRetention(new Date("2027-04-27T00:00:00Z"))
        yield* runAllDue(running)
        assert.match(
          (yield* loadPlanLines(host.operatorId)).join(),
          /^send_message skipped 2027-04-24T14:00:00\.000Z: .*time has passed$/
        )
        assert.deepStrictEqual(yield* loadAutomaticMessages(host.conversation), [])
      })
  )

  it.effect("of a host with very much of it keeps no other host's waiting", () =>
    Effect.gen(function* () {
      const greedy = yield* createHostOnEmptyTables
      yield* Effect.forEach(Array.from({ length: RUNNING_ROOM + 1 }), () => insertStay(greedy), { discard: true })
      yield* insertRule(greedy.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const quiet = yield* planMessage()
      yield* TestClock.setTime(DUE)
      const queue = yield* PlanQueue
      const taken = yield* queue.claim(yield* DateTime.nowAsDate, RUNNING_ROOM, [])
      const of = (operatorId: number) => taken.filter((plan) => plan.operator_id === operatorId).length
      assert.deepStrictEqual([of(greedy.operatorId), of(quiet.operatorId)], [RUNNING_ACCOUNT_SHARE, 1])
    })
  )

  it.effect("that breaks is tried again, and holds up nothing", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [broken, host] = [yield* planMessage(), yield* planMessage()]
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE automation_rules SET definition = '{}' WHERE id = ${broken.ruleId}`
      const running = yield* makePlanRunner
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(host.conversation), 1)
      yield* sql`UPDATE automation_rules SET definition = ${JSON.stringify(BEFORE_ARRIVAL_RULE)}::jsonb WHERE id = ${broken.ruleId}`
      yield* TestClock.adjust(PAUSE)
      yield* runAllDue(running)
      assert.lengthOf(yield* loadAutomaticMessages(broken.conversation), 1)
    })
  )
})

layer(layerAutomationService)("a review that is due", (it) => {
  const LEFT = Date.parse("2027-04-28T12:00:00Z")

  const reviewsOf = (code: string) =>
    Effect.flatMap(ScriptedChannel, ({ guests }) =>
      Effect.map(guests.reviews, (all) => all.filter((each) => each.reservationCode === code))
    )

  it.effect("is written at its channel and here, once", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      const running = yield* makePlanRunner
      yield* TestClock.setTime(LEFT)
      yield* runAllDue(running)
      const told = yield* reviewsOf(host.code)
      assert.deepStrictEqual(
        told.map(({ review }) => review),
        [{ score: 5, content: "A kind guest.", categoryRatings: {} }]
      )
      const { reviews } = yield* host.api
        .search_reviews({ reservation_code: host.code, review_status: "pending_guest_review" })
        .pipe(host.as)
      assert.deepInclude(reviews[0]?.host_review, { score: 5, content: "A kind guest." })
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["review done 2027-04-28T12:00:00.000Z"])
    })
  )

  it.effect("is tried again where its channel is away, and is done where it was written before", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      const channel = yield* ScriptedChannel
      const running = yield* makePlanRunner
      yield* channel.setResponse(host.code, Effect.fail(new ChannelUnavailable({ code: 503 })))
      yield* TestClock.setTime(LEFT)
      yield* runAllDue(running)
      assert.match((yield* loadPlanLines(host.operatorId))[0] ?? "", /^review waiting .*: .*channel/)
      yield* channel.setResponse(host.code, Effect.void)
      yield* TestClock.adjust(PAUSE)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["review done 2027-04-28T12:00:00.000Z"])

      // Killed between the record and the plan.
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE automation_plans SET state = 'waiting', settled_at = NULL WHERE operator_id = ${host.operatorId}`
      yield* TestClock.adjust(RUN_LEASE_MS)
      yield* runAllDue(running)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["review done 2027-04-28T12:00:00.000Z"])
      assert.lengthOf(yield* reviewsOf(host.code), 1)
    })
  )

  it.effect("is skipped where nothing reaches its channel, and says so", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      const channel = yield* ScriptedChannel
      yield* channel.setResponse(host.code, Effect.fail(new ChannelNotServed({ channelType: "airbnb" })))
      yield* TestClock.setTime(LEFT)
      yield* runAllDue(yield* makePlanRunner)
      assert.match(
        (yield* loadPlanLines(host.operatorId)).join(),
        /^review skipped 2027-04-28T12:00:00\.000Z: .*connector.*airbnb/
      )
    })
  )

  it.effect("is skipped where the host has written another, and says so", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      yield* TestClock.setTime(LEFT - 1)
      yield* host.api
        .create_review({ reservation_code: host.code, host_review_content: "Loud", host_review_score: 2 })
        .pipe(host.as)
      const running = yield* makePlanRunner
      yield* TestClock.setTime(LEFT)
      yield* runAllDue(running)
      assert.match((yield* loadPlanLines(host.operatorId))[0] ?? "", /^review skipped .*already.*reviewed/)
      assert.lengthOf(yield* reviewsOf(host.code), 1)
    })
  )

  it.effect("is done where somebody was faster with the same, and refused where it was another", () =>
    Effect.gen(function* () {
      const queue = yield* PlanQueue
      const run = makeRunAction(queue, yield* HostReviews)
      const doing = { kind: "review" as const, score: 5, text: "A kind guest." }
      const inHand = Effect.gen(function* () {
        yield* emptyAutomationTables
        const host = yield* planMessage(AFTER_LEAVING_RULE)
        yield* TestClock.setTime(LEFT)
        const [{ id } = { id: 0 }] = yield* host.actions("review")
        const plan = yield* queue.findContext(host.operatorId, id)
        assert(plan?.kind === "review")
        const byHand = (host_review_content: string) =>
          host.api
            .create_review({ reservation_code: host.code, host_review_content, host_review_score: 5 })
            .pipe(host.as)
        return { ...host, id, plan, byHand }
      })

      const settled = yield* inHand
      yield* settled.api.execute_automation_action({ plan_id: settled.id }).pipe(settled.as)
      assert.isUndefined(yield* run(settled.plan, doing).pipe(asSystemActor))

      const same = yield* inHand
      yield* same.byHand(doing.text)
      assert.deepStrictEqual(yield* run(same.plan, doing).pipe(asSystemActor), { id: same.id })
      assert.deepStrictEqual(yield* loadPlanLines(same.operatorId), ["review done 2027-04-28T12:00:00.000Z"])

      const other = yield* inHand
      yield* other.byHand("Another guest.")
      assert.strictEqual((yield* run(other.plan, doing).pipe(asSystemActor, Effect.flip))._tag, "Conflict")
      assert.deepStrictEqual(yield* loadPlanLines(other.operatorId), ["review waiting 2027-04-28T12:00:00.000Z"])
      for (const { code } of [settled, same, other]) assert.lengthOf(yield* reviewsOf(code), 1)
    })
  )

  it.effect("is written once by a worker and by hand at the same moment", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      yield* TestClock.setTime(LEFT)
      const queue = yield* PlanQueue
      const [taken] = yield* queue.claim(yield* DateTime.nowAsDate, 10, [])
      assert(taken !== undefined)
      const byHand = host.api.execute_automation_action({ plan_id: taken.id }).pipe(host.as, Effect.exit)
      yield* Effect.all([runPlan(taken), byHand], { concurrency: 2, discard: true })
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["review done 2027-04-28T12:00:00.000Z"])
      const { reviews } = yield* host.api
        .search_reviews({ reservation_code: host.code, review_status: "pending_guest_review" })
        .pipe(host.as)
      assert.lengthOf(reviews, 1)
    })
  )
})

layer(layerAutomationService)("what is settled", (it) => {
  it.effect("is forgotten once its time and its guest have been gone for so long, and what waits is not", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [done, waits] = [yield* planMessage(), yield* planMessage()]
      const running = yield* makePlanRunner
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE automation_plans SET due_at = 'infinity' WHERE operator_id = ${waits.operatorId}`
      yield* TestClock.setTime(DUE)
      yield* runAllDue(running)
      // The guest leaves on the 28th, Lisbon's day.
      const forgotten = Date.parse("2027-04-27T23:00:00Z") + PLAN_RETENTION_MS
      yield* applyPlanRetention(new Date(forgotten - 1))
      assert.lengthOf(yield* loadPlanLines(done.operatorId), 1)
      yield* applyPlanRetention(new Date(forgotten))
      assert.deepStrictEqual(yield* loadPlanLines(done.operatorId), [])
      assert.lengthOf(yield* loadPlanLines(waits.operatorId), 1)
      assert.isAbove(forgotten, NOW)
    })
  )
})
