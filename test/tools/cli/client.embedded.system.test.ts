import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CLIENT_NAME_LENGTH, OAUTH_CLIENTS_MAX, PARTNER_REDIRECTS_MAX } from "../../../src/platform/limits.ts"
import { createOperator } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey client …` answers in JSON. */
const client = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = yield* runBesideService(["client", ...args, "--json"], env)
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

const refusal = (...args: ReadonlyArray<string>) =>
  Effect.map(client(args), ({ code, answer }) => {
    assert.strictEqual(code, 1)
    return String(answer["error"])
  })

const BACK = "https://ledger.example.com/back"

const created = Effect.fnUntraced(function* (name: string, ...redirects: ReadonlyArray<string>) {
  const { code, answer } = yield* client(["create", "--name", name, ...redirects.flatMap((uri) => ["--redirect", uri])])
  assert.strictEqual(code, 0, JSON.stringify(answer))
  return { id: String(answer["client_id"]), secret: String(answer["client_secret"]) }
})

const listed = Effect.fnUntraced(function* (id: string, env: Record<string, string> = {}) {
  const { answer } = yield* client(["list"], env)
  const rows: ReadonlyArray<Record<string, unknown>> = Object(answer["clients"])
  return rows.find((row) => row["client_id"] === id)
})

layer(layerRunningService, { excludeTestServices: true })("latchkey client", (it) => {
  it.effect("makes a partner, shows its secret once, makes another, and takes it out of service", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* created("Ledger", BACK, "https://ledger.example.com/other")
      assert.match(id, /^app_[a-z0-9]{20}$/)
      assert.match(secret, /^lksecret_[\w-]{43}$/)
      const row = yield* listed(id)
      assert.match(String(row?.["created_at"]), /^\d{4}-\d\d-\d\dT/)
      assert.deepStrictEqual(
        { ...row, created_at: "" },
        {
          client_id: id,
          name: "Ledger",
          redirect_uris: [BACK, "https://ledger.example.com/other"],
          created_at: "",
          disabled: false,
          connections: 0
        }
      )
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql<{ text: string }>`SELECT c::text AS text FROM oauth_clients c WHERE id = ${id}`
      assert.notInclude(kept[0]?.text, secret)
      assert.notInclude(kept[0]?.text, "lksecret")
      const { answer: rotated } = yield* client(["rotate", id])
      assert.deepInclude(rotated, { client_id: id })
      assert.match(String(rotated["client_secret"]), /^lksecret_[\w-]{43}$/)
      assert.notStrictEqual(rotated["client_secret"], secret)
      const { answer: disabled } = yield* client(["disable", id])
      assert.deepStrictEqual(disabled, { client_id: id, connections_ended: 0 })
      assert.deepInclude(yield* listed(id), { disabled: true })
      // What was cut off goes on.
      assert.strictEqual((yield* client(["disable", id])).code, 0)
      assert.match(yield* refusal("rotate", id), /\bdisabled\b/)
      const words = yield* runBesideService(["client", "list"])
      assert.include(words.stdout, `${id}  "Ledger"  connections: 0  disabled\n  ${BACK}\n`)
      assert.notInclude(words.stdout, "lksecret")
    })
  )

  it.effect("counts who has given access", () =>
    Effect.gen(function* () {
      const { id } = yield* created("Counted", BACK)
      const { operatorId, accountId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at, ended_at, ended_by)
        VALUES (${operatorId}, ${accountId}, ${id}, 'Counted', 'writable', now(), NULL, NULL),
          (${operatorId}, ${accountId}, ${id}, 'Counted', 'writable', now(), now(), 'host')`
      assert.deepInclude(yield* listed(id), { connections: 1 })
    })
  )

  it.effect("leaves the public client to the settings, and says which", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* listed("service_mcp"), { disabled: false, redirect_uris: [] })
      assert.deepInclude(yield* listed("service_mcp", { PUBLIC_CLIENT: "0" }), { disabled: true })
      for (const what of ["disable", "rotate"]) {
        assert.match(yield* refusal(what, "service_mcp"), /^service_mcp .*PUBLIC_CLIENT=0/)
      }
      assert.deepInclude(yield* listed("service_mcp"), { disabled: false })
    })
  )

  it.effect("says what it cannot do, and changes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [before] = yield* sql`SELECT count(*) AS clients FROM oauth_clients`
      const make = (name: string, ...uris: ReadonlyArray<string>) => [
        ...["create", "--name", name],
        ...uris.flatMap((uri) => ["--redirect", uri])
      ]
      for (const [args, message] of [
        [make(" ", BACK), /^--name: .*empty/],
        [make("x".repeat(CLIENT_NAME_LENGTH + 1), BACK), /^--name: .*\b100\b/],
        [make("Led\u202eger", BACK), /^--name: .*visible/],
        [make("Two\nlines", BACK), /^--name: .*visible/],
        [make("Plain", "http://ledger.example.com/"), /^--redirect: /],
        [make("Second", BACK, "https://ledger.example.com/#x"), /^--redirect: /],
        [make("Own scheme", "com.example.ledger:/back"), /^--redirect: /],
        [["disable", "app_nobody"], /"app_nobody"/],
        [["rotate", "app_nobody"], /"app_nobody".*disabled/]
      ] as const) {
        assert.match(yield* refusal(...args), message)
      }
      const uris = Array.from({ length: PARTNER_REDIRECTS_MAX + 1 }, (_, nth) => `${BACK}/${nth}`)
      assert.strictEqual((yield* runBesideService(["client", ...make("Many", ...uris), "--json"])).code, 1)
      assert.strictEqual((yield* runBesideService(["client", ...make("None"), "--json"])).code, 1)
      const [after] = yield* sql`SELECT count(*) AS clients FROM oauth_clients`
      assert.deepStrictEqual(after, before)
      yield* created("x".repeat(CLIENT_NAME_LENGTH), ...uris.slice(1))
    })
  )

  it.effect("has room for so many and no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO oauth_clients (id, name, redirect_uris, secret_digest, created_at)
        SELECT 'filling ' || n, 'Filling', '{}', '\\x00', now()
        FROM generate_series(1, ${OAUTH_CLIENTS_MAX} - 1 - (SELECT count(*) FROM oauth_clients WHERE secret_digest IS NOT NULL)) n`
      yield* created("The last one", BACK)
      const full = yield* refusal("create", "--name", "One more", "--redirect", BACK)
      assert.match(full, new RegExp(`\\b${OAUTH_CLIENTS_MAX} clients\\b`))
      const { answer } = yield* client(["list"])
      assert.lengthOf(Object(answer["clients"]), OAUTH_CLIENTS_MAX + 1)
    })
  )
})
