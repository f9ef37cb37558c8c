import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { vi } from "vitest"
import { DatabaseSettings, layerDatabase } from "../../../src/platform/database/database-layers.ts"
import { DataFolderTaken, layerEmbedded } from "../../../src/platform/database/embedded.ts"
import { lockDataFolder } from "../../../src/platform/database/folder-lock.ts"
import type { FolderOwnerKind } from "../../../src/platform/database/folder-owner.ts"
import { UNPOOLED_SETTINGS } from "../../support/platform/database/unpooled-settings.ts"
import { unpackEmptyDatabase } from "../../support/test-database.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"

vi.setConfig({ testTimeout: PROCESSES_MS })

const newFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-folder-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** A data folder with a database in it, made once: the first start of a database takes seconds, a copy does not. */
class UsedFolder extends Context.Service<UsedFolder, { readonly copy: Effect.Effect<string, never, Scope.Scope> }>()(
  "test/database/UsedFolder"
) {
  static readonly layer = Layer.effect(
    UsedFolder,
    Effect.gen(function* () {
      const original = yield* newFolder
      yield* unpackEmptyDatabase(original)
      yield* inFolder(original, (sql) => sql`create table kept (id integer)`)
      yield* inFolder(original, (sql) => sql`insert into kept values (1), (2)`)
      return {
        copy: Effect.tap(newFolder, (folder) => Effect.promise(() => cp(original, folder, { recursive: true })))
      }
    })
  )
}

/** Opens the folder, does the work and closes it again. */
const inFolder = <A, E>(folder: string, work: (sql: SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient, work).pipe(Effect.provide(layerEmbedded(folder), { local: true }))

/** The same as a service does it. */
const asService = (folder: string) =>
  Effect.flatMap(SqlClient, (sql) => sql`select id from kept order by id`).pipe(
    Effect.provide(layerDatabase, { local: true }),
    Effect.provideService(DatabaseSettings, {
      databaseUrl: undefined,
      dataDir: folder,
      statementSeconds: 10,
      ...UNPOOLED_SETTINGS
    })
  )

/** The clock of who waits for nothing, not for another look either. */
const impatient: Clock.Clock = Object.assign(Object.create(Clock.Clock.defaultValue()), {
  sleep: () => Effect.die(new Error("it waits"))
})

/** Opens the folder as this holder has it, until the answer is run. */
const heldBy = Effect.fnUntraced(function* (folder: string, holder: FolderOwnerKind) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (opened) => Scope.close(opened, Exit.void))
  yield* Scope.provide(lockDataFolder(folder, holder), scope)
  return Scope.close(scope, Exit.void)
})

/** A process that inserts rows into `acknowledged` and prints each id once its insert was answered. */
const startWriter = (folder: string): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        [fileURLToPath(new URL("../../support/platform/database/row-writing-process.ts", import.meta.url)), folder],
        {
          stdio: ["ignore", "pipe", "inherit"]
        }
      )
    ),
    kill
  )

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  })

/** Ids the process acknowledged, read until there are `count` of them; those it still prints are kept too. */
const acknowledged = (child: ChildProcess, count: number) =>
  Effect.promise(async () => {
    const ids: Array<number> = []
    if (child.stdout === null) return ids
    for await (const line of createInterface({ input: child.stdout })) {
      ids.push(Number(line))
      if (ids.length === count) child.kill("SIGKILL")
    }
    return ids
  })

