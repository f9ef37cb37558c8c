import { assert, describe, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import {
  DatabaseSettings,
  layerBackgroundDatabase,
  layerDatabase,
  layerRequestDatabase
} from "../../../src/platform/database/database-layers.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { BUSY_RETRY_SECONDS } from "../../../src/platform/limits.ts"
import { callForResponse, createOperator, layerService } from "../../support/harness.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"
import { createScratchDatabase } from "../../support/own-database.ts"
import { UNPOOLED_SETTINGS } from "../../support/platform/database/unpooled-settings.ts"

// A server stops a statement of a request that takes too long. The embedded database stops none: see docs/reference/rate-limits.md.

/** The address of a database that no other test locks. */
class Address extends Context.Service<Address, Redacted.Redacted>()("latchkey/test/Address") {
  static readonly layer = Layer.effect(
    Address,
    Effect.suspend(() => Effect.map(createScratchDatabase(inject("testDatabaseUrl")), Redacted.make))
  )
}

/** The service, whose statements have little time. */
const layerHurried = Layer.unwrap(
  Effect.map(Address, (url) => layerService(layerPostgres({ url, maxConnections: 4, statementTimeout: "1500 millis" })))
).pipe(Layer.provideMerge(Address.layer))

const on = (options: { readonly statementsAConnection?: number; readonly statementLimit?: string }) =>
  Layer.unwrap(
    Effect.map(Address, (url) =>
      layerPostgres({
        url,
        maxConnections: 1,
        ...(options.statementsAConnection === undefined
          ? {}
          : { statementsPerConnection: options.statementsAConnection }),
        ...(options.statementLimit === undefined ? {} : { statementTimeout: "1 second" })
      })
    )
  )

const patiently = Effect.provide(on({}))

describe.skipIf(!canOverlap)(withServerNote("a statement that takes too long on a server"), () => {
  layer(layerHurried)((it) => {
    it.effect("is answered 500 with when to retry, while other calls go on, and works once nothing is in its way", () =>
      Effect.gen(function* () {
        const { token } = yield* createOperator()
        const locked = yield* Deferred.make<void>()
        const unlock = yield* Deferred.make<void>()
        const locking = Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql.withTransaction(
            sql`LOCK TABLE transactions`.pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Deferred.await(unlock))
            )
          )
        )
        const other = yield* Effect.forkChild(patiently(locking))
        yield* Deferred.await(locked)
        const search = callForResponse(token, "search_transactions", { id: 1 })
        const stopped = yield* Effect.forkChild(search)
        const meanwhile = yield* callForResponse(token, "search_properties", {})
        assert.strictEqual(meanwhile.envelope.error_code, 0)
        const answer = yield* Fiber.join(stopped)
        assert.strictEqual(answer.envelope.error_code, 500)
        assert.include(answer.envelope.error_msg, "took too long")
        assert.include(answer.envelope.error_msg, "retry")
        assert.strictEqual(answer.headers["retry-after"], String(BUSY_RETRY_SECONDS))
        yield* Deferred.succeed(unlock, undefined)
        yield* Fiber.join(other)
        assert.strictEqual((yield* search).envelope.error_code, 0)
      })
    )

    it.effect("leaves its connection usable, also for the statements behind it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [slow, ...behind] = yield* Effect.all(
          [sql`SELECT pg_sleep(60)`, sql`SELECT 1 AS n`, sql`SELECT 2 AS n`].map((statement) => Effect.exit(statement)),
          { concurrency: "unbounded" }
        )
        assert.include(String(slow), "StatementTimeoutError")
        assert.deepStrictEqual(behind, [Exit.succeed([{ n: 1 }]), Exit.succeed([{ n: 2 }])])
        assert.deepStrictEqual(yield* sql`SELECT 3 AS n`, [{ n: 3 }])
      }).pipe(Effect.provide(on({ statementsAConnection: 4, statementLimit: "1 second" })))
    )

    it.effect("is none of a migration: that takes as long as it takes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const slow = { id: 900_001, name: "slow", up: Effect.asVoid(sql`SELECT pg_sleep(1.5)`) }
        assert.deepStrictEqual(yield* migrate([slow]), ["900001_slow"])
        assert.deepStrictEqual(yield* sql`SHOW statement_timeout`, [{ statement_timeout: "1s" }])
      }).pipe(Effect.provide(on({ statementLimit: "1 second" })))
    )

    it.effect("ends when its caller goes away, and the connection is the next one's", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const fiber = yield* Effect.forkChild(sql`SELECT pg_sleep(60)`)
        const sleeping = patiently(
          Effect.flatMap(
            SqlClient.SqlClient,
            (other) => other`SELECT FROM pg_stat_activity
              WHERE datname = current_database() AND state = 'active' AND query = 'SELECT pg_sleep(60)'`
          )
        )
        yield* Effect.repeat(sleeping, { until: (rows) => rows.length === 1 })
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* sql`SELECT 1 AS n`, [{ n: 1 }])
        assert.deepStrictEqual(yield* sleeping, [])
      }).pipe(Effect.provide(on({})))
    )

    it.effect("has the seconds of the settings where it is a request's, and all the time elsewhere", () =>
      Effect.gen(function* () {
        const limit = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ statement_timeout: string }>`SHOW statement_timeout`
        ).pipe(Effect.map((rows) => rows[0]?.statement_timeout))
        const settings = Layer.succeed(DatabaseSettings, {
          databaseUrl: yield* Address,
          dataDir: "unused",
          statementSeconds: 7,
          ...UNPOOLED_SETTINGS
        })
        const read = Effect.forEach(
          [
            Effect.provide(limit, layerRequestDatabase),
            Effect.provide(limit, layerBackgroundDatabase),
            Effect.provide(limit, layerDatabase)
          ],
          (each) => Effect.provide(each, settings)
        )
        assert.deepStrictEqual(yield* read, ["7s", "0", "0"])
      })
    )
  })
})
