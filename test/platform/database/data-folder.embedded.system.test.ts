import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerEmbedded } from "../../../src/platform/database/embedded.ts"

/** A data folder in which a database was made and written to, in a folder anybody may read. */
class Used extends Context.Service<Used, string>()("test/database/folder-modes/Used") {
  static readonly layer = Layer.effect(
    Used,
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "latchkey-modes-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const dataDir = join(folder, "data")
      yield* written(dataDir, "first")
      return dataDir
    })
  )
}

/** Opens the folder, makes a table in it and looks at the modes while it is open. */
const written = (dataDir: string, table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`CREATE TABLE ${sql(table)} AS SELECT repeat('x', 100) AS text FROM generate_series(1, 5000)`
    yield* sql`CHECKPOINT`
    return openToOthers(dataDir)
  }).pipe(Effect.provide(layerEmbedded(dataDir), { local: true }))

/** Everything below a folder, itself included, that is not its owner's alone. */
const openToOthers = (folder: string): ReadonlyArray<string> =>
  [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].filter((name) => {
    const { mode } = statSync(join(folder, name))
    const isFolder = statSync(join(folder, name)).isDirectory()
    return (mode & 0o777) !== (isFolder ? 0o700 : 0o600)
  })

layer(Used.layer, { excludeTestServices: true })("the files of the data folder", (it) => {
  it.effect("are their owner's alone, while the database is open and after", () =>
    Effect.gen(function* () {
      const dataDir = yield* Used
      assert.isAbove(readdirSync(dataDir, { recursive: true }).length, 900)
      assert.deepStrictEqual(openToOthers(dataDir), [])
      assert.deepStrictEqual(yield* written(dataDir, "second"), [])
      assert.deepStrictEqual(openToOthers(dataDir), [])
    })
  )

  it.effect("are mended where an earlier release left them open", () =>
    Effect.gen(function* () {
      const dataDir = yield* Used
      for (const name of readdirSync(dataDir, { recursive: true, encoding: "utf8" })) {
        const path = join(dataDir, name)
        chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
      }
      chmodSync(dataDir, 0o755)
      assert.deepStrictEqual(yield* written(dataDir, "third"), [])
    })
  )

  it.effect("are all that is touched: what somebody else keeps there, and what a link leads to, stays", () =>
    Effect.gen(function* () {
      const dataDir = yield* Used
      const [theirs, elsewhere] = [join(dataDir, "notes"), `${dataDir}-elsewhere`]
      mkdirSync(theirs, { mode: 0o755 })
      writeFileSync(elsewhere, "")
      for (const path of [theirs, elsewhere, dataDir]) chmodSync(path, 0o755)
      symlinkSync(elsewhere, join(dataDir, "database", "link"))
      yield* written(dataDir, "fourth")
      assert.deepStrictEqual(
        [theirs, elsewhere, dataDir].map((path) => statSync(path).mode & 0o777),
        [0o755, 0o755, 0o755]
      )
    })
  )
})
