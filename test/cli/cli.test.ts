import { spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { emptyFolder, freePort, latchkey, serving } from "./latchkey.ts"

/** Several processes one after the other, each of which opens a data folder: slow where two cores serve many. */
const FOLDERS_MS = 180_000

/** A data folder `latchkey migrate` has just prepared. */
class DataDir extends Context.Service<DataDir, string>()("latchkey/test/cli/DataDir") {}

const layerDataDir = Layer.effect(
  DataDir,
  Effect.gen(function* () {
    const folder = yield* emptyFolder
    const migrated = yield* latchkey(["migrate", "--json"], { DATA_DIR: folder })
    assert.deepStrictEqual({ code: migrated.code, stderr: migrated.stderr }, { code: 0, stderr: "" })
    return folder
  })
)

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The one JSON object a command prints, and nothing besides. */
const jsonOf = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string>) {
  const ended = yield* latchkey([...args, "--json"], env)
  assert.match(ended.stdout, /^\{.*\}\n$/)
  assert.strictEqual(ended.stderr, "")
  return { code: ended.code, answer: yield* Schema.decodeUnknownEffect(OneLine)(ended.stdout) }
})

/** A Node on this machine that is too old to run the program itself. */
const olderNode = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "node"))
  .find((node) => {
    const major = Number.parseInt(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout?.slice(1) ?? "", 10)
    return major >= 18 && major < 24
  })
const orSkipped = (name: string) => (olderNode === undefined ? `${name} (skipped: no older Node on PATH)` : name)

const serverUrl = process.env.DATABASE_URL

const CREATE =
  "operator create --name Harbour --time-zone Europe/Lisbon --currency EUR --password correct-horse --email".split(" ")

layer(layerDataDir, { timeout: FOLDERS_MS })("latchkey on an embedded database", (it) => {
  it.effect(
    "makes operators, accounts and tokens, and answers in JSON with numbers for ids",
    () =>
      Effect.gen(function* () {
        const env = { DATA_DIR: yield* DataDir }
        const operator = yield* jsonOf([...CREATE, "one@example.test"], env)
        assert.strictEqual(operator.code, 0)
        assert.hasAllKeys(operator.answer, ["operator_id", "account_id"])
        const { operator_id, account_id } = operator.answer
        assert.isNumber(operator_id)
        assert.isNumber(account_id)

        const account = yield* jsonOf(
          [
            "account",
            "create",
            "--operator",
            `${operator_id}`,
            "--email",
            "sub@example.test",
            "--password",
            "correct-horse"
          ],
          env
        )
        assert.strictEqual(account.code, 0)
        assert.isNumber(account.answer["account_id"])
        assert.notStrictEqual(account.answer["account_id"], account_id)

        const token = yield* jsonOf(
          ["token", "create", "--account", `${account_id}`, "--name", "t", "--scope", "read-only"],
          env
        )
        assert.strictEqual(token.code, 0)
        assert.isNumber(token.answer["token_id"])
        assert.match(String(token.answer["token"]), /^lk_[\w-]{32,}$/)

        const revoked = yield* jsonOf(["token", "revoke", `${token.answer["token_id"]}`], env)
        assert.deepStrictEqual(revoked, { code: 0, answer: { token_id: token.answer["token_id"] } })

        const updated = yield* jsonOf(
          [
            "operator",
            "update",
            `${operator_id}`,
            "--subscription-until",
            "2020-01-31",
            "--edition",
            "basic",
            "--status",
            "closed",
            "--rooms",
            "250",
            "--room-types",
            "3"
          ],
          env
        )
        assert.strictEqual(updated.code, 0)
        assert.deepInclude(updated.answer, {
          operator_id,
          edition: "basic",
          status: "closed",
          subscription_until: "2020-01-31",
          room_limit: 250,
          room_type_limit: 3
        })
      }),
    FOLDERS_MS
  )

  it.effect.each([
    ["a wrong value", [...CREATE, "nobody"], /^email: must be/],
    ["an unknown time zone", ["operator", "update", "1", "--time-zone", "Mars/Base"], /^time_zone: must be an IANA/],
    ["an unknown operator", ["operator", "update", "999", "--name", "x"], /There is no operator 999/],
    ["nothing to change", ["operator", "update", "1"], /--status/],
    ["an unknown token", ["token", "revoke", "999"], /There is no token 999/],
    ["a wrong scope", ["token", "create", "--account", "1", "--name", "x", "--scope", "all"], /scope/],
    ["a missing flag", ["operator", "create"], /--name/],
    ["an id that is none", ["token", "revoke", "abc"], /abc/],
    ["an unknown command", ["operator", "delete"], /delete/]
  ] as const)("%s ends with 1 and says why in JSON", ([, args, reason]) =>
    Effect.gen(function* () {
      const { code, answer } = yield* jsonOf(args, { DATA_DIR: yield* DataDir })
      assert.strictEqual(code, 1)
      assert.hasAllKeys(answer, ["error"])
      assert.match(String(answer["error"]), reason)
    })
  )

  it.effect("without --json people read a line, a failure on standard error", () =>
    Effect.gen(function* () {
      const env = { DATA_DIR: yield* DataDir }
      const again = yield* latchkey(["migrate"], env)
      assert.deepStrictEqual(again, { code: 0, stdout: "The database is up to date.\n", stderr: "" })
      const refused = yield* latchkey(["token", "revoke", "999"], env)
      assert.deepStrictEqual(refused, { code: 1, stdout: "", stderr: "latchkey: There is no token 999.\n" })
      const unread = yield* latchkey(["operator", "create"], env)
      assert.strictEqual(unread.code, 1)
      assert.include(unread.stderr, "See latchkey operator create --help")
    })
  )

  it.effect(
    "serve owns the data folder and its port: a command says who has it and what to do, and works once it is free",
    () =>
      Effect.gen(function* () {
        const DATA_DIR = yield* DataDir
        const PORT = yield* freePort
        const service = yield* serving("/mcp", { DATA_DIR, PORT, DEMO: "0" })
        assert.include(service.printed, `http://127.0.0.1:${PORT}`)
        const create = ["token", "create", "--account", "1", "--name", "t", "--scope", "writable"]
        const taken = yield* jsonOf(create, { DATA_DIR })
        assert.strictEqual(taken.code, 1)
        assert.include(String(taken.answer["error"]), DATA_DIR)
        assert.match(String(taken.answer["error"]), /in use by process \d+.*Stop that process first.*DATABASE_URL/)
        const elsewhere = yield* latchkey(["serve"], { DATA_DIR: yield* emptyFolder, PORT, DEMO: "0" })
        assert.strictEqual(elsewhere.code, 1)
        assert.match(elsewhere.stderr, /^latchkey: cannot listen on HOST and PORT: .*EADDRINUSE.*\n$/)
        yield* service.stop
        const { answer } = yield* jsonOf([...CREATE, "after@example.test"], { DATA_DIR })
        assert.isNumber(answer["operator_id"])
      }),
    FOLDERS_MS
  )

  it.effect.skipIf(olderNode === undefined)(
    orSkipped("started by an older Node it hands over to the Node of this package, signals and exit code too"),
    () =>
      Effect.gen(function* () {
        const DATA_DIR = yield* DataDir
        assert.match((yield* latchkey(["--version"], {}, { node: olderNode })).stdout, /^latchkey v/)
        assert.strictEqual((yield* latchkey(["migrate"], { PORT: "x" }, { node: olderNode })).code, 1)
        const service = yield* serving("/mcp", { DATA_DIR, PORT: yield* freePort, DEMO: "0" }, olderNode)
        assert.strictEqual((yield* service.stop).code, 0)
        assert.strictEqual((yield* latchkey(["migrate"], { DATA_DIR })).code, 0)
      })
  )
})

