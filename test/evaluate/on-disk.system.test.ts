import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { evaluated } from "../../evaluate/evaluated.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { FirstStart } from "../support/first-start.ts"

// On a server, commits of the background do not wait for the disk: what it does may be done twice. What a caller is told must.

/** Remembers of each change that a caller made whether its commit waited for the disk. */
const watched = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(
    [
      sql`CREATE TABLE commits (operation text, waited text)`,
      sql`CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO commits VALUES (NEW.operation, current_setting('synchronous_commit'));
        RETURN NULL;
      END $$`,
      sql`CREATE TRIGGER remember AFTER INSERT ON trail FOR EACH ROW WHEN (NEW.request_id IS NOT NULL) EXECUTE FUNCTION remember()`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
)

const isServer = inject("testDatabaseUrl") !== ""

describe.skipIf(!isServer)(isServer ? "on a server" : "on a server (skipped: DATABASE_URL not set)", () => {
  layer(FirstStart.layer, { excludeTestServices: true })("what a caller was told", (it) => {
    it.effect("is on the disk, whatever stores the background has beside the doors", () =>
      Effect.gen(function* () {
        const { baseUrl: base, token, env } = yield* FirstStart
        const commits = yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* watched
          yield* Effect.promise(() => evaluated(base, token, undefined))
          return yield* sql<{ operation: string; waited: string }>`SELECT DISTINCT operation, waited FROM commits`
        }).pipe(Effect.provide(layerPostgres({ url: Redacted.make(env["DATABASE_URL"] ?? ""), maxConnections: 1 })))
        assert.isAbove(commits.length, 15)
        assert.deepStrictEqual(
          commits.filter(({ waited }) => waited !== "on"),
          []
        )
      })
    )
  })
})
