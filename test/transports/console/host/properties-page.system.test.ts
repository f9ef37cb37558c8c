import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NAMED_PROPERTIES_MAX, PORTFOLIO_ROWS_MAX } from "../../../../src/platform/limits.ts"
import { call, dataOf, insertProperty } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  fillForm,
  findAlert,
  findDoneAction,
  findForms,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PROPERTIES = "/console/properties"
const NEW_PROPERTY = `${PROPERTIES}?change=property:new`
const NEW_GROUP = `${PROPERTIES}?change=group:new`
const NEW_TAG = `${PROPERTIES}?change=tag:new`
const NEW_ROOM_TYPE = `${PROPERTIES}?change=room_type:new`

/** All that an operator lets and how it is sorted, as the tables have it. */
const portfolioOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return {
    properties: yield* sql<{ id: number; title: string; is_let: boolean }>`
      SELECT id, title, deactivated_at IS NULL AS is_let FROM properties WHERE operator_id = ${operatorId} ORDER BY id`,
    groups: yield* sql<{ id: number; name: string; on: ReadonlyArray<number> }>`
      SELECT id, name, ARRAY(SELECT property_id FROM current_group_properties c
        WHERE c.operator_id = g.operator_id AND c.group_id = g.id ORDER BY 1) AS "on"
      FROM property_groups g WHERE operator_id = ${operatorId} ORDER BY id`,
    tags: yield* sql<{
      id: number
      name: string
      color: string
      on: ReadonlyArray<number>
      types: ReadonlyArray<number>
    }>`
      SELECT id, name, color, ARRAY(SELECT property_id FROM current_tag_properties c
          WHERE c.operator_id = t.operator_id AND c.tag_id = t.id ORDER BY 1) AS "on",
        ARRAY(SELECT room_type_id FROM current_tag_room_types c
          WHERE c.operator_id = t.operator_id AND c.tag_id = t.id ORDER BY 1) AS types
      FROM property_tags t WHERE operator_id = ${operatorId} AND deleted_at IS NULL ORDER BY id`,
    room_types: yield* sql<{ id: number; title: string; on: ReadonlyArray<number> }>`
      SELECT id, title, ARRAY(SELECT property_id FROM room_type_properties c
        WHERE c.operator_id = t.operator_id AND c.room_type_id = t.id ORDER BY 1) AS "on"
      FROM room_types t WHERE operator_id = ${operatorId} ORDER BY id`
  }
})

const ids = (...all: ReadonlyArray<number>): ReadonlyArray<string> => all.map(String)

