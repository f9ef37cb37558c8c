import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer, type RequestListener, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import { migrations } from "../../../migrations/index.ts"
import { BACKLOG_COUNT_LIMIT } from "../../../src/jobs/backlog-statements.ts"
import { makeSealer } from "../../../src/platform/sealing/CurrentSealer.ts"
import { connectorSecretBinding } from "../../../src/platform/sealing/sealed-columns.ts"
import { generateKey, parseSecretKeys } from "../../../src/platform/sealing/secret-keys.ts"
import { BACKLOG_KINDS } from "../../../src/service/backlog.ts"
import {
  checkCollector,
  checkDatabase,
  checkPublicUrl,
  checkRedis,
  DOCTOR_TIMEOUT_MS,
  runDatabaseCheckWithTimeout
} from "../../../src/tools/doctor/checks.ts"
import { QUEUE_STUCK_SECONDS, queueFinding } from "../../../src/tools/doctor/finding-rules.ts"
import { createOperator, layerService } from "../../support/harness.ts"
import { withServerNote } from "../../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import { layerEmptyDatabaseInMemory } from "../../support/test-database.ts"
import { runLatchkeyInProcess } from "../../support/tools/cli/running-service.ts"

/** The line of doctor about a data folder that has no database. */
const NO_DATABASE = /^ok {7}database: .*\bDATA_DIR\b/m

const onServer = inject("testDatabaseUrl") !== ""

const settings = {
  databaseUrl: onServer ? Redacted.make(inject("testDatabaseUrl")) : undefined,
  databaseConnections: 20,
  secretKeys: undefined,
  demo: true,
  host: "127.0.0.1",
  publicUrl: "http://127.0.0.1:8080"
}

type Found = Effect.Success<ReturnType<typeof checkDatabase>>

const of = (found: Found, check: string) => found.find((each) => each.check === check)
const isOf = (found: Found, check: string) => of(found, check)?.is

