import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AUTOMATIC_LINES_LENGTH, TASK_NOTE_LENGTH } from "../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import { layerAutomationService, planAllDue } from "../../support/domain/automation/automation-service.ts"
import { CLEANING_RULE, createCleanedHost } from "../../support/domain/automation/cleaned-host.ts"

const prepareStay = Effect.gen(function* () {
  const host = yield* createCleanedHost
  const ruleId = yield* host.createRule
  const { reservation_code: code } = yield* host.bookStay("2027-04-25", "2027-04-28")
  return { ...host, code, ruleId }
})

const DUE = { type: "cleaning", status: "pending", level: "standard", expected: "2027-04-28 12:00:00", note: "" }

const pick = (tasks: ReadonlyArray<{ readonly [Name in keyof typeof DUE]: unknown }>) =>
  tasks.map(({ type, status, level, expected, note }) => ({ type, status, level, expected, note }))

const STARTED = "It was not moved, because it had been started."

layer(layerAutomationService)("a rule that creates tasks", (it) => {
  it.effect("creates one for an accepted stay, which moves and is cancelled with the stay", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, moveStay, allocateStay, cancelStay, property, otherProperty, code, operatorId } =
        yield* prepareStay
      const [task] = yield* listTasks
      assert.deepStrictEqual(pick(yield* listTasks), [DUE])
      assert.strictEqual(task?.property_id, property)
      assert.strictEqual(task?.stay_code, code)
      assert.deepStrictEqual((yield* api.query_upcoming_automation_actions({ type: "message" }).pipe(as)).actions, [])

      yield* moveStay(code, { check_out_date: "2027-04-30" })
      yield* allocateStay(code, otherProperty)
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, expected: "2027-04-30 12:00:00" }])
      assert.strictEqual((yield* listTasks)[0]?.property_id, otherProperty)

      yield* cancelStay(code)
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, expected: "2027-04-30 12:00:00", status: "cancelled" }])
      const lines = yield* loadAuditLinesWithActor(operatorId)
      assert.deepStrictEqual(
        lines.filter((line) => line.includes(`task:${task?.id}`)),
        ["", " (expected_date)", " (property_id)", " (status)"].map(
          (fields) => `automation: plan tasks task:${task?.id}${fields}`
        )
      )
    })
  )

  it.effect("keeps a started task and notes each change of its stay once", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, moveStay, cancelStay, code } = yield* prepareStay
      const id = (yield* listTasks)[0]?.id ?? 0
      yield* api.update_task({ id, status: "in_progress" }).pipe(as)
      yield* moveStay(code, { check_out_date: "2027-04-30" })
      const line = `Automation: stay ${code} now needs this task on 2027-04-30 12:00 in Harbour 1. ${STARTED}`
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "in_progress", note: line }])
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "in_progress", note: line }])
      yield* cancelStay(code)
      const note = `${line}\nAutomation: stay ${code} no longer needs this task. It was not cancelled, because it had been started.`
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "in_progress", note }])
    })
  )

  it.effect("adds its lines also to the longest note of a person, which can then be sent back whole", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, moveStay, code, operatorId } = yield* prepareStay
      const id = (yield* listTasks)[0]?.id ?? 0
      const text = "x".repeat(TASK_NOTE_LENGTH)
      yield* api.update_task({ id, note: text }).pipe(as)
      yield* moveStay(code, { check_out_date: "2027-04-30" })
      const editedReason = "It was not moved, because a person had edited it."
      const line = `Automation: stay ${code} now needs this task on 2027-04-30 12:00 in Harbour 1. ${editedReason}`
      const [task] = yield* listTasks
      assert.strictEqual(task?.note, `${text}\n${line}`)
      if (task === undefined) return
      yield* api.update_task({ ...task, fee: 5 }).pipe(as)
      assert.strictEqual((yield* listTasks)[0]?.note, task.note)

      // The line of a removed stay takes the place of the oldest lines.
      const filler = `Automation: ${"y".repeat(AUTOMATIC_LINES_LENGTH - line.length - "Automation: ".length - 2)}`
      yield* api.update_task({ id, note: `${filler}\n${text}\n${line}` }).pipe(as)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        WITH freed_night AS (DELETE FROM calendar_days WHERE operator_id = ${operatorId}),
          removed_guest AS (DELETE FROM guests WHERE operator_id = ${operatorId})
        DELETE FROM stays WHERE operator_id = ${operatorId}`
      const removedStayLine =
        "Automation: the stay was removed. This task was not cancelled, because a person had changed it."
      assert.strictEqual((yield* listTasks)[0]?.note, `${text}\n${line}\n${removedStayLine}`)
    })
  )

  it.effect("does not create a deleted task again", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, moveStay, code } = yield* prepareStay
      yield* api.delete_task({ id: (yield* listTasks)[0]?.id ?? 0 }).pipe(as)
      yield* moveStay(code, { check_out_date: "2027-04-30" })
      assert.deepStrictEqual(yield* listTasks, [])
    })
  )

  it.effect("cancels untouched tasks when it is paused, and needs them again when it is resumed", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, ruleId } = yield* prepareStay
      yield* api.pause_automation_rule({ id: ruleId }).pipe(as)
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "cancelled" }])
      yield* api.resume_automation_rule({ id: ruleId }).pipe(as)
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [DUE])
      yield* api.delete_automation_rule({ id: ruleId }).pipe(as)
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [{ ...DUE, status: "cancelled" }])
    })
  )

  it.effect("cancels the task of a removed stay, unless a person changed it", () =>
    Effect.gen(function* () {
      const { api, as, bookStay, createRule, listTasks, operatorId, property } = yield* createCleanedHost
      yield* api.create_staff({ name: "Marta", mobile: "+49 15112345678", property_ids: [property] }).pipe(as)
      yield* createRule
      for (const day of ["10", "12", "14", "16", "18"]) yield* bookStay(`2027-05-${day}`, `2027-05-${Number(day) + 1}`)
      // The latest task comes first.
      const [completed, cancelled, started, unassigned] = (yield* listTasks).map(({ id }) => id)
      yield* api.update_task({ id: completed ?? 0, status: "completed" }).pipe(as)
      yield* api.update_task({ id: cancelled ?? 0, status: "cancelled" }).pipe(as)
      yield* api.update_task({ id: started ?? 0, status: "in_progress" }).pipe(as)
      yield* api.update_task({ id: unassigned ?? 0, staff_id: null }).pipe(as)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        WITH freed_night AS (DELETE FROM calendar_days WHERE operator_id = ${operatorId}),
          removed_guest AS (DELETE FROM guests WHERE operator_id = ${operatorId})
        DELETE FROM stays WHERE operator_id = ${operatorId}`
      const line = "Automation: the stay was removed. This task was not cancelled, because a person had changed it."
      assert.deepStrictEqual(
        (yield* listTasks).map(({ status, note }) => [status, note]),
        [
          ["completed", line],
          ["cancelled", ""],
          ["in_progress", line],
          ["pending", line],
          ["cancelled", ""]
        ]
      )
    })
  )

  it.effect("gives tasks to the staff member of the property, or to the one that it names", () =>
    Effect.gen(function* () {
      const { api, as, listTasks, property, otherProperty, ruleId, allocateStay, code } = yield* prepareStay
      const addStaff = (name: string, property_ids: ReadonlyArray<number>) =>
        Effect.map(
          api.create_staff({ name, mobile: "+49 15112345678", property_ids }).pipe(as),
          ({ staff_id }) => staff_id
        )
      const marta = yield* addStaff("Marta", [property])
      const li = yield* addStaff("Li", [otherProperty])
      const staffNow = Effect.map(listTasks, ([task]) => task?.staff_id)
      yield* allocateStay(code, otherProperty)
      assert.strictEqual(yield* staffNow, li)
      yield* api.update_automation_rule({ id: ruleId, task: { type: "cleaning", staff: marta } }).pipe(as)
      yield* planAllDue
      assert.isNull(yield* staffNow)
      yield* allocateStay(code, property)
      assert.strictEqual(yield* staffNow, marta)
    })
  )

  it.effect("creates none for times before the rule, and shows an arrival on the same day", () =>
    Effect.gen(function* () {
      const { bookStay, createRule, listTasks } = yield* createCleanedHost
      yield* bookStay("2027-04-10", "2027-04-12")
      yield* bookStay("2027-04-25", "2027-04-28")
      yield* createRule
      yield* planAllDue
      assert.deepStrictEqual(pick(yield* listTasks), [DUE])
      assert.deepStrictEqual(
        (yield* listTasks).map(({ arrival_same_day }) => arrival_same_day),
        [false]
      )
      yield* bookStay("2027-04-28", "2027-04-30")
      const tasks = yield* listTasks
      assert.deepStrictEqual(
        tasks.map(({ expected_date, arrival_same_day }) => [expected_date, arrival_same_day]),
        [
          ["2027-04-30", false],
          ["2027-04-28", true]
        ]
      )
    })
  )

  it.effect("is not run by execute_automation_action", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* prepareStay
      const sql = yield* SqlClient.SqlClient
      const [plan] = yield* sql<{ id: number }>`SELECT id FROM automation_plans WHERE operator_id = ${operatorId}`
      const plan_id = plan?.id ?? 0
      assert.strictEqual((yield* Effect.flip(api.execute_automation_action({ plan_id }).pipe(as)))._tag, "BadRequest")
      assert.strictEqual((yield* Effect.flip(api.delete_automation_action({ plan_id }).pipe(as)))._tag, "NotFound")
    })
  )

  it.effect(
    "can be sent back whole after its staff member was deactivated or deleted, and its tasks are unassigned",
    () =>
      Effect.gen(function* () {
        const { api, as, bookStay, createRule, listTasks, property, otherProperty } = yield* createCleanedHost
        const id = yield* createRule
        const addStaff = (name: string) =>
          Effect.map(
            api.create_staff({ name, mobile: "+49 15112345678", property_ids: [property] }).pipe(as),
            ({ staff_id }) => staff_id
          )
        const [marta, li] = [yield* addStaff("Marta"), yield* addStaff("Li")]
        yield* api.update_automation_rule({ id, task: { type: "cleaning", staff: marta } }).pipe(as)
        const loadRule = Effect.map(api.list_automation_rules({}).pipe(as), ({ rules: [rule] }) => rule)
        const sendBack = (edit: object) =>
          Effect.flatMap(loadRule, (rule) => api.update_automation_rule({ ...rule, id, ...edit }).pipe(as))
        const latestStaff = Effect.map(listTasks, ([task]) => task?.staff_id)

        yield* api.update_staff({ id: li, is_active: false }).pipe(as)
        yield* bookStay("2027-04-25", "2027-04-28")
        assert.strictEqual(yield* latestStaff, marta)
        yield* api.update_staff({ id: marta, is_active: false }).pipe(as)
        assert.deepStrictEqual(yield* sendBack({}), { version: 2 })
        assert.deepStrictEqual(yield* sendBack({ name: "Inactive", property_ids: [property, otherProperty] }), {
          version: 3
        })
        assert.include(yield* Effect.flip(sendBack({ task: { type: "cleaning", staff: li } })), {
          _tag: "ValidationFailed",
          message: "task.staff: must be an active staff member."
        })
        yield* bookStay("2027-05-02", "2027-05-04")
        assert.isNull(yield* latestStaff)

        yield* api.delete_staff({ id: marta }).pipe(as)
        assert.deepStrictEqual(yield* sendBack({ task: { type: "maintenance", staff: marta } }), { version: 4 })
        yield* bookStay("2027-05-06", "2027-05-08")
        const [latest] = yield* listTasks
        assert.deepInclude(latest, { type: "maintenance", staff_id: null })
        assert.strictEqual(
          (yield* Effect.flip(sendBack({ task: { type: "cleaning", staff: marta + 1000 } })))._tag,
          "NotFound"
        )
      })
  )

  it.effect("names an existing, active staff member who works in its properties", () =>
    Effect.gen(function* () {
      const { api, as, property, otherProperty } = yield* createCleanedHost
      const { staff_id: staff } = yield* api
        .create_staff({ name: "Marta", mobile: "+49 15112345678", property_ids: [property] })
        .pipe(as)
      const create = (named: number, property_ids: ReadonlyArray<number>) =>
        Effect.flip(
          api
            .create_automation_rule({ ...CLEANING_RULE, task: { type: "cleaning", staff: named }, property_ids })
            .pipe(as)
        )
      assert.include(yield* create(staff + 1000, [property]), {
        _tag: "NotFound",
        message: "task.staff: no such staff member."
      })
      assert.strictEqual((yield* create(staff, [otherProperty]))._tag, "ValidationFailed")
      yield* api.update_staff({ id: staff, is_active: false }).pipe(as)
      assert.include(yield* create(staff, [property]), {
        _tag: "ValidationFailed",
        message: "task.staff: must be an active staff member."
      })
    })
  )
})
