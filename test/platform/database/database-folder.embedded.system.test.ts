import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { prepareDatabaseFolder } from "../../../src/platform/database/database-folder.ts"
import { isNewFolder } from "../../../src/platform/database/database-state.ts"
import { layerEmbedded } from "../../../src/platform/database/embedded.ts"
import { lockDataFolder } from "../../../src/platform/database/folder-lock.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "latchkey-new-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A data folder, and a program beside it that makes its databases in the place of ours. */
const programFor = Effect.fnUntraced(function* (text: string) {
  const folder = yield* temporary
  const [program, dataDir] = [join(folder, "program.mjs"), join(folder, "data")]
  writeFileSync(program, `import { writeFileSync } from "node:fs"\nconst folder = process.argv[2]\n${text}`)
  mkdirSync(dataDir)
  return { dataDir, program }
})

/** The same, and the making with the time it has. */
const makingBy = Effect.fnUntraced(function* (text: string, timeoutMs = 20_000) {
  const { dataDir, program } = yield* programFor(text)
  return { dataDir, making: prepareDatabaseFolder(dataDir, true, { program, timeoutMs }) }
})

/** Makes what looks like a database. */
const WRITING = `
  writeFileSync(folder + "/PG_VERSION", "18")
  process.exit(0)`

/** Says that it began, and waits for ever. */
const HANGING = `
  writeFileSync(folder + "/begun", String(process.pid))
  setInterval(() => {}, 1000)`

const eventually = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(50), eventually(holds))))

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const unfinishedIn = (dataDir: string): ReadonlyArray<string> =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.startsWith("database.unfinished")) : []

/** The number that a program which hangs has put down, once it has. */
const hangingIn = Effect.fnUntraced(function* (dataDir: string) {
  const begun = () => unfinishedIn(dataDir).map((name) => join(dataDir, name, "begun"))
  yield* eventually(() => begun().some((path) => existsSync(path) && readFileSync(path, "utf8") !== ""))
  return Number(readFileSync(begun()[0] ?? "", "utf8"))
})

describe("a new database", () => {
  it.live("is there under its name when the program has ended well, and is not made again", () =>
    Effect.gen(function* () {
      const { dataDir, making } = yield* makingBy(WRITING)
      mkdirSync(join(dataDir, "database.unfinished"))
      mkdirSync(join(dataDir, "database.unfinished-old"))
      assert.strictEqual(yield* making, join(dataDir, "database"))
      assert.deepStrictEqual(readdirSync(dataDir), ["database"])
      writeFileSync(join(dataDir, "database", "used"), "")
      yield* making
      assert.sameMembers(readdirSync(join(dataDir, "database")), ["PG_VERSION", "used"])
    })
  )

  it.live.each([
    {
      what: "what the program says",
      program: `process.send("the disk is full", () => process.exit(1))`,
      reason: "the disk is full"
    },
    { what: "how it ended", program: "process.exit(3)", reason: "3" },
    { what: "who ended it", program: `process.kill(process.pid, "SIGKILL")`, reason: "SIGKILL" }
  ])("that was not made leaves no database, and tells $what", ({ program, reason }) =>
    Effect.gen(function* () {
      const { dataDir, making } = yield* makingBy(program)
      const unusable = yield* Effect.flip(making)
      assert.include(unusable.message, dataDir)
      assert.match(unusable.message, new RegExp(`: .*\\b${reason}$`))
      assert.isFalse(existsSync(join(dataDir, "database")))
    })
  )

  it.live("that takes too long is given up, and its program ended", () =>
    Effect.gen(function* () {
      const { dataDir, making } = yield* makingBy(HANGING, 3_000)
      const failing = yield* Effect.forkChild(Effect.flip(making))
      const pid = yield* hangingIn(dataDir)
      assert.isTrue(isRunning(pid))
      assert.match((yield* Fiber.join(failing)).message, /\b3000 ms$/)
      assert.isFalse(isRunning(pid))
    })
  )

  it.live("that nobody waits for any more is given up before the folder is free", () =>
    Effect.gen(function* () {
      const { dataDir, making } = yield* makingBy(HANGING)
      const waiting = yield* Effect.forkChild(making)
      const pid = yield* hangingIn(dataDir)
      yield* Fiber.interrupt(waiting)
      assert.isFalse(isRunning(pid))
    })
  )
})

