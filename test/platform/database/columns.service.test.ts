import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  column,
  columnAssignments,
  columnDefinitions,
  columnNames,
  columnReadExpressions,
  columnWithDefault,
  jsonObjectPairs,
  rowParameterSql,
  updateAssignments
} from "../../../src/platform/database/columns.ts"
import { layerTest } from "../../support/harness.ts"

const Room = Schema.Struct({
  id: column("bigint", Schema.Int),
  price: column("numeric", Schema.NullOr(Schema.String)),
  opens_at: columnWithDefault("time", Schema.NullOr(Schema.String), null)
})

describe("the columns of a table", () => {
  it("are said once, and make what statements say of them", () => {
    assert.strictEqual(columnNames(Room), "id, price, opens_at")
    assert.strictEqual(columnNames(Room, "r"), "r.id, r.price, r.opens_at")
    assert.strictEqual(columnDefinitions(Room), "id bigint, price numeric, opens_at time")
    assert.strictEqual(
      columnAssignments(Room, "given"),
      "id = given.id, price = given.price, opens_at = given.opens_at"
    )
    assert.strictEqual(jsonObjectPairs(Room, "r"), "'id', r.id, 'price', r.price::text, 'opens_at', r.opens_at")
  })

  it("have in a new row what is said, or else what stands for nothing", () => {
    assert.deepStrictEqual(Room.make({ id: 1, price: "2" }), { id: 1, price: "2", opens_at: null })
    assert.deepStrictEqual(Room.make({ id: 1, price: null, opens_at: "09:00" }).opens_at, "09:00")
  })

  it("are no columns without a type of the database", () => {
    const half = Schema.Struct({ ...Room.fields, title: Schema.String })
    assert.throws(() => columnNames(half), /^title .*\btype\b/)
  })
})

layer(layerTest)("what is written of a row", (it) => {
  it.effect("is read as an hour and a minute where it is a time of day, and as its text where it is an amount", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { opens_at = sql``, price = sql``, ...others } = columnReadExpressions(sql, Room, "r")
      assert.deepStrictEqual(others, {})
      const rows = yield* sql`
        SELECT ${opens_at} AS opens_at, ${price} AS price
        FROM (VALUES ('09:05'::time, 1.50::numeric(18, 4)), (NULL, NULL)) r (opens_at, price)`
      assert.deepStrictEqual(rows, [
        { opens_at: { hour: 9, minute: 5 }, price: "1.5000" },
        { opens_at: null, price: null }
      ])
    })
  )

  it.effect("are its columns, whatever else an object has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const more = { id: 7, price: "2.5", operator_id: 2 }
      const rows = yield* sql`SELECT given.* FROM ${rowParameterSql(sql, Room, more)}`
      assert.deepStrictEqual(Object.keys(rows[0] ?? {}), ["id", "price", "opens_at"])
      assert.deepInclude(rows[0] ?? {}, { id: 7, opens_at: null })
      const [set, values] = sql`${updateAssignments(sql, Room, "rooms", more)}`.compile()
      assert.match(set, /^id = \$1::bigint, ?price = \$2::numeric, ?opens_at = rooms\.opens_at$/)
      assert.deepStrictEqual(values, [7, "2.5"])
    })
  )
})
