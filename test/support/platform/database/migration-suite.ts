import type { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { MigrationFailed, migrate } from "../../../../src/platform/database/migrate.ts"
import type { Migration } from "../../../../src/platform/database/migration.ts"
import { MAX_STATEMENT_RETRIES } from "../../../../src/platform/database/statement-retry.ts"
import { formatFailure } from "../../../../src/tools/cli/command-failure.ts"

const makeMigration = (id: number, name: string, ...statements: ReadonlyArray<string>): Migration => ({
  id,
  name,
  up: Effect.flatMap(SqlClient, (sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))
})

const guestsMigration = makeMigration(1, "guests", "create table guests (id integer)", "insert into guests values (1)")
const staysMigration = makeMigration(
  2,
  "stays",
  "create table stays (id integer)",
  "create index stays_id on stays (id)"
)
const brokenMigration = makeMigration(
  3,
  "broken",
  "create table rates (id integer)",
  "insert into guests values (2)",
  "select 1/0"
)
const notesMigration = makeMigration(4, "notes", "create table notes (id integer)")

const loadTableNames = Effect.flatMap(
  SqlClient,
  (sql) => sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
).pipe(Effect.map((rows) => rows.map(({ name }) => name)))

const loadAppliedMigrations = Effect.flatMap(
  SqlClient,
  (sql) => sql`select id, name, applied_at is not null as dated from schema_migrations order by id`
)

/** How a schema is brought up to date, whatever the database. The database loses its schema before each test. */
export const defineMigrationSuite = <E>(
  name: string,
  database: Layer.Layer<PgClient.PgClient | SqlClient, E>
): void => {
  const resetSchema = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`drop schema public cascade`
    yield* sql`create schema public`
  })

  layer(database)(name, (it) => {
    it.effect("applies in the order of ids, records each, and a second run does nothing", () =>
      Effect.gen(function* () {
        yield* resetSchema
        expect(yield* migrate([staysMigration, guestsMigration])).toEqual(["0001_guests", "0002_stays"])
        expect(yield* loadTableNames).toEqual(["guests", "schema_migrations", "stays"])
        expect(yield* loadAppliedMigrations).toEqual([
          { id: 1, name: "guests", dated: true },
          { id: 2, name: "stays", dated: true }
        ])
        expect(yield* migrate([guestsMigration, staysMigration])).toEqual([])
        expect(yield* migrate([guestsMigration, staysMigration, notesMigration])).toEqual(["0004_notes"])
      })
    )

    it.effect("one that fails is named and leaves nothing; those before it stay, those after it wait", () =>
      Effect.gen(function* () {
        yield* resetSchema
        const error = yield* Effect.flip(migrate([guestsMigration, brokenMigration, notesMigration]))
        expect(error).toBeInstanceOf(MigrationFailed)
        expect(error.message).toMatch(/\b0003_broken\b.*: division by zero$/)
        expect(yield* loadTableNames).toEqual(["guests", "schema_migrations"])
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }])
        expect(yield* loadAppliedMigrations).toEqual([{ id: 1, name: "guests", dated: true }])

        const mendedMigration = makeMigration(3, "broken", "create table rates (id integer)")
        expect(yield* migrate([guestsMigration, mendedMigration, notesMigration])).toEqual([
          "0003_broken",
          "0004_notes"
        ])
      })
    )

    it.effect("one that breaks by a mistake in its program fails the same way", () =>
      Effect.gen(function* () {
        yield* resetSchema
        const faulty: Migration = { id: 1, name: "faulty", up: Effect.die(new Error("no such column")) }
        const error = yield* Effect.flip(migrate([faulty]))
        expect(error.message).toMatch(/\b0001_faulty\b.*: no such column$/)
        expect(yield* loadAppliedMigrations).toEqual([])
      })
    )

    it.effect(
      "one that met another's transaction is tried again, and is named by who starts where it always does",
      () =>
        Effect.gen(function* () {
          yield* resetSchema
          let remainingFailures = MAX_STATEMENT_RETRIES
          const failThenInsert = Effect.flatMap(SqlClient, (sql) =>
            Effect.suspend(() =>
              remainingFailures-- > 0
                ? sql`do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`
                : sql`insert into guests values (2)`
            )
          )
          const retriedMigration: Migration = { id: 2, name: "met", up: Effect.asVoid(failThenInsert) }
          expect(yield* migrate([guestsMigration, retriedMigration])).toEqual(["0001_guests", "0002_met"])
          expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }, { id: 2 }])

          remainingFailures = MAX_STATEMENT_RETRIES + 1
          const again: Migration = { ...retriedMigration, id: 3 }
          const exit = yield* Effect.exit(migrate([guestsMigration, retriedMigration, again]))
          expect(Exit.isFailure(exit) ? formatFailure(exit.cause) : "").toMatch(/\b0003_met\b.*: deadlock detected$/)
        })
    )

    it.effect("one in pieces keeps those that were done, and begins again", () =>
      Effect.gen(function* () {
        yield* resetSchema
        const failingInPieces = {
          ...makeMigration(2, "more", "insert into guests values (2)", "select 1/0"),
          nonTransactional: true
        } as const
        const error = yield* Effect.flip(migrate([guestsMigration, failingInPieces]))
        expect(error.message).toMatch(/\b0002_more\b.*: division by zero$/)
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }, { id: 2 }])
        expect(yield* loadAppliedMigrations).toEqual([{ id: 1, name: "guests", dated: true }])

        const mendedMigration = {
          ...makeMigration(2, "more", "update guests set id = 3 where id = 2"),
          nonTransactional: true
        } as const
        expect(yield* migrate([guestsMigration, mendedMigration])).toEqual(["0002_more"])
        expect(yield* migrate([guestsMigration, mendedMigration])).toEqual([])
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }, { id: 3 }])
      })
    )

    it.effect("started several times at once, each migration is applied once and all wait for it", () =>
      Effect.gen(function* () {
        yield* resetSchema
        const run = Effect.andThen(migrate([guestsMigration, staysMigration]), (done) =>
          Effect.map(loadTableNames, (after) => ({ done, after }))
        )
        const runs = yield* Effect.all([run, run, run, run], { concurrency: "unbounded" })
        expect(runs.flatMap(({ done }) => done).toSorted()).toEqual(["0001_guests", "0002_stays"])
        for (const { after } of runs) expect(after).toEqual(["guests", "schema_migrations", "stays"])
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }])
      })
    )
  })
}
