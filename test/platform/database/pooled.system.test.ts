import { spawn } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { missingFrom, noteAccount, settledWithin } from "../../attacks/accounting.ts"
import { arrivals } from "../../attacks/arrivals.ts"
import { assertHeld, tally } from "../../attacks/figures.ts"
import type { Ground } from "../../attacks/grounds.ts"
import { lives } from "../../attacks/service-process.ts"
import { subscribe } from "../../attacks/subscribing.ts"
import { connections } from "../../attacks/wire.ts"
import { acknowledged, estate, ledger, writing } from "../../attacks/writing.ts"
import { call, callForResponse, createOperator, layerService } from "../../support/harness.ts"
import { COMPANION_FIELDS, makeSampleFields, tokenOperations } from "../../support/operation-samples.ts"
import { canOverlap } from "../../support/overlapping-transactions.ts"
import { missingPoolerReason, startPooler } from "../../support/postgres-server.ts"
import { makeSampleWorld, type SampleWorld } from "../../support/sample-world.ts"
import { createEmptyDatabase, createScratchDatabase } from "../../support/scratch-database.ts"
import { NEW_DATABASES_MS, PROCESSES_MS } from "../../support/time-limits.ts"
import { failureMessageOf } from "../../support/tools/cli/command-failures.ts"
import { runLatchkeyProcess } from "../../support/tools/cli/latchkey-process.ts"

// Behind a PgBouncer of Debian's in transaction mode, which knows no prepared statements there and whose sessions keep
// nothing: everything works as it does before the server itself.

const server = process.env.DATABASE_URL ?? ""
const missing = canOverlap ? missingPoolerReason : "DATABASE_URL not set"

/** Fewer than callers, so that sessions change hands. */
const POOL = 3

const DEATHS = 6

/** A client of this address that is killed while several of its statements are under way. */
const diedAsking = (url: string): Promise<void> =>
  new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "../../support/platform/database/pooler-client-process.ts"), url],
      {
        stdio: ["ignore", "pipe", "inherit"]
      }
    )
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), 100))
    child.once("close", () => resolve())
  })

/** The addresses of one migrated database: of the server, and of the pooler before it. */
class Addresses extends Context.Service<Addresses, { readonly direct: string; readonly pooled: string }>()(
  "latchkey/test/Addresses"
) {
  static readonly layer = Layer.effect(
    Addresses,
    Effect.gen(function* () {
      const direct = yield* createScratchDatabase(server)
      // What the owner of a database may set for it is not what the service asks for.
      yield* Effect.orDie(
        on(
          direct,
          (sql) => sql`ALTER DATABASE ${sql(new URL(direct).pathname.slice(1))} SET timezone = 'Asia/Tokyo'`.unprepared
        )
      )
      return { direct, pooled: yield* startPooler(direct, POOL) }
    })
  )
}

const on = <A, E>(url: string, work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, work),
    layerPostgres({ url: Redacted.make(url), maxConnections: 1 }),
    {
      local: true
    }
  )

const realClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

const LIMIT_MS = 1_500

/** The service on the pooler, whose pool ages in real time. */
const layerBehind = Layer.unwrap(
  Effect.map(Addresses, ({ pooled }) => {
    const options = { pooler: { supportsPreparedStatements: false }, maxConnections: 14, statementTimeout: LIMIT_MS }
    return layerService(Layer.provide(layerPostgres({ url: Redacted.make(pooled), ...options }), realClock))
  })
).pipe(Layer.provideMerge(Addresses.layer))

/** How many of that statement the server runs, asked without the pooler. */
const running = (statement: string) =>
  Effect.flatMap(Addresses, ({ direct }) =>
    on(
      direct,
      (sql) => sql`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE ${`${statement}%`} AND pid <> pg_backend_pid()`
    )
  ).pipe(Effect.map((rows) => rows.length))

