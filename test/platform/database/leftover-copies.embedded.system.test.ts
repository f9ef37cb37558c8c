import { execFile } from "node:child_process"
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerEmbedded } from "../../../src/platform/database/embedded.ts"
import { copyDatabaseFolder } from "../../../src/platform/database/folder-copy.ts"
import { lockFile } from "../../../src/platform/database/folder-lock.ts"
import {
  LEFTOVER_AGE_MS,
  MAX_COPIES_REMOVED,
  makeCopyFolder,
  removeLeftoverCopies
} from "../../../src/platform/database/leftover-copies.ts"
import { unpackTestDatabase } from "../../support/test-database.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const there = (folder: string) => Effect.promise(async () => (await readdir(folder)).toSorted())

/** A folder of a copy as a process left it, or has it: with the lock beside it, and so old. */
const left = (
  dataDir: string,
  name: string,
  { lock, ageMs = 0 }: { readonly lock: boolean; readonly ageMs?: number }
) =>
  Effect.promise(async () => {
    const folder = join(dataDir, `database.copy-${name}`)
    await mkdir(join(folder, "database"), { recursive: true })
    await writeFile(join(folder, "database", "PG_VERSION"), "18")
    if (lock) await writeFile(`${folder}.lock`, "")
    const at = new Date(Date.now() - ageMs)
    await utimes(folder, at, at)
    return folder
  })

it.live("what a killed process left is removed, and what somebody has or may have is not", () =>
  Effect.gen(function* () {
    const dataDir = yield* makeEmptyFolder
    const own = yield* makeCopyFolder(dataDir)
    // Killed with its lock, as a process is: the kernel frees it.
    const holding = `
      const { DatabaseSync } = require("node:sqlite"); const { mkdirSync } = require("node:fs")
      const lock = new DatabaseSync(process.argv[1] + ".lock")
      lock.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      mkdirSync(process.argv[1]); process.kill(process.pid, "SIGKILL")`
    yield* Effect.promise(() =>
      promisify(execFile)(process.execPath, ["-e", holding, join(dataDir, "database.copy-killed")]).catch(() => {})
    )
    yield* left(dataDir, "young", { lock: false, ageMs: LEFTOVER_AGE_MS - 60_000 })
    yield* left(dataDir, "old", { lock: false, ageMs: LEFTOVER_AGE_MS + 1 })
    const held = yield* left(dataDir, "held", { lock: false, ageMs: LEFTOVER_AGE_MS + 1 })
    yield* lockFile(join(held, "lock"), (cause) => cause)
    // Holding made it young.
    yield* Effect.promise(() => utimes(held, 0, 0))
    yield* Effect.promise(() => writeFile(join(dataDir, "database.copy-none.lock"), ""))
    yield* Effect.promise(() => utimes(join(dataDir, "database.copy-none.lock"), 0, 0))
    yield* Effect.promise(() => mkdir(join(dataDir, "database.copied-by-hand")))
    const before = yield* there(dataDir)
    assert.includeMembers(before, ["database.copy-killed", "database.copy-killed.lock"])
    yield* removeLeftoverCopies(dataDir)
    const name = own.slice(dataDir.length + 1)
    assert.deepStrictEqual(
      yield* there(dataDir),
      [name, `${name}.lock`, "database.copied-by-hand", "database.copy-held", "database.copy-young"].toSorted()
    )
  }).pipe(Effect.scoped)
)

it.live("so many are removed at once and no more, and one's own goes with its scope", () =>
  Effect.gen(function* () {
    const dataDir = yield* makeEmptyFolder
    for (let nth = 0; nth <= MAX_COPIES_REMOVED; nth++) yield* left(dataDir, String(nth), { lock: true })
    yield* removeLeftoverCopies(dataDir)
    assert.strictEqual((yield* there(dataDir)).length, 2)
    yield* removeLeftoverCopies(dataDir)
    yield* Effect.scoped(makeCopyFolder(dataDir))
    assert.deepStrictEqual(yield* there(dataDir), [])
  })
)

it.live("it is done where a folder is opened and before it is copied, and leaves the copy that is being made", () =>
  Effect.gen(function* () {
    const dataDir = yield* makeEmptyFolder
    yield* unpackTestDatabase(dataDir)
    const copies = Effect.map(there(dataDir), (names) => names.filter((name) => name.startsWith("database.copy-")))
    yield* left(dataDir, "one", { lock: true })
    yield* Effect.scoped(Layer.build(Layer.fresh(layerEmbedded(dataDir, "service"))))
    assert.deepStrictEqual(yield* copies, [])
    yield* left(dataDir, "two", { lock: true })
    const copied = Effect.gen(function* () {
      const { folder } = yield* copyDatabaseFolder(dataDir)
      return [folder.slice(dataDir.length + 1), yield* copies, yield* there(folder)] as const
    })
    const [name, during, inside] = yield* Effect.scoped(copied)
    assert.deepStrictEqual([during, inside], [[name, `${name}.lock`], ["database"]])
    assert.deepStrictEqual(yield* copies, [])
  })
)
