import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { seedGround } from "../../../bench/reservation-ground.ts"
import { migrations } from "../../../migrations/index.ts"
import { makeDatabaseByteStorage } from "../../../src/domain/guests/images/database-byte-storage.ts"
import { makeFolderByteStorage } from "../../../src/domain/guests/images/folder-byte-storage.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { loadBackup, RestoreFailed } from "../../../src/tools/backup/backup-loader.ts"
import type { BackupPiece } from "../../../src/tools/backup/backup-pieces.ts"
import { findFirstRelation, loadForeignKeys } from "../../../src/tools/backup/database-catalog.ts"
import { exportDatabase, loadBackupHeader } from "../../../src/tools/backup/database-export.ts"
import { formatFailure } from "../../../src/tools/cli/command-failure.ts"
import { withServerNote } from "../../support/overlapping-transactions.ts"
import { createEmptyDatabase } from "../../support/scratch-database.ts"
import { layerEmptyDatabaseInMemory, layerTestDatabaseInMemory } from "../../support/test-database.ts"
import { NEW_DATABASES_MS } from "../../support/time-limits.ts"
import {
  digestTable,
  findDatabaseDifference,
  RELEASE,
  restoreBackupFile,
  writeBackupFile
} from "../../support/tools/backup/backup-files.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const server = process.env.DATABASE_URL ?? ""

/** A database that lives as long as the scope, as a layer that does not make it anew. */
const kept = <E>(layer: Layer.Layer<SqlClient.SqlClient, E>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => Layer.succeedContext(context))

/** Some hundred stays, and two images, of which one is in the folder. */
const seeded = Effect.fnUntraced(function* (folder: string) {
  const sql = yield* SqlClient.SqlClient
  // A run on a server has no embedded database that is migrated already.
  yield* migrate(migrations)
  yield* seedGround({ operators: 2, each: 150 })
  yield* sql`INSERT INTO images (operator_id, token, kind, bytes, created_at) VALUES (1, 'lkimage_1', 'message', 3, now()),
    (1, 'lkimage_2', 'message', 3, now())`
  yield* makeFolderByteStorage(folder).write({ operatorId: 1, id: 1, token: "lkimage_1" }, new Uint8Array([1, 2, 3]))
  const [told] = yield* writeBackupFile(join(folder, "a.latchkey"), makeFolderByteStorage(folder))
  return told
})

/** A database with its backup, made once for all tests: none of them changes it. */
const source = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const folder = yield* Scope.provide(makeEmptyFolder, scope)
      const layer = yield* Scope.provide(kept(layerTestDatabaseInMemory), scope)
      const told = yield* Effect.provide(seeded(folder), layer)
      return { layer, told, file: join(folder, "a.latchkey") }
    })
  )
)

const onServer = Effect.map(createEmptyDatabase(server), (url) =>
  layerPostgres({ url: Redacted.make(url), maxConnections: 1 })
)

const isBack = Effect.fnUntraced(function* (to: Layer.Layer<SqlClient.SqlClient, unknown>) {
  const { layer: from, told, file } = yield* source
  assert.deepInclude(told, { images: 1, images_missing: 1 })
  const loaded = yield* Effect.provide(restoreBackupFile(file), to)
  assert.deepInclude(loaded, { rows: told.rows, images: 1, images_missing: 1, passed_over: [] })
  const image = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const bytes = yield* makeDatabaseByteStorage(sql).read({ operatorId: 1, id: 1, token: "" }, 0, 9)
    yield* sql`DELETE FROM image_bytes`
    return Array.from(bytes)
  })
  // It came from a folder, and is in the database here.
  assert.deepStrictEqual(yield* Effect.provide(image, to), [1, 2, 3])
  assert.isUndefined(yield* findDatabaseDifference(from, to))
  const keys = Effect.map(Effect.flatMap(SqlClient.SqlClient, loadForeignKeys), (all) =>
    all.map(({ name, definition }) => `${name} ${definition}`).toSorted()
  )
  assert.deepStrictEqual(yield* Effect.provide(keys, to), yield* Effect.provide(keys, from))
  yield* Effect.provide(goesOn, to)
})

/** New records get new ids, and the rules of the tables are back. */
const goesOn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* seedMore
  const orphan = yield* Effect.exit(
    sql`INSERT INTO guests (operator_id, stay_id, name, is_booker) VALUES (1, 999999, 'X', true)`
  )
  assert.strictEqual(orphan._tag, "Failure")
  const off = yield* sql`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O'`
  assert.deepStrictEqual(off, [])
})

const seedMore = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    WITH o AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
      VALUES (1, '5-NEW', 'direct', 'NEW', 'accepted', 'EUR', now(), now()) RETURNING id
    ) INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, order_id,
        status, operator_name, created_at, updated_at)
      SELECT 1, 'income', 1, 'EUR', 11, 197, now(), id, 'paid', 'Owner', now(), now() FROM o`
)

it.live.skipIf(server === "")(
  withServerNote("a backup of the embedded database is restored on a server, as it was"),
  () => Effect.flatMap(Effect.flatMap(onServer, kept), isBack)
)

it.live.skipIf(server === "")(
  withServerNote("of two restores into one empty database one is refused, and the other is whole"),
  () =>
    Effect.gen(function* () {
      const { layer: from, file } = yield* source
      const url = yield* createEmptyDatabase(server)
      const one = () => layerPostgres({ url: Redacted.make(url), maxConnections: 1 })
      const restoring = Effect.suspend(() =>
        Effect.exit(Effect.provide(restoreBackupFile(file), one(), { local: true }))
      )
      const exits = yield* Effect.all([restoring, restoring], { concurrency: 2 })
      const failures = exits.flatMap((exit) => (exit._tag === "Failure" ? [Cause.pretty(exit.cause)] : []))
      assert.lengthOf(failures, 1)
      assert.match(failures[0] ?? "", /DATABASE_URL: .*\bempty database\b/)
      // Its images come from a folder, and are in the database here.
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM image_bytes`),
        one(),
        { local: true }
      )
      assert.isUndefined(yield* findDatabaseDifference(from, one()))
    })
)

