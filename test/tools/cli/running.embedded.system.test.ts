import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schema } from "effect"
import { unpackTestDatabase } from "../../support/test-database.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import {
  type CommandResult,
  findFreePort,
  makeEmptyFolder,
  runLatchkeyProcess,
  startService
} from "../../support/tools/cli/latchkey-process.ts"
import { runLatchkeyInProcess } from "../../support/tools/cli/running-service.ts"

// Real processes on one data folder: commands while the service runs, starts, stops and has been killed.

const CREATE =
  "operator create --name Harbour --time-zone Europe/Lisbon --currency EUR --password correct-horse --email".split(" ")

/** A service that runs on a data folder with one operator, and a copy of the folder that nobody uses. */
class Running extends Context.Service<
  Running,
  { readonly dataDir: string; readonly port: string; readonly unused: string }
>()("latchkey/test/cli/running/Running") {
  static readonly layer = Layer.effect(
    Running,
    Effect.gen(function* () {
      const dataDir = yield* makeEmptyFolder
      yield* unpackTestDatabase(dataDir)
      const migrated = yield* runLatchkeyProcess(["migrate", "--json"], { DATA_DIR: dataDir })
      assert.deepStrictEqual([migrated.code, migrated.stderr], [0, ""])
      assert.match(migrated.stdout, /^\{"applied":\[.*\]\}\n$/)
      assert.strictEqual((yield* runLatchkeyInProcess([...CREATE, "one@example.test"], { DATA_DIR: dataDir })).code, 0)
      const unused = yield* makeEmptyFolder
      yield* Effect.promise(() => cp(dataDir, unused, { recursive: true }))
      const port = yield* findFreePort
      const { startupOutput: printed } = yield* startService("/mcp", { DATA_DIR: dataDir, PORT: port, DEMO: "0" })
      assert.include(printed, `http://127.0.0.1:${port}`)
      return { dataDir, port, unused }
    })
  )
}

const Token = Schema.fromJsonString(Schema.Struct({ token_id: Schema.Int, token: Schema.String }))

/** What a command printed, without what differs from run to run. */
const told = ({ code, stdout, stderr }: CommandResult) => ({
  code,
  stdout: stdout.replaceAll(/lk_[\w-]+/g, "lk_…"),
  stderr
})

const TOKEN = "token create --account 1 --name t --scope writable".split(" ")

/** One of each kind: what makes, changes, reads, refuses, and what is refused before the database is asked. */
const COMMANDS = [
  [...CREATE, "two@example.test", "--json"],
  [...CREATE, "two@example.test"],
  "account create --operator 1 --email sub@example.test --password correct-horse --json".split(" "),
  TOKEN,
  [...TOKEN, "--json"],
  "token limit 1 --per-minute 5".split(" "),
  "token revoke 1".split(" "),
  "token revoke 999 --json".split(" "),
  "operator update 1 --rooms 250".split(" "),
  "operator limits 1 --json".split(" "),
  "migrate --json".split(" "),
  "demo seed".split(" "),
  "webhook deliveries --json".split(" "),
  "webhook replay evt_1_1".split(" "),
  "webhook replay --dead --json".split(" "),
  "token create".split(" ")
]

/** Which process had the folder last, or has it: asking for the lock would take it from a service that starts. */
const ownerOf = (folder: string) => readFileSync(join(folder, "owner"), "utf8")

const pause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))

const made = (env: Record<string, string>) =>
  Effect.flatMap(runLatchkeyProcess([...TOKEN, "--json"], env), ({ stdout }) =>
    Schema.decodeUnknownEffect(Token)(stdout)
  )

/** So many commands at the same time; answers how many tokens they made. */
const madeTogether = (times: number, env: Record<string, string>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: times }, () => made(env)),
      { concurrency: "unbounded" }
    ),
    (tokens) => new Set(tokens.map(({ token_id }) => token_id)).size
  )