describe("a data folder whose database is not whole", () => {
  const NO_VERSION = "has files but no PG_VERSION"
  const refusalFor = Effect.fnUntraced(function* (fill: (dataDir: string, database: string) => void) {
    const dataDir = yield* temporary
    const database = join(dataDir, "database")
    fill(dataDir, database)
    const before = readdirSync(dataDir, { recursive: true }).map(String)
    const unusable = yield* Effect.flip(Effect.provide(SqlClient, layerEmbedded(dataDir)))
    assert.strictEqual(unusable._tag, "DataFolderUnusable")
    const after = readdirSync(dataDir, { recursive: true }).map(String)
    assert.sameMembers(after, Array.from(new Set([...before, "lock", "owner"])))
    return unusable.message
  })

  it.effect.each([
    {
      what: "a copy that was cut off before PG_VERSION",
      fill: (_: string, database: string) => mkdirSync(join(database, "base", "5"), { recursive: true }),
      reason: NO_VERSION
    },
    {
      what: "a copy of a used folder without PG_VERSION",
      fill: (dataDir: string, database: string) => {
        mkdirSync(join(database, "base"), { recursive: true })
        writeFileSync(join(dataDir, "owner"), "")
      },
      reason: NO_VERSION
    },
    ...["lock", "owner", "images", "control.sock"].map((name) => ({
      what: `an empty database beside ${name}`,
      fill: (dataDir: string, database: string) => {
        mkdirSync(database)
        writeFileSync(join(dataDir, name), "")
      },
      reason: "its database is empty, but the data folder was used before"
    })),
    {
      what: "a file in its place",
      fill: (_: string, database: string) => writeFileSync(database, ""),
      reason: "its database is not a folder"
    },
    {
      what: "a link to a missing folder",
      fill: (dataDir: string, database: string) => symlinkSync(join(dataDir, "unmounted"), database),
      reason: "its database is a link to a missing folder"
    }
  ])("is refused and left as it is: $what", ({ fill, reason }) =>
    Effect.gen(function* () {
      assert.include(yield* refusalFor(fill), reason)
    })
  )

  it.live.each([
    { what: "in a new folder", beside: [] },
    { what: "beside a file of somebody else", beside: ["lost+found"] },
    { what: "after a first start that was killed", beside: ["lock", "owner", "database.unfinished-1"] }
  ])("gets a database where it is empty: $what", ({ beside }) =>
    Effect.gen(function* () {
      const { dataDir, program } = yield* programFor(WRITING)
      mkdirSync(join(dataDir, "database"))
      for (const name of beside) writeFileSync(join(dataDir, name), "")
      // In the order of `layerEmbedded`, which the next test opens: the lock is a trace of use.
      const isNew = yield* isNewFolder(dataDir)
      yield* lockDataFolder(dataDir, "service")
      yield* prepareDatabaseFolder(dataDir, isNew, { program, timeoutMs: 20_000 })
      assert.isTrue(existsSync(join(dataDir, "database", "PG_VERSION")))
    })
  )

  it.live("gets a database that works where it is empty", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporary
      mkdirSync(join(dataDir, "database"))
      for (const name of ["lost+found", "lock", "owner", "database.unfinished-1"])
        writeFileSync(join(dataDir, name), "")
      const sql = SqlClient.use((sql) => sql`select 1 as one`)
      assert.deepStrictEqual(yield* Effect.provide(sql, layerEmbedded(dataDir)), [{ one: 1 }])
    })
  )

  it.live("gets a database where an empty link leads to, and the link stays", () =>
    Effect.gen(function* () {
      const { dataDir, making } = yield* makingBy(WRITING)
      const elsewhere = join(yield* temporary, "elsewhere")
      mkdirSync(elsewhere)
      symlinkSync(elsewhere, join(dataDir, "database"))
      yield* making
      assert.deepStrictEqual(readdirSync(elsewhere), ["PG_VERSION"])
      assert.strictEqual(readlinkSync(join(dataDir, "database")), elsewhere)
    })
  )
})

const WRITER = fileURLToPath(new URL("../../support/platform/database/row-writing-process.ts", import.meta.url))
const PROGRAM = fileURLToPath(new URL("../../../src/platform/database/new-database.ts", import.meta.url))

/** Whoever runs the program for this data folder, and their numbers. */
const makersFor = (dataDir: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const command = commandOf(pid)
      return command.includes(PROGRAM) && command.includes(dataDir)
    })
    .map(Number)

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

describe.skipIf(!existsSync("/proc/self/cmdline"))("a first start", () => {
  it.live.each([
    { when: "when the program has begun", isMoment: () => true },
    {
      when: "when files are there",
      isMoment: (dataDir: string) => unfinishedIn(dataDir).some((name) => existsSync(join(dataDir, name, "PG_VERSION")))
    }
  ])(
    "that is killed takes the program with it, and the next makes a whole database: $when",
    ({ isMoment }) =>
      Effect.gen(function* () {
        const dataDir = join(yield* temporary, "made", "on", "demand")
        const first = spawn(process.execPath, [WRITER, dataDir], { stdio: "ignore" })
        yield* eventually(() => makersFor(dataDir).length === 1 && isMoment(dataDir))
        const ended = once(first, "exit")
        first.kill("SIGKILL")
        yield* Effect.promise(() => ended)
        const sql = SqlClient.use((sql) => sql`select 1 as one`)
        assert.deepStrictEqual(yield* Effect.provide(sql, layerEmbedded(dataDir)), [{ one: 1 }])
        assert.deepStrictEqual([makersFor(dataDir), unfinishedIn(dataDir)], [[], []])
      }),
    PROCESSES_MS
  )

  it.live("whose program is killed says so", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporary, "data")
      const failing = yield* Effect.forkChild(Effect.flip(Effect.provide(SqlClient, layerEmbedded(dataDir))))
      yield* eventually(() => makersFor(dataDir).length === 1)
      for (const pid of makersFor(dataDir)) process.kill(pid, "SIGKILL")
      assert.match((yield* Fiber.join(failing)).message, new RegExp(`${dataDir} .*\\bSIGKILL$`))
      assert.isFalse(existsSync(join(dataDir, "database")))
    })
  )
})
