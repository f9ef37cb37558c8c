import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerEmbedded } from "../../../../src/platform/database/embedded.ts"

// Writes rows into the data folder named by its argument until it is killed, and prints an id only after the database
// has answered: half of them by a statement alone, half in a transaction that also updates another row.

const writeRowsForever = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create table if not exists acknowledged (id integer generated always as identity primary key, text text)`
  yield* sql`create table if not exists progress (n integer)`
  const insert = sql<{ id: number }>`insert into acknowledged (text) values (repeat('x', 500)) returning id`
  const inTransaction = sql.withTransaction(Effect.tap(insert, () => sql`insert into progress values (1)`))
  for (let n = 0; ; n++) {
    const [row] = yield* n % 2 === 0 ? insert : inTransaction
    process.stdout.write(`${row?.id}\n`)
  }
})

await Effect.runPromise(writeRowsForever.pipe(Effect.provide(layerEmbedded(process.argv[2] ?? ""))))
