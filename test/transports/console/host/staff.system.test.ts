import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { STAFF_PROPERTIES_NAMED_MAX } from "../../../../src/platform/limits.ts"
import { insertProperty } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillForm,
  findAlert,
  findForms,
  getPage,
  postForm
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PEOPLE = "/console/people"
const NEW = `${PEOPLE}?change=staff:new`
const STAFF_LINK = /href="(\/console\/people\?change=staff:\d+)"/
const MARTA = { name: "Marta", mobile: "+351 912345678" }

/** The properties that each of an operator's staff is limited to. */
const limitedTo = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number; limited: ReadonlyArray<number> }>`
    SELECT s.id, ARRAY(SELECT p.property_id FROM staff_properties p WHERE p.operator_id = s.operator_id AND p.staff_id = s.id
      AND p.version = s.properties_version ORDER BY 1) AS limited
    FROM staffs s WHERE s.operator_id = ${operatorId} ORDER BY s.id`
  return rows.map(({ limited }) => limited)
})

layer(layerSignedInPages)("the properties that staff work in", (it) => {
  it.effect("are all, unless some are ticked and only those are meant", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const [one, two] = [yield* insertProperty(operatorId, "One <1>"), yield* insertProperty(operatorId, "Two")]
      const added = yield* fillAndFollow(cookie, NEW, "add_staff", MARTA)
      assert.include(added.text, "All properties")
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[]])
      const at = STAFF_LINK.exec(added.text)?.[1] ?? ""
      const limited = yield* fillAndFollow(cookie, at, "change_staff", {
        works_in: "some",
        property_ids: [String(one)]
      })
      assert.include(limited.text, "One &lt;1&gt;")
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[one]])
      const [form] = findForms(yield* getPage(cookie, at), "change_staff")
      assert.deepStrictEqual([form?.form.get("works_in"), form?.form.getAll("property_ids")], ["some", [String(one)]])
      yield* fillAndFollow(cookie, at, "change_staff", { property_ids: [String(one), String(two)] })
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[one, two]])
      yield* fillAndFollow(cookie, at, "change_staff", { works_in: "all" })
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[]])
    })
  )

  it.effect("are added to and taken from in each of two windows", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const [one, two, three] = [
        yield* insertProperty(operatorId, "One"),
        yield* insertProperty(operatorId, "Two"),
        yield* insertProperty(operatorId, "Three")
      ]
      yield* fillAndFollow(cookie, NEW, "add_staff", { ...MARTA, works_in: "some", property_ids: [String(one)] })
      const list = yield* getPage(cookie, PEOPLE)
      const at = STAFF_LINK.exec(list.text)?.[1] ?? ""
      const page = yield* getPage(cookie, at)
      for (const property_ids of [[String(one), String(three)], [String(two)]]) {
        const form = fillForm(findForms(page, "change_staff")[0]?.form ?? new URLSearchParams(), { property_ids })
        assert.strictEqual((yield* postForm(cookie, at, form)).status, 303)
      }
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[two, three]])
    })
  )

  it.effect("are not narrowed to a tick of a window that was opened before they became every one", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const [one, two] = [yield* insertProperty(operatorId, "One"), yield* insertProperty(operatorId, "Two")]
      yield* fillAndFollow(cookie, NEW, "add_staff", { ...MARTA, works_in: "some", property_ids: [String(one)] })
      const at = STAFF_LINK.exec((yield* getPage(cookie, PEOPLE)).text)?.[1] ?? ""
      const stale = findForms(yield* getPage(cookie, at), "change_staff")[0]?.form ?? new URLSearchParams()
      yield* fillAndFollow(cookie, at, "change_staff", { works_in: "all" })
      const refused = yield* postForm(cookie, at, fillForm(stale, { property_ids: [String(one), String(two)] }))
      assert.strictEqual(refused.status, 409)
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[]])
      // And what is ticked beside "every property" is not dropped in silence.
      for (const [path, act] of [
        [at, "change_staff"],
        [NEW, "add_staff"]
      ] as const) {
        const unclear = yield* fillAndSend(cookie, path, act, { ...MARTA, property_ids: [String(two)] })
        assert.strictEqual(unclear.status, 422)
        assert.isDefined(findAlert(unclear))
      }
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[]])
    })
  )

  it.effect("do not become all of them because the last is unticked", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const one = yield* insertProperty(operatorId, "One")
      yield* fillAndFollow(cookie, NEW, "add_staff", { ...MARTA, works_in: "some", property_ids: [String(one)] })
      const list = yield* getPage(cookie, PEOPLE)
      const at = STAFF_LINK.exec(list.text)?.[1] ?? ""
      const refused = yield* fillAndSend(cookie, at, "change_staff", { name: "Marta B.", property_ids: [] })
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(findAlert(refused), "Tick at least one property, or choose “All properties”.")
      const [form] = findForms(refused, "change_staff")
      assert.deepStrictEqual([form?.form.get("name"), form?.form.getAll("property_ids")], ["Marta B.", []])
      assert.deepStrictEqual(yield* limitedTo(operatorId), [[one]])
      assert.strictEqual((yield* fillAndSend(cookie, NEW, "add_staff", { ...MARTA, works_in: "some" })).status, 422)
      assert.lengthOf(yield* limitedTo(operatorId), 1)
    })
  )

  it.effect("are named, the first few of them, and none of another operator's is taken", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      const theirs = yield* insertProperty(other.operatorId, "Theirs")
      const titles = Array.from({ length: STAFF_PROPERTIES_NAMED_MAX + 2 }, (_each, at) => `Home ${at}`)
      const homes = yield* Effect.forEach(titles, (title) => insertProperty(host.operatorId, title))
      const some = { ...MARTA, works_in: "some" }
      const foreign = yield* fillAndSend(host.cookie, NEW, "add_staff", { ...some, property_ids: [String(theirs)] })
      assert.strictEqual(foreign.status, 404)
      assert.deepStrictEqual(yield* limitedTo(host.operatorId), [])
      const { text } = yield* fillAndFollow(host.cookie, NEW, "add_staff", { ...some, property_ids: homes.map(String) })
      assert.include(text, `${titles.slice(0, STAFF_PROPERTIES_NAMED_MAX).join(", ")} and 2 more`)
    })
  )
})
