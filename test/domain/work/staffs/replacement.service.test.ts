import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { StaffStore } from "../../../../src/domain/work/staffs/store.ts"
import { asSystemActor, createOperator, insertProperty } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const NOW = new Date("2027-05-10T12:00:00Z")

const ready = Effect.gen(function* () {
  const { operatorId } = yield* createOperator()
  const store = yield* StaffStore
  const rooms = yield* Effect.forEach(["A", "B", "C", "D"], (title) => insertProperty(operatorId, title))
  const marta = { name: "Marta", mobile: "+49 15112345678", email: "", note: "", property_ids: rooms.slice(0, 2) }
  const id = (yield* asSystemActor(store.create(operatorId, marta, NOW))).id ?? 0
  return { operatorId, store, rooms, id }
})

describe.skipIf(!canOverlap)(withServerNote("changes of a staff member that overlap"), () => {
  layer(Layer.provideMerge(StaffStore.layer, layerTestDatabase))((it) => {
    it.effect("end as one of two replaced lists, never a mix", () =>
      Effect.gen(function* () {
        const { operatorId, store, rooms, id } = yield* ready
        const replaceBy = (property_ids: ReadonlyArray<number>) =>
          asSystemActor(store.update(operatorId, id, { property_ids }, NOW))
        const listed = Effect.map(
          store.search(operatorId, { id }, { offset: 0, limit: 1 }),
          ({ rows }) => rows[0]?.property_ids
        )
        yield* runOverlapping(replaceBy(rooms.slice(1, 3)), replaceBy(rooms.slice(2, 4)))
        assert.deepStrictEqual(yield* listed, rooms.slice(2, 4))
        yield* runOverlapping(replaceBy(rooms), replaceBy([]))
        assert.deepStrictEqual(yield* listed, [])
        yield* runOverlapping(replaceBy([]), replaceBy(rooms.slice(0, 1)))
        assert.deepStrictEqual(yield* listed, rooms.slice(0, 1))
      })
    )

    it.effect("keep a name that was changed while the list was", () =>
      Effect.gen(function* () {
        const { operatorId, store, rooms, id } = yield* ready
        yield* runOverlapping(
          asSystemActor(store.update(operatorId, id, { property_ids: rooms }, NOW)),
          asSystemActor(store.update(operatorId, id, { name: "Marta B." }, NOW))
        )
        const { rows } = yield* store.search(operatorId, { id }, { offset: 0, limit: 1 })
        assert.deepInclude(rows[0], { name: "Marta B.", property_ids: rooms })
      })
    )
  })
})
