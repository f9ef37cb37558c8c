import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Task } from "../../../../src/domain/work/tasks/contract.ts"
import { AMOUNT_MAX, TASK_NOTE_LENGTH } from "../../../../src/platform/limits.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  createOperator,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const STATES = ["pending", "in_progress", "completed", "cancelled"] as const

/** After the stay that is there already. */
const NEXT = { checkIn: "2027-06-01", checkOut: "2027-06-03" }

/** A client of a new operator with two properties, a stay in the first, and a person. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  const harbour = yield* insertProperty(operator.operatorId, "Harbour 1")
  const garden = yield* insertProperty(operator.operatorId, "Garden")
  const stay = yield* insertOrder(operator.operatorId, [{ propertyId: harbour }])
  const api = yield* typedClient
  const as = withToken(operator.token)
  const { staff_id: marta } = yield* api.create_staff({ name: "Marta", mobile: "+49 15112345678" }).pipe(as)
  const task = Effect.fnUntraced(function* (id: number) {
    const { tasks } = yield* api.search_tasks({ id }).pipe(as)
    return tasks[0]
  })
  return { ...operator, harbour, garden, stay, marta, api, as, task }
})

layer(layerTest, { excludeTestServices: false })("tasks", (it) => {
  it.effect("reads back what was created, on the merchant's clock", () =>
    Effect.gen(function* () {
      const { api, as, harbour, marta, stay } = yield* ready
      yield* TestClock.setTime(Date.parse("2027-05-10T22:30:00.789Z"))
      const { task_id } = yield* api
        .create_task({
          type: "cleaning",
          level: "advanced",
          stay_code: stay,
          staff_id: marta,
          expected_date: "2027-05-11",
          expected_time: "11:00:00",
          fee: 30.5,
          note: "keys at the desk"
        })
        .pipe(as)
      const created: Task = {
        task_id,
        id: task_id,
        type: "cleaning",
        status: "pending",
        level: "advanced",
        property_id: harbour,
        property_title: "Harbour 1",
        stay_code: stay,
        staff_id: marta,
        staff_name: "Marta",
        expected_date: "2027-05-11",
        expected_time: "11:00:00",
        expected: "2027-05-11 11:00:00",
        arrival_same_day: false,
        currency: "EUR",
        fee: 30.5,
        note: "keys at the desk",
        create_time: "2027-05-11 00:30:00",
        update_time: "2027-05-11 00:30:00"
      }
      assert.deepStrictEqual(yield* api.search_tasks({ id: task_id }).pipe(as), { tasks: [created], total: 1 })

      yield* TestClock.adjust("1 hour")
      yield* api.update_task({ id: task_id, status: "in_progress" }).pipe(as)
      const { tasks } = yield* api.search_tasks({ id: task_id }).pipe(as)
      assert.deepStrictEqual(tasks, [{ ...created, status: "in_progress", update_time: "2027-05-11 01:30:00" }])
    })
  )

  it.effect("needs nothing but a type", () =>
    Effect.gen(function* () {
      const { api, as, task } = yield* ready
      const { task_id } = yield* api.create_task({ type: "other" }).pipe(as)
      assert.deepInclude(yield* task(task_id), {
        status: "pending",
        level: null,
        property_id: null,
        property_title: null,
        stay_code: null,
        staff_id: null,
        staff_name: null,
        expected_date: null,
        expected_time: null,
        expected: null,
        currency: "EUR",
        fee: 0,
        note: ""
      })
    })
  )

  it.effect("is expected at midnight when no time is given", () =>
    Effect.gen(function* () {
      const { api, as, task } = yield* ready
      const { task_id } = yield* api.create_task({ type: "other", expected_date: "2027-05-11" }).pipe(as)
      assert.deepInclude(yield* task(task_id), { expected_time: null, expected: "2027-05-11 00:00:00" })
    })
  )

  it.effect("moves from any state to any other", () =>
    Effect.gen(function* () {
      const { api, as, task } = yield* ready
      const { task_id: id } = yield* api.create_task({ type: "maintenance" }).pipe(as)
      for (const from of STATES) {
        for (const status of STATES) {
          yield* api.update_task({ id, status: from }).pipe(as)
          yield* api.update_task({ id, status }).pipe(as)
          assert.strictEqual((yield* task(id))?.status, status)
        }
      }
    })
  )

  it.effect("has a level only as a cleaning", () =>
    Effect.gen(function* () {
      const { api, as, task } = yield* ready
      const levelOf = (id: number) => Effect.map(task(id), (found) => found?.level)
      const plain = yield* api.create_task({ type: "cleaning" }).pipe(as)
      assert.strictEqual(yield* levelOf(plain.task_id), "standard")
      const { task_id: id } = yield* api.create_task({ type: "reception", level: "simple" }).pipe(as)
      assert.strictEqual(yield* levelOf(id), null)
      yield* api.update_task({ id, type: "cleaning" }).pipe(as)
      assert.strictEqual(yield* levelOf(id), "simple")
      yield* api.update_task({ id, level: "advanced" }).pipe(as)
      assert.strictEqual(yield* levelOf(id), "advanced")
      yield* api.update_task({ id, level: null }).pipe(as)
      assert.strictEqual(yield* levelOf(id), "standard")
    })
  )

  it.effect("takes the property of its stay, and refuses another", () =>
    Effect.gen(function* () {
      const { api, as, task, harbour, garden, stay, token, operatorId } = yield* ready
      const same = yield* api.create_task({ type: "cleaning", stay_code: stay, property_id: harbour }).pipe(as)
      assert.strictEqual((yield* task(same.task_id))?.property_id, harbour)
      const other = yield* call(token, "create_task", { type: "cleaning", stay_code: stay, property_id: garden })
      assert.deepStrictEqual([other.error_code, fieldOfError(other)], [422, "property_id"])

      const moved = yield* call(token, "update_task", { id: same.task_id, property_id: garden })
      assert.deepStrictEqual([moved.error_code, fieldOfError(moved)], [422, "property_id"])
      assert.strictEqual((yield* task(same.task_id))?.property_id, harbour)

      const homeless = yield* insertOrder(operatorId, [{ propertyId: null }])
      const { task_id } = yield* api
        .create_task({ type: "cleaning", stay_code: homeless, property_id: garden })
        .pipe(as)
      assert.deepInclude(yield* task(task_id), { property_id: garden, stay_code: homeless })
    })
  )

  it.effect("names one stay of an order by its own code", () =>
    Effect.gen(function* () {
      const { api, as, task, harbour, garden, operatorId } = yield* ready
      const order = yield* insertOrder(operatorId, [
        { propertyId: harbour, ...NEXT },
        { propertyId: garden, ...NEXT }
      ])
      const { task_id } = yield* api.create_task({ type: "cleaning", stay_code: `${order}_1` }).pipe(as)
      assert.deepInclude(yield* task(task_id), { property_id: garden, stay_code: `${order}_1` })
    })
  )

  it.effect("never changes its stay", () =>
    Effect.gen(function* () {
      const { api, as, task, stay, harbour, operatorId, token } = yield* ready
      const another = yield* insertOrder(operatorId, [{ propertyId: harbour, ...NEXT }])
      const { task_id: id } = yield* api.create_task({ type: "cleaning", stay_code: stay }).pipe(as)
      const before = yield* task(id)
      for (const stay_code of [another, null, "5-UNKNOWN"]) {
        const envelope = yield* call(token, "update_task", { id, stay_code, note: "moved" })
        assert.strictEqual(envelope.error_code, 422)
        assert.match(envelope.error_msg, /^stay_code: cannot be changed/)
      }
      assert.deepStrictEqual(yield* task(id), before)
    })
  )

  it.effect("can be sent back whole without changing", () =>
    Effect.gen(function* () {
      const { api, as, task, stay, marta, token } = yield* ready
      const full = yield* api
        .create_task({ type: "cleaning", stay_code: stay, staff_id: marta, expected_date: "2027-05-11", fee: 5 })
        .pipe(as)
      const bare = yield* api.create_task({ type: "other" }).pipe(as)
      for (const id of [full.task_id, bare.task_id]) {
        const before = yield* task(id)
        assert.strictEqual((yield* call(token, "update_task", { ...before })).error_code, 0)
        const { update_time: _, ...after } = { ...(yield* task(id)) }
        const { update_time: __, ...same } = { ...before }
        assert.deepStrictEqual(after, same)
      }
    })
  )

  it.effect("loses a link that is set to 0 or null", () =>
    Effect.gen(function* () {
      const { api, as, task, harbour, garden, marta } = yield* ready
      const { task_id: id } = yield* api.create_task({ type: "other", property_id: harbour, staff_id: marta }).pipe(as)
      yield* api.update_task({ id, property_id: 0 }).pipe(as)
      assert.deepInclude(yield* task(id), { property_id: null, property_title: null, staff_id: marta })
      yield* api.update_task({ id, staff_id: 0 }).pipe(as)
      assert.deepInclude(yield* task(id), { staff_id: null, staff_name: null })
      yield* api.update_task({ id, property_id: garden, staff_id: marta }).pipe(as)
      assert.deepInclude(yield* task(id), { property_id: garden, staff_id: marta })
      yield* api.update_task({ id, property_id: null, staff_id: null }).pipe(as)
      assert.deepInclude(yield* task(id), { property_id: null, staff_id: null })
    })
  )

  it.effect("changes only the fields that are sent", () =>
    Effect.gen(function* () {
      const { api, as, task, harbour, marta } = yield* ready
      const { task_id: id } = yield* api
        .create_task({
          type: "maintenance",
          property_id: harbour,
          staff_id: marta,
          expected_date: "2027-05-11",
          expected_time: "09:00:00",
          fee: 12,
          note: "tap"
        })
        .pipe(as)
      const before = yield* task(id)
      const edits = [
        { type: "reception" },
        { expected_date: "2027-06-01" },
        { expected_time: "10:15:30" },
        { fee: 13.25 },
        { currency: "USD" },
        { note: "" }
      ] as const
      for (const edit of edits) yield* api.update_task({ id, ...edit }).pipe(as)
      const { update_time: _, ...after } = { ...(yield* task(id)) }
      const { update_time: __, ...expected } = {
        ...before,
        ...Object.assign({}, ...edits),
        expected: "2027-06-01 10:15:30"
      }
      assert.deepStrictEqual(after, expected)
      yield* api.update_task({ id, expected_date: null, expected_time: null }).pipe(as)
      assert.deepInclude(yield* task(id), { expected_date: null, expected_time: null, expected: null })
    })
  )

  it.effect("keeps its fee within its currency when either changes, also at once", () =>
    Effect.gen(function* () {
      const { api, as, task, token } = yield* ready
      const { task_id: id } = yield* api.create_task({ type: "other", fee: 1.5 }).pipe(as)
      const toYen = yield* call(token, "update_task", { id, currency: "JPY" })
      assert.deepStrictEqual([toYen.error_code, fieldOfError(toYen)], [422, "fee"])
      assert.include(toYen.error_msg, "JPY")
      yield* api.update_task({ id, currency: "JPY", fee: 2 }).pipe(as)
      assert.deepInclude(yield* task(id), { currency: "JPY", fee: 2 })
      for (let round = 0; round < 5; round++) {
        yield* api.update_task({ id, currency: "EUR", fee: 1 }).pipe(as)
        yield* Effect.all(
          [call(token, "update_task", { id, currency: "JPY" }), call(token, "update_task", { id, fee: 1.5 })],
          { concurrency: "unbounded" }
        )
        const found = yield* task(id)
        assert.isTrue(found?.currency === "JPY" ? found.fee === 1 : found?.fee === 1.5, JSON.stringify(found))
      }
    })
  )

  it.effect("filters by expected date, both ends included", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* ready
      const days = ["2027-05-09", "2027-05-10", "2027-05-11", "2027-05-12"]
      yield* Effect.forEach(days, (expected_date) => api.create_task({ type: "other", expected_date }).pipe(as))
      yield* api.create_task({ type: "other" }).pipe(as)
      const { tasks, total } = yield* api.search_tasks({ start_date: "2027-05-10", end_date: "2027-05-11" }).pipe(as)
      assert.deepStrictEqual(
        tasks.map((each) => each.expected_date),
        ["2027-05-11", "2027-05-10"]
      )
      assert.strictEqual(total, 2)
      const alone = [{ start_date: "2027-05-10" }, { end_date: "2027-05-10" }]
      for (const fields of alone) assert.strictEqual((yield* call(token, "search_tasks", fields)).error_code, 400)
      const reversed = yield* call(token, "search_tasks", { start_date: "2027-05-11", end_date: "2027-05-10" })
      assert.deepStrictEqual([reversed.error_code, fieldOfError(reversed)], [422, "start_date"])
      assert.include(reversed.error_msg, "end_date")
    })
  )

  it.effect("filters by person, property, type and status, and pages in a stable order", () =>
    Effect.gen(function* () {
      const { api, as, harbour, garden, marta } = yield* ready
      const ids = Effect.fnUntraced(function* (fields: Parameters<typeof api.search_tasks>[0]) {
        const { tasks } = yield* api.search_tasks(fields).pipe(as)
        return tasks.map(({ task_id }) => task_id)
      })
      const create = (fields: Parameters<typeof api.create_task>[0]) =>
        Effect.map(api.create_task(fields).pipe(as), ({ task_id }) => task_id)
      const one = yield* create({
        type: "cleaning",
        property_id: harbour,
        staff_id: marta,
        expected_date: "2027-05-10",
        expected_time: "09:00:00"
      })
      const two = yield* create({
        type: "cleaning",
        property_id: garden,
        expected_date: "2027-05-10",
        expected_time: "10:00:00"
      })
      const three = yield* create({ type: "maintenance", property_id: harbour, expected_date: "2027-05-12" })
      const undated = yield* create({ type: "other" })
      yield* api.update_task({ id: two, status: "completed" }).pipe(as)
      assert.deepStrictEqual(yield* ids({}), [undated, three, two, one])
      assert.deepStrictEqual(yield* ids({ property_id: harbour }), [three, one])
      assert.deepStrictEqual(yield* ids({ staff_id: marta }), [one])
      assert.deepStrictEqual(yield* ids({ type: "cleaning" }), [two, one])
      assert.deepStrictEqual(yield* ids({ status: "completed" }), [two])
      assert.deepStrictEqual(yield* ids({ type: "cleaning", status: "pending", property_id: harbour }), [one])
      const pages = yield* Effect.forEach([0, 2], (offset) => ids({ offset, limit: 2 }))
      assert.deepStrictEqual(pages.flat(), [undated, three, two, one])
    })
  )

  it.effect("tells an unknown filter from one that matches nothing", () =>
    Effect.gen(function* () {
      const { token, garden, marta } = yield* ready
      const elsewhere = yield* ready
      const codeFor = (fields: object) =>
        Effect.map(call(token, "search_tasks", fields), ({ error_code }) => error_code)
      assert.strictEqual(yield* codeFor({ property_id: garden, staff_id: marta }), 0)
      assert.strictEqual(yield* codeFor({ property_id: elsewhere.garden }), 404)
      assert.strictEqual(yield* codeFor({ staff_id: elsewhere.marta }), 404)
      assert.strictEqual(yield* codeFor({ id: 999_999_999 }), 0)
    })
  )

  it.effect("is gone after it was deleted", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* ready
      const { task_id: id } = yield* api.create_task({ type: "other" }).pipe(as)
      yield* api.delete_task({ id }).pipe(as)
      assert.deepStrictEqual(yield* api.search_tasks({ id }).pipe(as), { tasks: [], total: 0 })
      for (const operation of ["delete_task", "update_task"] as const) {
        const envelope = yield* call(token, operation, { id })
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, "id"])
      }
    })
  )

  it.effect("names the field a rule refuses, and changes nothing", () =>
    Effect.gen(function* () {
      const { api, as, token, stay, operatorId } = yield* ready
      const elsewhere = yield* ready
      const { task_id: id } = yield* api.create_task({ type: "cleaning", stay_code: stay }).pipe(as)
      const sql = yield* SqlClient.SqlClient
      const contents = sql<{ row: string }>`
        SELECT t::text AS row FROM tasks t WHERE operator_id = ${operatorId} ORDER BY id`
      const before = yield* contents
      const broken: ReadonlyArray<readonly [object, number, string]> = [
        [{ type: "gardening" }, 422, "type"],
        [{ type: 1 }, 400, "type"],
        [{ level: "deep" }, 422, "level"],
        [{ expected_date: "2027-02-29" }, 400, "expected_date"],
        [{ expected_date: "11.05.2027" }, 400, "expected_date"],
        [{ expected_time: "24:00:00" }, 400, "expected_time"],
        [{ expected_time: "11:00" }, 400, "expected_time"],
        [{ currency: "EURO" }, 422, "currency"],
        [{ fee: -1 }, 422, "fee"],
        [{ fee: AMOUNT_MAX + 1 }, 422, "fee"],
        [{ fee: 0.001 }, 422, "fee"],
        [{ fee: "30" }, 400, "fee"],
        [{ note: "x".repeat(TASK_NOTE_LENGTH + 1) }, 422, "note"],
        [{ property_id: -1 }, 422, "property_id"],
        [{ property_id: 1.5 }, 400, "property_id"],
        [{ property_id: 999_999_999 }, 404, "property_id"],
        [{ property_id: elsewhere.harbour }, 404, "property_id"],
        [{ staff_id: elsewhere.marta }, 404, "staff_id"]
      ]
      for (const [fields, code, field] of broken) {
        for (const envelope of [
          yield* call(token, "create_task", { type: "cleaning", ...fields }),
          yield* call(token, "update_task", { id, ...fields })
        ]) {
          assert.strictEqual(envelope.error_code, code, `${JSON.stringify(fields).slice(0, 80)}: ${envelope.error_msg}`)
          assert.match(envelope.error_msg, new RegExp(`^${field}\\b`))
        }
      }
      const onlyOnCreation: ReadonlyArray<readonly [object, number, string]> = [
        [{}, 400, "type"],
        [{ type: "cleaning", property_id: 0 }, 422, "property_id"],
        [{ type: "cleaning", stay_code: "5-UNKNOWN" }, 404, "stay_code"],
        [{ type: "cleaning", stay_code: elsewhere.stay }, 404, "stay_code"]
      ]
      for (const [fields, code, field] of onlyOnCreation) {
        const envelope = yield* call(token, "create_task", fields)
        assert.strictEqual(envelope.error_code, code, envelope.error_msg)
        assert.match(envelope.error_msg, new RegExp(`^${field}\\b`))
      }
      const status = yield* call(token, "update_task", { id, status: "done" })
      assert.deepStrictEqual([status.error_code, fieldOfError(status)], [422, "status"])
      assert.include(status.error_msg, "in_progress")
      assert.deepStrictEqual(yield* contents, before)
    })
  )

  it.effect("takes the longest note and the largest fee", () =>
    Effect.gen(function* () {
      const { api, as, task } = yield* ready
      const { task_id } = yield* api
        .create_task({ type: "other", note: "ü".repeat(TASK_NOTE_LENGTH), fee: AMOUNT_MAX })
        .pipe(as)
      assert.deepInclude(yield* task(task_id), { fee: AMOUNT_MAX, note: "ü".repeat(TASK_NOTE_LENGTH) })
    })
  )

  it.effect("lists in one statement however many there are, and changes in two", () =>
    Effect.gen(function* () {
      const { api, as, stay, marta, token } = yield* ready
      const ids = yield* Effect.forEach([1, 2, 3], () =>
        api.create_task({ type: "cleaning", stay_code: stay, staff_id: marta }).pipe(as)
      )
      const [list, read] = yield* countStatements(call(token, "search_tasks", {}))
      assert.strictEqual(list.error_code, 0)
      assert.strictEqual(read, 1)
      const [, written] = yield* countStatements(
        call(token, "update_task", { id: ids[0]?.task_id, staff_id: 0, fee: 3, status: "completed" })
      )
      assert.strictEqual(written, 2)
    })
  )
})