layer(layerSignedInPages)("the page of properties", (it) => {
  it.effect("adds a property, and brings back a title that another has", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      assert.include((yield* getPage(cookie, PROPERTIES)).text, "No properties yet.")
      const added = yield* fillAndFollow(cookie, NEW_PROPERTY, "add_property", { title: " Harbour <1> " })
      assert.include(added.text, "Harbour &lt;1&gt; added. Fill in its details.")
      assert.include(added.text, "<h1>Harbour &lt;1&gt;</h1>")
      assert.include((yield* getPage(cookie, PROPERTIES)).text, "Harbour &lt;1&gt;</a>")
      const again = yield* fillAndSend(cookie, NEW_PROPERTY, "add_property", { title: "Harbour <1>" })
      assert.strictEqual(again.status, 409)
      assert.include(again.text, '<span class="field-error">You already have a property with this name.</span>')
      assert.include(again.text, 'name="title" value="Harbour &lt;1&gt;"')
      assert.lengthOf((yield* portfolioOf(operatorId)).properties, 1)
    })
  )

  it.effect("makes a group, renames it, replaces what is in it and deletes it", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const [one, two] = [yield* insertProperty(operatorId, "One"), yield* insertProperty(operatorId, "Two")]
      const made = yield* fillAndFollow(cookie, NEW_GROUP, "make_group", { name: "Sea <b>", property_ids: ids(one) })
      assert.strictEqual(findDoneAction(made), "make_group")
      assert.notInclude(made.text, "Sea <b>")
      const [group] = (yield* portfolioOf(operatorId)).groups
      assert.deepStrictEqual([group?.name, group?.on], ["Sea <b>", [one]])
      const at = `${PROPERTIES}?change=group:${group?.id}`
      assert.include(made.text, at)
      const page = yield* getPage(cookie, at)
      assert.deepStrictEqual(findForms(page, "change_group")[0]?.form.getAll("property_ids"), ids(one))
      yield* fillAndFollow(cookie, at, "change_group", { name: "Shore", property_ids: ids(one, two) })
      const changed = (yield* portfolioOf(operatorId)).groups
      assert.deepStrictEqual(changed, [{ id: group?.id ?? 0, name: "Shore", on: [one, two] }])
      // An empty list takes all out.
      yield* fillAndFollow(cookie, at, "change_group", { property_ids: [] })
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).groups[0]?.on, [])
      assert.strictEqual(findDoneAction(yield* fillAndFollow(cookie, at, "delete_group")), "delete_group")
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).groups, [])
      assert.strictEqual((yield* getPage(cookie, at)).status, 404)
    })
  )

  it.effect("leaves what a form did not touch as others have changed it meanwhile", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const [one, two] = [yield* insertProperty(operatorId, "One"), yield* insertProperty(operatorId, "Two")]
      yield* fillAndFollow(cookie, NEW_GROUP, "make_group", { name: "Sea", property_ids: ids(one) })
      const [group] = (yield* portfolioOf(operatorId)).groups
      const page = yield* getPage(cookie, `${PROPERTIES}?change=group:${group?.id}`)
      yield* dataOf(yield* call(token, "update_property_group", { id: group?.id, property_ids: [one, two] }))
      const [standing] = findForms(page, "change_group")
      standing?.form.set("name", "Shore")
      yield* postForm(cookie, standing?.action ?? "", standing?.form ?? new URLSearchParams())
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).groups[0], {
        id: group?.id ?? 0,
        name: "Shore",
        on: [one, two]
      })
    })
  )

  it.effect(
    "adds and takes out what was ticked in each of two windows, and the same sent again asks for the same",
    () =>
      Effect.gen(function* () {
        const { cookie, operatorId } = yield* createSignedInHost()
        const [one, two, three] = [
          yield* insertProperty(operatorId, "One"),
          yield* insertProperty(operatorId, "Two"),
          yield* insertProperty(operatorId, "Three")
        ]
        yield* fillAndFollow(cookie, NEW_GROUP, "make_group", { name: "Sea", property_ids: ids(one) })
        const [group] = (yield* portfolioOf(operatorId)).groups
        const page = yield* getPage(cookie, `${PROPERTIES}?change=group:${group?.id}`)
        const windows = [ids(one, three), ids(two)].map((property_ids) =>
          fillForm(findForms(page, "change_group")[0]?.form ?? new URLSearchParams(), { property_ids })
        )
        for (const form of [...windows, ...windows.slice(0, 1)]) {
          assert.strictEqual((yield* postForm(cookie, PROPERTIES, form)).status, 303)
        }
        assert.deepStrictEqual((yield* portfolioOf(operatorId)).groups[0]?.on, [two, three])
        yield* fillAndFollow(cookie, NEW_TAG, "make_tag", { name: "Quiet", property_ids: ids(one) })
        const [tag] = (yield* portfolioOf(operatorId)).tags
        const tags = yield* getPage(cookie, `${PROPERTIES}?change=tag:${tag?.id}`)
        for (const property_ids of [ids(one, three), ids(two)]) {
          const [standing] = findForms(tags, "change_tag")
          const sent = fillForm(standing?.form ?? new URLSearchParams(), { property_ids })
          assert.strictEqual((yield* postForm(cookie, PROPERTIES, sent)).status, 303)
        }
        assert.deepStrictEqual((yield* portfolioOf(operatorId)).tags[0]?.on, [two, three])
      })
  )

  it.effect("keeps what was filled in of a group that is refused", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const one = yield* insertProperty(operatorId, "One")
      yield* fillAndFollow(cookie, NEW_GROUP, "make_group", { name: "Sea" })
      const taken = yield* fillAndSend(cookie, NEW_GROUP, "make_group", { name: "Sea", property_ids: ids(one) })
      assert.strictEqual(taken.status, 409)
      assert.include(taken.text, ">You already have a group with this name.</span>")
      const [form] = findForms(taken, "make_group")
      assert.deepStrictEqual([form?.form.get("name"), form?.form.getAll("property_ids")], ["Sea", ids(one)])
    })
  )

  it.effect("makes a tag in a colour by its name, on properties and room types, and changes and deletes it", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const one = yield* insertProperty(operatorId, "One")
      yield* dataOf(yield* call(token, "create_room_type", { title: "Double" }))
      const [type] = (yield* portfolioOf(operatorId)).room_types
      const typeId = type?.id ?? 0
      assert.include((yield* getPage(cookie, NEW_TAG)).text, '<option value="#FD587B">red</option>')
      const made = yield* fillAndFollow(cookie, NEW_TAG, "make_tag", {
        ...{ name: "Sea", color: "#FD587B" },
        ...{ property_ids: ids(one), room_type_ids: ids(typeId) }
      })
      assert.include(made.text, "1 property, 1 room type")
      const [tag] = (yield* portfolioOf(operatorId)).tags
      assert.deepStrictEqual(tag, { id: tag?.id ?? 0, name: "Sea", color: "#FD587B", on: [one], types: [typeId] })
      const at = `${PROPERTIES}?change=tag:${tag?.id}`
      yield* fillAndFollow(cookie, at, "change_tag", { name: "Shore", color: "#2CBCFD", room_type_ids: [] })
      const changed = { id: tag?.id ?? 0, name: "Shore", color: "#2CBCFD", on: [one], types: [] }
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).tags, [changed])
      const long = yield* fillAndSend(cookie, at, "change_tag", { name: "x".repeat(16) })
      assert.deepStrictEqual([long.status, findForms(long, "change_tag")[0]?.form.get("name")], [422, "x".repeat(16)])
      yield* fillAndFollow(cookie, at, "delete_tag")
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).tags, [])
      // One colour is as good as another: then the service chooses.
      yield* fillAndFollow(cookie, NEW_TAG, "make_tag", { name: "Quiet" })
      assert.lengthOf((yield* portfolioOf(operatorId)).tags, 1)
    })
  )

  it.effect("makes a room type of properties that are in none, and says how many are not shown", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const [one, two] = [yield* insertProperty(operatorId, "Room 101"), yield* insertProperty(operatorId, "Room 102")]
      const made = yield* fillAndFollow(cookie, NEW_ROOM_TYPE, "make_room_type", {
        title: "Double",
        property_ids: ids(one)
      })
      assert.strictEqual(findDoneAction(made), "make_room_type")
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).room_types[0]?.on, [one])
      const next = yield* getPage(cookie, NEW_ROOM_TYPE)
      assert.notInclude(next.text, "Room 101")
      assert.include(next.text, "Room 102")
      assert.include(next.text, "1 property with a room type is not shown.")
      // Meanwhile it has come into one: what is ticked stays filled in, and why it was not taken is said.
      const taken = yield* fillAndSend(cookie, NEW_ROOM_TYPE, "make_room_type", {
        title: "Twin",
        property_ids: ids(one, two)
      })
      assert.strictEqual(taken.status, 409)
      assert.match(findAlert(taken) ?? "", new RegExp(`^Properties already in another room type: .*\\b${one}\\b`))
      assert.deepStrictEqual(findForms(taken, "make_room_type")[0]?.form.get("title"), "Twin")
      yield* fillAndFollow(cookie, NEW_ROOM_TYPE, "make_room_type", { title: "Twin", property_ids: ids(two) })
      assert.include((yield* getPage(cookie, NEW_ROOM_TYPE)).text, "Every property already has a room type.")
    })
  )

  it.effect("takes nothing of another operator's, nor a form without its token", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      const theirs = yield* insertProperty(other.operatorId, "Theirs")
      yield* fillAndFollow(other.cookie, NEW_GROUP, "make_group", { name: "Theirs", property_ids: ids(theirs) })
      yield* fillAndFollow(other.cookie, NEW_TAG, "make_tag", { name: "Theirs", property_ids: ids(theirs) })
      yield* dataOf(yield* call(other.token, "create_room_type", { title: "Theirs", property_ids: [theirs] }))
      const before = yield* portfolioOf(other.operatorId)
      const [group, tag, type] = [before.groups[0]?.id, before.tags[0]?.id, before.room_types[0]?.id].map(String)
      const foreign = [
        ["make_group", { name: "Mine", property_ids: ids(theirs) }],
        ["change_group", { id: group ?? "", name: "Mine" }],
        ["delete_group", { id: group ?? "" }],
        ["make_tag", { name: "Mine", property_ids: ids(theirs) }],
        ["make_tag", { name: "Mine", room_type_ids: [type ?? ""] }],
        ["change_tag", { id: tag ?? "", name: "Mine" }],
        ["delete_tag", { id: tag ?? "" }],
        ["make_room_type", { title: "Mine", property_ids: ids(theirs) }]
      ] as const
      for (const [act, fields] of foreign) {
        assert.strictEqual((yield* postInventedForm(host.cookie, PROPERTIES, act, fields)).status, 404, act)
        assert.strictEqual((yield* postWithoutToken(host.cookie, PROPERTIES, act)).status, 403, act)
      }
      assert.strictEqual((yield* postWithoutToken(host.cookie, PROPERTIES, "add_property")).status, 403)
      for (const change of [`group:${group}`, `tag:${tag}`, `room_type:${type}`, "operator:1"]) {
        const page = yield* getPage(host.cookie, `${PROPERTIES}?change=${change}`)
        assert.strictEqual(page.status, 404, change)
        assert.notInclude(page.text, "Theirs")
      }
      assert.deepStrictEqual(yield* portfolioOf(other.operatorId), before)
      const nothing = { properties: [], groups: [], tags: [], room_types: [] }
      assert.deepStrictEqual(yield* portfolioOf(host.operatorId), nothing)
    })
  )

  it.effect("makes what is sent twice at once only once", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const twice = [
        [NEW_PROPERTY, "add_property", { title: "One" }],
        [NEW_GROUP, "make_group", { name: "Sea" }],
        [NEW_TAG, "make_tag", { name: "Sea" }],
        [NEW_ROOM_TYPE, "make_room_type", { title: "Double" }]
      ] as const
      for (const [path, act, fields] of twice) {
        const sent = yield* fillAndSendTwice(cookie, path, act, fields)
        assert.deepStrictEqual(
          sent.map(({ status }) => status),
          [303, 303],
          act
        )
      }
      const { properties, groups, tags, room_types } = yield* portfolioOf(operatorId)
      assert.deepStrictEqual(
        [properties, groups, tags, room_types].map(({ length }) => length),
        [1, 1, 1, 1]
      )
      const deletions = [
        [`${PROPERTIES}?change=group:${groups[0]?.id}`, "delete_group"],
        [`${PROPERTIES}?change=tag:${tags[0]?.id}`, "delete_tag"]
      ] as const
      for (const [path, act] of deletions) {
        const sent = yield* fillAndSendTwice(cookie, path, act)
        assert.deepStrictEqual(
          sent.map(({ status }) => status),
          [303, 303],
          act
        )
      }
    })
  )

  it.effect("shows so many of each list, leads to the rest, and stays small", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      const add = Effect.fnUntraced(function* (from: number, to: number) {
        yield* sql`INSERT INTO properties (operator_id, title, created_at)
          SELECT ${operatorId}, 'Home ' || n || repeat('x', 80), now() FROM generate_series(${from}::int, ${to}::int) n`
        yield* sql`INSERT INTO property_groups (operator_id, name, created_at)
          SELECT ${operatorId}, 'Group ' || n, now() FROM generate_series(${from}::int, ${to}::int) n`
        yield* sql`INSERT INTO property_tags (operator_id, name, color, created_at)
          SELECT ${operatorId}, 'Tag ' || n, '#FD587B', now() FROM generate_series(${from}::int, ${to}::int) n`
        yield* sql`INSERT INTO room_types (operator_id, title, created_at)
          SELECT ${operatorId}, 'Type ' || n, now() FROM generate_series(${from}::int, ${to}::int) n`
      })
      yield* sql`UPDATE operators SET room_limit = 5000, room_type_limit = 5000 WHERE id = ${operatorId}`
      yield* add(1, PORTFOLIO_ROWS_MAX)
      assert.notInclude((yield* getPage(cookie, PROPERTIES)).text, "Next page")
      yield* add(PORTFOLIO_ROWS_MAX + 1, PORTFOLIO_ROWS_MAX + 1)
      const page = yield* getPage(cookie, PROPERTIES)
      const counts = [/>Home \d+/g, />Group \d+/g, />Tag \d+/g, />Type \d+/g].map(
        (each) => page.text.match(each)?.length
      )
      assert.deepStrictEqual(counts, [PORTFOLIO_ROWS_MAX, PORTFOLIO_ROWS_MAX, PORTFOLIO_ROWS_MAX, PORTFOLIO_ROWS_MAX])
      assert.lengthOf(page.text.match(/Next page/g) ?? [], 4)
      assert.isBelow(page.text.length, 300_000)
      const found = yield* getPage(cookie, `${PROPERTIES}?q=home+17X`)
      assert.lengthOf(found.text.match(/>Home \d+/g) ?? [], 1)
    })
  )

  it.effect("offers as many properties as a list names, what is on it first, and narrows the rest by title", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET room_limit = 5000 WHERE id = ${operatorId}`
      const last = yield* insertProperty(operatorId, "Zebra")
      const add = (from: number, to: number) =>
        sql`INSERT INTO properties (operator_id, title, created_at)
          SELECT ${operatorId}, 'Home ' || n, now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* add(2, NAMED_PROPERTIES_MAX)
      assert.notInclude((yield* getPage(cookie, NEW_GROUP)).text, "Not all properties are shown.")
      yield* add(NAMED_PROPERTIES_MAX + 1, NAMED_PROPERTIES_MAX + 1)
      const full = yield* getPage(cookie, NEW_GROUP)
      assert.include(full.text, "Not all properties are shown.")
      assert.notInclude(full.text, "Zebra")
      assert.isBelow(full.text.length, 300_000)
      yield* fillAndFollow(cookie, `${NEW_GROUP}&q=zebra`, "make_group", { name: "Stripes", property_ids: ids(last) })
      const [group] = (yield* portfolioOf(operatorId)).groups
      const at = `${PROPERTIES}?change=group:${group?.id}&q=home+77`
      assert.include((yield* getPage(cookie, at)).text, "Zebra")
      yield* fillAndFollow(cookie, at, "change_group", { name: "Striped" })
      assert.deepStrictEqual((yield* portfolioOf(operatorId)).groups[0]?.on, [last])
    })
  )
})
