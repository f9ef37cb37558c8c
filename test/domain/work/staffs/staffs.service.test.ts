import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Deployment } from "../../../../src/platform/installation.ts"
import { NAMED_PROPERTIES_MAX, STAFF_NAME_LENGTH, STAFF_NOTE_LENGTH } from "../../../../src/platform/limits.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  createOperator,
  insertProperty,
  layerService,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const MOBILE = "+49 15112345678"
const marta = { name: "Marta", mobile: MOBILE } as const

/** A client of a new operator with two properties. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  const harbour = yield* insertProperty(operator.operatorId, "Harbour 1")
  const garden = yield* insertProperty(operator.operatorId, "Garden")
  const api = yield* typedClient
  return { ...operator, harbour, garden, api, as: withToken(operator.token) }
})

const countOf = (operatorId: number, table: "staffs" | "staff_properties") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ count: number }>`SELECT count(*) AS count FROM ${sql(table)} WHERE operator_id = ${operatorId}`,
      (rows) => rows[0]?.count
    )
  )

layer(layerTest)("staff", (it) => {
  it.effect("reads back what was created, active and limited to its properties", () =>
    Effect.gen(function* () {
      const { api, as, harbour, garden } = yield* ready
      const { staff_id: id } = yield* api
        .create_staff({
          ...marta,
          email: "marta@example.test",
          note: "mornings",
          property_ids: [garden, harbour, garden]
        })
        .pipe(as)
      const { staffs, total } = yield* api.query_staffs({ id }).pipe(as)
      assert.strictEqual(total, 1)
      assert.deepStrictEqual(staffs, [
        {
          id,
          name: "Marta",
          mobile: MOBILE,
          email: "marta@example.test",
          note: "mornings",
          is_active: true,
          property_ids: [harbour, garden]
        }
      ])
    })
  )

  it.effect("is limited to no property when none was named", () =>
    Effect.gen(function* () {
      const { api, as } = yield* ready
      const omitted = yield* api.create_staff(marta).pipe(as)
      const empty = yield* api.create_staff({ ...marta, property_ids: [] }).pipe(as)
      const { staffs } = yield* api.query_staffs({}).pipe(as)
      assert.deepStrictEqual(
        staffs.map(({ id, property_ids, email, note }) => ({ id, property_ids, email, note })),
        [
          { id: omitted.staff_id, property_ids: [], email: "", note: "" },
          { id: empty.staff_id, property_ids: [], email: "", note: "" }
        ]
      )
    })
  )

  it.effect("changes only the fields that are sent", () =>
    Effect.gen(function* () {
      const { api, as, harbour } = yield* ready
      const { staff_id: id } = yield* api
        .create_staff({ ...marta, email: "marta@example.test", note: "mornings", property_ids: [harbour] })
        .pipe(as)
      yield* api.update_staff({ id, name: "Marta B." }).pipe(as)
      yield* api.update_staff({ id, email: "", note: "" }).pipe(as)
      const { staffs } = yield* api.query_staffs({ id }).pipe(as)
      assert.deepStrictEqual(staffs, [
        { id, name: "Marta B.", mobile: MOBILE, email: "", note: "", is_active: true, property_ids: [harbour] }
      ])
    })
  )

  it.effect("can be sent back whole", () =>
    Effect.gen(function* () {
      const { api, as, token, harbour } = yield* ready
      const { staff_id: id } = yield* api.create_staff({ ...marta, property_ids: [harbour] }).pipe(as)
      yield* api.update_staff({ id, is_active: false }).pipe(as)
      const before = yield* api.query_staffs({ id }).pipe(as)
      assert.strictEqual((yield* call(token, "update_staff", before.staffs[0])).error_code, 0)
      assert.deepStrictEqual(yield* api.query_staffs({ id }).pipe(as), before)
    })
  )

  it.effect("replaces the list of properties as a whole, and clears it with an empty one", () =>
    Effect.gen(function* () {
      const { api, as, harbour, garden, operatorId } = yield* ready
      const { staff_id: id } = yield* api.create_staff({ ...marta, property_ids: [harbour] }).pipe(as)
      const listed = Effect.map(api.query_staffs({ id }).pipe(as), ({ staffs }) => staffs[0]?.property_ids)
      yield* api.update_staff({ id, property_ids: [garden] }).pipe(as)
      assert.deepStrictEqual(yield* listed, [garden])
      yield* api.update_staff({ id, property_ids: [harbour, garden] }).pipe(as)
      assert.deepStrictEqual(yield* listed, [harbour, garden])
      yield* api.update_staff({ id, property_ids: [] }).pipe(as)
      assert.deepStrictEqual(yield* listed, [])
      assert.strictEqual(yield* countOf(operatorId, "staff_properties"), 0)
    })
  )

  it.effect("ends two replacements at once as one of the two", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* ready
      const titles = Array.from({ length: 12 }, (_, index) => `Room ${index}`)
      const rooms = yield* Effect.forEach(titles, (title) => insertProperty(operatorId, title))
      const { staff_id: id } = yield* api.create_staff({ ...marta, property_ids: rooms }).pipe(as)
      const lists = [rooms.slice(0, 7), rooms.slice(5), rooms.slice(3, 4), []]
      for (let round = 0; round < 15; round++) {
        yield* Effect.forEach(lists, (property_ids) => api.update_staff({ id, property_ids }).pipe(as), {
          concurrency: "unbounded",
          discard: true
        })
        const { staffs } = yield* api.query_staffs({ id }).pipe(as)
        assert.deepInclude(lists, staffs[0]?.property_ids)
      }
    })
  )

  it.effect("filters by whether the person is active", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* ready
      const one = yield* api.create_staff(marta).pipe(as)
      const two = yield* api.create_staff({ ...marta, name: "Li" }).pipe(as)
      yield* api.update_staff({ id: two.staff_id, is_active: false }).pipe(as)
      const idsWith = (is_active: number) =>
        Effect.map(api.query_staffs({ is_active }).pipe(as), ({ staffs }) => staffs.map(({ id }) => id))
      assert.deepStrictEqual(yield* idsWith(1), [one.staff_id])
      assert.deepStrictEqual(yield* idsWith(0), [two.staff_id])
      yield* api.update_staff({ id: two.staff_id, is_active: true }).pipe(as)
      assert.deepStrictEqual(yield* idsWith(1), [one.staff_id, two.staff_id])
      assert.strictEqual((yield* call(token, "query_staffs", { is_active: 2 })).error_code, 422)
    })
  )

  it.effect("pages through the list, oldest entry first", () =>
    Effect.gen(function* () {
      const { api, as } = yield* ready
      const names = ["A", "B", "C"]
      yield* Effect.forEach(names, (name) => api.create_staff({ ...marta, name }).pipe(as))
      const pages = yield* Effect.forEach([0, 1, 2, 3], (offset) => api.query_staffs({ offset, limit: 1 }).pipe(as))
      assert.deepStrictEqual(
        pages.flatMap(({ staffs }) => staffs.map(({ name }) => name)),
        names
      )
      assert.deepStrictEqual(
        pages.map(({ total }) => total),
        [3, 3, 3, 3]
      )
    })
  )

  it.effect("leaves its tasks unassigned when deleted, with its links gone", () =>
    Effect.gen(function* () {
      const { api, as, harbour, operatorId, token } = yield* ready
      const { staff_id: id } = yield* api.create_staff({ ...marta, property_ids: [harbour] }).pipe(as)
      const { task_id } = yield* api.create_task({ type: "cleaning", staff_id: id, property_id: harbour }).pipe(as)
      yield* api.delete_staff({ id }).pipe(as)
      assert.strictEqual((yield* api.query_staffs({ id }).pipe(as)).total, 0)
      const { tasks } = yield* api.search_tasks({ id: task_id }).pipe(as)
      assert.deepInclude(tasks[0], { staff_id: null, staff_name: null, property_id: harbour })
      assert.strictEqual(yield* countOf(operatorId, "staff_properties"), 0)
      const again = yield* call(token, "delete_staff", { id })
      assert.deepStrictEqual([again.error_code, fieldOfError(again)], [404, "id"])
    })
  )

  it.effect("names the field a rule refuses, and changes nothing", () =>
    Effect.gen(function* () {
      const { api, as, harbour, token, operatorId } = yield* ready
      const { staff_id: id } = yield* api.create_staff({ ...marta, property_ids: [harbour] }).pipe(as)
      const before = yield* api.query_staffs({}).pipe(as)
      const elsewhere = yield* ready
      const broken: ReadonlyArray<readonly [object, number, string]> = [
        [{ name: " " }, 422, "name"],
        [{ name: "" }, 422, "name"],
        [{ name: "x".repeat(STAFF_NAME_LENGTH + 1) }, 422, "name"],
        [{ name: 5 }, 400, "name"],
        [{ mobile: "015112345678" }, 422, "mobile"],
        [{ mobile: "+99915112345678" }, 422, "mobile"],
        [{ mobile: "" }, 422, "mobile"],
        [{ email: "marta" }, 422, "email"],
        [{ email: "marta@" }, 422, "email"],
        [{ note: "x".repeat(STAFF_NOTE_LENGTH + 1) }, 422, "note"],
        [{ property_ids: "1,2" }, 400, "property_ids"],
        [{ property_ids: null }, 400, "property_ids"],
        [{ property_ids: [harbour, 1.5] }, 400, "property_ids"],
        [{ property_ids: [0] }, 422, "property_ids"],
        [{ property_ids: [harbour, 999_999_999] }, 404, "property_ids"],
        [{ property_ids: [elsewhere.harbour] }, 404, "property_ids"]
      ]
      for (const [fields, code, field] of broken) {
        for (const envelope of [
          yield* call(token, "create_staff", { ...marta, ...fields }),
          yield* call(token, "update_staff", { id, ...fields })
        ]) {
          assert.strictEqual(envelope.error_code, code, `${JSON.stringify(fields).slice(0, 80)}: ${envelope.error_msg}`)
          assert.match(envelope.error_msg, new RegExp(`^${field}\\b`))
        }
      }
      assert.strictEqual((yield* call(token, "update_staff", { id, is_active: 1 })).error_code, 400)
      assert.strictEqual((yield* call(token, "update_staff", { id: 999_999_999, name: "Li" })).error_code, 404)
      for (const missing of ["name", "mobile"]) {
        const { [missing]: _, ...rest } = { ...marta } as Record<string, unknown>
        const envelope = yield* call(token, "create_staff", rest)
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [400, missing])
      }
      assert.deepStrictEqual(yield* api.query_staffs({}).pipe(as), before)
      assert.strictEqual(yield* countOf(operatorId, "staffs"), 1)
    })
  )

  it.effect("stores a mobile in one form, however it is written", () =>
    Effect.gen(function* () {
      const { api, as } = yield* ready
      const mobile = "\u202a+1 415 555 2671\u202c"
      const { staff_id: id } = yield* api.create_staff({ ...marta, mobile }).pipe(as)
      const stored = Effect.map(api.query_staffs({ id }).pipe(as), ({ staffs }) => staffs[0]?.mobile)
      assert.strictEqual(yield* stored, "+1 4155552671")
      yield* api.update_staff({ id, mobile: "+491511234567" }).pipe(as)
      assert.strictEqual(yield* stored, "+49 1511234567")
      yield* api.update_staff({ id, note: "nights" }).pipe(as)
      assert.strictEqual(yield* stored, "+49 1511234567")
    })
  )

  it.effect("takes the longest name and note, and as many properties as may be named", () =>
    Effect.gen(function* () {
      const { token } = yield* ready
      const longest = { ...marta, name: "ü".repeat(STAFF_NAME_LENGTH), note: "ü".repeat(STAFF_NOTE_LENGTH) }
      assert.strictEqual((yield* call(token, "create_staff", longest)).error_code, 0)
      const ids = Array.from({ length: NAMED_PROPERTIES_MAX + 1 }, (_, index) => 900_000_000 + index)
      assert.strictEqual((yield* call(token, "create_staff", { ...marta, property_ids: ids.slice(1) })).error_code, 404)
      assert.strictEqual((yield* call(token, "create_staff", { ...marta, property_ids: ids })).error_code, 422)
    })
  )
})

layer(layerService(layerTestDatabase).pipe(Layer.provide(Layer.succeed(Deployment, "regional"))))(
  "staff on the regional deployment",
  (it) => {
    it.effect("has a mobile number without a country code", () =>
      Effect.gen(function* () {
        const { token } = yield* createOperator()
        for (const mobile of ["13800138000", MOBILE]) {
          assert.strictEqual((yield* call(token, "create_staff", { name: "Li", mobile })).error_code, 0)
        }
        const invalid = yield* call(token, "create_staff", { name: "Li", mobile: "one" })
        assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "mobile"])
        assert.match(invalid.error_msg, /4 to 15 .*13800138000.*\+49 15112345678/)
      })
    )
  }
)