it.live("a database without a table of Latchkey is no backup", () =>
  Effect.gen(function* () {
    const file = join(yield* makeEmptyFolder, "a.latchkey")
    const { message } = yield* Effect.flip(Effect.provide(writeBackupFile(file), layerEmptyDatabaseInMemory))
    assert.match(message, /\bno tables of Latchkey\b/)
  })
)

it.live(
  "an older backup gets its tables as they were, and is migrated then; a newer one is refused",
  () =>
    Effect.gen(function* () {
      const file = join(yield* makeEmptyFolder, "a.latchkey")
      const older = migrations.filter(({ id }) => id <= 42)
      const from = yield* kept(layerEmptyDatabaseInMemory)
      const made = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate(older)
        yield* sql`INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Old', 'UTC', 'EUR', now())`
        // Somebody else's table is no reason to refuse what is Latchkey's.
        yield* sql`CREATE TABLE of_somebody (a int)`
        yield* sql`INSERT INTO of_somebody VALUES (1)`
      })
      yield* Effect.provide(Effect.andThen(made, writeBackupFile(file)), from)
      const to = yield* kept(layerEmptyDatabaseInMemory)
      const loaded = yield* Effect.provide(restoreBackupFile(file), to)
      assert.deepStrictEqual(loaded.passed_over, ["of_somebody"])
      const after = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.all([sql`SELECT name FROM operators`, sql`SELECT id FROM schema_migrations`])
      )
      const [operators, applied] = yield* Effect.provide(after, to)
      assert.deepStrictEqual(operators, [{ name: "Old" }])
      assert.strictEqual(applied.length, migrations.length)

      const before = { latchkey: "1.0.0", migrations: older.slice(0, 40) }
      const newer = yield* Effect.flip(Effect.provide(restoreBackupFile(file, before), to))
      assert.match(String(newer), /\b1\.0\.0\b.*\b41 sandbox_guests\b.*\b3\.13\.0\b/)
    }),
  NEW_DATABASES_MS
)

it.live(
  "what does not arrive as it was told leaves nothing; what does is as it was",
  () =>
    Effect.gen(function* () {
      const { layer: from } = yield* source
      const telling = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pieces: Array<BackupPiece> = []
        yield* exportDatabase(sql, { latchkey: "3.13.0", images: undefined }, (piece) =>
          Effect.sync(() => pieces.push(piece))
        )
        return { header: yield* loadBackupHeader(sql, "3.13.0"), pieces: pieces.slice(1) }
      })
      const { header, pieces } = yield* Effect.provide(telling, from)
      const stays = pieces.findIndex((piece) => "table" in piece && piece.table === "stays")
      const without = (nth: number) => pieces.filter((_, at) => at !== nth)
      const altered = pieces.map((piece) =>
        "some" in piece ? { some: piece.some.map((row) => row.replace("Ada", "Eve")) } : piece
      )
      const orphans = pieces.map((piece) =>
        "table" in piece && piece.table === "orders" ? { ...piece, rows: 0, digest: "0" } : piece
      )
      const orders = pieces.findIndex((piece) => "table" in piece && piece.table === "orders")
      const spoilt: ReadonlyArray<readonly [string, ReadonlyArray<BackupPiece>]> = [
        ["stays is missing", pieces.filter((_, at) => at !== stays && at !== stays + 1)],
        ["stays was not restored", without(stays + 1)],
        ["was not restored", altered],
        ["end is missing", pieces.slice(0, -1)],
        ["after its end", [...pieces, { some: ["(1)"] }]],
        ["violates foreign key", orphans.filter((_, at) => at !== orders + 1)]
      ]
      const to = yield* kept(layerEmptyDatabaseInMemory)
      for (const [why, told] of spoilt) {
        const loading = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const target = { ...RELEASE, name: "DATABASE_URL", images: makeDatabaseByteStorage(sql) }
          const failed = yield* Effect.flip(
            loadBackup(header, target, (take) => Effect.forEach(told, take, { discard: true }))
          )
          const reason = failed instanceof RestoreFailed ? failed.message : formatFailure(Cause.fail(failed))
          assert.include(reason, why)
          assert.deepStrictEqual(yield* findFirstRelation(sql), [])
        })
        yield* Effect.provide(loading, to)
      }
      yield* isBack(to)
    }),
  NEW_DATABASES_MS
)

it.live("a database that has anything is refused, and stays as it is", () =>
  Effect.gen(function* () {
    const { layer, file } = yield* source
    const before = yield* Effect.provide(digestTable("orders"), layer)
    const refused = yield* Effect.flip(Effect.provide(restoreBackupFile(file), layer))
    assert.match(String(refused), /DATABASE_URL: .*\bempty database\b.* [a-z_]+$/)
    assert.deepStrictEqual(yield* Effect.provide(digestTable("orders"), layer), before)
  })
)
