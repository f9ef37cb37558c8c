import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { STAFF_PROPERTIES_NAMED_MAX } from "../../../../src/platform/limits.ts"
import { StaffDirectory } from "../../../../src/transports/console/queries/StaffDirectory.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertProperty, layerTest, typedClient, withToken } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(StaffDirectory.layer.pipe(Layer.provideMerge(layerTest)))("the staff", (it) => {
  it.effect("is listed in one statement with the names of some of their properties, and nobody else's", () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* createOperator(), yield* createOperator()]
      const { operatorId } = operator
      const titles = Array.from({ length: STAFF_PROPERTIES_NAMED_MAX + 1 }, (_each, at) => `Home ${at}`)
      const homes = yield* Effect.forEach(titles, (title) => insertProperty(operatorId, title))
      const api = yield* typedClient
      const mobile = "+49 15112345678"
      yield* Effect.gen(function* () {
        const { staff_id } = yield* api.create_staff({ name: "Marta", mobile, property_ids: homes.slice(0, 1) })
        // What she was limited to before does not count.
        yield* api.update_staff({ id: staff_id, property_ids: homes })
        yield* api.create_staff({ name: "Li", mobile })
      }).pipe(withToken(operator.token))
      yield* api.create_staff({ name: "Theirs", mobile }).pipe(withToken(other.token))
      const staff = yield* StaffDirectory
      const [{ rows, total }, statements] = yield* countStatements(staff.list(0)).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual([statements, total], [1, 2])
      assert.deepStrictEqual(
        rows.map(({ name, titles, properties }) => [name, titles, properties]),
        [
          ["Marta", titles.slice(0, STAFF_PROPERTIES_NAMED_MAX), STAFF_PROPERTIES_NAMED_MAX + 1],
          ["Li", [], 0]
        ]
      )
      const next = yield* staff.list(1).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual([next.total, next.rows.map(({ name }) => name)], [2, ["Li"]])
      const id = rows[0]?.id
      const [form, asked] = yield* countStatements(staff.form({ id, q: undefined })).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual([asked, form.it?.property_ids, form.properties.length], [1, homes, homes.length])
      const foreign = yield* staff.form({ id, q: undefined }).pipe(asCaller(other))
      assert.deepStrictEqual([foreign.it, foreign.properties], [null, []])
    })
  )
})