layer(layerService(layerOwnDatabase), { excludeTestServices: true })("of the database", (it) => {
  it.effect("is everything, and all is well where nothing waits", () =>
    Effect.gen(function* () {
      const found = yield* checkDatabase(settings, migrations)
      assert.deepStrictEqual(
        found.map(({ check }) => check),
        [
          ...["database", "version of the database"],
          ...(onServer ? ["clock of the database", "connections"] : []),
          ...["schema", ...BACKLOG_KINDS.map((kind) => `queue of ${kind}`), "dead letters", "receivers", "SECRET_KEY"]
        ]
      )
      const bad = found.filter(({ check, is }) => is !== "fine" && check !== "connections")
      assert.deepStrictEqual(bad, [])
    })
  )

  it.effect("are migrations that wait, whose queues nobody can look at, and those of a newer release", () =>
    Effect.gen(function* () {
      const more = { id: 999, name: "yet_to_come", up: Effect.void }
      const older = yield* checkDatabase(settings, [...migrations, more])
      assert.strictEqual(isOf(older, "schema"), "wrong")
      assert.match(of(older, "schema")?.found ?? "", /^1 .*\byet_to_come$/)
      assert.strictEqual(isOf(older, "queues"), "unsure")
      assert.isUndefined(of(older, "dead letters"))
      assert.strictEqual(isOf(yield* checkDatabase(settings, migrations.slice(0, -1)), "schema"), "warning")
    })
  )

  it.effect("are deliveries given up within a day, and webhooks that are paused and not deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      yield* sql`
        INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at) VALUES (${operatorId}, 'https://x/', 'x', now())`
      yield* sql`
        INSERT INTO webhook_subscriptions (operator_id, url, events, secret_token, secret, older_events, created_at, updated_at,
          health, deleted_at)
        SELECT ${operatorId}::bigint, 'https://x/', '{x}', 'x', 'x', '{}', now(), now(), '{"state": "paused"}', gone
        FROM unnest(ARRAY[NULL, now()]) gone`
      yield* sql`
        WITH event AS (
          INSERT INTO events (operator_id, event, record, payload, queued_at, fanned_out_at, position)
          SELECT ${operatorId}::bigint, 'heard', 'x', '{}', now(), now(), n * 1000000 FROM generate_series(1, 2) n RETURNING id
        )
        INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, state, due_at, settled_at)
        SELECT ${operatorId}::bigint, id, (SELECT min(id) FROM webhook_subscriptions WHERE operator_id = ${operatorId}), 'x', 'dead',
          now(), now() - make_interval(hours => 1 + 24 * (row_number() OVER () - 1)::int) FROM event`
      const found = yield* checkDatabase(settings, migrations)
      assert.strictEqual(isOf(found, "dead letters"), "warning")
      assert.match(of(found, "dead letters")?.found ?? "", /^1 deliveries\b/)
      assert.match(of(found, "receivers")?.found ?? "", /^1 webhooks\b.*\bpaused_reason\b/)
      yield* sql`DELETE FROM webhook_deliveries WHERE operator_id = ${operatorId}`
    })
  )

  it.effect("is what is due for too long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      yield* sql`
        INSERT INTO events (operator_id, event, record, payload, queued_at)
        VALUES (${operatorId}, 'heard', 'x', '{}', now() - make_interval(secs => ${QUEUE_STUCK_SECONDS + 1}))`
      const queue = of(yield* checkDatabase(settings, migrations), "queue of events")
      assert.strictEqual(queue?.is, "wrong")
      assert.match(queue?.found ?? "", /^1 due, .*\b60\d s$/)
    })
  )

  it.effect("is the key that a secret is sealed with, and what another first key would keep otherwise", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [first, second] = [generateKey(), generateKey()]
      const keysOf = (text: string) => parseSecretKeys(text) ?? assert.fail("no keys")
      const { seal } = makeSealer(keysOf(first))
      const [{ id = 0 } = {}] = yield* sql<{ id: number }>`
        INSERT INTO connectors (name, url, secret, created_at) VALUES ('sealed', 'https://x/', 'x', now()) RETURNING id`
      yield* sql`UPDATE connectors SET secret = ${seal(connectorSecretBinding(id), "x")} WHERE id = ${id}`
      yield* sql`DELETE FROM webhook_subscriptions`
      yield* sql`DELETE FROM webhook_receivers`
      const is = (secretKeys: string | undefined) =>
        Effect.map(
          checkDatabase(
            { ...settings, secretKeys: secretKeys === undefined ? undefined : keysOf(secretKeys) },
            migrations
          ),
          (found) => isOf(found, "SECRET_KEY")
        )
      assert.strictEqual(yield* is(first), "fine")
      assert.strictEqual(yield* is(`${second},${first}`), "warning")
      assert.strictEqual(yield* is(second), "wrong")
      assert.strictEqual(yield* is(undefined), "wrong")
    })
  )
})

/** A port of a server that does this with every request. */
const listening = (answer: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer(answer)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => {
      const address = server.address()
      return address !== null && typeof address === "object" ? address.port : 0
    }
  )

describe("what is looked at", () => {
  it.live("of a database without a table is that all migrations wait", () =>
    Effect.gen(function* () {
      const found = yield* checkDatabase({ ...settings, databaseUrl: undefined }, migrations)
      assert.match(of(found, "schema")?.found ?? "", new RegExp(`^${migrations.length} .*\\bfoundation$`))
    }).pipe(Effect.provide(layerEmptyDatabaseInMemory))
  )

  it.effect("is away after so many seconds, a database after twice as many", () =>
    Effect.gen(function* () {
      const silent = yield* listening(() => {})
      const asked = { otlpEndpoint: `http://127.0.0.1:${silent}`, otlpHeaders: undefined }
      const waiting = yield* Effect.forkChild(checkCollector(asked), { startImmediately: true })
      const looking = yield* Effect.forkChild(runDatabaseCheckWithTimeout(Effect.never), { startImmediately: true })
      yield* TestClock.adjust(DOCTOR_TIMEOUT_MS - 1)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.match((yield* Fiber.join(waiting))[0]?.found ?? "", new RegExp(`\\b${DOCTOR_TIMEOUT_MS / 1000} s$`))
      yield* TestClock.adjust(DOCTOR_TIMEOUT_MS - 1)
      assert.isUndefined(looking.pollUnsafe())
      yield* TestClock.adjust(1)
      const [late] = yield* Fiber.join(looking)
      assert.strictEqual(late?.is, "wrong")
      assert.match(late?.found ?? "", new RegExp(`\\b${(DOCTOR_TIMEOUT_MS * 2) / 1000} s$`))
    })
  )

  it.live("of an own address that says no time is only whether it answers", () =>
    Effect.gen(function* () {
      const port = yield* listening((_request, response) => {
        response.sendDate = false
        response.end()
      })
      const found = yield* checkPublicUrl({ publicUrl: `http://127.0.0.1:${port}` })
      assert.deepStrictEqual(
        found.map(({ is }) => is),
        ["fine"]
      )
    })
  )

  it.live.skipIf(!process.env["REDIS_URL"])(withServerNote("of Redis is its release and its clock"), () =>
    Effect.gen(function* () {
      const found = yield* checkRedis({ redisUrl: Redacted.make(process.env["REDIS_URL"] ?? "") })
      assert.deepStrictEqual(
        found.map(({ check, is }) => [check, is]),
        [
          ["Redis", "fine"],
          ["clock of Redis", "fine"]
        ]
      )
      assert.match(found[0]?.found ?? "", /answers, Redis \d/)
    })
  )

  it("says of more than it counts that there are more", () => {
    const at = (due: number) => queueFinding({ kind: "events", due, oldestSeconds: 1.9 }).found
    assert.match(at(BACKLOG_COUNT_LIMIT), new RegExp(`^${BACKLOG_COUNT_LIMIT} due, .*\\b1 s$`))
    assert.match(at(BACKLOG_COUNT_LIMIT + 1), new RegExp(`^more than ${BACKLOG_COUNT_LIMIT} due, .*\\b1 s$`))
  })
})

