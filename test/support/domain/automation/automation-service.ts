import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { IdempotencyKeys } from "../../../../src/changes/IdempotencyKeys.ts"
import { PlanningQueue } from "../../../../src/domain/automation/planning/PlanningQueue.ts"
import { planOnce } from "../../../../src/domain/automation/planning/planner.ts"
import { markStaysOfReservationEvents } from "../../../../src/domain/automation/planning/planning-marks.ts"
import { PlanQueue } from "../../../../src/domain/automation/running/PlanQueue.ts"
import { planJobs } from "../../../../src/domain/automation/running/plan-jobs.ts"
import type { ClaimedPlan } from "../../../../src/domain/automation/running/plan-statements.ts"
import { HostReviews } from "../../../../src/domain/guests/reviews/HostReviews.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../../../../src/jobs/events/internal-subscribers.ts"
import { makeJobRunner, runJob } from "../../../../src/jobs/job-runner.ts"
import { insertConversation } from "../../conversations.ts"
import {
  createOperator,
  insertOrder,
  insertProperty,
  layerService,
  type TestOperator,
  typedClient,
  withToken
} from "../../harness.ts"
import { insertChannelAccount } from "../../listings.ts"
import { layerOwnDatabase } from "../../own-database.ts"
import { dispatchAllEvents } from "../calendars/listing-calendars/availability-push-service.ts"

// Hosts with rules, on a day in April; whoever hands out events, plans and runs is called by the test.

export const TODAY = "2027-04-20"
export const NOW = Date.parse(`${TODAY}T10:00:00Z`)

const layerEventFanOut = Layer.provide(
  EventDispatcher.layer,
  Layer.succeed(InternalSubscribers, [markStaysOfReservationEvents])
)

/** The service without rate windows, and what the workers need, over a database of its own. */
export const layerAutomationService = Layer.mergeAll(
  PlanningQueue.layer,
  PlanQueue.layer,
  Layer.provide(HostReviews.layer, IdempotencyKeys.layer),
  layerEventFanOut
).pipe(Layer.provideMerge(layerService(layerOwnDatabase, RateWindows.layerUnbounded)))

/** Nothing of the tests before waits any more. */
export const emptyAutomationTables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`TRUNCATE automation_plans, automation_stays, automation_rules, events CASCADE`
).pipe(Effect.orDie)

export const BEFORE_ARRIVAL_RULE = {
  name: "Before arrival",
  action: "send_message",
  trigger: { event: "check_in", when: "before", hours: 24 },
  text: "See you tomorrow, {{guest.first_name}}."
}

export const AFTER_LEAVING_RULE = {
  name: "After leaving",
  action: "review",
  trigger: { event: "check_out", when: "after", hours: 2 },
  score: 5,
  text: "A kind guest."
}

interface InsertRuleOptions {
  readonly state?: "active" | "paused" | "removed"
  /** Milliseconds; default: the beginning of the clock. */
  readonly since?: number
  /** Whether the stays there are have yet to be marked; default: they are. */
  readonly hasUnmarkedStays?: boolean
}

/** A rule of an operator, written directly; answers its id. */
export const insertRule = Effect.fnUntraced(function* (
  operatorId: number,
  rule: object,
  options: InsertRuleOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  const { state = "active", since = 0, hasUnmarkedStays = true } = options
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO automation_rules (operator_id, action, definition, state, since, mark_before, created_at)
    SELECT ${operatorId}, definition ->> 'action', definition, ${state}, ${new Date(since)},
      CASE WHEN ${hasUnmarkedStays} THEN 9223372036854775807 END, now()
    FROM (SELECT ${JSON.stringify(rule)}::jsonb AS definition) given
    RETURNING id`
  return row?.id ?? assert.fail("no row was inserted or found")
}, Effect.orDie)

/** Changes a rule as the command line does: its stays are to be looked at anew. */
export const setRuleState = Effect.fnUntraced(function* (id: number, state: "active" | "paused" | "removed") {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  yield* sql`
    UPDATE automation_rules SET state = ${state}, mark_before = 9223372036854775807,
      since = CASE WHEN ${state} = 'active' THEN ${now}::timestamptz ELSE since END
    WHERE id = ${id}`
}, Effect.orDie)

interface AutomationHost extends TestOperator {
  readonly property: number
  readonly account: number
}

interface InsertStayOptions {
  readonly checkIn?: string
  readonly checkOut?: string
  readonly guestName?: string | null
  readonly bookedAt?: number
  readonly hasConversation?: boolean
  readonly status?: "accepted" | "wait_accept"
  /** Default: none, so that its dates can be changed alone. */
  readonly propertyId?: number
}

/** An order of one stay at airbnb, with a conversation unless said otherwise; nobody is told of it. */
export const insertStay = Effect.fnUntraced(function* (host: AutomationHost, options: InsertStayOptions = {}) {
  const sql = yield* SqlClient.SqlClient
  const { checkIn = "2027-04-25", checkOut = "2027-04-28", guestName = "Ada Lovelace", status = "accepted" } = options
  const { operatorId, account } = host
  const propertyId = options.propertyId ?? null
  const code = yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut }], { channelType: "airbnb", status })
  const { code: conversation, thread_id } = yield* insertConversation({
    operatorId,
    accountId: account,
    channelType: "airbnb"
  })
  yield* sql`
    UPDATE orders SET channel_account_id = ${account}, booked_at = ${new Date(options.bookedAt ?? NOW - 86_400_000)},
      conversation_id = ${options.hasConversation === false ? null : conversation}
    WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
  yield* sql`UPDATE stays SET guest_name = ${guestName} WHERE operator_id = ${operatorId} AND stay_code = ${code}`
  return { code, conversation, thread_id, propertyId }
}, Effect.orDie)

