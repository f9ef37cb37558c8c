import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../../../../src/platform/database/postgres.ts"

// A client behind a pooler that has several statements under way whenever it is killed: `node dying-client.ts URL`.

const runStatementsForever = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  console.log("asks")
  yield* Effect.forever(
    Effect.all(
      Array.from({ length: 8 }, () => sql`SELECT pg_sleep(0.01), -1 AS n`),
      { concurrency: "unbounded" }
    )
  )
})

await Effect.runPromise(
  Effect.provide(
    runStatementsForever,
    layerPostgres({
      url: Redacted.make(process.argv[2] ?? ""),
      pooler: { supportsPreparedStatements: false },
      maxConnections: 2,
      statementsPerConnection: 4
    })
  )
)
