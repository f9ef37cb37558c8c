import { Data, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { toReason } from "./error-reason.ts"
import type { Migration } from "./migration.ts"
import { retryOnLockConflict } from "./statement-retry.ts"

/** The failed migration is rolled back unless it is non-transactional. Earlier migrations stay. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  /** File name without extension, such as `0001_foundation`. */
  readonly migration: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `migration ${this.migration} failed: ${toReason(this.cause)}`
  }
}

const MIGRATION_LOCK = 7_012_026

const toFileName = (migration: Migration): string => `${String(migration.id).padStart(4, "0")}_${migration.name}`

const takeMigrationLock = Effect.fnUntraced(function* (sql: SqlClient) {
  const [attempt] = yield* sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as mine`
  if (attempt?.mine === true) return
  yield* Effect.logInfo("another process migrates or seeds this database: waiting for it")
  yield* sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
})

/** Excludes all other migrations and seeds. */
export const withMigrationLock = <A, E>(sql: SqlClient, work: Effect.Effect<A, E, SqlClient>) =>
  sql.withTransaction(
    // Waiting may take longer than the statement timeout.
    Effect.andThen(sql`set local statement_timeout = 0`, takeMigrationLock(sql)).pipe(Effect.andThen(work))
  )

const applyMigration = Effect.fnUntraced(function* (sql: SqlClient, migration: Migration) {
  const existing = yield* sql`select 1 from schema_migrations where id = ${migration.id}`
  if (existing.length > 0) return false
  yield* migration.up
  const appliedAt = yield* DateTime.nowAsDate
  yield* sql`insert into schema_migrations (id, name, applied_at)
    values (${migration.id}, ${migration.name}, ${appliedAt})`
  return true
})

const applyNonTransactional = (sql: SqlClient, migration: Migration) =>
  Effect.andThen(migration.up, withMigrationLock(sql, applyMigration(sql, { ...migration, up: Effect.void })))

const loadAppliedIds = (sql: SqlClient) =>
  Effect.andThen(
    sql`create table if not exists schema_migrations (
      id integer primary key,
      name text not null,
      applied_at timestamptz not null
    )`,
    sql<{ id: number }>`select id from schema_migrations`
  )

/**
 * Returns the file names of the applied migrations, in order.
 *
 * Safe in several processes at once: one applies a migration, and the others wait and skip it. Non-transactional
 * migrations may run in several processes at once.
 */
export const migrate = Effect.fn("migrate")(function* (
  migrations: ReadonlyArray<Migration>
): Effect.fn.Return<ReadonlyArray<string>, MigrationFailed | SqlError, SqlClient> {
  const sql = yield* SqlClient
  const ordered = migrations.toSorted((left, right) => left.id - right.id)
  if (new Set(ordered.map(({ id }) => id)).size < ordered.length) {
    return yield* Effect.die(new Error("two migrations have the same id"))
  }
  const appliedIds = new Set((yield* withMigrationLock(sql, loadAppliedIds(sql))).map(({ id }) => id))
  const appliedNames: Array<string> = []
  for (const migration of ordered) {
    if (appliedIds.has(migration.id)) continue
    const work = migration.nonTransactional
      ? applyNonTransactional(sql, migration)
      : withMigrationLock(sql, applyMigration(sql, migration))
    const isNew = yield* retryOnLockConflict(work).pipe(
      Effect.catchDefect((defect) => Effect.fail(defect)),
      Effect.mapError((cause) => new MigrationFailed({ migration: toFileName(migration), cause }))
    )
    if (isNew) appliedNames.push(toFileName(migration))
  }
  return appliedNames
})