layer(UsedFolder.layer, { excludeTestServices: true })("the data folder", (it) => {
  it.effect("rows are there when the folder is opened again", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      expect(yield* inFolder(folder, (sql) => sql`select id from kept order by id`)).toEqual([{ id: 1 }, { id: 2 }])
    })
  )

  it.effect("a first start that was killed half way does not stop the second", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const unfinished = join(folder, "database.unfinished")
      yield* Effect.promise(() => mkdir(unfinished))
      yield* Effect.promise(() => writeFile(join(unfinished, "PG_VERSION"), "18\n"))
      expect(yield* inFolder(folder, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
    })
  )

  it.effect("belongs to one process until that process is gone, however it ends", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      const child = yield* startWriter(folder)
      yield* Effect.callback<void>((resume) => {
        child.stdout?.once("data", () => resume(Effect.void))
      })
      const taken = yield* Effect.flip(inFolder(folder, () => Effect.void))
      expect(taken).toBeInstanceOf(DataFolderTaken)
      expect(taken).toMatchObject({ dataDir: folder, pid: child.pid })
      expect(taken.message).toMatch(new RegExp(`\\bprocess ${child.pid}\\b`))
      yield* kill(child)
      expect(yield* inFolder(folder, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
    })
  )

  it.effect.skipIf(!existsSync("/proc/self/fd"))(
    "stays with its process after its lock was deleted, and no acknowledged row is lost",
    () =>
      Effect.gen(function* () {
        const folder = yield* (yield* UsedFolder).copy
        const child = yield* startWriter(folder)
        const writing = yield* Effect.forkChild(acknowledged(child, 100))
        yield* Effect.callback<void>((resume) => {
          child.stdout?.once("data", () => resume(Effect.void))
        })
        yield* Effect.promise(() => rm(join(folder, "lock")))
        const error = yield* Effect.flip(inFolder(folder, () => Effect.void))
        expect(error).toMatchObject({ _tag: "DataFolderTaken", pid: child.pid, ownerKind: "service" })
        const ids = yield* Fiber.join(writing)
        yield* kill(child)
        const stored = yield* inFolder(folder, (sql) => sql<{ id: number }>`select id from acknowledged`)
        const storedIds = new Set(stored.map(({ id }) => id))
        expect(ids.filter((id) => !storedIds.has(id))).toEqual([])
      })
  )

  it.effect("is free if the recorded owner was killed and another process has its number now", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })),
        kill
      )
      for (const pid of [other.pid, process.pid]) {
        yield* Effect.promise(() => writeFile(join(folder, "owner"), String(pid)))
        expect(yield* inFolder(folder, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
      }
    })
  )

  it.effect("is refused to a second opener in the same process, and free once the first is done", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      yield* inFolder(folder, () =>
        Effect.gen(function* () {
          const taken = yield* Effect.flip(inFolder(folder, () => Effect.void))
          expect(taken).toMatchObject({ _tag: "DataFolderTaken", pid: process.pid })
        })
      )
      yield* inFolder(folder, () => Effect.void)
    })
  )

  it.effect("is waited for by a service while a command has it, or somebody who has not said what it is", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      for (const owner of [`${process.pid} command`, ""]) {
        const release = yield* heldBy(folder, "command")
        expect(readFileSync(join(folder, "owner"), "utf8")).toBe(`${process.pid} command`)
        yield* Effect.promise(() => writeFile(join(folder, "owner"), owner))
        const service = yield* Effect.forkChild(asService(folder))
        yield* Effect.sleep(500)
        expect(service.pollUnsafe()).toBeUndefined()
        yield* release
        expect(yield* Fiber.join(service)).toEqual([{ id: 1 }, { id: 2 }])
        // The next one cannot be taken for the one that has gone.
        expect(readFileSync(join(folder, "owner"), "utf8")).toBe("")
      }
    })
  )

  it.effect("is refused at once to a second service", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      yield* heldBy(folder, "service")
      const taken = yield* Effect.flip(Effect.provideService(asService(folder), Clock.Clock, impatient))
      expect(taken).toMatchObject({ _tag: "DataFolderTaken", pid: process.pid, ownerKind: "service" })
    })
  )

  it.effect.each([
    { why: "where no folder can be made", dataDir: "/proc/none/deeper" },
    { why: "under a file", dataDir: fileURLToPath(new URL("inside", `${import.meta.url}/`)) }
  ])("says so when it cannot be made: $why", ({ dataDir }) =>
    Effect.gen(function* () {
      const unusable = yield* Effect.flip(inFolder(dataDir, () => Effect.void))
      expect(unusable).toMatchObject({ _tag: "DataFolderUnusable", dataDir })
      expect(unusable.message).toContain(dataDir)
    })
  )

  it.effect("no acknowledged row is lost when the process is killed while it writes", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* UsedFolder).copy
      const promised: Array<number> = []
      for (const rows of [30, 170]) {
        const child = yield* startWriter(folder)
        const ids = yield* acknowledged(child, rows)
        expect(ids.length).toBeGreaterThanOrEqual(rows)
        promised.push(...ids)
        const stored = yield* inFolder(folder, (sql) => sql<{ id: number }>`select id from acknowledged`)
        const found = new Set(stored.map(({ id }) => id))
        expect(promised.filter((id) => !found.has(id))).toEqual([])
      }
    })
  )
})
