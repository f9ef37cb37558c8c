import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerTestDatabase } from "../database.ts"
import { countStatements } from "../statements.ts"

layer(layerTestDatabase)("counting statements", (it) => {
  it.effect("counts what goes over the wire", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [rows, count] = yield* countStatements(Effect.andThen(sql`select 1`, sql`select 2 as two`))
      expect(rows).toEqual([{ two: 2 }])
      expect(count).toBe(2)
      const [, none] = yield* countStatements(Effect.void)
      expect(none).toBe(0)
    })
  )
})
