import { spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { unpackTestDatabase } from "../../support/test-database.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { failureMessageOf } from "../../support/tools/cli/command-failures.ts"
import {
  type CommandResult,
  findFreePort,
  makeEmptyFolder,
  runLatchkeyProcess,
  startService
} from "../../support/tools/cli/latchkey-process.ts"
import {
  layerEmptyService,
  layerRunningService,
  runBesideService,
  runLatchkeyInProcess
} from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The one JSON object a command prints, and nothing besides. */
const jsonIn = Effect.fnUntraced(function* ({ code, stdout, stderr }: CommandResult) {
  assert.match(stdout, /^\{.*\}\n$/)
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

/** What a command beside a service answers. */
const jsonOf = (args: ReadonlyArray<string>) => Effect.flatMap(runBesideService([...args, "--json"]), jsonIn)

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

layer(layerRunningService, { excludeTestServices: true })("latchkey on an embedded database", (it) => {
  it.effect("makes operators, accounts and tokens, and answers in JSON with numbers for ids", () =>
    Effect.gen(function* () {
      const operator = yield* jsonOf([...CREATE, "one@example.test"])
      assert.strictEqual(operator.code, 0)
      assert.hasAllKeys(operator.answer, ["operator_id", "account_id"])
      const { operator_id, account_id } = operator.answer
      assert.isNumber(operator_id)
      assert.isNumber(account_id)

      const create = `account create --operator ${operator_id} --email sub@example.test --password correct-horse`
      const account = yield* jsonOf(create.split(" "))
      assert.strictEqual(account.code, 0)
      assert.isNumber(account.answer["account_id"])
      assert.notStrictEqual(account.answer["account_id"], account_id)

      const token = yield* jsonOf(`token create --account ${account_id} --name t --scope read-only`.split(" "))
      assert.strictEqual(token.code, 0)
      assert.isNumber(token.answer["token_id"])
      assert.match(String(token.answer["token"]), /^lk_[\w-]{32,}$/)

      const revoked = yield* jsonOf(["token", "revoke", `${token.answer["token_id"]}`])
      assert.deepStrictEqual(revoked, { code: 0, answer: { token_id: token.answer["token_id"] } })

      const update = `operator update ${operator_id} --subscription-until 2020-01-31 --edition basic --status closed`
      const updated = yield* jsonOf(`${update} --rooms 250 --room-types 3`.split(" "))
      assert.strictEqual(updated.code, 0)
      assert.deepInclude(updated.answer, {
        operator_id,
        edition: "basic",
        status: "closed",
        subscription_until: "2020-01-31",
        room_limit: 250,
        room_type_limit: 3
      })
    })
  )

  it.effect.each([
    ["a wrong value", [...CREATE, "nobody"], /^--email: /],
    ["an unknown time zone", ["operator", "update", "1", "--time-zone", "Mars/Base"], /^--time-zone: .*\bIANA\b/],
    [
      "two wrong values",
      ["operator", "update", "1", "--time-zone", "Mars", "--rooms", "-1"],
      /^--time-zone: .*\. --rooms: /
    ],
    ["an address without https", ["client", "create", "--name", "x", "--redirect", "http://x"], /^--redirect: /],
    [
      "a time that is none",
      ["audit", "--operator", "1", "--since", "yesterday"],
      /--since: "yesterday"\. Expected: a time such as/
    ],
    ["no subcommand", ["token"], /\blatchkey token --help\b/],
    ["an unknown operator", ["operator", "update", "999", "--name", "x"], /\boperator 999\b/],
    ["nothing to change", ["operator", "update", "1"], /--status/],
    ["an unknown token", ["token", "revoke", "999"], /\btoken 999\b/],
    ["a wrong scope", ["token", "create", "--account", "1", "--name", "x", "--scope", "all"], /scope/],
    ["a missing flag", ["operator", "create"], /--name/],
    ["an id that is none", ["token", "revoke", "abc"], /"abc"\. Expected a number$/],
    ["an unknown command", ["operator", "delete"], /delete/]
  ] as const)("%s ends with 1 and says why in JSON", ([, args, reason]) =>
    Effect.gen(function* () {
      const { code, answer } = yield* jsonOf(args)
      assert.strictEqual(code, 1)
      assert.hasAllKeys(answer, ["error"])
      assert.match(String(answer["error"]), reason)
    })
  )

  it.effect("without --json people read a line, a failure on standard error", () =>
    Effect.gen(function* () {
      const again = yield* runBesideService(["migrate"])
      assert.deepStrictEqual([again.code, again.stderr], [0, ""])
      assert.match(again.stdout, /\bup to date\b.*\n$/)
      assert.match(failureMessageOf(yield* runBesideService(["token", "revoke", "999"])), /\btoken 999\b/)
      const unread = yield* runBesideService(["operator", "create"])
      assert.strictEqual(unread.code, 1)
      assert.include(unread.stderr, "latchkey operator create --help")
    })
  )
})

layer(layerEmptyService, { excludeTestServices: true })("latchkey on an empty database", (it) => {
  it.effect(
    "a command asks to migrate, and the demo fills it only once",
    () =>
      Effect.gen(function* () {
        const early = yield* jsonOf([...CREATE, "early@example.test"])
        assert.strictEqual(early.code, 1)
        assert.include(String(early.answer["error"]), "latchkey migrate")
        assert.strictEqual((yield* jsonOf(["migrate"])).code, 0)
        const seeded = yield* jsonOf(["demo", "seed"])
        assert.strictEqual(seeded.code, 0, JSON.stringify(seeded.answer))
        assert.hasAllKeys(seeded.answer, ["operator_id", "account_id", "email", "password", "token"])
        const again = yield* jsonOf(["demo", "seed"])
        assert.strictEqual(again.code, 1)
        assert.notInclude(String(again.answer["error"]), "lk_")
      }),
    PROCESSES_MS
  )
})

layer(Layer.empty, { excludeTestServices: true })("latchkey before there is anything", (it) => {
  it.effect.skipIf(olderNode === undefined)(
    orSkipped("started by an older Node it hands over to the Node of this package, signals and exit code too"),
    () =>
      Effect.gen(function* () {
        const DATA_DIR = yield* makeEmptyFolder
        yield* unpackTestDatabase(DATA_DIR)
        assert.match((yield* runLatchkeyProcess(["--version"], {}, { node: olderNode })).stdout, /^latchkey v/)
        assert.strictEqual((yield* runLatchkeyProcess(["migrate"], { PORT: "x" }, { node: olderNode })).code, 1)
        const service = yield* startService("/mcp", { DATA_DIR, PORT: yield* findFreePort, DEMO: "0" }, olderNode)
        assert.strictEqual((yield* service.stop).code, 0)
      }),
    PROCESSES_MS
  )

  it.effect("explains itself, its version and its commands", () =>
    Effect.gen(function* () {
      const bare = yield* runLatchkeyProcess([], {})
      assert.strictEqual(bare.code, 0)
      for (const command of ["serve", "migrate", "operator", "account", "token", "webhook", "dictionary", "demo"]) {
        assert.match(bare.stdout, new RegExp(`^ {2}${command} `, "m"))
      }
      assert.strictEqual((yield* runLatchkeyInProcess(["--help"], {})).stdout, bare.stdout)
      assert.match((yield* runLatchkeyInProcess(["--version"], {})).stdout, /^latchkey v\d+\.\d+\.\d+\n$/)
      assert.include((yield* runLatchkeyInProcess(["operator", "update", "--help"], {})).stdout, "--subscription-until")
    })
  )

  it.effect("a wrong setting stops every command, serve among them, with one line that names it", () =>
    Effect.gen(function* () {
      const env = { DATA_DIR: "/nowhere", PORT: "eighty" }
      assert.match(failureMessageOf(yield* runLatchkeyInProcess(["migrate"], env)), /^PORT: .*"eighty"/)
      assert.match(failureMessageOf(yield* runLatchkeyProcess(["serve"], env)), /^PORT: .*"eighty"/)
      const IMAGE_STORE = "/nowhere/images"
      const unmounted = failureMessageOf(yield* runLatchkeyProcess(["serve"], { DATA_DIR: "/nowhere", IMAGE_STORE }))
      assert.match(unmounted, new RegExp(`^IMAGE_STORE: .*"${IMAGE_STORE}"`))
      const address = yield* runLatchkeyInProcess(["migrate"], {
        DATABASE_URL: "mysql://latchkey:hunter2@127.0.0.1/latchkey"
      })
      assert.match(failureMessageOf(address), /^DATABASE_URL: .*\bpostgres:\/\/[^<]*$/)
      assert.notInclude(address.stderr, "hunter2")
    })
  )

  const orNot = serverUrl === undefined ? " (skipped: DATABASE_URL not set)" : ""
  it.effect.skipIf(serverUrl === undefined)(`a database its server does not have is told by the variable${orNot}`, () =>
    Effect.gen(function* () {
      const DATABASE_URL = new URL("/no_such_database", serverUrl).href
      const { code, answer } = yield* jsonIn(yield* runLatchkeyInProcess(["migrate", "--json"], { DATABASE_URL }))
      assert.strictEqual(code, 1)
      assert.match(String(answer["error"]), /DATABASE_URL: .*no_such_database/)
    })
  )

  it.effect("a database that is not there is told without its password", () =>
    Effect.gen(function* () {
      const DATABASE_URL = "postgres://latchkey:hunter2@127.0.0.1:1/latchkey"
      const { code, answer } = yield* jsonIn(yield* runLatchkeyInProcess(["migrate", "--json"], { DATABASE_URL }))
      assert.strictEqual(code, 1)
      assert.include(String(answer["error"]), "DATABASE_URL")
      assert.notInclude(String(answer["error"]), "hunter2")
    })
  )
})
