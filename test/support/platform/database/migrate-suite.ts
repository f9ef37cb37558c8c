import type { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { MigrationFailed, migrate } from "../../../../src/platform/database/migrate.ts"
import type { Migration } from "../../../../src/platform/database/migration.ts"
import { MAX_STATEMENT_RETRIES } from "../../../../src/platform/database/statement-retry.ts"
import { formatFailure } from "../../../../src/tools/cli/command-failure.ts"

const migration = (id: number, name: string, ...statements: ReadonlyArray<string>): Migration => ({
  id,
  name,
  up: Effect.flatMap(SqlClient, (sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))
})

const guests = migration(1, "guests", "create table guests (id integer)", "insert into guests values (1)")
const stays = migration(2, "stays", "create table stays (id integer)", "create index stays_id on stays (id)")
const broken = migration(3, "broken", "create table rates (id integer)", "insert into guests values (2)", "select 1/0")
const notes = migration(4, "notes", "create table notes (id integer)")

const tables = Effect.flatMap(
  SqlClient,
  (sql) => sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
).pipe(Effect.map((rows) => rows.map(({ name }) => name)))

const recorded = Effect.flatMap(
  SqlClient,
  (sql) => sql`select id, name, applied_at is not null as dated from schema_migrations order by id`
)

/** How a schema is brought up to date, whatever the database. The database loses its schema before each test. */
export const migrateSuite = <E>(name: string, database: Layer.Layer<PgClient.PgClient | SqlClient, E>): void => {
  const empty = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`drop schema public cascade`
    yield* sql`create schema public`
  })

  layer(database)(name, (it) => {
    it.effect("applies in the order of ids, records each, and a second run does nothing", () =>
      Effect.gen(function* () {
        yield* empty
        expect(yield* migrate([stays, guests])).toEqual(["0001_guests", "0002_stays"])
        expect(yield* tables).toEqual(["guests", "schema_migrations", "stays"])
        expect(yield* recorded).toEqual([
          { id: 1, name: "guests", dated: true },
          { id: 2, name: "stays", dated: true }
        ])
        expect(yield* migrate([guests, stays])).toEqual([])
        expect(yield* migrate([guests, stays, notes])).toEqual(["0004_notes"])
      })
    )

    it.effect("one that fails is named and leaves nothing; those before it stay, those after it wait", () =>
      Effect.gen(function* () {
        yield* empty
        const error = yield* Effect.flip(migrate([guests, broken, notes]))
        expect(error).toBeInstanceOf(MigrationFailed)
        expect(error.message).toMatch(/\b0003_broken\b.*: division by zero$/)
        expect(yield* tables).toEqual(["guests", "schema_migrations"])
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }])
        expect(yield* recorded).toEqual([{ id: 1, name: "guests", dated: true }])

        const mended = migration(3, "broken", "create table rates (id integer)")
        expect(yield* migrate([guests, mended, notes])).toEqual(["0003_broken", "0004_notes"])
      })
    )

    it.effect("one that breaks by a mistake in its program fails the same way", () =>
      Effect.gen(function* () {
        yield* empty
        const faulty: Migration = { id: 1, name: "faulty", up: Effect.die(new Error("no such column")) }
        const error = yield* Effect.flip(migrate([faulty]))
        expect(error.message).toMatch(/\b0001_faulty\b.*: no such column$/)
        expect(yield* recorded).toEqual([])
      })
    )

    it.effect(
      "one that met another's transaction is tried again, and is named by who starts where it always does",
      () =>
        Effect.gen(function* () {
          yield* empty
          let left = MAX_STATEMENT_RETRIES
          const meeting = Effect.flatMap(SqlClient, (sql) =>
            Effect.suspend(() =>
              left-- > 0
                ? sql`do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`
                : sql`insert into guests values (2)`
            )
          )
          const met: Migration = { id: 2, name: "met", up: Effect.asVoid(meeting) }
          expect(yield* migrate([guests, met])).toEqual(["0001_guests", "0002_met"])
          expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }, { id: 2 }])

          left = MAX_STATEMENT_RETRIES + 1
          const again: Migration = { ...met, id: 3 }
          const exit = yield* Effect.exit(migrate([guests, met, again]))
          expect(Exit.isFailure(exit) ? formatFailure(exit.cause) : "").toMatch(/\b0003_met\b.*: deadlock detected$/)
        })
    )

    it.effect("one in pieces keeps those that were done, and begins again", () =>
      Effect.gen(function* () {
        yield* empty
        const notYet = {
          ...migration(2, "more", "insert into guests values (2)", "select 1/0"),
          inPieces: true
        } as const
        const error = yield* Effect.flip(migrate([guests, notYet]))
        expect(error.message).toMatch(/\b0002_more\b.*: division by zero$/)
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }, { id: 2 }])
        expect(yield* recorded).toEqual([{ id: 1, name: "guests", dated: true }])

        const mended = { ...migration(2, "more", "update guests set id = 3 where id = 2"), inPieces: true } as const
        expect(yield* migrate([guests, mended])).toEqual(["0002_more"])
        expect(yield* migrate([guests, mended])).toEqual([])
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }, { id: 3 }])
      })
    )

    it.effect("started several times at once, each migration is applied once and all wait for it", () =>
      Effect.gen(function* () {
        yield* empty
        const run = Effect.andThen(migrate([guests, stays]), (done) => Effect.map(tables, (after) => ({ done, after })))
        const runs = yield* Effect.all([run, run, run, run], { concurrency: "unbounded" })
        expect(runs.flatMap(({ done }) => done).toSorted()).toEqual(["0001_guests", "0002_stays"])
        for (const { after } of runs) expect(after).toEqual(["guests", "schema_migrations", "stays"])
        expect(yield* Effect.flatMap(SqlClient, (sql) => sql`select id from guests`)).toEqual([{ id: 1 }])
      })
    )
  })
}
