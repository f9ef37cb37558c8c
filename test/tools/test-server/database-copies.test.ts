import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CACHED_COPIES_MAX, findDatabaseCopies } from "../../../src/tools/test-server/database-copies.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const NOW = Date.parse("2027-03-01T09:00:00Z")
const ACCESS = { operator_id: 1, token: "lk_a", read_only_token: "lk_b", sign_in: null }

const prepare = Effect.gen(function* () {
  const folder = yield* makeEmptyFolder
  const [cache, migrated] = [join(folder, "cache"), join(folder, "migrated.tar.zst")]
  yield* Effect.promise(() => writeFile(migrated, zstdCompressSync(Buffer.from("all migrations"))))
  const find = (seed: string, now: number | undefined) => findDatabaseCopies(seed, now, cache, migrated)
  return { cache, migrated, find, listCached: Effect.promise(() => readdir(cache)) }
})

const readText = (copy: { readonly database: Blob } | undefined) => Effect.promise(async () => copy?.database.text())

describe("copies of the database of a test server", () => {
  it.live("begin with the migrated database of the package", () =>
    Effect.gen(function* () {
      const { find } = yield* prepare
      const { copy } = yield* find("demo", NOW)
      assert.isUndefined(copy?.access)
      assert.strictEqual(yield* readText(copy), "all migrations")
    }).pipe(Effect.scoped)
  )

  it.live("are found again for the same seed, time and release", () =>
    Effect.gen(function* () {
      const { cache, migrated, find } = yield* prepare
      yield* (yield* find("demo", NOW)).save({ database: new Blob(["seeded\n\0"]), access: ACCESS })
      const { copy } = yield* find("demo", NOW)
      assert.deepStrictEqual(copy?.access, ACCESS)
      assert.strictEqual(yield* readText(copy), "seeded\n\0")
      assert.isUndefined((yield* find("empty", NOW)).copy?.access)
      assert.isUndefined((yield* find("demo", NOW + 1)).copy?.access)
      assert.isUndefined((yield* find("demo", undefined)).copy?.access)
      yield* Effect.promise(() => writeFile(migrated, zstdCompressSync(Buffer.from("one more migration"))))
      assert.isUndefined((yield* findDatabaseCopies("demo", NOW, cache, migrated)).copy?.access)
    }).pipe(Effect.scoped)
  )

  it.live("are ignored if they cannot be read", () =>
    Effect.gen(function* () {
      const { cache, find, listCached } = yield* prepare
      yield* (yield* find("demo", NOW)).save({ database: new Blob(["seeded"]), access: ACCESS })
      const [name] = yield* listCached
      const whole = yield* Effect.promise(() => readFile(join(cache, name ?? ""), "utf8"))
      for (const damaged of ["", "no line", "{}\nseeded", whole.slice(0, -1), `${whole}.`]) {
        for (const name of yield* listCached) yield* Effect.promise(() => writeFile(join(cache, name), damaged))
        assert.strictEqual(yield* readText((yield* find("demo", NOW)).copy), "all migrations", damaged)
      }
    }).pipe(Effect.scoped)
  )

  it.live(`are at most ${CACHED_COPIES_MAX} in the cache, the latest`, () =>
    Effect.gen(function* () {
      const { cache, find, listCached } = yield* prepare
      for (let index = 0; index <= CACHED_COPIES_MAX; index++) {
        yield* Effect.sleep(20)
        yield* (yield* find("demo", NOW + index)).save({ database: new Blob(["seeded"]), access: ACCESS })
        assert.lengthOf(yield* listCached, Math.min(index + 1, CACHED_COPIES_MAX))
      }
      assert.isUndefined((yield* find("demo", NOW)).copy?.access)
      assert.isDefined((yield* find("demo", NOW + 1)).copy?.access)
      yield* Effect.promise(() => rm(cache, { recursive: true }))
    }).pipe(Effect.scoped)
  )

  it.live("are optional: a cache folder that cannot be written is no failure, and sources have no copies", () =>
    Effect.gen(function* () {
      const { cache, migrated, find } = yield* prepare
      yield* Effect.promise(() => writeFile(cache, "a file"))
      yield* (yield* find("demo", NOW)).save({ database: new Blob(["seeded"]), access: ACCESS })
      assert.isUndefined((yield* find("demo", NOW)).copy?.access)
      const fromSource = yield* findDatabaseCopies("demo", NOW, cache, `${migrated}.absent`)
      assert.isUndefined(fromSource.copy)
      yield* Effect.promise(() => rm(cache))
      yield* Effect.promise(() => mkdir(cache))
      yield* fromSource.save({ database: new Blob(["seeded"]), access: ACCESS })
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(cache)), [])
    }).pipe(Effect.scoped)
  )
})
