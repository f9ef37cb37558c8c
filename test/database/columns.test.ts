import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  assignmentsOf,
  column,
  columnOr,
  definitionsOf,
  namesOf,
  pairsOf,
  selectionOf
} from "../../src/database/columns.ts"

const Room = Schema.Struct({
  id: column("bigint", Schema.Int),
  price: column("numeric", Schema.NullOr(Schema.String)),
  opens_at: columnOr("time", Schema.NullOr(Schema.String), null)
})

describe("the columns of a table", () => {
  it("are said once, and make what statements say of them", () => {
    assert.strictEqual(namesOf(Room), "id, price, opens_at")
    assert.strictEqual(namesOf(Room, "r"), "r.id, r.price, r.opens_at")
    assert.strictEqual(definitionsOf(Room), "id bigint, price numeric, opens_at time")
    assert.strictEqual(assignmentsOf(Room, "given"), "id = given.id, price = given.price, opens_at = given.opens_at")
    assert.strictEqual(pairsOf(Room, "r"), "'id', r.id, 'price', r.price::text, 'opens_at', r.opens_at")
    assert.match(selectionOf(Room, "r"), /^r\.id, r\.price, CASE WHEN r\.opens_at IS NOT NULL .* END AS opens_at$/s)
  })

  it("have in a new row what is said, or else what stands for nothing", () => {
    assert.deepStrictEqual(Room.make({ id: 1, price: "2" }), { id: 1, price: "2", opens_at: null })
    assert.deepStrictEqual(Room.make({ id: 1, price: null, opens_at: "09:00" }).opens_at, "09:00")
  })

  it("are no columns without a type of the database", () => {
    const half = Schema.Struct({ ...Room.fields, title: Schema.String })
    assert.throws(() => namesOf(half), "title says no type of the database")
  })
})
