import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PROPERTY_TITLE_LENGTH } from "../../../../src/platform/limits.ts"
import {
  countRows,
  createHostClient,
  createHostWithProperties,
  loadLimit,
  ROOM_LIMIT,
  runConcurrently,
  setLimit
} from "../../../support/domain/host-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, layerTest } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerTest)("properties", (it) => {
  it.effect("start without address, channels and pictures, with the merchant's times", () =>
    Effect.gen(function* () {
      const { api, as } = yield* createHostClient({ timeZone: "Asia/Tokyo" })
      const { property_id: id } = yield* api.create_property({ title: "  Harbour 1 " }).pipe(as)
      assert.deepStrictEqual(yield* api.search_properties({}).pipe(as), {
        properties: [
          {
            id,
            title: "Harbour 1",
            channels: [],
            groups: [],
            tags: [],
            address: null,
            longitude: null,
            latitude: null,
            default_checkin_time: "15:00",
            default_checkout_time: "11:00",
            timezone: "Asia/Tokyo",
            cover: null,
            currency: "EUR",
            capacity: null,
            fees: [],
            taxes: [],
            is_active: true
          }
        ],
        total: 1
      })
    })
  )

  it.effect("show what is known of them, their own times before the merchant's", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms } = yield* createHostWithProperties("Harbour 1", "Harbour 2")
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE properties SET address = 'Quay 1', longitude = '-9.1393', latitude = '38.7223',
          cover_url = 'https://img.example.test/1.jpg', checkin_time = '16:30'
        WHERE operator_id = ${operatorId} AND id = ${rooms[0] ?? 0}`
      const { properties } = yield* api.search_properties({ id: rooms[0] ?? 0 }).pipe(as)
      assert.deepInclude(properties[0], {
        address: "Quay 1",
        longitude: "-9.1393",
        latitude: "38.7223",
        cover: { original_url: "https://img.example.test/1.jpg" },
        default_checkin_time: "16:30",
        default_checkout_time: "11:00"
      })
    })
  )

  it.effect("carry their groups and tags, in one statement however many there are", () =>
    Effect.gen(function* () {
      const { api, as, token, propertyIds: rooms } = yield* createHostWithProperties("A", "B", "C")
      const [a = 0, b = 0] = rooms
      const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: [a, b] }).pipe(as)
      const { group: other } = yield* api.create_property_group({ name: "Old Town", property_ids: [a] }).pipe(as)
      const { tag } = yield* api.create_property_tag({ name: "Sea view", color: "#1BBFA4", property_ids: [b] }).pipe(as)
      const [envelope, statements] = yield* countStatements(call(token, "search_properties"))
      assert.strictEqual(statements, 1)
      assert.propertyVal(envelope, "error_code", 0)
      const { properties } = yield* api.search_properties({}).pipe(as)
      assert.deepStrictEqual(
        properties.map(({ groups, tags }) => ({ groups, tags })),
        [
          {
            groups: [
              { id: group.id, name: "Harbour" },
              { id: other.id, name: "Old Town" }
            ],
            tags: []
          },
          {
            groups: [{ id: group.id, name: "Harbour" }],
            tags: [{ id: tag.id, name: "Sea view", color: "#1BBFA4" }]
          },
          { groups: [], tags: [] }
        ]
      )
    })
  )

  it.effect("are found by id, group and tag, page by page", () =>
    Effect.gen(function* () {
      const { api, as, token, propertyIds: rooms } = yield* createHostWithProperties("A", "B", "C", "D")
      const [a = 0, b = 0, c = 0, d = 0] = rooms
      const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: [a, b, c] }).pipe(as)
      const { tag } = yield* api.create_property_tag({ name: "Sea view", property_ids: [b, c, d] }).pipe(as)
      const { tag: unused } = yield* api.create_property_tag({ name: "Unused" }).pipe(as)
      const idsOf = (payload: Parameters<typeof api.search_properties>[0]) =>
        Effect.map(api.search_properties(payload).pipe(as), ({ properties, total }) => [
          properties.map(({ id }) => id),
          total
        ])
      assert.deepStrictEqual(yield* idsOf({}), [[a, b, c, d], 4])
      assert.deepStrictEqual(yield* idsOf({ id: c }), [[c], 1])
      assert.deepStrictEqual(yield* idsOf({ group_id: group.id }), [[a, b, c], 3])
      assert.deepStrictEqual(yield* idsOf({ tag_id: tag.id }), [[b, c, d], 3])
      assert.deepStrictEqual(yield* idsOf({ group_id: group.id, tag_id: tag.id }), [[b, c], 2])
      assert.deepStrictEqual(yield* idsOf({ tag_id: unused.id }), [[], 0])
      assert.deepStrictEqual(yield* idsOf({ id: 987_654_321 }), [[], 0])
      assert.deepStrictEqual(yield* idsOf({ offset: 1, limit: 2 }), [[b, c], 4])
      assert.deepStrictEqual(yield* idsOf({ offset: 4 }), [[], 4])
      yield* api.delete_property_tag({ id: tag.id }).pipe(as)
      for (const [filter, field] of [
        [{ group_id: 987_654_321 }, "group_id"],
        [{ tag_id: tag.id }, "tag_id"]
      ] as const) {
        const envelope = yield* call(token, "search_properties", filter)
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, field])
      }
    })
  )

  it.effect("have titles of their own within a merchant", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, propertyIds: rooms } = yield* createHostWithProperties("Harbour 1")
      const other = yield* createHostWithProperties("Harbour 1")
      for (const title of ["Harbour 1", " Harbour 1"]) {
        const envelope = yield* call(token, "create_property", { title })
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [409, "title"])
        assert.deepInclude(envelope, { data: { id: rooms[0] ?? 0 } })
      }
      yield* api.create_property({ title: "harbour 1" }).pipe(as)
      assert.strictEqual(yield* countRows(operatorId, "properties"), 2)
      assert.strictEqual(yield* countRows(other.operatorId, "properties"), 1)
    })
  )

  it.effect("with the same title, created at once, are one", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const twice = Array.from({ length: 10 }, () => api.create_property({ title: "Harbour 1" }).pipe(as))
      assert.deepStrictEqual(yield* runConcurrently(twice), { succeeded: 1, refused: ["Conflict"] })
      assert.strictEqual(yield* countRows(operatorId, "properties"), 1)
    })
  )

  it.effect("take titles up to the limit and refuse what is none", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createHostClient()
      const longest = "ü".repeat(PROPERTY_TITLE_LENGTH)
      const codeOf = (title: unknown) =>
        Effect.map(call(token, "create_property", { title }), ({ error_code }) => error_code)
      assert.strictEqual(yield* codeOf(longest), 0)
      for (const title of [`${longest}ü`, "", "   ", "a\nb", "a\u0000b"]) assert.strictEqual(yield* codeOf(title), 422)
      for (const title of [undefined, null, 5, ["a"], { a: 1 }]) assert.strictEqual(yield* codeOf(title), 400)
      assert.strictEqual(yield* countRows(operatorId, "properties"), 1)
    })
  )

  it.effect("are as many as the subscription covers and not one more, however many are created at once", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* createHostClient()
      assert.strictEqual(yield* loadLimit(operatorId, "room_limit"), ROOM_LIMIT)
      const creations = Array.from({ length: 2 * ROOM_LIMIT }, (_, index) =>
        api.create_property({ title: `Room ${index}` }).pipe(as)
      )
      assert.deepStrictEqual(yield* runConcurrently(creations), {
        succeeded: ROOM_LIMIT,
        refused: ["ValidationFailed"]
      })
      assert.strictEqual(yield* countRows(operatorId, "properties"), ROOM_LIMIT)
      const invalid = yield* call(token, "create_property", { title: "One more" })
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "room_limit"])
      assert.include(invalid.error_msg, `${ROOM_LIMIT}`)
      yield* setLimit(operatorId, "room_limit", ROOM_LIMIT + 1)
      yield* api.create_property({ title: "One more" }).pipe(as)
      // Fewer than there are: what is there stays.
      yield* setLimit(operatorId, "room_limit", 1)
      assert.strictEqual((yield* call(token, "create_property", { title: "Two more" })).error_code, 422)
      assert.strictEqual(yield* countRows(operatorId, "properties"), ROOM_LIMIT + 1)
    })
  )
})
