import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { migrate } from "../src/database/migrate.ts"
import { layerPostgres } from "../src/database/postgres.ts"

/** The server the bench makes its database on. */
export const SERVER_URL = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres"

const on = (url: string) => layerPostgres({ url: Redacted.make(url), maxConnections: 2 })

/** A migrated database for as long as `use` runs; it is dropped afterwards. */
export const withScratchDatabase = <A, E>(use: (url: string) => Effect.Effect<A, E, SqlClient.SqlClient>) => {
  const name = `latchkey_bench_${randomBytes(4).toString("hex")}`
  const url = new URL(SERVER_URL)
  url.pathname = `/${name}`
  const admin = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement).unprepared).pipe(Effect.provide(on(SERVER_URL)))
  return Effect.acquireUseRelease(
    admin(`CREATE DATABASE ${name}`),
    () => Effect.andThen(migrate(migrations), use(url.href)).pipe(Effect.provide(on(url.href))),
    () => Effect.orDie(admin(`DROP DATABASE ${name} WITH (FORCE)`))
  )
}
