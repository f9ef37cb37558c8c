import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { FORM_CHOICES_MAX, TASK_ROW_STAFF_MAX, TASKS_SHOWN } from "../../../../src/platform/limits.ts"
import { insertOrder, insertProperty, typedClient, withToken } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findFieldErrors,
  findForms,
  findNotice,
  getPage,
  postInventedForm,
  postWithoutToken,
  pressUndo
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const TASKS = "/console/tasks"
const ADD = "/console/tasks?add=1"

/** A host on a Wednesday, with two properties and Marta, who works in one of them. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-25T10:00:00Z"))
  const host = yield* createSignedInHost()
  const [harbour, garden] = [
    yield* insertProperty(host.operatorId, "Harbour <1>"),
    yield* insertProperty(host.operatorId, "Garden")
  ]
  const api = yield* typedClient
  const as = withToken(host.token)
  const { staff_id: marta } = yield* api
    .create_staff({ name: "Marta & Co", mobile: "+49 15112345678", property_ids: [harbour] })
    .pipe(as)
  const tasks = Effect.map(api.search_tasks({}).pipe(as), (found) => found.tasks)
  const task = (fields: Partial<Parameters<typeof api.create_task>[0]> = {}) =>
    Effect.map(
      api.create_task({ type: "cleaning", expected_date: "2026-11-26", ...fields }).pipe(as),
      ({ task_id }) => task_id
    )
  return { ...host, harbour, garden, marta, tasks, task }
})

layer(layerSignedInPages)("tasks", (it) => {
  it.effect("have the currency of the property of the form, or of the reservation's", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, harbour, garden, tasks } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET currency = 'JPY' WHERE id = ${harbour}`
      const code = yield* insertOrder(operatorId, [{ propertyId: harbour }])
      const forms = [
        [ADD, "in EUR,"],
        [`${ADD}&property=${harbour}`, "in JPY,"],
        [`${ADD}&property=${garden}`, "in EUR,"],
        [`${ADD}&stay=${code}`, "in JPY,"]
      ] as const
      for (const [form, hint] of forms) assert.include((yield* getPage(cookie, form)).text, hint)
      yield* fillAndFollow(cookie, ADD, "create", { property_id: String(harbour), fee: "3000" })
      yield* fillAndFollow(cookie, `${ADD}&property=${harbour}`, "create", { property_id: String(garden), fee: "30" })
      yield* fillAndFollow(cookie, `${ADD}&stay=${code}`, "create", { fee: "3001" })
      yield* fillAndFollow(cookie, ADD, "create", { fee: "31" })
      assert.sameDeepMembers(
        (yield* tasks).map(({ fee, currency }) => `${fee} ${currency}`),
        ["3000 JPY", "30 EUR", "3001 JPY", "31 EUR"]
      )
      const refused = yield* fillAndSend(cookie, ADD, "create", { property_id: String(harbour), fee: "1.25" })
      assert.include(refused.text, "in JPY,")
    })
  )

  it.effect("are added, shown by day and person, begun and done, changed and deleted", () =>
    Effect.gen(function* () {
      const { cookie, harbour, marta, tasks } = yield* ready
      const added = yield* fillAndFollow(cookie, ADD, "create", {
        ...{ type: "cleaning", property_id: String(harbour), staff_id: String(marta), expected_date: "2026-11-26" },
        ...{ expected_time: "11:00", level: "advanced", fee: "35.5", note: "<script>keys" }
      })
      assert.strictEqual(findNotice(added), "Task added.")
      for (const shown of [
        "Thu 26 Nov 2026",
        "selected>Marta &amp; Co<",
        "Cleaning, thorough",
        "11:00",
        "Harbour &lt;1&gt;"
      ]) {
        assert.include(added.text, shown)
      }
      assert.include(added.text, "35.50 EUR")
      assert.include(added.text, "&lt;script&gt;keys")
      const begun = yield* fillAndFollow(cookie, TASKS, "begin")
      assert.strictEqual(findNotice(begun), "Cleaning, thorough, Harbour <1>: started.")
      assert.strictEqual((yield* tasks)[0]?.status, "in_progress")
      yield* pressUndo(cookie, begun)
      assert.strictEqual((yield* tasks)[0]?.status, "pending")
      const done = yield* fillAndFollow(cookie, TASKS, "finish")
      assert.strictEqual(findNotice(done), "Cleaning, thorough, Harbour <1>: done.")
      assert.deepStrictEqual(findForms(done, "finish"), [])
      const [task] = yield* tasks
      assert.strictEqual(task?.status, "completed")
      const form = `${TASKS}?change=${task?.id}`
      const changed = yield* fillAndFollow(cookie, form, "change", { staff_id: "", expected_time: "", note: "none" })
      assert.strictEqual(findDoneAction(changed), "change")
      assert.deepInclude((yield* tasks)[0], {
        ...{ staff_id: null, expected_time: null, note: "none", status: "completed" },
        ...{ property_id: harbour, level: "advanced", fee: 35.5, expected_date: "2026-11-26" }
      })
      assert.include(changed.text, "Unassigned")
      assert.strictEqual(findDoneAction(yield* fillAndFollow(cookie, form, "delete")), "delete")
      assert.deepStrictEqual(yield* tasks, [])
      assert.strictEqual((yield* getPage(cookie, form)).status, 404)
    })
  )

  it.effect("go to nobody who does not work there, and what was filled in stays", () =>
    Effect.gen(function* () {
      const { cookie, garden, marta, tasks } = yield* ready
      assert.include((yield* getPage(cookie, ADD)).text, "Marta &amp; Co (1 property)")
      const refused = yield* fillAndSend(cookie, ADD, "create", {
        ...{ property_id: String(garden), staff_id: String(marta), note: "tap drips", type: "maintenance" }
      })
      assert.strictEqual(refused.status, 422)
      assert.hasAllKeys(findFieldErrors(refused), ["staff_id"])
      assert.include(refused.text, "tap drips")
      assert.include(refused.text, `value="${garden}" selected`)
      assert.include(refused.text, 'value="maintenance" selected')
      assert.deepStrictEqual(yield* tasks, [])
    })
  )

  it.effect("are those of the days and the person asked for, and what is left over is said", () =>
    Effect.gen(function* () {
      const { cookie, marta, task } = yield* ready
      yield* task({ expected_date: "2026-11-24", note: "late" })
      yield* task({ expected_date: "2026-12-01", note: "last day", staff_id: marta })
      yield* task({ expected_date: "2026-12-02", note: "too far" })
      const { text } = yield* getPage(cookie, TASKS)
      assert.include(text, "last day")
      assert.notInclude(text, "too far")
      assert.notInclude(text, "late<")
      const earlier = /href="([^"]*)">1 overdue task</.exec(text)?.[1]?.replaceAll("&amp;", "&")
      assert.include((yield* getPage(cookie, earlier ?? "")).text, ">late<")
      const hers = yield* getPage(cookie, `${TASKS}?from=2026-11-20&to=2026-12-20&staff=${marta}`)
      assert.include(hers.text, "last day")
      assert.notInclude(hers.text, "too far")
      const wrong = yield* getPage(cookie, `${TASKS}?from=2026-11-20&to=2026-11-19`)
      assert.isDefined(findAlert(wrong))
      const long = yield* getPage(cookie, `${TASKS}?from=2026-01-01&to=2026-12-31`)
      assert.include(findAlert(long), "180 days")
    })
  )

  it.effect("keep a property that the box has no room for, unless another is chosen", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, tasks, task } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET room_limit = ${FORM_CHOICES_MAX + 10} WHERE id = ${operatorId}`
      yield* sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'House ' || at, now() FROM generate_series(3, ${FORM_CHOICES_MAX}) at`
      const last = yield* insertProperty(operatorId, "Zenith")
      const form = `${TASKS}?change=${yield* task({ property_id: last })}`
      const [standing] = findForms(yield* getPage(cookie, form), "change")
      assert.strictEqual(standing?.form.get("property_id"), String(last))
      yield* fillAndFollow(cookie, form, "change", { note: "Mind the cat" })
      assert.deepInclude((yield* tasks)[0], { property_id: last, note: "Mind the cat" })
    })
  )

  it.effect("of two people of one name are two people's", () =>
    Effect.gen(function* () {
      const { cookie, token, marta, task } = yield* ready
      const api = yield* typedClient
      const { staff_id: other } = yield* api
        .create_staff({ name: "Marta & Co", mobile: "+49 15112345679" })
        .pipe(withToken(token))
      for (const staff_id of [marta, other, marta]) yield* task({ staff_id })
      const { text } = yield* getPage(cookie, TASKS)
      const assigned = Array.from(text.matchAll(/value="(\d+)" selected>Marta &amp; Co</g), ([, id]) => Number(id))
      assert.deepStrictEqual(assigned, [marta, marta, other])
    })
  )

  it.effect("of a day are a sheet to print: for each person where, what, and who comes and goes", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, harbour, marta, task } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET address = 'Quay 1 <a>' WHERE id = ${harbour}`
      const leaving = yield* insertOrder(operatorId, [
        { propertyId: harbour, checkIn: "2026-11-24", checkOut: "2026-11-26" }
      ])
      yield* sql`UPDATE stays SET guest_name = 'Ada', number_of_guests = 2 WHERE operator_id = ${operatorId} AND stay_code = ${leaving}`
      yield* task({ property_id: harbour, staff_id: marta, note: "linen" })
      yield* task({ type: "other", note: "keys for nobody" })
      const { text, status } = yield* getPage(cookie, `${TASKS}?sheet=2026-11-26`)
      assert.strictEqual(status, 200)
      for (const shown of [
        "Marta &amp; Co",
        "Quay 1 &lt;a&gt;",
        "linen",
        "Check-out by 11:00: Ada (2 guests)",
        "Unassigned",
        "keys"
      ]) {
        assert.include(text, shown)
      }
      assert.deepStrictEqual(text.match(/<form method="post"/g)?.length, 2, "only those for signing out")
      const hers = yield* getPage(cookie, `${TASKS}?sheet=2026-11-26&staff=${marta}`)
      assert.include(hers.text, "linen")
      assert.notInclude(hers.text, "keys for nobody")
      assert.include((yield* getPage(cookie, `${TASKS}?sheet=2026-11-27`)).text, "No tasks on this day.")
    })
  )

  it.effect("are so many on a page and no more, which is no heavy one", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, harbour } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const add = (count: number) => sql`
        INSERT INTO tasks (operator_id, type, expected_date, property_id, note, currency, created_at, updated_at)
        SELECT ${operatorId}::bigint, 'cleaning', '2026-11-26', ${harbour}::bigint, repeat('n', 200), 'EUR', now(), now()
        FROM generate_series(1, ${count}::int)`
      yield* add(TASKS_SHOWN)
      const full = yield* getPage(cookie, TASKS)
      assert.lengthOf(findForms(full, "finish"), TASKS_SHOWN)
      assert.notInclude(full.text, "Next page")
      assert.isBelow(full.text.length, 300_000)
      yield* add(1)
      const more = yield* getPage(cookie, TASKS)
      assert.lengthOf(findForms(more, "finish"), TASKS_SHOWN)
      assert.include(more.text, "Next page")
      assert.lengthOf(findForms(yield* getPage(cookie, `${TASKS}?offset=${TASKS_SHOWN}`), "finish"), 1)
    })
  )

  it.effect("are assigned in their row, which can be undone", () =>
    Effect.gen(function* () {
      const { cookie, marta, harbour, garden, tasks, task } = yield* ready
      yield* task({ property_id: harbour })
      const assigned = yield* fillAndFollow(cookie, TASKS, "assign", { staff_id: String(marta) })
      assert.strictEqual(findNotice(assigned), "Cleaning, Harbour <1>: assigned to Marta & Co.")
      assert.strictEqual((yield* tasks)[0]?.staff_id, marta)
      yield* pressUndo(cookie, assigned)
      assert.isNull((yield* tasks)[0]?.staff_id)
      const elsewhere = yield* task({ property_id: garden, expected_date: "2026-11-25" })
      const refused = yield* fillAndSend(cookie, TASKS, "assign", { staff_id: String(marta) })
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, `name="id" value="${elsewhere}"`)
      assert.match(refused.text, /aria-label="Assign Cleaning, Garden to" aria-invalid="true"/)
    })
  )

  it.effect("are assigned on their own page if there are too many staff members for a row", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, task } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* task()
      const addStaff = (first: number, last: number) => sql`
        INSERT INTO staffs (operator_id, name, mobile, created_at, updated_at)
        SELECT ${operatorId}::bigint, 'Person ' || nth, '+49 1511234' || (5000 + nth), now(), now()
        FROM generate_series(${first}::int, ${last}::int) nth`
      yield* addStaff(2, TASK_ROW_STAFF_MAX)
      assert.lengthOf(findForms(yield* getPage(cookie, TASKS), "assign"), 1)
      yield* addStaff(TASK_ROW_STAFF_MAX + 1, TASK_ROW_STAFF_MAX + 1)
      const page = yield* getPage(cookie, TASKS)
      assert.lengthOf(findForms(page, "assign"), 0)
      assert.lengthOf(findForms(page, "finish"), 1)
    })
  )

  it.effect("of others are not to be had, nor changed, whatever is sent", () =>
    Effect.gen(function* () {
      const other = yield* ready
      const id = yield* other.task({ property_id: other.harbour, staff_id: other.marta, note: "theirs" })
      const code = yield* insertOrder(other.operatorId, [{ propertyId: other.harbour }])
      const before = yield* other.tasks
      const { cookie, tasks } = yield* ready
      assert.strictEqual((yield* getPage(cookie, `${TASKS}?change=${id}`)).status, 404)
      for (const query of [`?staff=${other.marta}`, `?sheet=2026-11-26&staff=${other.marta}`, "?sheet=2026-11-26"]) {
        assert.notInclude((yield* getPage(cookie, `${TASKS}${query}`)).text, "theirs", query)
      }
      const type = "cleaning"
      for (const [act, fields] of [
        ["change", { id: String(id), note: "mine" }],
        ["begin", { id: String(id) }],
        ["assign", { id: String(id), staff_id: "" }],
        ["finish", { id: String(id) }],
        ["delete", { id: String(id) }],
        ["create", { type, property_id: String(other.harbour) }],
        ["create", { type, staff_id: String(other.marta) }],
        ["create", { type, stay_code: code }]
      ] as const) {
        const answer = yield* postInventedForm(cookie, TASKS, act, fields)
        assert.strictEqual(answer.status, 404, act)
        assert.isDefined(findAlert(answer), act)
      }
      assert.deepStrictEqual(yield* other.tasks, before)
      assert.deepStrictEqual(yield* tasks, [])
    })
  )

  it.effect("are not taken from other sites, and taken once from an impatient hand", () =>
    Effect.gen(function* () {
      const { cookie, marta, tasks } = yield* ready
      for (const act of ["create", "change", "assign", "begin", "set_status", "finish", "delete"]) {
        assert.strictEqual((yield* postWithoutToken(cookie, TASKS, act)).status, 403, act)
      }
      const twice = (path: string, act: string, fields = {}) =>
        Effect.map(fillAndSendTwice(cookie, path, act, fields), (answers) =>
          assert.deepStrictEqual(
            answers.map(({ status }) => status),
            [303, 303],
            act
          )
        )
      yield* twice(ADD, "create", { expected_date: "2026-11-26", note: "once" })
      assert.lengthOf(yield* tasks, 1)
      const form = `${TASKS}?change=${(yield* tasks)[0]?.id}`
      yield* twice(TASKS, "assign", { staff_id: String(marta) })
      yield* twice(TASKS, "begin")
      yield* twice(TASKS, "finish")
      yield* twice(form, "change", { note: "changed" })
      assert.deepInclude((yield* tasks)[0], { note: "changed", status: "completed" })
      yield* twice(form, "delete")
      assert.deepStrictEqual(yield* tasks, [])
    })
  )
})
