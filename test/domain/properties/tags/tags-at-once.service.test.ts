import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PROPERTY_TAG_LIMIT } from "../../../../src/platform/limits.ts"
import {
  countRows,
  createHostClient,
  createHostWithProperties,
  loadLimit,
  runConcurrently
} from "../../../support/domain/host-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, layerTest } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

/** A host whose room for tags is used up but for a few. */
const almostFull = Effect.fnUntraced(function* (free: number) {
  const found = yield* createHostClient()
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO property_tags (operator_id, name, color, created_at)
    SELECT ${found.operatorId}, 'Tag ' || n, '#FD587B', now() FROM generate_series(1, ${PROPERTY_TAG_LIMIT - free}) n`
  return found
})

layer(layerTest)("property tags at once", (it) => {
  it.effect("are as many as allowed and not one more", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* almostFull(10)
      assert.strictEqual(yield* loadLimit(operatorId, "property_tag_limit"), PROPERTY_TAG_LIMIT)
      const creations = Array.from({ length: 20 }, (_, index) =>
        api.create_property_tag({ name: `New ${index}` }).pipe(as)
      )
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 10, refused: ["ValidationFailed"] })
      assert.strictEqual(yield* countRows(operatorId, "property_tags"), PROPERTY_TAG_LIMIT)
      const invalid = yield* call(token, "create_property_tag", { name: "One more" })
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "property_tag_limit"])
      assert.include(invalid.error_msg, `${PROPERTY_TAG_LIMIT}`)
    })
  )

  it.effect("count as well when they come back from deletion", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* almostFull(2)
      const { tag } = yield* api.create_property_tag({ name: "First" }).pipe(as)
      const { tag: second } = yield* api.create_property_tag({ name: "Second" }).pipe(as)
      // A deleted tag takes no place.
      yield* api.delete_property_tag({ id: tag.id }).pipe(as)
      yield* api.delete_property_tag({ id: second.id }).pipe(as)
      yield* api.create_property_tag({ name: "Third" }).pipe(as)
      const restored = yield* runConcurrently(
        ["First", "Second"].map((name) => api.create_property_tag({ name }).pipe(as))
      )
      assert.deepStrictEqual(restored, { succeeded: 1, refused: ["ValidationFailed"] })
      assert.strictEqual((yield* api.query_tags({ limit: 1 }).pipe(as)).total, PROPERTY_TAG_LIMIT)
      // A name that is there is a duplicate before it is one too many.
      assert.strictEqual((yield* call(token, "create_property_tag", { name: "Third" })).error_code, 409)
    })
  )

  it.effect("of one name are one, new or restored", () =>
    Effect.gen(function* () {
      const { api, as } = yield* createHostClient()
      const creations = Array.from({ length: 10 }, () => api.create_property_tag({ name: "Sea view" }).pipe(as))
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 1, refused: ["Conflict"] })
      const { tags } = yield* api.query_tags({}).pipe(as)
      const id = tags[0]?.id ?? 0
      yield* api.delete_property_tag({ id }).pipe(as)
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 1, refused: ["Conflict"] })
      assert.deepStrictEqual((yield* api.query_tags({}).pipe(as)).tags, tags)
    })
  )

  it.effect("hold one whole list of each kind after many replacements", () =>
    Effect.gen(function* () {
      const { api, as, propertyIds: rooms } = yield* createHostWithProperties("101", "102", "103", "104")
      const [a = 0, b = 0, c = 0, d = 0] = rooms
      const lists = [[a, b], [c, d], [a, d], [b], []]
      const { tag } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
      const replacements = Array.from({ length: 50 }, (_, index) =>
        api.update_property_tag({ id: tag.id, property_ids: lists[index % lists.length] ?? [] }).pipe(as)
      )
      assert.deepStrictEqual(yield* runConcurrently(replacements), { succeeded: 50, refused: [] })
      const { tags } = yield* api.query_tags({}).pipe(as)
      assert.deepInclude(lists, tags[0]?.property_ids)
      const { properties } = yield* api.search_properties({ tag_id: tag.id }).pipe(as)
      assert.deepStrictEqual(
        properties.map(({ id }) => id),
        tags[0]?.property_ids
      )
    })
  )

  describe.runIf(canOverlap)(withServerNote("while another change is on its way"), () => {
    it.effect("hold the later of two lists, and both of two lists of different kinds", () =>
      Effect.gen(function* () {
        const { api, as, propertyIds: rooms } = yield* createHostWithProperties("101", "102", "103")
        const [a = 0, b = 0, c = 0] = rooms
        const { room_type_id: type } = yield* api.create_room_type({ title: "Double" }).pipe(as)
        const { tag } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
        const { id } = tag
        yield* runOverlapping(
          api.update_property_tag({ id, property_ids: [a, b] }).pipe(as),
          api.update_property_tag({ id, property_ids: [c] }).pipe(as)
        )
        yield* runOverlapping(
          api.update_property_tag({ id, property_ids: [a, b] }).pipe(as),
          api.update_property_tag({ id, room_type_ids: [type] }).pipe(as)
        )
        const { tags } = yield* api.query_tags({}).pipe(as)
        assert.deepStrictEqual(tags, [{ ...tag, property_ids: [a, b], room_type_ids: [type] }])
      })
    )

    it.effect("come back under their id when they are created again before their deletion is done", () =>
      Effect.gen(function* () {
        const { api, as, propertyIds: rooms } = yield* createHostWithProperties("101", "102")
        const { tag } = yield* api.create_property_tag({ name: "Sea view", property_ids: rooms }).pipe(as)
        const [, { tag: restored }] = yield* runOverlapping(
          api.delete_property_tag({ id: tag.id }).pipe(as),
          api.create_property_tag({ name: "Sea view", property_ids: rooms.slice(1) }).pipe(as)
        )
        assert.strictEqual(restored.id, tag.id)
        assert.deepStrictEqual((yield* api.query_tags({}).pipe(as)).tags, [{ ...tag, property_ids: rooms.slice(1) }])
      })
    )

    it.effect("are on nothing when they are deleted while a list is replaced", () =>
      Effect.gen(function* () {
        const { api, as, propertyIds: rooms } = yield* createHostWithProperties("101", "102")
        const { tag } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
        yield* runOverlapping(
          api.update_property_tag({ id: tag.id, property_ids: rooms }).pipe(as),
          api.delete_property_tag({ id: tag.id }).pipe(as)
        )
        yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
        assert.deepStrictEqual((yield* api.query_tags({}).pipe(as)).tags, [tag])
      })
    )

    it.effect("are refused the name of a deleted tag that is coming back", () =>
      Effect.gen(function* () {
        const { api, as } = yield* createHostClient()
        const { tag: deleted } = yield* api.create_property_tag({ name: "Sea view" }).pipe(as)
        const { tag } = yield* api.create_property_tag({ name: "Balcony" }).pipe(as)
        yield* api.delete_property_tag({ id: deleted.id }).pipe(as)
        const refused = yield* Effect.flip(
          runOverlapping(
            api.create_property_tag({ name: "Sea view" }).pipe(as),
            api.update_property_tag({ id: tag.id, name: "Sea view" }).pipe(as)
          )
        )
        assert.deepStrictEqual([refused._tag, fieldOfError({ error_msg: refused.message })], ["Conflict", "name"])
        assert.deepStrictEqual(
          (yield* api.query_tags({}).pipe(as)).tags.map(({ id }) => id),
          [deleted.id, tag.id]
        )
      })
    )

    it.effect("take the last place only once", () =>
      Effect.gen(function* () {
        const { api, as, operatorId } = yield* almostFull(1)
        const refused = yield* Effect.flip(
          runOverlapping(
            api.create_property_tag({ name: "Last" }).pipe(as),
            api.create_property_tag({ name: "Too late" }).pipe(as)
          )
        )
        assert.strictEqual(refused._tag, "ValidationFailed")
        assert.strictEqual(yield* countRows(operatorId, "property_tags"), PROPERTY_TAG_LIMIT)
      })
    )
  })
})
