import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { GROUP_NAME_LENGTH, NAMED_PROPERTIES_MAX } from "../../../../src/platform/limits.ts"
import {
  countRows,
  createHostClient,
  createHostWithProperties,
  runConcurrently
} from "../../../support/domain/host-client.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, layerTest } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const TITLES = ["A", "B", "C", "D"]

layer(layerTest)("property groups", (it) => {
  it.effect("are listed with their properties, page by page", () =>
    Effect.gen(function* () {
      const { api, as, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
      const [a = 0, b = 0] = rooms
      const { group } = yield* api.create_property_group({ name: " Harbour ", property_ids: [b, a, b] }).pipe(as)
      assert.deepStrictEqual(group, { id: group.id, name: "Harbour", property_ids: [a, b] })
      const { group: empty } = yield* api.create_property_group({ name: "Old Town" }).pipe(as)
      assert.deepStrictEqual(yield* api.search_property_groups({}).pipe(as), { groups: [group, empty], total: 2 })
      assert.deepStrictEqual(yield* api.search_property_groups({ id: empty.id }).pipe(as), {
        groups: [empty],
        total: 1
      })
      assert.deepStrictEqual(yield* api.search_property_groups({ offset: 1, limit: 1 }).pipe(as), {
        groups: [empty],
        total: 2
      })
    })
  )

  it.effect("change what is sent: a name, a whole list, or nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
      const [a = 0, b = 0, c = 0] = rooms
      const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: [a, b] }).pipe(as)
      const { id } = group
      const shown = Effect.map(api.search_property_groups({ id }).pipe(as), ({ groups }) => groups[0])
      yield* api.update_property_group({ id, name: "Seaside" }).pipe(as)
      assert.deepStrictEqual(yield* shown, { id, name: "Seaside", property_ids: [a, b] })
      yield* api.update_property_group({ id, property_ids: [c, b] }).pipe(as)
      assert.deepStrictEqual(yield* shown, { id, name: "Seaside", property_ids: [b, c] })
      yield* api.update_property_group({ id }).pipe(as)
      // Its own name is no other group's.
      yield* api.update_property_group({ id, name: "Seaside" }).pipe(as)
      assert.deepStrictEqual(yield* shown, { id, name: "Seaside", property_ids: [b, c] })
      yield* api.update_property_group({ id, property_ids: [] }).pipe(as)
      assert.deepStrictEqual(yield* shown, { id, name: "Seaside", property_ids: [] })
      assert.strictEqual(yield* countRows(operatorId, "group_properties"), 0)
    })
  )

  it.effect("are deleted with their links, and leave the properties", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
      const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: rooms }).pipe(as)
      yield* api.delete_property_group({ id: group.id }).pipe(as)
      const { properties, total } = yield* api.search_properties({}).pipe(as)
      assert.strictEqual(total, TITLES.length)
      assert.isTrue(properties.every(({ groups }) => groups.length === 0))
      assert.strictEqual(yield* countRows(operatorId, "group_properties"), 0)
      for (const operation of ["delete_property_group", "update_property_group"] as const) {
        const envelope = yield* call(token, operation, { id: group.id })
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, "id"])
      }
    })
  )

  it.effect("have names of their own within a merchant", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* createHostClient()
      const other = yield* createHostClient()
      yield* other.api.create_property_group({ name: "Harbour" }).pipe(other.as)
      const { group: holder } = yield* api.create_property_group({ name: "Harbour" }).pipe(as)
      const { group } = yield* api.create_property_group({ name: "Old Town" }).pipe(as)
      for (const envelope of [
        yield* call(token, "create_property_group", { name: "Harbour " }),
        yield* call(token, "update_property_group", { id: group.id, name: "Harbour" })
      ]) {
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [409, "name"])
        assert.deepInclude(envelope, { data: { id: holder.id } })
      }
      const twice = Array.from({ length: 8 }, () => api.create_property_group({ name: "Once" }).pipe(as))
      assert.deepStrictEqual(yield* runConcurrently(twice), { succeeded: 1, refused: ["Conflict"] })
    })
  )

  it.effect("refuse what they cannot hold, and stay as they are", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
      const theirs = yield* createHostWithProperties("Theirs")
      const longest = "ü".repeat(GROUP_NAME_LENGTH)
      const { group } = yield* api.create_property_group({ name: longest, property_ids: rooms }).pipe(as)
      const ids = Array.from({ length: NAMED_PROPERTIES_MAX + 1 }, (_, index) => 900_000_000 + index)
      const refusals: ReadonlyArray<readonly [number, object]> = [
        [422, { name: `${longest}ü` }],
        [422, { name: "" }],
        [422, { name: " \t" }],
        [400, { name: null }],
        [400, { name: 5 }],
        [400, { property_ids: "1,2" }],
        [400, { property_ids: ["one"] }],
        [422, { property_ids: [-1] }],
        [422, { property_ids: ids }],
        [404, { property_ids: ids.slice(1) }],
        [404, { property_ids: [...rooms, ...theirs.propertyIds] }]
      ]
      for (const [code, fields] of refusals) {
        const create = yield* call(token, "create_property_group", { name: "New", ...fields })
        const update = yield* call(token, "update_property_group", { id: group.id, name: "New", ...fields })
        assert.deepStrictEqual(
          [create.error_code, update.error_code],
          [code, code],
          JSON.stringify(fields).slice(0, 80)
        )
      }
      assert.strictEqual(
        (yield* call(token, "update_property_group", { id: group.id, property_ids: null })).error_code,
        400
      )
      assert.strictEqual((yield* call(token, "create_property_group", {})).error_code, 400)
      const edited = yield* call(token, "update_property_group", { id: group.id, property_ids: null })
      assert.strictEqual(edited.error_code, 400)
      assert.strictEqual((yield* call(token, "update_property_group", { name: "New" })).error_code, 400)
      assert.deepStrictEqual(yield* api.search_property_groups({}).pipe(as), { groups: [group], total: 1 })
      assert.strictEqual(yield* countRows(operatorId, "group_properties"), TITLES.length)
      const message = (yield* call(token, "create_property_group", { name: "New", property_ids: ids.slice(1) }))
        .error_msg
      assert.match(message, /^property_ids: .*900000001.*900000002.*900000003.*900000004.*900000005/)
    })
  )

  it.effect("hold one whole list after many replacements at once, and show no other on the way", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
      const [a = 0, b = 0, c = 0, d = 0] = rooms
      const lists = [[a, b], [c, d], [a, d], [b], []]
      const { group } = yield* api.create_property_group({ name: "Harbour" }).pipe(as)
      const { id } = group
      const shown = Effect.map(api.search_property_groups({ id }).pipe(as), ({ groups }) => groups[0]?.property_ids)
      const seen = yield* Effect.all(
        Array.from({ length: 50 }, (_, index) =>
          Effect.andThen(
            api.update_property_group({ id, property_ids: lists[index % lists.length] ?? [] }).pipe(as),
            shown
          )
        ),
        { concurrency: "unbounded" }
      )
      for (const list of [...seen, yield* shown]) assert.deepInclude(lists, list)
      // What replacements could not see of one another is cleared away by the next.
      yield* api.update_property_group({ id, property_ids: [a] }).pipe(as)
      assert.deepStrictEqual(yield* shown, [a])
      assert.strictEqual(yield* countRows(operatorId, "group_properties"), 1)
    })
  )

  describe.runIf(canOverlap)(withServerNote("while another change is on its way"), () => {
    it.effect("hold the later of two lists", () =>
      Effect.gen(function* () {
        const { api, as, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
        const [a = 0, b = 0, c = 0, d = 0] = rooms
        const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: [a] }).pipe(as)
        const { id } = group
        yield* runOverlapping(
          api.update_property_group({ id, property_ids: [a, b] }).pipe(as),
          api.update_property_group({ id, property_ids: [c, d] }).pipe(as)
        )
        const { groups } = yield* api.search_property_groups({}).pipe(as)
        assert.deepStrictEqual(groups, [{ id, name: "Harbour", property_ids: [c, d] }])
        const { properties } = yield* api.search_properties({ group_id: id }).pipe(as)
        assert.deepStrictEqual(
          properties.map((each) => each.id),
          [c, d]
        )
      })
    )

    it.effect("keep a list that is replaced while they are renamed", () =>
      Effect.gen(function* () {
        const { api, as, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
        const { group } = yield* api.create_property_group({ name: "Harbour" }).pipe(as)
        const { id } = group
        yield* runOverlapping(
          api.update_property_group({ id, property_ids: rooms }).pipe(as),
          api.update_property_group({ id, name: "Seaside" }).pipe(as)
        )
        const { groups } = yield* api.search_property_groups({}).pipe(as)
        assert.deepStrictEqual(groups, [{ id, name: "Seaside", property_ids: rooms }])
      })
    )

    it.effect("are gone, with their links, when they are deleted while a list is replaced", () =>
      Effect.gen(function* () {
        const { api, as, operatorId, propertyIds: rooms } = yield* createHostWithProperties(...TITLES)
        const { group } = yield* api.create_property_group({ name: "Harbour", property_ids: rooms }).pipe(as)
        const { id } = group
        yield* runOverlapping(
          api.update_property_group({ id, property_ids: rooms.slice(1) }).pipe(as),
          api.delete_property_group({ id }).pipe(as)
        )
        assert.strictEqual((yield* api.search_property_groups({}).pipe(as)).total, 0)
        assert.strictEqual(yield* countRows(operatorId, "group_properties"), 0)
      })
    )
  })
})