const Printed = Schema.fromJsonString(
  Schema.Struct({
    wrong: Schema.Boolean,
    findings: Schema.Array(Schema.Struct({ check: Schema.String, is: Schema.String, found: Schema.String }))
  })
)

it.live("the command reports a data folder that is not whole, and creates no database in an empty one", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-doctor-"))),
      (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
    )
    const port = yield* listening((_request, response) => response.end())
    const env = { DATA_DIR: folder, PUBLIC_URL: `http://127.0.0.1:${port}` }
    const database = join(folder, "database")
    yield* Effect.promise(() => mkdir(database))
    const unused = yield* runLatchkeyInProcess(["doctor"], env)
    assert.match(unused.stdout, NO_DATABASE)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder, { recursive: true })), ["database"])
    yield* Effect.promise(() => mkdir(join(database, "base")))
    const cutOff = yield* runLatchkeyInProcess(["doctor"], env)
    assert.strictEqual(cutOff.code, 1)
    assert.match(cutOff.stdout, /WRONG {4}database: .*no PG_VERSION/)
  })
)

it.live("the command makes no database where there is none, and its status says whether something is wrong", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-doctor-"))),
      (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
    )
    const port = yield* listening((_request, response) => response.end())
    const env = { DATA_DIR: join(folder, "none"), PUBLIC_URL: `http://127.0.0.1:${port}` }
    const well = yield* runLatchkeyInProcess(["doctor", "--json"], env)
    const { wrong, findings } = yield* Schema.decodeUnknownEffect(Printed)(well.stdout)
    assert.deepStrictEqual([well.code, wrong], [0, false])
    const saidOf = (check: string) => findings.find((each) => each.check === check)?.found
    assert.include(saidOf("database"), "DATA_DIR")
    assert.isUndefined(saidOf("disk of DATA_DIR"))
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), [])
    // Nor into one that is there and has no database: looking would make one.
    const empty = yield* runLatchkeyInProcess(["doctor"], { ...env, DATA_DIR: folder })
    assert.match(empty.stdout, NO_DATABASE)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), [])
    const ill = yield* runLatchkeyInProcess(["doctor"], { ...env, PUBLIC_URL: "http://127.0.0.1:9" })
    assert.strictEqual(ill.code, 1)
    assert.match(ill.stdout, /^WRONG {4}PUBLIC_URL: 127\.0\.0\.1:9 .*: \S+\n +→ \S.*PUBLIC_URL/m)
  })
)
