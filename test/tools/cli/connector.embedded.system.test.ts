import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CONNECTOR_NAME_LENGTH, CONNECTORS_MAX } from "../../../src/platform/limits.ts"
import { createOperator } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey connector …` answers in JSON. */
const connector = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const env = { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" }
  const { code, stdout, stderr } = yield* runBesideService(["connector", ...args, "--json"], env)
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

const refusal = (...args: ReadonlyArray<string>) =>
  Effect.map(connector(...args), ({ code, answer }) => {
    assert.strictEqual(code, 1)
    return String(answer["error"])
  })

const added = Effect.fnUntraced(function* (name: string) {
  const { code, answer } = yield* connector("add", "--name", name, "--url", "http://127.0.0.1:9000/in")
  assert.strictEqual(code, 0)
  return { id: String(answer["connector_id"]), secret: String(answer["secret"]) }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey connector", (it) => {
  it.effect("makes one known, shows its secret once, makes another, and forgets it", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* added("tiny")
      assert.match(secret, /^whsec_/)
      const listed = Effect.map(connector("list"), ({ answer }) => Object(answer["connectors"]))
      assert.deepInclude((yield* listed)[0], {
        connector_id: Number(id),
        name: "tiny",
        url: "http://127.0.0.1:9000/in",
        accounts: 0
      })
      assert.notInclude(JSON.stringify(yield* listed), "whsec_")
      const { answer: rotated } = yield* connector("rotate", "--connector", id)
      assert.match(String(rotated["secret"]), /^whsec_/)
      assert.notStrictEqual(rotated["secret"], secret)
      const inWords = yield* runBesideService(["connector", "list"])
      assert.strictEqual(inWords.stdout, `${id}  "tiny"  http://127.0.0.1:9000/in  accounts: 0\n`)
      yield* connector("remove", "--connector", id)
      assert.strictEqual((yield* runBesideService(["connector", "list"])).stdout, "No connectors.\n")
    })
  )

  it.effect("lets one into an account of an operator, and says so in the trail", () =>
    Effect.gen(function* () {
      const { id } = yield* added("for an account")
      const { operatorId } = yield* createOperator()
      const account = ["--channel", "houfy", "--account", "host-7", "--username", "Ana"]
      const to = ["connect", "--connector", id, "--operator", String(operatorId), ...account]
      const { answer } = yield* connector(...to)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        SELECT id AS channel_account_id, connector FROM channel_accounts WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(rows, [{ channel_account_id: answer["channel_account_id"], connector: `http:${id}` }])
      assert.deepStrictEqual((yield* connector(...to)).answer, answer)
      assert.deepInclude(Object((yield* connector("list")).answer["connectors"])[0], { accounts: 1 })
      const trail = yield* sql`SELECT application, operation FROM trail WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(trail[0], { application: "command line", operation: "connector connect" })
    })
  )

  it.effect("says what it cannot do, and changes nothing", () =>
    Effect.gen(function* () {
      const { id } = yield* added("there already")
      const at = (url: string, name = "another") => ["add", "--name", name, "--url", url]
      const url = "http://127.0.0.1:9000/in"
      const connect = (connector: string, operator: string, channel = "houfy") => [
        "connect",
        "--connector",
        connector,
        "--operator",
        operator,
        "--channel",
        channel,
        "--account",
        "a",
        "--username",
        "u"
      ]
      for (const [args, message] of [
        [at(url, "there already"), /^--name: is already used/],
        [at(url, " "), /^--name: must not be empty\.$/],
        [at(url, "x".repeat(CONNECTOR_NAME_LENGTH + 1)), /^--name: must be at most 100 characters\.$/],
        [at("http://10.0.0.1/"), /^--url: must begin with https:/],
        [at("https://169.254.169.254/"), /^--url: must not point at a link-local address\.$/],
        [at("nowhere"), /^--url: must be an absolute https address/],
        [["rotate", "--connector", "99999"], /^There is no connector 99999\.$/],
        [["remove", "--connector", "99999"], /^There is no connector 99999\.$/],
        [connect("99999", "1"), /^There is no connector 99999\.$/],
        [connect(id, "99999"), /^There is no operator 99999\.$/],
        [connect(id, "1", "myspace"), /myspace/]
      ] as const) {
        assert.match(yield* refusal(...args), message)
      }
      const sql = yield* SqlClient.SqlClient
      const before = yield* sql`SELECT name FROM connectors WHERE name <> 'for an account'`
      assert.deepStrictEqual(before, [{ name: "there already" }])
      yield* added("x".repeat(CONNECTOR_NAME_LENGTH))
    })
  )

  it.effect("has room for so many and no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO connectors (name, url, secret, created_at)
        SELECT 'filling ' || n, 'https://example.com/', 'whsec_', now()
        FROM generate_series(1, ${CONNECTORS_MAX} - 1 - (SELECT count(*) FROM connectors)) n`
      yield* added("the last one")
      const full = yield* refusal("add", "--name", "one more", "--url", "https://example.com/")
      assert.match(full, new RegExp(`\\b${CONNECTORS_MAX} connectors\\b`))
    })
  )
})
