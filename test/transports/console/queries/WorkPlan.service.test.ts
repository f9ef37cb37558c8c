import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DAY_SHEET_TASKS_MAX, TASKS_SHOWN } from "../../../../src/platform/limits.ts"
import { DaySheet } from "../../../../src/transports/console/queries/DaySheet.ts"
import { WorkPlan } from "../../../../src/transports/console/queries/WorkPlan.ts"
import { asCaller } from "../../../support/console-caller.ts"
import {
  createOperator,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const DAY = "2027-05-04"
const WEEK = { from: DAY, to: "2027-05-10", staff: undefined, offset: 0 }

const ready = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator()
  const api = yield* typedClient
  const as = withToken(token)
  const employ = (name: string, property_ids: ReadonlyArray<number> = []) =>
    Effect.map(api.create_staff({ name, mobile: "+49 15112345678", property_ids }).pipe(as), ({ staff_id }) => staff_id)
  const task = (fields: Partial<Parameters<typeof api.create_task>[0]> = {}) =>
    Effect.map(api.create_task({ type: "cleaning", expected_date: DAY, ...fields }).pipe(as), ({ task_id }) => task_id)
  const someDay = (note: string) => Effect.asVoid(api.create_task({ type: "other", note }).pipe(as))
  const update = (fields: Parameters<typeof api.update_task>[0]) => api.update_task(fields).pipe(as)
  const plan = yield* Effect.provide(WorkPlan, WorkPlan.layer)
  const sheet = yield* Effect.provide(DaySheet, DaySheet.layer)
  const filled = (count: number) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        INSERT INTO tasks (operator_id, type, expected_date, currency, created_at, updated_at)
        SELECT ${operatorId}::bigint, 'other', ${DAY}::date, 'EUR', now(), now() FROM generate_series(1, ${count}::int)`
    )
  return { operatorId, employ, task, someDay, update, plan, sheet, filled }
})

layer(layerTest)("the work", (it) => {
  it.effect("is by day, person and time, with what is on no day and how much is left over", () =>
    Effect.gen(function* () {
      const { operatorId, employ, task, someDay, update, plan } = yield* ready
      const harbour = yield* insertProperty(operatorId, "Harbour")
      const [marta, li] = [yield* employ("Marta", [harbour]), yield* employ("Li")]
      const at = (note: string, fields: object) => task({ note, ...fields })
      yield* at("4 marta 11", { staff_id: marta, expected_time: "11:00:00", property_id: harbour })
      yield* at("4 marta 9", { staff_id: marta, expected_time: "09:00:00" })
      yield* at("4 li", { staff_id: li })
      yield* at("4 nobody", {})
      yield* at("10 li", { staff_id: li, expected_date: "2027-05-10" })
      yield* at("11", { expected_date: "2027-05-11" })
      yield* someDay("some day")
      yield* update({ id: yield* at("some day, done", {}), expected_date: null, status: "completed" })
      yield* at("yesterday", { expected_date: "2027-05-03" })
      yield* update({ id: yield* at("yesterday, done", { expected_date: "2027-05-03" }), status: "completed" })
      const [shown, statements] = yield* countStatements(plan.of(WEEK)).pipe(asCaller({ operatorId }))
      assert.strictEqual(statements, 1)
      const notes = ["4 nobody", "4 li", "4 marta 9", "4 marta 11", "10 li", "some day"]
      assert.deepStrictEqual(
        shown.tasks.map(({ note }) => note),
        notes
      )
      assert.deepInclude(shown.tasks[3], { time: "11:00", property_title: "Harbour", staff_name: "Marta", day: DAY })
      assert.deepInclude(shown, { total: 6, left_over: 1 })
      assert.deepStrictEqual(
        shown.people.map(({ name, properties }) => [name, properties]),
        [
          ["Li", 0],
          ["Marta", 1]
        ]
      )
      const lis = yield* plan.of({ ...WEEK, staff: li }).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual(
        lis.tasks.map(({ note }) => note),
        ["4 li", "10 li"]
      )
    })
  )

  it.effect("of a day tells who comes and goes where something is to be done", () =>
    Effect.gen(function* () {
      const { operatorId, task, update, sheet } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const [harbour, garden] = [
        yield* insertProperty(operatorId, "Harbour"),
        yield* insertProperty(operatorId, "Garden")
      ]
      yield* sql`UPDATE properties SET address = 'Quay 1', checkout_time = '10:30' WHERE id = ${harbour}`
      const stay = (
        propertyId: number,
        checkIn: string,
        checkOut: string,
        status: "accepted" | "denied" = "accepted"
      ) => insertOrder(operatorId, [{ propertyId, checkIn, checkOut }], { status })
      yield* stay(harbour, "2027-05-01", DAY)
      const arriving = yield* stay(harbour, DAY, "2027-05-06")
      yield* sql`
        UPDATE stays SET guest_name = 'Ada', number_of_guests = 3, arrival_at = '18:00' WHERE operator_id = ${operatorId} AND stay_code = ${arriving}`
      yield* stay(harbour, DAY, "2027-05-06", "denied")
      yield* stay(garden, DAY, "2027-05-06")
      yield* task({ property_id: harbour })
      yield* update({ id: yield* task({ property_id: garden }), status: "cancelled" })
      const [shown, statements] = yield* countStatements(sheet.of(DAY, undefined)).pipe(asCaller({ operatorId }))
      assert.strictEqual(statements, 1)
      assert.deepInclude(shown.tasks[0], { property_title: "Harbour", address: "Quay 1" })
      assert.strictEqual(shown.total, 1)
      assert.deepStrictEqual(shown.passing, [
        { property_id: harbour, arrives: false, guest_name: null, number_of_guests: 1, time: "10:30" },
        { property_id: harbour, arrives: true, guest_name: "Ada", number_of_guests: 3, time: "18:00" }
      ])
    })
  )

  it.effect("is so many tasks and no more, and says how many there are", () =>
    Effect.gen(function* () {
      const { operatorId, plan, sheet, filled } = yield* ready
      yield* filled(TASKS_SHOWN)
      assert.lengthOf((yield* plan.of(WEEK).pipe(asCaller({ operatorId }))).tasks, TASKS_SHOWN)
      yield* filled(1)
      const more = yield* plan.of(WEEK).pipe(asCaller({ operatorId }))
      assert.lengthOf(more.tasks, TASKS_SHOWN)
      assert.strictEqual(more.total, TASKS_SHOWN + 1)
      assert.lengthOf((yield* plan.of({ ...WEEK, offset: TASKS_SHOWN }).pipe(asCaller({ operatorId }))).tasks, 1)
      yield* filled(DAY_SHEET_TASKS_MAX - TASKS_SHOWN - 1)
      assert.lengthOf((yield* sheet.of(DAY, undefined).pipe(asCaller({ operatorId }))).tasks, DAY_SHEET_TASKS_MAX)
      yield* filled(1)
      const sheets = yield* sheet.of(DAY, undefined).pipe(asCaller({ operatorId }))
      assert.lengthOf(sheets.tasks, DAY_SHEET_TASKS_MAX)
      assert.strictEqual(sheets.total, DAY_SHEET_TASKS_MAX + 1)
    })
  )

  it.effect("is one's own", () =>
    Effect.gen(function* () {
      const other = yield* ready
      const theirs = yield* other.employ("Theirs")
      yield* other.task({ staff_id: theirs })
      const { operatorId, plan, sheet } = yield* ready
      for (const staff of [undefined, theirs]) {
        assert.deepStrictEqual(yield* plan.of({ ...WEEK, staff }).pipe(asCaller({ operatorId })), {
          tasks: [],
          total: 0,
          left_over: 0,
          people: []
        })
        assert.deepStrictEqual(yield* sheet.of(DAY, staff).pipe(asCaller({ operatorId })), {
          tasks: [],
          total: 0,
          passing: []
        })
      }
      assert.deepStrictEqual(yield* plan.choices.pipe(asCaller({ operatorId })), { properties: [], people: [] })
    })
  )
})
