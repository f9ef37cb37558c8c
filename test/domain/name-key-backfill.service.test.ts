import { assert, layer, it as test } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../migrations/index.ts"
import { fillNameKeys, NAME_KEY_BATCH_SIZE } from "../../src/domain/name-key-backfill.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { insertOperator } from "../support/domain/bookings/reservations/former-release-rows.ts"
import { createHostClient, createHostWithProperties } from "../support/domain/host-client.ts"
import { call, insertOrder, layerTest } from "../support/harness.ts"
import { layerEmptyDatabaseInMemory } from "../support/test-database.ts"

const NFC = "Caf\u00e9"
const NFD = "Cafe\u0301"
const SAME = [NFD, "CAF\u00c9", " caf\u00e9 "]

/** The operations of each kind of named row, and the field of its record. */
const KINDS = [
  { create: "create_property_group", update: "update_property_group", record: "group" },
  { create: "create_property_tag", update: "update_property_tag", record: "tag" }
] as const

layer(layerTest)("a name of a group or a tag", (it) => {
  it.effect("is one name in any case and Unicode form", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* createHostClient()
      yield* api.create_property_group({ name: NFC }).pipe(as)
      yield* api.create_property_tag({ name: NFC }).pipe(as)
      yield* api.create_reservation_tag({ tag_name: NFC }).pipe(as)
      for (const name of SAME) {
        for (const { create } of KINDS) assert.strictEqual((yield* call(token, create, { name })).error_code, 409, name)
        assert.strictEqual((yield* call(token, "create_reservation_tag", { tag_name: name })).error_code, 409, name)
      }
      assert.strictEqual(
        (yield* call(token, "create_reservation_tag", { tag_name: "needs ATTENTION" })).error_code,
        409
      )
      // Titles of properties and room types are not included.
      yield* api.create_property({ title: NFC }).pipe(as)
      yield* api.create_property({ title: "CAF\u00c9" }).pipe(as)
    })
  )

  it.effect("cannot be the new name of another row, but its own row may change its case", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* createHostClient()
      for (const { create, update, record } of KINDS) {
        const made = yield* call(token, create, { name: "Sea View" })
        yield* call(token, create, { name: "Harbour" })
        const id = Reflect.get(Object(Reflect.get(Object(made.data), record)), "id")
        assert.strictEqual((yield* call(token, update, { id, name: "HARBOUR" })).error_code, 409)
        assert.strictEqual((yield* call(token, update, { id, name: "SEA VIEW" })).error_code, 0)
        assert.strictEqual((yield* call(token, create, { name: "sea view" })).error_code, 409)
      }
      const names = yield* Effect.all([api.search_property_groups({}).pipe(as), api.query_tags({}).pipe(as)])
      assert.deepStrictEqual(
        [names[0].groups.map(({ name }) => name), names[1].tags.map(({ name }) => name)],
        [
          ["SEA VIEW", "Harbour"],
          ["SEA VIEW", "Harbour"]
        ]
      )
    })
  )

  it.effect("restores a deleted tag under its id, with the name of the request", () =>
    Effect.gen(function* () {
      const { api, as } = yield* createHostClient()
      const { tag } = yield* api.create_property_tag({ name: NFC }).pipe(as)
      const { reservation_tag } = yield* api.create_reservation_tag({ tag_name: NFC }).pipe(as)
      yield* api.delete_property_tag({ id: tag.id }).pipe(as)
      yield* api.delete_reservation_tag({ id: reservation_tag.id }).pipe(as)
      const again = yield* api.create_property_tag({ name: "CAFE\u0301" }).pipe(as)
      const once = yield* api.create_reservation_tag({ tag_name: "caf\u00e9" }).pipe(as)
      assert.deepStrictEqual(again.tag, { ...tag, name: "CAFE\u0301" })
      assert.deepStrictEqual(once.reservation_tag, { ...reservation_tag, tag_name: "caf\u00e9" })
      const listed = yield* api.search_reservation_tags({ id: once.reservation_tag.id }).pipe(as)
      assert.deepStrictEqual(listed.reservation_tags, [once.reservation_tag])
    })
  )

  it.effect("restores a deleted tag that has no key yet", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId } = yield* createHostClient()
      const sql = yield* SqlClient.SqlClient
      const [own = { id: 0 }] = yield* sql<{ id: number }>`
        INSERT INTO property_tags (operator_id, name, color, created_at, deleted_at)
        VALUES (${operatorId}, 'Old', '#FD587B', now(), now()) RETURNING id`
      const [booked = { id: 0 }] = yield* sql<{ id: number }>`
        INSERT INTO reservation_tags (operator_id, tag_name, color, created_at, deleted_at)
        VALUES (${operatorId}, 'Old', '#FD587B', now(), now()) RETURNING id`
      assert.strictEqual((yield* api.create_property_tag({ name: "Old" }).pipe(as)).tag.id, own.id)
      const { reservation_tag } = yield* api.create_reservation_tag({ tag_name: "Old" }).pipe(as)
      assert.strictEqual(reservation_tag.id, booked.id)
      assert.strictEqual((yield* call(token, "create_property_tag", { name: "Old" })).error_code, 409)
      assert.strictEqual((yield* call(token, "create_reservation_tag", { tag_name: "Old" })).error_code, 409)
    })
  )

  it.effect("of an existing tag adds and removes that tag on a stay, in any case and Unicode form", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms } = yield* createHostWithProperties("Harbour")
      const stay_code = yield* insertOrder(operatorId, [{ propertyId: rooms[0] ?? 0 }])
      const tags = Effect.map(
        api.search_reservations({ reservation_code: stay_code }).pipe(as),
        ({ reservations }) => reservations[0]?.tags
      )
      yield* api.create_reservation_tag({ tag_name: NFC }).pipe(as)
      for (const tag_name of ["needs attention", NFD, "CAF\u00c9"])
        yield* api.add_reservation_tag({ stay_code, tag_name }).pipe(as)
      assert.deepStrictEqual(yield* tags, ["Needs attention", NFC])
      assert.strictEqual((yield* api.search_reservation_tags({ keyword: "caf" }).pipe(as)).total, 1)
      yield* api.remove_reservation_tag({ stay_code, tag_name: "NEEDS ATTENTION" }).pipe(as)
      yield* api.remove_reservation_tag({ stay_code, tag_name: NFD.toUpperCase() }).pipe(as)
      assert.deepStrictEqual(yield* tags, [])
    })
  )

  it.effect("of a duplicate from before the keys is compared exactly, and stays usable", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId } = yield* createHostClient()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO property_groups (operator_id, name, created_at)
        VALUES (${operatorId}, 'Old', now()), (${operatorId}, 'OLD', now())`
      yield* fillNameKeys
      const { groups } = yield* api.search_property_groups({}).pipe(as)
      const [first, second] = groups.map(({ id }) => id)
      for (const name of ["Old", "OLD", "old"]) {
        assert.strictEqual((yield* call(token, "create_property_group", { name })).error_code, 409, name)
      }
      // A record that is sent back whole keeps its name.
      yield* api.update_property_group({ id: second ?? 0, name: "OLD", property_ids: [] }).pipe(as)
      yield* api.delete_property_group({ id: first ?? 0 }).pipe(as)
      yield* fillNameKeys
      assert.strictEqual((yield* call(token, "create_property_group", { name: "old" })).error_code, 409)
    })
  )

  it.effect("gets its key later if the previous release wrote it, also beyond one batch of rows", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createHostClient()
      const sql = yield* SqlClient.SqlClient
      const last = NAME_KEY_BATCH_SIZE + 1
      yield* sql`
        INSERT INTO property_groups (operator_id, name, created_at)
        SELECT ${operatorId}, 'Group ' || n, now() FROM generate_series(1, ${last}::int) n`
      yield* fillNameKeys
      for (const n of [1, last]) {
        assert.strictEqual((yield* call(token, "create_property_group", { name: `GROUP ${n}` })).error_code, 409)
      }
      // A rename by the previous release removes the key of the former name.
      yield* sql`UPDATE property_groups SET name = 'Other' WHERE operator_id = ${operatorId} AND name = 'Group 1'`
      assert.strictEqual((yield* call(token, "create_property_group", { name: "group 1" })).error_code, 0)
      yield* fillNameKeys
      assert.strictEqual((yield* call(token, "create_property_group", { name: "OTHER" })).error_code, 409)
    })
  )
})

test.effect("the migration gives existing names their keys, and of duplicates the oldest tag in use gets it", () =>
  Effect.gen(function* () {
    yield* migrate(migrations.filter(({ id }) => id < 69))
    const sql = yield* SqlClient.SqlClient
    yield* insertOperator(sql)
    yield* sql`
      INSERT INTO reservation_tags (operator_id, tag_name, color, created_at, deleted_at)
      SELECT o.id, tag_name, '#FD587B', now(), CASE WHEN is_deleted THEN now() END
      FROM operators o, (VALUES ('Sea', true), ('SEA', false), ('sea', false), (${NFD}, false), ('vip', false)) tag (tag_name, is_deleted)`
    yield* migrate(migrations)
    const keys = yield* sql<{ key: string | null }>`SELECT name_key AS key FROM reservation_tags ORDER BY id`
    // "Sea" is deleted, "sea" is a duplicate, and "vip" has the key of the default tag VIP.
    assert.deepStrictEqual(
      keys.map(({ key }) => key),
      [null, "sea", null, "caf\u00e9", null]
    )
  }).pipe(Effect.provide(layerEmptyDatabaseInMemory), Effect.scoped)
)
