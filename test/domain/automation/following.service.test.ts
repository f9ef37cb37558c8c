import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { PLANNING_BACKOFF } from "../../../src/domain/automation/planning/planner.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  AFTER_LEAVING_RULE,
  BEFORE_ARRIVAL_RULE,
  createHostOnEmptyTables,
  dispatchAndPlan,
  emptyAutomationTables,
  insertRule,
  insertStay,
  layerAutomationService,
  loadStayMarks,
  planAllDue
} from "../../support/domain/automation/automation-service.ts"
import { dispatchAllEvents } from "../../support/domain/calendars/listing-calendars/availability-push-service.ts"
import { insertChannelAccount } from "../../support/listings.ts"

/** Tells of a stay that it changed. */
const told = (operatorId: number, code: string, more: object = {}) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO events (operator_id, event, record, payload, queued_at)
      VALUES (${operatorId}, 'reservation_updated', ${`reservation:${code}`},
        ${JSON.stringify({ stay_code: code, ...more })}::jsonb, now())`
  ).pipe(Effect.orDie)

const INQUIRY = { name: "Hello", action: "send_message", trigger: { event: "inquiry" }, text: "Hello." }
const ANSWER = { name: "Answers", action: "answer" }
const of = (event: string) => ({ ...BEFORE_ARRIVAL_RULE, trigger: { event, when: "after", hours: 1 } })

/** What a stay whose host has that rule is told of, and how many stays are marked then. */
const markedBy = Effect.fnUntraced(function* (rule: object, more: object = {}) {
  const host = yield* createHostOnEmptyTables
  const { code } = yield* insertStay(host)
  yield* insertRule(host.operatorId, rule, { hasUnmarkedStays: false })
  yield* told(host.operatorId, code, more)
  yield* dispatchAllEvents
  return (yield* loadStayMarks(host.operatorId)).marks
})

layer(Layer.provideMerge(Ingest.layer, layerAutomationService))("what changes a stay", (it) => {
  it.effect.each([
    { rule: INQUIRY, marks: 0 },
    { rule: ANSWER, marks: 0 },
    { rule: AFTER_LEAVING_RULE, marks: 1 },
    { rule: of("booking"), marks: 1 },
    { rule: of("request"), marks: 1 },
    { rule: of("check_in"), marks: 1 },
    { rule: of("check_out"), marks: 1 }
  ])("marks it where a rule does something of stays: $rule.action, $rule.trigger.event", ({ rule, marks }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* markedBy(rule), marks)
    })
  )

  it.effect.each([
    { sub_event: null, marks: 1 },
    { sub_event: "rates_updated", marks: 1 },
    { sub_event: "one_that_is_not_known", marks: 1 },
    { sub_event: "remarks_updated", marks: 0 },
    { sub_event: "check_in_details_updated", marks: 0 },
    { sub_event: "arrival_and_departure_time_updated", marks: 0 },
    { sub_event: "lock_code_updated", marks: 0 },
    { sub_event: "lock_code_deleted", marks: 0 }
  ])("marks it where plans may be others by it: $sub_event", ({ sub_event, marks }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* markedBy(BEFORE_ARRIVAL_RULE, { sub_event }), marks)
    })
  )

  it.effect("that is told by another account with other rates is planned for that account", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const {
        operatorId,
        accountId,
        listingId: listing,
        ingestEvent: hear,
        ingest,
        sourceAccount: speaker
      } = yield* createOperatorWithListings
      const sql = yield* SqlClient.SqlClient
      yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE, { hasUnmarkedStays: false })
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      yield* dispatchAndPlan
      const accounts = sql`SELECT account_id::int FROM automation_plans WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* accounts, [{ account_id: accountId }])

      const anew = yield* insertChannelAccount(operatorId)
      yield* sql`UPDATE channel_accounts SET auth_status = 'disconnected' WHERE id = ${accountId}`
      const said = makeOrderEvent([makeChannelRoom(listing, { rate: 500 })], { version: 2 })
      assert.deepStrictEqual(yield* ingest({ ...speaker, accountId: anew }, said), { outcome: "applied" })
      const events = yield* sql`
        SELECT payload ->> 'sub_event' AS sub_event FROM events
        WHERE operator_id = ${operatorId} AND event = 'reservation_updated'`
      assert.deepStrictEqual(events, [{ sub_event: "rates_updated" }])
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* accounts, [{ account_id: anew }])
    })
  )

  it.effect("ends what put off a stay that could not be worked out: it begins with the first pause again", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { code } = yield* insertStay(host)
      yield* insertRule(host.operatorId, { ...BEFORE_ARRIVAL_RULE, nights: "many" })
      const longest = PLANNING_BACKOFF.firstMs * (1 + PLANNING_BACKOFF.jitter)
      const pause = Effect.gen(function* () {
        const { due } = yield* loadStayMarks(host.operatorId)
        return Date.parse(due ?? "") - (yield* DateTime.nowAsDate).getTime()
      })
      yield* planAllDue
      for (let n = 0; n < 3; n++) {
        yield* TestClock.adjust(yield* pause)
        yield* planAllDue
      }
      assert.isAbove(yield* pause, longest)
      yield* told(host.operatorId, code)
      yield* dispatchAndPlan
      const anew = yield* pause
      assert.isAbove(anew, 0)
      assert.isAtMost(anew, longest)
    })
  )
})
