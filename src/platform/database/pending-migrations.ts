import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Migration } from "./migration.ts"

export const loadPendingMigrations = Effect.fn("pendingMigrations")(function* (migrations: ReadonlyArray<Migration>) {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ exists: boolean }>`SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`
  const applied = table?.exists === true ? yield* sql<{ id: number }>`SELECT id FROM schema_migrations` : []
  const appliedIds = new Set(applied.map(({ id }) => id))
  return migrations.filter(({ id }) => !appliedIds.has(id))
})