/** Stays of one night of an operator, so many, without anybody being told of them. */
export const insertStays = Effect.fnUntraced(function* (operatorId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH entered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
      SELECT ${operatorId}, '0-MANY' || n, 'airbnb', 'MANY' || n, 'accepted', 'EUR', ${new Date(NOW - 1000)}, now()
      FROM generate_series(1, ${count}) n RETURNING id, reservation_code
    )
    INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
    SELECT ${operatorId}, id, reservation_code, '2027-04-25', '2027-04-26' FROM entered ORDER BY id`
}, Effect.orDie)

/** An operator with a property, and an account at airbnb, in Lisbon. */
export const createAutomationHost = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const operator = yield* createOperator({ timeZone: "Europe/Lisbon" })
  const property = yield* insertProperty(operator.operatorId, "Harbour 1")
  const account = yield* insertChannelAccount(operator.operatorId)
  const api = yield* typedClient
  const as = withToken(operator.token)
  const listUpcomingActions = (type: "message" | "review", filters: object = {}) =>
    Effect.map(api.query_upcoming_automation_actions({ type, ...filters }).pipe(as), (answer) => answer.actions)
  return { ...operator, property, account, api, as, actions: listUpcomingActions }
})

/** The same, where nothing of the tests before waits any more. */
export const createHostOnEmptyTables = Effect.andThen(emptyAutomationTables, createAutomationHost)

/** Works out all that is to be worked out by now. */
export const planAllDue = Effect.gen(function* () {
  while (yield* planOnce) yield* Effect.yieldNow
})

/** A host with a stay whose message before arrival is planned. */
export const planMessage = Effect.fnUntraced(function* (
  rule: object = BEFORE_ARRIVAL_RULE,
  options: Parameters<typeof insertStay>[1] = {}
) {
  const host = yield* createAutomationHost
  const stay = yield* insertStay(host, options)
  const ruleId = yield* insertRule(host.operatorId, rule)
  yield* planAllDue
  return { ...host, ...stay, ruleId }
})

export type PlannedMessage = Effect.Success<ReturnType<typeof planMessage>>

/** What happened is handed out, and what follows of it worked out. */
export const dispatchAndPlan = Effect.andThen(dispatchAllEvents, planAllDue)

export const makePlanRunner = makeJobRunner(planJobs)

/** Makes one attempt of a claimed plan. */
export const runPlan = (plan: ClaimedPlan) => runJob(planJobs, plan)

export type PlanRunner = Effect.Success<typeof makePlanRunner>

/** Runs whatever is due at this time of the clock. */
export const runAllDue = Effect.fnUntraced(function* (runner: PlanRunner) {
  let isBusy = true
  while (isBusy) {
    yield* runner.claimDue
    isBusy = runner.inProgress.size > 0
    yield* runner.awaitIdle
  }
})

/** The plans of an operator, oldest first: `send_message waiting 2027-04-24T14:00:00.000Z`. */
export const loadPlanLines = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ kind: string; state: string; scheduled_at: Date; reason: string | null }>`
    SELECT kind, state, scheduled_at, reason FROM automation_plans WHERE operator_id = ${operatorId}
    ORDER BY scheduled_at, id`
  return rows.map(
    ({ kind, state, scheduled_at, reason }) =>
      `${kind} ${state} ${scheduled_at.toISOString()}${reason === null ? "" : `: ${reason}`}`
  )
}, Effect.orDie)

/** How many stays of an operator are to be looked at, and when the first of them is. */
export const loadStayMarks = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ marks: number; due_at: Date | null }>`
    SELECT count(*)::int AS marks, min(due_at) AS due_at FROM automation_stays WHERE operator_id = ${operatorId}`
  return { marks: row?.marks ?? 0, due: row?.due_at?.toISOString() }
}, Effect.orDie)

/** What was said in a conversation by itself, oldest first. */
export const loadAutomaticMessages = Effect.fnUntraced(function* (conversation: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ content: string }>`
    SELECT m.content FROM messages m JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id
    WHERE c.code = ${conversation} ORDER BY m.id`
  return rows.map(({ content }) => content)
}, Effect.orDie)