layer(Layer.empty)("latchkey before there is anything", (it) => {
  it.effect("explains itself, its version and its commands", () =>
    Effect.gen(function* () {
      const bare = yield* latchkey([], {})
      assert.strictEqual(bare.code, 0)
      for (const command of ["serve", "migrate", "operator", "account", "token", "demo"]) {
        assert.match(bare.stdout, new RegExp(`^ {2}${command} `, "m"))
      }
      assert.strictEqual((yield* latchkey(["--help"], {})).stdout, bare.stdout)
      assert.match((yield* latchkey(["--version"], {})).stdout, /^latchkey v\d+\.\d+\.\d+\n$/)
      assert.include((yield* latchkey(["operator", "update", "--help"], {})).stdout, "--subscription-until")
    })
  )

  it.effect(
    "a command on an empty folder asks to migrate, and the demo fills one only once",
    () =>
      Effect.gen(function* () {
        const env = { DATA_DIR: yield* emptyFolder }
        const early = yield* jsonOf([...CREATE, "early@example.test"], env)
        assert.strictEqual(early.code, 1)
        assert.include(String(early.answer["error"]), "run latchkey migrate first")
        assert.strictEqual((yield* jsonOf(["migrate"], env)).code, 0)
        const seeded = yield* jsonOf(["demo", "seed"], env)
        assert.strictEqual(seeded.code, 0)
        assert.hasAllKeys(seeded.answer, ["operator_id", "account_id", "email", "password", "token"])
        const again = yield* jsonOf(["demo", "seed"], env)
        assert.strictEqual(again.code, 1)
        assert.notInclude(String(again.answer["error"]), "lk_")
      }),
    FOLDERS_MS
  )

  it.effect("a wrong setting stops every command, serve among them, with one line that names it", () =>
    Effect.gen(function* () {
      const env = { DATA_DIR: "/nowhere", PORT: "eighty" }
      const line = 'latchkey: PORT must be a port from 1 to 65535, not "eighty".\n'
      assert.deepStrictEqual(yield* latchkey(["migrate"], env), { code: 1, stdout: "", stderr: line })
      assert.deepStrictEqual(yield* latchkey(["serve"], env), { code: 1, stdout: "", stderr: line })
      const address = yield* latchkey(["migrate"], { DATABASE_URL: "mysql://latchkey:hunter2@127.0.0.1/latchkey" })
      assert.match(address.stderr, /^latchkey: DATABASE_URL must be .* such as postgres:\/\/[^<]*\.\n$/)
      assert.notInclude(address.stderr, "hunter2")
    })
  )

  it.effect.skipIf(serverUrl === undefined)(
    `a database its server does not have is told by the variable${serverUrl === undefined ? " (skipped: DATABASE_URL not set)" : ""}`,
    () =>
      Effect.gen(function* () {
        const { code, answer } = yield* jsonOf(["migrate"], {
          DATABASE_URL: new URL("/no_such_database", serverUrl).href
        })
        assert.strictEqual(code, 1)
        assert.match(String(answer["error"]), /DATABASE_URL: .*no_such_database/)
      })
  )

  it.effect("a database that is not there is told without its password", () =>
    Effect.gen(function* () {
      const { code, answer } = yield* jsonOf(["migrate"], {
        DATABASE_URL: "postgres://latchkey:hunter2@127.0.0.1:1/latchkey"
      })
      assert.strictEqual(code, 1)
      assert.include(String(answer["error"]), "DATABASE_URL")
      assert.notInclude(String(answer["error"]), "hunter2")
    })
  )
})
