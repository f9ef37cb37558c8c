import { execFile, type SpawnOptions, spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { findFreePort } from "./tools/cli/latchkey-process.ts"

// A PostgreSQL server and a PgBouncer of a test's own, from the programs that Debian installs: to be restarted, and set up
// otherwise than the server that others use too. Neither runs as root: as user postgres where the test does.

const execFileAsync = promisify(execFile)

const POSTGRES_RELEASES_FOLDER = "/usr/lib/postgresql"
const PGBOUNCER_PATH = "/usr/sbin/pgbouncer"

/** Folder of the newest release's programs that is installed; undefined: none is. */
const postgresBinFolder = (existsSync(POSTGRES_RELEASES_FOLDER) ? readdirSync(POSTGRES_RELEASES_FOLDER) : [])
  .toSorted((left, right) => Number(right) - Number(left))
  .map((release) => join(POSTGRES_RELEASES_FOLDER, release, "bin"))
  .find((folder) => existsSync(join(folder, "initdb")))

/** Why there can be no server, or no pooler, of a test's own here; undefined: there can. */
export const missingServerReason =
  postgresBinFolder === undefined ? `no initdb below ${POSTGRES_RELEASES_FOLDER}` : undefined
export const missingPoolerReason = existsSync(PGBOUNCER_PATH) ? undefined : `no ${PGBOUNCER_PATH}`

const readPostgresId = async (flag: string): Promise<number> =>
  Number((await execFileAsync("id", [flag, "postgres"])).stdout)

/** As whom they run. */
const makeSpawnOptions = async (): Promise<SpawnOptions> =>
  process.getuid?.() === 0
    ? { uid: await readPostgresId("-u"), gid: await readPostgresId("-g"), cwd: "/" }
    : { cwd: "/" }

/** That user's, with all that is in it: whatever files of this process may be read by others. */
const chownToPostgres = async (folder: string): Promise<void> => {
  if (process.getuid?.() === 0) await execFileAsync("chown", ["-R", "postgres:postgres", folder])
}

/** An empty folder of that user's, gone with the scope. */
const makePostgresFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "latchkey-own-"))
    await chownToPostgres(folder)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

const isListening = (port: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1")
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", () => finish(true)).once("error", () => finish(false))
  })

export interface TestPostgresServer {
  /** Of its database postgres, which anybody may use. */
  readonly url: string
  readonly port: string
  readonly folder: string
  /** Ends every session and starts anew: in order, or as if it had crashed. */
  readonly restart: (mode: "fast" | "immediate") => Promise<void>
}

/** A server of its own; `prepare` puts more files into its folder and answers lines of its postgresql.conf. */
export const startPostgresServer = Effect.fnUntraced(function* (
  prepare: (folder: string) => Promise<ReadonlyArray<string>> = async () => []
) {
  const port = yield* findFreePort
  const home = yield* makePostgresFolder
  const folder = join(home, "data")
  const options = yield* Effect.promise(makeSpawnOptions)
  const runProgram = (program: string, args: ReadonlyArray<string>) =>
    // Its output goes nowhere: the server that pg_ctl leaves behind would keep a pipe open.
    new Promise<void>((resolve, reject) => {
      const child = spawn(join(postgresBinFolder ?? "", program), args, { ...options, stdio: "ignore" })
      child.once("error", reject)
      child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))))
    })
  const log = join(home, "log")
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await runProgram("initdb", ["-D", folder, "-U", "postgres", "-A", "trust", "-N"])
      const lines = [
        "listen_addresses='127.0.0.1'",
        `port=${port}`,
        "unix_socket_directories=''",
        "shared_buffers=32MB"
      ]
      await writeFile(join(folder, "postgresql.auto.conf"), [...lines, ...(await prepare(folder))].join("\n"))
      await chownToPostgres(folder)
      await runProgram("pg_ctl", ["-D", folder, "-l", log, "-w", "start"])
    }),
    () => Effect.promise(() => runProgram("pg_ctl", ["-D", folder, "-m", "immediate", "-w", "stop"]))
  )
  const server: TestPostgresServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    restart: (mode) => runProgram("pg_ctl", ["-D", folder, "-l", log, "-m", mode, "-w", "restart"])
  }
  return server
})

/** The settings of docs/operate/postgresql.md that the tests run behind: what a pooler is told of a server, but for its size. */
export const POOLER_SETTINGS: ReadonlyArray<string> = [
  "pool_mode = transaction",
  "max_client_conn = 500",
  "server_login_retry = 1",
  "query_wait_timeout = 15"
]

/** A PgBouncer before a server, with so many connections to each database of it; answers the address of the same database. */
export const startPooler = Effect.fnUntraced(function* (server: string, size: number) {
  const port = yield* findFreePort
  const folder = yield* makePostgresFolder
  const options = yield* Effect.promise(makeSpawnOptions)
  const { hostname, port: serverPort } = new URL(server)
  const ini = [
    "[databases]",
    `* = host=${hostname} port=${serverPort || "5432"} user=postgres connect_query='SET jit = off'`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `default_pool_size = ${size}`,
    ...POOLER_SETTINGS
  ]
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const file = join(folder, "pgbouncer.ini")
      await writeFile(file, ini.join("\n"))
      await chownToPostgres(folder)
      const child = spawn(PGBOUNCER_PATH, ["-q", file], { ...options, stdio: ["ignore", "ignore", "pipe"] })
      let stderr = ""
      child.stderr?.on("data", (chunk: Buffer) => {
        stderr += chunk.toString()
      })
      while (!(await isListening(port))) {
        if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}: ${stderr}`)
        await new Promise((r) => setTimeout(r, 20))
      }
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGTERM"))
  )
  const url = new URL(server)
  url.host = `127.0.0.1:${port}`
  return url.href
})
