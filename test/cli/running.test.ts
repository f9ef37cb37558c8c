import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schema, type Scope } from "effect"
import { run } from "./beside.ts"
import { type Ended, emptyFolder, freePort, latchkey, serving } from "./latchkey.ts"

// Real processes on one data folder: commands while the service runs, starts, stops and has been killed.

const CREATE =
  "operator create --name Harbour --time-zone Europe/Lisbon --currency EUR --password correct-horse --email".split(" ")

/** A data folder with one operator, made once; each test has a copy. */
class Used extends Context.Service<Used, { readonly copy: Effect.Effect<string, never, Scope.Scope> }>()(
  "latchkey/test/cli/running/Used"
) {
  static readonly layer = Layer.effect(
    Used,
    Effect.gen(function* () {
      const original = yield* emptyFolder
      const migrated = yield* latchkey(["migrate", "--json"], { DATA_DIR: original })
      assert.deepStrictEqual([migrated.code, migrated.stderr], [0, ""])
      assert.match(migrated.stdout, /^\{"applied":\[.*\]\}\n$/)
      assert.strictEqual((yield* latchkey([...CREATE, "one@example.test"], { DATA_DIR: original })).code, 0)
      return {
        copy: Effect.tap(emptyFolder, (folder) => Effect.promise(() => cp(original, folder, { recursive: true })))
      }
    })
  )
}

const Token = Schema.fromJsonString(Schema.Struct({ token_id: Schema.Int, token: Schema.String }))

/** What a command printed, without what differs from run to run. */
const told = ({ code, stdout, stderr }: Ended) => ({
  code,
  stdout: stdout.replaceAll(/lk_[\w-]+/g, "lk_…"),
  stderr
})

const TOKEN = "token create --account 1 --name t --scope writable".split(" ")

/** One of each kind: what makes, changes, reads, refuses, and what is refused before the database is asked. */
const COMMANDS = [
  [...CREATE, "two@example.test", "--json"],
  [...CREATE, "two@example.test"],
  "account create --operator 1 --email sub@example.test --password x --json".split(" "),
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

layer(Used.layer, { excludeTestServices: true, timeout: 120_000 })("a command beside a running service", (it) => {
  it.effect(
    "answers what it answers with the service stopped, to the letter",
    () =>
      Effect.gen(function* () {
        const { copy } = yield* Used
        const [running, stopped] = [yield* copy, yield* copy]
        yield* serving("/mcp", { DATA_DIR: running, PORT: yield* freePort, DEMO: "0" })
        for (const [index, args] of COMMANDS.entries()) {
          // The same program; some of them as the processes they are.
          const beside = yield* (index % 4 === 0 ? latchkey : run)(args, { DATA_DIR: running })
          assert.deepStrictEqual(told(beside), told(yield* run(args, { DATA_DIR: stopped })), args.join(" "))
        }
      }),
    240_000
  )

  it.effect("gives a token that works at once, on a service whose folder still takes no second one", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* (yield* Used).copy
      const PORT = yield* freePort
      const service = yield* serving("/mcp", { DATA_DIR, PORT, DEMO: "0" })
      assert.include(service.printed, `http://127.0.0.1:${PORT}`)
      const made = yield* latchkey([...TOKEN, "--json"], { DATA_DIR })
      const { token } = yield* Schema.decodeUnknownEffect(Token)(made.stdout)
      const headers = { "service-access-token": token }
      const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${PORT}/v3/properties`, { headers }))
      assert.match(yield* Effect.promise(() => answer.text()), /"error_code":0/)

      const second = yield* latchkey(["serve"], { DATA_DIR, PORT: yield* freePort, DEMO: "0" })
      assert.strictEqual(second.code, 1)
      assert.match(second.stderr, /^latchkey: .* is in use by process \d+.*Stop that process first.*DATABASE_URL.*\n$/)
      const elsewhere = yield* latchkey(["serve"], { DATA_DIR: yield* (yield* Used).copy, PORT, DEMO: "0" })
      assert.strictEqual(elsewhere.code, 1)
      assert.match(elsewhere.stderr, /^latchkey: cannot listen on HOST and PORT: .*EADDRINUSE.*\n$/)
    })
  )

  it.effect("works ten at once, each for itself; so do two with the service stopped", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* (yield* Used).copy
      const service = yield* serving("/mcp", { DATA_DIR, PORT: yield* freePort, DEMO: "0" })
      const create = Effect.flatMap(latchkey([...TOKEN, "--json"], { DATA_DIR }), ({ stdout }) =>
        Schema.decodeUnknownEffect(Token)(stdout)
      )
      const together = (times: number) =>
        Effect.map(
          Effect.all(
            Array.from({ length: times }, () => create),
            { concurrency: "unbounded" }
          ),
          (made) => new Set(made.map(({ token_id }) => token_id)).size
        )
      assert.strictEqual(yield* together(10), 10)
      assert.strictEqual((yield* service.stop).code, 0)
      assert.strictEqual(yield* together(2), 2)
    })
  )

  it.effect("waits while the service starts, and while it stops", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* (yield* Used).copy
      const env = { DATA_DIR, PORT: yield* freePort, DEMO: "0" }
      const starting = yield* Effect.forkChild(serving("/mcp", env), { startImmediately: true })
      while (!existsSync(join(DATA_DIR, "control.sock"))) {
        const { code, stderr } = yield* latchkey(["token", "create", "--account", "1"], env)
        assert.deepStrictEqual([code, stderr.includes("--name")], [1, true])
      }
      const made = yield* latchkey(TOKEN, env)
      assert.strictEqual(made.code, 0, made.stderr)
      const service = yield* Fiber.join(starting)
      const [stopped, during] = yield* Effect.all([service.stop, latchkey(TOKEN, env)], { concurrency: 2 })
      assert.deepStrictEqual([stopped.code, during.code], [0, 0], during.stderr)
    })
  )

  it.effect("opens the folder itself when the service was killed, whose socket is still there", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* (yield* Used).copy
      const service = yield* serving("/mcp", { DATA_DIR, PORT: yield* freePort, DEMO: "0" })
      yield* service.kill
      assert.isTrue(existsSync(join(DATA_DIR, "control.sock")))
      assert.strictEqual((yield* latchkey(TOKEN, { DATA_DIR })).code, 0)
      const again = yield* serving("/mcp", { DATA_DIR, PORT: yield* freePort, DEMO: "0" })
      assert.strictEqual((yield* latchkey(TOKEN, { DATA_DIR })).code, 0)
      assert.strictEqual((yield* again.stop).code, 0)
      assert.isFalse(existsSync(join(DATA_DIR, "control.sock")))
    })
  )

  it.effect("killed in its transaction holds up nobody, and nothing of it is left", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* (yield* Used).copy
      yield* serving("/mcp", { DATA_DIR, PORT: yield* freePort, DEMO: "0" })
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            const child = spawn(process.execPath, [join(import.meta.dirname, "open-transaction.ts"), DATA_DIR])
            child.stdout.once("data", () => child.kill("SIGKILL"))
            child.once("close", () => resolve())
          })
      )
      const updated = yield* latchkey(["operator", "update", "1", "--rooms", "77", "--json"], { DATA_DIR })
      assert.include(updated.stdout, '"name":"Harbour"')
      assert.include(updated.stdout, '"room_limit":77')
    })
  )
})
