import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerCommandEmbedded } from "../../../../src/platform/database/command-embedded.ts"

// A command that renames every operator in a transaction, says so, and never ends it. Started by running.system.test.ts.

const holdOpenTransaction = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`UPDATE operators SET name = 'Somebody else'`
      process.stdout.write("open\n")
      yield* Effect.never
    })
  )
})

await Effect.runPromise(holdOpenTransaction.pipe(Effect.provide(layerCommandEmbedded(process.argv[2] ?? ""))))
