import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TAG_COLORS } from "../../../../src/contract/tag-color.ts"
import { NAMED_PROPERTIES_MAX, TAG_NAME_LENGTH } from "../../../../src/platform/limits.ts"
import { countRows, createHostWithProperties } from "../../../support/domain/host-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, layerTest } from "../../../support/harness.ts"

/** A host with three properties and two room types. */
const ready = Effect.gen(function* () {
  const found = yield* createHostWithProperties("101", "102", "103")
  const typeOf = (title: string) =>
    Effect.map(found.api.create_room_type({ title }).pipe(found.as), ({ room_type_id }) => room_type_id)
  return { ...found, types: [yield* typeOf("Double"), yield* typeOf("Suite")] as const }
})

layer(layerTest)("property tags", (it) => {
  it.effect("are listed with what they are on, page by page", () =>
    Effect.gen(function* () {
      const { api, as, propertyIds: rooms, types } = yield* ready
      const [a = 0, b = 0] = rooms
      const { tag } = yield* api
        .create_property_tag({
          name: " Sea view",
          color: "#7175FA",
          property_ids: [b, a, b],
          room_type_ids: [types[1], types[0]]
        })
        .pipe(as)
      assert.deepStrictEqual(tag, {
        id: tag.id,
        name: "Sea view",
        color: "#7175FA",
        property_ids: [a, b],
        room_type_ids: types
      })
      const { tag: plain } = yield* api.create_property_tag({ name: "Plain" }).pipe(as)
      assert.include(TAG_COLORS, plain.color)
      assert.deepStrictEqual(yield* api.query_tags({}).pipe(as), { tags: [tag, plain], total: 2 })
      assert.deepStrictEqual(yield* api.query_tags({ id: plain.id }).pipe(as), { tags: [plain], total: 1 })
      assert.deepStrictEqual(yield* api.query_tags({ offset: 1 }).pipe(as), { tags: [plain], total: 2 })
      const { room_types } = yield* api.search_room_types({ tag_id: tag.id }).pipe(as)
      assert.deepStrictEqual(
        room_types.map(({ id }) => id),
        [...types]
      )
    })
  )

  it.effect("change what is sent: name, colour, each list as a whole, or nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms, types } = yield* ready
      const [a = 0, b = 0, c = 0] = rooms
      const { tag } = yield* api
        .create_property_tag({ name: "Sea view", color: "#7175FA", property_ids: [a, b], room_type_ids: types })
        .pipe(as)
      const { id } = tag
      const shown = Effect.map(api.query_tags({ id }).pipe(as), ({ tags }) => tags[0])
      yield* api.update_property_tag({ id, name: "Ocean view" }).pipe(as)
      assert.deepStrictEqual(yield* shown, { ...tag, name: "Ocean view" })
      yield* api.update_property_tag({ id, color: "#FD587B", property_ids: [c] }).pipe(as)
      assert.deepStrictEqual(yield* shown, { ...tag, name: "Ocean view", color: "#FD587B", property_ids: [c] })
      yield* api.update_property_tag({ id, room_type_ids: [types[1]] }).pipe(as)
      const changed = { id, name: "Ocean view", color: "#FD587B", property_ids: [c], room_type_ids: [types[1]] }
      assert.deepStrictEqual(yield* shown, changed)
      yield* api.update_property_tag({ id }).pipe(as)
      yield* api.update_property_tag({ id, name: "Ocean view" }).pipe(as)
      assert.deepStrictEqual(yield* shown, changed)
      yield* api.update_property_tag({ id, property_ids: [], room_type_ids: [] }).pipe(as)
      assert.deepStrictEqual(yield* shown, { ...changed, property_ids: [], room_type_ids: [] })
      assert.strictEqual(yield* countRows(operatorId, "tag_properties"), 0)
      assert.strictEqual(yield* countRows(operatorId, "tag_room_types"), 0)
    })
  )

  it.effect("are deleted with their links", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, propertyIds: rooms, types } = yield* ready
      const { tag } = yield* api
        .create_property_tag({ name: "Sea view", property_ids: rooms, room_type_ids: types })
        .pipe(as)
      yield* api.delete_property_tag({ id: tag.id }).pipe(as)
      assert.deepStrictEqual(yield* api.query_tags({}).pipe(as), { tags: [], total: 0 })
      assert.isTrue((yield* api.search_properties({}).pipe(as)).properties.every(({ tags }) => tags.length === 0))
      assert.isTrue((yield* api.search_room_types({}).pipe(as)).room_types.every(({ tags }) => tags.length === 0))
      assert.strictEqual(yield* countRows(operatorId, "tag_properties"), 0)
      assert.strictEqual(yield* countRows(operatorId, "tag_room_types"), 0)
      for (const operation of ["delete_property_tag", "update_property_tag"] as const) {
        const envelope = yield* call(token, operation, {
          id: tag.id,
          ...(operation === "update_property_tag" && { name: "X" })
        })
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, "id"])
      }
    })
  )

  it.effect("come back under their id with what is sent, and with nothing else", () =>
    Effect.gen(function* () {
      const { api, as, propertyIds: rooms, types } = yield* ready
      const [a = 0, b = 0, c = 0] = rooms
      const { tag } = yield* api
        .create_property_tag({ name: "Sea view", color: "#7175FA", property_ids: [a, b], room_type_ids: types })
        .pipe(as)
      yield* api.delete_property_tag({ id: tag.id }).pipe(as)
      const { tag: kept } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
      assert.deepStrictEqual(kept, { ...tag, property_ids: [], room_type_ids: [] })
      assert.deepStrictEqual((yield* api.query_tags({}).pipe(as)).tags, [kept])
      yield* api.delete_property_tag({ id: tag.id }).pipe(as)
      const { tag: changed } = yield* api
        .create_property_tag({ name: "Sea view", color: "#FD587B", property_ids: [c], room_type_ids: [types[0]] })
        .pipe(as)
      assert.deepStrictEqual(changed, { ...tag, color: "#FD587B", property_ids: [c], room_type_ids: [types[0]] })
      assert.deepStrictEqual((yield* api.query_tags({}).pipe(as)).tags, [changed])
    })
  )

  it.effect("have names of their own within a merchant", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* ready
      const other = yield* ready
      yield* other.api.create_property_tag({ name: "Sea view" }).pipe(other.as)
      const { tag: holder } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
      const { tag } = yield* api.create_property_tag({ name: "Balcony" }).pipe(as)
      for (const envelope of [
        yield* call(token, "create_property_tag", { name: "Sea view" }),
        yield* call(token, "update_property_tag", { id: tag.id, name: " Sea view " })
      ]) {
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [409, "name"])
        assert.deepInclude(envelope, { data: { id: holder.id } })
      }
      assert.strictEqual((yield* api.query_tags({}).pipe(as)).total, 2)
    })
  )

  it.effect("may be renamed to the name of a deleted tag, which is forgotten then", () =>
    Effect.gen(function* () {
      const { api, as, propertyIds: rooms } = yield* ready
      const { tag: deleted } = yield* api.create_property_tag({ name: "Sea view", property_ids: rooms }).pipe(as)
      yield* api.delete_property_tag({ id: deleted.id }).pipe(as)
      const { tag } = yield* api.create_property_tag({ name: "Balcony" }).pipe(as)
      yield* api.update_property_tag({ id: tag.id, name: "Sea view" }).pipe(as)
      assert.deepStrictEqual((yield* api.query_tags({}).pipe(as)).tags, [{ ...tag, name: "Sea view" }])
      const { tag: next } = yield* api.create_property_tag({ name: "Balcony" }).pipe(as)
      assert.notInclude([tag.id, deleted.id], next.id)
    })
  )

  it.effect("forget no deleted tag for a rename that is refused", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* ready
      const { tag: deleted } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
      const { tag } = yield* api.create_property_tag({ name: "Balcony" }).pipe(as)
      yield* api.delete_property_tag({ id: deleted.id }).pipe(as)
      for (const fields of [{ id: 987_654_321 }, { id: tag.id, property_ids: [987_654_321] }]) {
        const refused = yield* call(token, "update_property_tag", { name: "Sea view", ...fields })
        assert.strictEqual(refused.error_code, 404)
      }
      const { tag: restored } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
      assert.strictEqual(restored.id, deleted.id)
    })
  )

  it.effect("refuse what they cannot hold, and stay as they are", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, propertyIds: rooms, types } = yield* ready
      const theirs = yield* ready
      const longest = "ü".repeat(TAG_NAME_LENGTH)
      const { tag } = yield* api
        .create_property_tag({ name: longest, property_ids: rooms, room_type_ids: types })
        .pipe(as)
      const ids = Array.from({ length: NAMED_PROPERTIES_MAX + 1 }, (_, index) => 900_000_000 + index)
      const refusals: ReadonlyArray<readonly [number, object]> = [
        [422, { name: `${longest}ü` }],
        [422, { name: " " }],
        [400, { name: null }],
        [422, { color: "#000000" }],
        [422, { color: "#fd587b" }],
        [422, { color: "" }],
        [400, { color: 5 }],
        [400, { property_ids: "1" }],
        [400, { room_type_ids: [null] }],
        [422, { property_ids: ids }],
        [422, { room_type_ids: ids }],
        [404, { property_ids: ids.slice(1) }],
        [404, { room_type_ids: ids.slice(1) }],
        [404, { property_ids: theirs.propertyIds }],
        [404, { room_type_ids: theirs.types }],
        [404, { property_ids: rooms, room_type_ids: [...types, 987_654_321] }]
      ]
      for (const [code, fields] of refusals) {
        const create = yield* call(token, "create_property_tag", { name: "New", ...fields })
        const update = yield* call(token, "update_property_tag", { id: tag.id, name: "New", ...fields })
        assert.deepStrictEqual(
          [create.error_code, update.error_code],
          [code, code],
          JSON.stringify(fields).slice(0, 80)
        )
      }
      for (const fields of [{ name: null }, { color: null }, { room_type_ids: null }]) {
        assert.strictEqual((yield* call(token, "update_property_tag", { id: tag.id, ...fields })).error_code, 400)
      }
      assert.strictEqual((yield* call(token, "create_property_tag", { color: TAG_COLORS[0] })).error_code, 400)
      assert.deepStrictEqual(yield* api.query_tags({}).pipe(as), { tags: [tag], total: 1 })
      assert.strictEqual(yield* countRows(operatorId, "property_tags"), 1)
      const { error_msg } = yield* call(token, "create_property_tag", { name: "New", room_type_ids: [987_654_321] })
      assert.match(error_msg, /^room_type_ids: .*987654321/)
    })
  )
})