describe.skipIf(missing !== undefined)(
  `behind a pooler${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    // At the hour of the contract tests, for which the worlds are made.
    layer(layerBehind)((it) => {
      it.effect(
        "every operation does what it does",
        () =>
          Effect.gen(function* () {
            const shared = yield* makeSampleWorld
            const tried = (operation: (typeof tokenOperations)[number], world: SampleWorld) =>
              Effect.map(
                call(world.token, operation._tag, makeSampleFields(operation, world, COMPANION_FIELDS)),
                (envelope) => {
                  assert.notStrictEqual(envelope.error_code, 500, operation._tag)
                  return `${operation._tag} ${envelope.error_code} ${envelope.error_msg}`
                }
              )
            for (const operation of tokenOperations) {
              // What an earlier one took out of the world there is in a new one.
              const first = yield* tried(operation, shared)
              const said = first.startsWith(`${operation._tag} 0 `)
                ? first
                : yield* tried(operation, yield* makeSampleWorld)
              assert.match(said, /^\w+ 0 /)
            }
          }),
        NEW_DATABASES_MS
      )
    })

    layer(layerBehind, { excludeTestServices: true })((it) => {
      it.effect("sessions are in UTC whatever the database is set to, for every statement of them", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const late = sql<{ day: string; zone: string }>`
          SELECT ('2027-05-01T23:30:00Z'::timestamptz)::date::text AS day, current_setting('TimeZone') AS zone, pg_sleep(0.02)`
          const read = yield* Effect.all(
            Array.from({ length: 30 }, () => late),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(new Set(read.map(([row]) => `${row?.day} ${row?.zone}`)), new Set(["2027-05-01 UTC"]))
        })
      )

      it.effect("a request's statement that takes too long is answered 500 with when to retry, and stopped", () =>
        Effect.gen(function* () {
          const { token } = yield* createOperator()
          const { direct } = yield* Addresses
          const locking = on(direct, (sql) =>
            sql.withTransaction(Effect.andThen(sql`LOCK TABLE transactions`, Effect.never))
          )
          const other = yield* Effect.forkChild(locking)
          const locks = on(
            direct,
            (sql) => sql`SELECT FROM pg_locks
            WHERE relation = 'transactions'::regclass AND mode = 'AccessExclusiveLock' AND granted`
          )
          yield* Effect.repeat(locks, { until: (rows) => rows.length === 1 })
          const startedAt = performance.now()
          const answer = yield* callForResponse(token, "search_transactions", { id: 1 })
          const tookMs = performance.now() - startedAt
          assert.strictEqual(answer.envelope.error_code, 500)
          assert.include(answer.envelope.error_msg, "took too long")
          assert.property(answer.headers, "retry-after")
          assert.isAtLeast(tookMs, LIMIT_MS)
          assert.isBelow(tookMs, LIMIT_MS + 2_000)
          const waiting = yield* on(
            direct,
            (sql) => sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
          )
          assert.deepStrictEqual(waiting, [])
          yield* Fiber.interrupt(other)
          assert.strictEqual((yield* call(token, "search_transactions", { id: 1 })).error_code, 0)
        })
      )

      it.effect("a transaction of which a statement took too long leaves nothing, and its connection is usable", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { operatorId } = yield* createOperator()
          const slow = sql.withTransaction(
            Effect.andThen(
              sql`INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, 'Half', now())`,
              sql`SELECT pg_sleep(60)`
            )
          )
          assert.include(String(yield* Effect.exit(slow)), "StatementTimeoutError")
          assert.deepStrictEqual(yield* sql`SELECT id FROM properties WHERE operator_id = ${operatorId}`, [])
          assert.strictEqual(yield* running("SELECT pg_sleep(60)"), 0)
        })
      )

      it.effect("a statement ends when its caller goes away, and nobody else's does", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (let nth = 0; nth < 5; nth++) {
            const gone = yield* Effect.forkChild(sql`SELECT pg_sleep(61)`)
            const others = yield* Effect.forkChild(
              Effect.all(
                Array.from({ length: 20 }, () => sql`SELECT pg_sleep(0.02), 1 AS n`),
                { concurrency: "unbounded" }
              )
            )
            yield* Effect.repeat(running("SELECT pg_sleep(61)"), { until: (count) => count === 1 })
            yield* Fiber.interrupt(gone)
            assert.strictEqual(yield* running("SELECT pg_sleep(61)"), 0)
            assert.isTrue(Exit.isSuccess(yield* Fiber.await(others)))
          }
        })
      )
    })

    it.live(
      `nobody gets the answers of a client that was killed (${DEATHS} times)`,
      () =>
        Effect.gen(function* () {
          const url = yield* startPooler(server, POOL)
          let over = false
          const asking = Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const strange: Array<unknown> = []
            for (let n = 1; !over; n++) {
              const [row] = yield* sql<{ n: number }>`SELECT ${n}::int AS n`
              if (row?.n !== n) strange.push(row)
            }
            return strange
          }).pipe(
            Effect.provide(
              layerPostgres({
                url: Redacted.make(url),
                pooler: { supportsPreparedStatements: false },
                maxConnections: 1
              }),
              {
                local: true
              }
            )
          )
          const callers = yield* Effect.forkChild(Effect.all([asking, asking, asking], { concurrency: 3 }))
          for (let death = 0; death < DEATHS; death++) yield* Effect.promise(() => diedAsking(url))
          over = true
          assert.deepStrictEqual(yield* Fiber.join(callers), [[], [], []])
        }),
      PROCESSES_MS
    )

    it.live(
      "an empty database is migrated, two processes serve and write, and every event arrives",
      () =>
        Effect.gen(function* () {
          const direct = yield* createEmptyDatabase(server)
          const DATABASE_URL = yield* startPooler(direct, POOL)
          const ground: Ground = {
            on: "PostgreSQL",
            env: { DATABASE_URL, DATABASE_PREPARED: "0", LOG_LEVEL: "info" },
            layer: Layer.orDie(layerPostgres({ url: Redacted.make(direct), maxConnections: 4 }))
          }
          const refused = yield* runLatchkeyProcess(["migrate"], { DATABASE_URL })
          assert.match(
            failureMessageOf(refused),
            /^DATABASE_URL: .*\bunsupported startup parameter: jit \(.*\bDATABASE_PREPARED=0\b.*\)$/
          )
          const migrated = yield* runLatchkeyProcess(["migrate"], { DATABASE_URL, DATABASE_PREPARED: "0" })
          assert.match(migrated.stdout, /^Applied 0001_foundation, /)
          const services = yield* Effect.all([lives(ground), lives(ground)])
          const started = yield* Effect.all(
            services.map(({ begin }) => begin),
            { concurrency: 2 }
          )
          for (const { said } of started) assert.notInclude(said(), "failed")
          const writers = 4
          const held = yield* Effect.provide(estate(writers), ground.layer)
          const receiving = yield* arrivals()
          yield* subscribe(services[0].base, held.token, receiving.url)
          const kept = services.map(() => ledger(writers))
          yield* Effect.promise(async () => {
            const until = performance.now() + 3_000
            await Promise.all(
              services.map(({ base }, nth) =>
                writing(
                  { base, agent: connections(writers) },
                  held,
                  kept[nth] ?? ledger(0),
                  nth * 500,
                  () => performance.now() > until
                )
              )
            )
          })
          const count = tally("two processes behind a pooler", ground.on)
          for (const each of kept) {
            const owed = yield* Effect.promise(() => settledWithin(30_000, receiving.first, each))
            noteAccount(count, held, yield* Effect.provide(missingFrom(held, each), ground.layer), owed, [])
            for (const [code, times] of each.answers)
              if (code !== 0 && code !== 409) count.fell(`calls are answered ${code}`, `${times}`)
            if (each.unanswered > 0) count.fell("requests got no answer", started.map(({ said }) => said()).join("\n"))
            count.tried("acknowledged writes", acknowledged(each))
          }
          for (const life of started) {
            life.signal("SIGTERM")
            assert.deepInclude(yield* Effect.promise(() => life.ended), { status: 0 })
          }
          assertHeld(count.figures())
        }),
      PROCESSES_MS
    )
  }
)
