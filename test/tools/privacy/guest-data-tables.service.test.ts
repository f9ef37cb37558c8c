import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GUEST_DATA_TABLES } from "../../../src/tools/privacy/guest-data-tables.ts"
import { layerTest } from "../../support/harness.ts"
import { TABLES_WITHOUT_GUESTS } from "../../support/tools/privacy/kept-columns.ts"

layer(layerTest)("where something of a guest may be", (it) => {
  it.effect("is said of every table there is, in one way", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
      const listed = [...GUEST_DATA_TABLES.map(({ table }) => table), ...Object.keys(TABLES_WITHOUT_GUESTS)]
      assert.deepStrictEqual(listed.toSorted(), rows.map(({ name }) => name).toSorted())
    })
  )
})
