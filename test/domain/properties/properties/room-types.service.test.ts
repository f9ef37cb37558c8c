import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NAMED_PROPERTIES_MAX, PROPERTY_TITLE_LENGTH } from "../../../../src/platform/limits.ts"
import {
  countRows,
  createHostClient,
  createHostWithProperties,
  loadLimit,
  ROOM_TYPE_LIMIT,
  runConcurrently
} from "../../../support/domain/host-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, createOperator, layerTest } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerTest)("room types", (it) => {
  it.effect("show their properties and tags, in one statement", () =>
    Effect.gen(function* () {
      const { api, as, token, propertyIds: rooms } = yield* createHostWithProperties("101", "102", "103")
      const [a = 0, b = 0] = rooms
      const { room_type_id: double } = yield* api
        .create_room_type({ title: " Double ", property_ids: [b, a, b] })
        .pipe(as)
      const { room_type_id: empty } = yield* api.create_room_type({ title: "Suite" }).pipe(as)
      const { tag } = yield* api
        .create_property_tag({ name: "Balcony", color: "#F3D432", room_type_ids: [double] })
        .pipe(as)
      const [, statements] = yield* countStatements(call(token, "search_room_types"))
      assert.strictEqual(statements, 1)
      const found = yield* api.search_room_types({}).pipe(as)
      assert.deepStrictEqual(found, {
        room_types: [
          {
            id: double,
            title: "Double",
            properties: [
              { id: a, title: "101" },
              { id: b, title: "102" }
            ],
            channels: [],
            tags: [{ id: tag.id, name: "Balcony", color: "#F3D432" }]
          },
          { id: empty, title: "Suite", properties: [], channels: [], tags: [] }
        ],
        total: 2
      })
      assert.deepStrictEqual((yield* api.search_room_types({ tag_id: tag.id }).pipe(as)).total, 1)
      assert.deepStrictEqual((yield* api.search_room_types({ id: empty }).pipe(as)).room_types[0]?.title, "Suite")
      assert.deepStrictEqual((yield* api.search_room_types({ offset: 1, limit: 1 }).pipe(as)).room_types[0]?.id, empty)
      const missing = yield* call(token, "search_room_types", { tag_id: 987_654_321 })
      assert.deepStrictEqual([missing.error_code, fieldOfError(missing)], [404, "tag_id"])
    })
  )

  it.effect("never share a property: nothing is created then", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, propertyIds: rooms } = yield* createHostWithProperties("101", "102", "103")
      const [a = 0, b = 0, c = 0] = rooms
      yield* api.create_room_type({ title: "Double", property_ids: [a, b] }).pipe(as)
      const taken = yield* call(token, "create_room_type", { title: "Twin", property_ids: [c, b, a] })
      assert.deepStrictEqual([taken.error_code, fieldOfError(taken)], [409, "property_ids"])
      assert.include(taken.error_msg, `${a}`)
      assert.include(taken.error_msg, `${b}`)
      const unknown = yield* call(token, "create_room_type", { title: "Twin", property_ids: [c, 987_654_321] })
      assert.deepStrictEqual([unknown.error_code, fieldOfError(unknown)], [404, "property_ids"])
      assert.include(unknown.error_msg, "987654321")
      assert.strictEqual(yield* countRows(operatorId, "room_types"), 1)
      assert.strictEqual(yield* countRows(operatorId, "room_type_properties"), 2)
    })
  )

  it.effect("that want the same properties at once: one gets them all, the others nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms } = yield* createHostWithProperties("101", "102", "103")
      const creations = Array.from({ length: 12 }, (_, index) =>
        api
          .create_room_type({ title: `Type ${index}`, property_ids: index % 2 === 0 ? rooms : rooms.toReversed() })
          .pipe(as)
      )
      assert.deepStrictEqual(yield* runConcurrently(creations), { succeeded: 1, refused: ["Conflict"] })
      const { room_types } = yield* api.search_room_types({}).pipe(as)
      assert.deepStrictEqual(
        room_types.map(({ properties }) => properties.map(({ id }) => id)),
        [rooms]
      )
      assert.strictEqual(yield* countRows(operatorId, "room_type_properties"), 3)
    })
  )

  it.effect("have titles of their own within a merchant, and of a length", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createHostClient()
      const longest = "ü".repeat(PROPERTY_TITLE_LENGTH)
      const codeOf = (fields: object) =>
        Effect.map(call(token, "create_room_type", fields), ({ error_code }) => error_code)
      const created = yield* call(token, "create_room_type", { title: longest })
      assert.strictEqual(created.error_code, 0)
      const conflict = yield* call(token, "create_room_type", { title: longest })
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "title"])
      assert.deepInclude(conflict, { data: { id: Object(created.data).room_type_id } })
      for (const title of [`${longest}ü`, " "]) assert.strictEqual(yield* codeOf({ title }), 422)
      const ids = Array.from({ length: NAMED_PROPERTIES_MAX + 1 }, (_, index) => 900_000_000 + index)
      assert.strictEqual(yield* codeOf({ title: "Suite", property_ids: ids.slice(1) }), 404)
      assert.strictEqual(yield* codeOf({ title: "Suite", property_ids: ids }), 422)
      assert.strictEqual(yield* codeOf({ title: "Suite", property_ids: [0] }), 422)
      for (const property_ids of ["1,2", 1, ["one"], [1.5], [null]]) {
        assert.strictEqual(yield* codeOf({ title: "Suite", property_ids }), 400)
      }
      assert.strictEqual(yield* codeOf({ property_ids: [] }), 400)
      assert.strictEqual(yield* countRows(operatorId, "room_types"), 1)
    })
  )

  it.effect("need the pro edition", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator({ edition: "basic" })
      const envelope = yield* call(token, "create_room_type", { title: "Double" })
      assert.deepInclude(envelope, { error_code: 420, error_msg: "Basic edition does not support this feature" })
      assert.strictEqual(yield* countRows(operatorId, "room_types"), 0)
    })
  )

  it.effect("are as many as the subscription covers and not one more, however many are created at once", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* createHostClient()
      assert.strictEqual(yield* loadLimit(operatorId, "room_type_limit"), ROOM_TYPE_LIMIT)
      const creations = Array.from({ length: 2 * ROOM_TYPE_LIMIT }, (_, index) =>
        api.create_room_type({ title: `Type ${index}` }).pipe(as)
      )
      assert.deepStrictEqual(yield* runConcurrently(creations), {
        succeeded: ROOM_TYPE_LIMIT,
        refused: ["ValidationFailed"]
      })
      const invalid = yield* call(token, "create_room_type", { title: "One more" })
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "room_type_limit"])
      assert.include(invalid.error_msg, `${ROOM_TYPE_LIMIT}`)
      assert.strictEqual(yield* countRows(operatorId, "room_types"), ROOM_TYPE_LIMIT)
    })
  )

  describe.runIf(canOverlap)(withServerNote("while another one is being created"), () => {
    it.effect("waits for it and is refused the same property", () =>
      Effect.gen(function* () {
        const { api, as, propertyIds: rooms } = yield* createHostWithProperties("101", "102")
        const refused = yield* Effect.flip(
          runOverlapping(
            api.create_room_type({ title: "Double", property_ids: rooms }).pipe(as),
            api.create_room_type({ title: "Twin", property_ids: rooms.toReversed() }).pipe(as)
          )
        )
        assert.deepStrictEqual(
          [refused._tag, fieldOfError({ error_msg: refused.message })],
          ["Conflict", "property_ids"]
        )
        assert.strictEqual((yield* api.search_room_types({}).pipe(as)).total, 1)
      })
    )
  })
})
