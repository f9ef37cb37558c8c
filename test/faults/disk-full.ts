import { execFile } from "node:child_process"
import { chown, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { embeddedIn, serverGround } from "../attacks/grounds.ts"
import { findFreePort, makeEmptyFolder } from "../support/tools/cli/latchkey-process.ts"
import { type Caused, suffered } from "./causing.ts"
import type { Fault } from "./fault.ts"
import { hasProgram, mounted, unmounted } from "./places-to-cause.ts"

// The disk fills up under load and has room again later: in DATA_DIR on the embedded database, and where the tables of a
// PostgreSQL are. One whose log finds no room ends itself, which is another fault: it is as if the server was killed.

const run = promisify(execFile)

const EMBEDDED_MB = 400
const TABLES_MB = 120

/** Fills a file system to the last byte, as something else on the disk would. */
const filled = async (folder: string): Promise<void> => {
  const filler = join(folder, "filler")
  // dd ends with an error once there is no room: that is what it is for.
  await run("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"]).catch(() => undefined)
}
const emptied = (folder: string): Promise<void> => rm(join(folder, "filler"), { force: true })

const caused = (folder: string): Caused => ({
  fault: "the disk is full, and has room again",
  times: 1,
  lastsMs: 8_000,
  promised: [500],
  begin: () => filled(folder),
  end: () => emptied(folder),
  says: /disk is full/
})

/** A small disk of its own, gone with the scope. */
const smallDisk = (megabytes: number) =>
  Effect.flatMap(makeEmptyFolder, (folder) =>
    Effect.acquireRelease(
      Effect.as(
        Effect.promise(() => mounted(folder, megabytes)),
        folder
      ),
      () => Effect.promise(() => unmounted(folder))
    )
  )

const BIN = "/usr/lib/postgresql/15/bin"

/** A PostgreSQL of its own with its tables on a folder; answers its address. */
const serverOn = Effect.fnUntraced(function* (disk: string) {
  const port = yield* findFreePort
  const home = yield* makeEmptyFolder
  const { uid, gid } = yield* Effect.promise(async () => {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "postgres"])))
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
  })
  const asPostgres = (program: string, ...args: ReadonlyArray<string>) =>
    run("runuser", ["-u", "postgres", "--", join(BIN, program), ...args], { cwd: "/" })
  const data = join(disk, "data")
  yield* Effect.promise(async () => {
    for (const folder of [home, disk]) await chown(folder, uid, gid)
    await mkdir(join(home, "wal"))
    await chown(join(home, "wal"), uid, gid)
    await asPostgres("initdb", "-D", data, "--waldir", join(home, "wal"), "-A", "trust", "-N")
    const settings = [`port = ${port}`, "listen_addresses = '127.0.0.1'", `unix_socket_directories = '${home}'`]
    await writeFile(join(data, "postgresql.auto.conf"), `${settings.join("\n")}\n`)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => asPostgres("pg_ctl", "-D", data, "-w", "-l", join(home, "log"), "start")),
    () => Effect.promise(() => asPostgres("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop").catch(() => undefined))
  )
  return `postgres://postgres@127.0.0.1:${port}/postgres`
})

const mayMount = Effect.flatMap(makeEmptyFolder, (folder) =>
  Effect.promise(() =>
    mounted(folder, 1).then(
      () => unmounted(folder).then(() => true),
      () => false
    )
  )
)

export const diskFullFault: Fault = {
  name: "disk-full",
  skipped: Effect.map(Effect.scoped(mayMount), (may) =>
    may ? undefined : "a small disk is a file system in memory, which only root may mount"
  ),
  run: Effect.gen(function* () {
    const disk = yield* smallDisk(EMBEDDED_MB)
    const embedded = yield* suffered(yield* embeddedIn(join(disk, "data")), caused(disk))
    if (!(yield* Effect.promise(() => hasProgram(join(BIN, "initdb"))))) return [embedded]
    const tables = yield* smallDisk(TABLES_MB)
    const ground = yield* serverGround(yield* serverOn(tables))
    return [embedded, yield* suffered(ground, caused(tables))]
  })
}