layer(Running.layer, { excludeTestServices: true, timeout: PROCESSES_MS })(
  "a command beside a running service",
  (it) => {
    it.effect(
      "answers what it answers with the service stopped, to the letter",
      () =>
        Effect.gen(function* () {
          const { dataDir, unused } = yield* Running
          for (const [index, args] of COMMANDS.entries()) {
            // The same program; some of them as the processes they are.
            const beside = yield* (index % 4 === 0 ? runLatchkeyProcess : runLatchkeyInProcess)(args, {
              DATA_DIR: dataDir
            })
            assert.deepStrictEqual(
              told(beside),
              told(yield* runLatchkeyInProcess(args, { DATA_DIR: unused })),
              args.join(" ")
            )
          }
        }),
      PROCESSES_MS
    )

    it.effect(
      "gives a token that works at once, on a service whose folder still takes no second one",
      () =>
        Effect.gen(function* () {
          const { dataDir, port, unused } = yield* Running
          const { token } = yield* made({ DATA_DIR: dataDir })
          const headers = { "service-access-token": token }
          const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/v3/properties`, { headers }))
          assert.match(yield* Effect.promise(() => answer.text()), /"error_code":0/)

          const second = yield* runLatchkeyProcess(["serve"], {
            DATA_DIR: dataDir,
            PORT: yield* findFreePort,
            DEMO: "0"
          })
          assert.strictEqual(second.code, 1)
          assert.match(second.stderr, /^latchkey: DATA_DIR: .*\bprocess \d+\b.*\bDATABASE_URL\b.*\n$/)
          const unmade = join(unused, "not-made-yet")
          const elsewhere = yield* runLatchkeyProcess(["serve"], { DATA_DIR: unmade, PORT: port, DEMO: "0" })
          assert.strictEqual(elsewhere.code, 1)
          assert.match(elsewhere.stderr, /^latchkey: PORT: .*\bEADDRINUSE\b.*\n$/)
          assert.notInclude(elsewhere.stderr, "HOST")
          assert.isFalse(existsSync(unmade), "the port is looked at before the database is started")
        }),
      PROCESSES_MS
    )

    it.effect(
      "works with others at once, each for itself; so does one with the service stopped",
      () =>
        Effect.gen(function* () {
          const { dataDir, unused } = yield* Running
          assert.strictEqual(yield* madeTogether(5, { DATA_DIR: dataDir }), 5)
          assert.strictEqual(yield* madeTogether(2, { DATA_DIR: unused }), 2)
        }),
      PROCESSES_MS
    )

    it.effect(
      "killed in its transaction holds up nobody, and nothing of it is left",
      () =>
        Effect.gen(function* () {
          const { dataDir } = yield* Running
          yield* Effect.promise(
            () =>
              new Promise<void>((resolve) => {
                const child = spawn(process.execPath, [
                  join(import.meta.dirname, "../../support/tools/cli/open-transaction-process.ts"),
                  dataDir
                ])
                child.stdout.once("data", () => child.kill("SIGKILL"))
                child.once("close", () => resolve())
              })
          )
          const updated = yield* runLatchkeyInProcess(["operator", "update", "1", "--rooms", "77", "--json"], {
            DATA_DIR: dataDir
          })
          assert.include(updated.stdout, '"name":"Harbour"')
          assert.include(updated.stdout, '"room_limit":77')
        }),
      PROCESSES_MS
    )

    it.effect(
      "waits while a service starts, and while it stops, and opens the folder itself when it was killed",
      () =>
        Effect.gen(function* () {
          const { unused } = yield* Running
          const env = { DATA_DIR: unused, PORT: yield* findFreePort, DEMO: "0" }
          const socket = join(unused, "control.sock")
          const before = ownerOf(unused)
          const starting = yield* Effect.forkChild(startService("/mcp", env), { startImmediately: true })
          // From then on the service has the folder, and takes no commands yet.
          while (ownerOf(unused) === before) yield* pause
          yield* made(env)
          const first = yield* Fiber.join(starting)
          const [stopped, during] = yield* Effect.all([first.stop, runLatchkeyProcess(TOKEN, env)], { concurrency: 2 })
          assert.deepStrictEqual([stopped.code, during.code], [0, 0], during.stderr)
          assert.isFalse(existsSync(socket))

          const second = yield* startService("/mcp", env)
          yield* second.kill
          assert.isTrue(existsSync(socket))
          yield* made(env)
          const third = yield* startService("/mcp", env)
          yield* made(env)
          assert.strictEqual((yield* third.stop).code, 0)
        }),
      PROCESSES_MS
    )
  }
)
