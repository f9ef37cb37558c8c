import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  createHostOnEmptyTables,
  dispatchAndPlan,
  insertRule,
  insertStay,
  layerAutomationService,
  planAllDue,
  setRuleState
} from "../../support/domain/automation/automation-service.ts"
import { insertProperty } from "../../support/harness.ts"

const CLEANING_RULE = {
  name: "Cleaning",
  action: "task",
  trigger: { event: "check_out", when: "after", hours: 1 },
  task: { type: "cleaning", level: "standard", staff: "property" }
}

/** Tells of a stay that it changed, and plans it. */
const planChangedStay = Effect.fnUntraced(function* (operatorId: number, code: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    VALUES (${operatorId}, 'reservation_updated', ${`reservation:${code}`}, ${JSON.stringify({ stay_code: code })}::jsonb, now())`
  yield* dispatchAndPlan
}, Effect.orDie)

const prepareStay = Effect.gen(function* () {
  const host = yield* createHostOnEmptyTables
  const { code } = yield* insertStay(host, { propertyId: host.property })
  const ruleId = yield* insertRule(host.operatorId, CLEANING_RULE)
  yield* planAllDue
  const sql = yield* SqlClient.SqlClient
  const listTasks = Effect.map(host.api.search_tasks({}).pipe(host.as), ({ tasks }) => tasks)
  const changeStay = (values: { checkOut?: string; propertyId?: number; status?: string }) =>
    Effect.gen(function* () {
      const { checkOut, propertyId, status } = values
      yield* sql`UPDATE stays SET check_out_date = coalesce(${checkOut ?? null}::date, check_out_date),
        property_id = coalesce(${propertyId ?? null}::bigint, property_id)
        WHERE operator_id = ${host.operatorId} AND stay_code = ${code}`
      yield* sql`UPDATE orders SET status = coalesce(${status ?? null}::text, status)
        WHERE operator_id = ${host.operatorId} AND reservation_code = ${code}`
      yield* planChangedStay(host.operatorId, code)
    }).pipe(Effect.orDie)
  return { ...host, sql, code, ruleId, listTasks, changeStay }
})

const DUE = { type: "cleaning", status: "pending", level: "standard", expected_date: "2027-04-28", note: "" }

const pick = (tasks: ReadonlyArray<{ readonly [Name in keyof typeof DUE]: unknown }>) =>
  tasks.map(({ type, status, level, expected_date, note }) => ({ type, status, level, expected_date, note }))

layer(layerAutomationService)("a rule that creates tasks", (it) => {
  it.effect("creates one for an accepted stay, which moves and is cancelled with the stay", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, changeStay, property, operatorId, code } = yield* prepareStay
      const [task] = yield* listTasks
      assert.deepStrictEqual(pick(yield* listTasks), [DUE])
      assert.strictEqual(task?.property_id, property)
      assert.strictEqual(task?.stay_code, code)
      assert.deepStrictEqual((yield* api.query_upcoming_automation_actions({ type: "message" }).pipe(as)).actions, [])

      const other = yield* insertProperty(operatorId, "Harbour 2")
      yield* changeStay({ checkOut: "2027-04-30", propertyId: other })
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, expected_date: "2027-04-30" }])
      assert.strictEqual((yield* listTasks)[0]?.property_id, other)

      yield* changeStay({ status: "cancelled" })
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, expected_date: "2027-04-30", status: "cancelled" }])
      yield* changeStay({ status: "accepted" })
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, expected_date: "2027-04-30" }])
    })
  )

  it.effect("keeps a started task and notes each change of its stay once", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, changeStay, code } = yield* prepareStay
      const id = (yield* listTasks)[0]?.id ?? 0
      yield* api.update_task({ id, status: "in_progress" }).pipe(as)
      yield* changeStay({ checkOut: "2027-04-30" })
      const line = `Automation: stay ${code} now needs this task on 2027-04-30 12:00 in Harbour 1. It was not moved, because it had been started.`
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "in_progress", note: line }])
      yield* changeStay({})
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "in_progress", note: line }])
      yield* changeStay({ status: "cancelled" })
      const note = `${line}\nAutomation: stay ${code} no longer needs this task. It was not cancelled, because it had been started.`
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "in_progress", note }])
    })
  )

  it.effect("does not create a deleted task again", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, changeStay } = yield* prepareStay
      yield* api.delete_task({ id: (yield* listTasks)[0]?.id ?? 0 }).pipe(as)
      yield* changeStay({ checkOut: "2027-04-30" })
      assert.deepStrictEqual(yield* listTasks, [])
    })
  )

  it.effect("cancels untouched tasks when it is paused, and needs them again when it is resumed", () =>
    Effect.gen(function* () {
      const { listTasks, ruleId } = yield* prepareStay
      yield* setRuleState(ruleId, "paused")
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "cancelled" }])
      yield* setRuleState(ruleId, "active")
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [DUE])
    })
  )

  it.effect("cancels the untouched task of a stay that the channel removes", () =>
    Effect.gen(function* () {
      const { sql, operatorId, listTasks } = yield* prepareStay
      yield* sql`DELETE FROM stays WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "cancelled" }])
    })
  )

  it.effect("is not run by execute_automation_action", () =>
    Effect.gen(function* () {
      const { sql, api, as, operatorId } = yield* prepareStay
      const [plan] = yield* sql<{ id: number }>`SELECT id FROM automation_plans WHERE operator_id = ${operatorId}`
      const error = yield* Effect.flip(api.execute_automation_action({ plan_id: plan?.id ?? 0 }).pipe(as))
      assert.strictEqual(error._tag, "BadRequest")
    })
  )
})
