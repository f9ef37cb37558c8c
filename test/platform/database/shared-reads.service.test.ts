import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSettings, layerRequestDatabase } from "../../../src/platform/database/database-layers.ts"
import { makeReadClientChooser, SharedReads } from "../../../src/platform/database/SharedReads.ts"
import { SHARED_READ_CONNECTIONS } from "../../../src/platform/limits.ts"
import { call, createOperator, dataOf, insertProperty, layerService } from "../../support/harness.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"
import { UNPOOLED_SETTINGS } from "../../support/platform/database/unpooled-settings.ts"
import { createScratchDatabase } from "../../support/scratch-database.ts"

const server = process.env["DATABASE_URL"] ?? ""

/** The connections that requests have on a server, on a database of its own. */
const layerRequests = Layer.unwrap(
  Effect.map(
    Effect.suspend(() => createScratchDatabase(server)),
    (url) =>
      Layer.provide(
        layerRequestDatabase,
        Layer.succeed(DatabaseSettings, {
          ...UNPOOLED_SETTINGS,
          databaseUrl: Redacted.make(url),
          dataDir: "",
          statementSeconds: 10
        })
      )
  )
)

describe.skipIf(!canOverlap)(withServerNote("reads that share connections"), () => {
  layer(layerRequests)((it) => {
    it.effect("can neither write nor lock a row", () =>
      Effect.gen(function* () {
        const sql = yield* SharedReads
        for (const statement of [sql`UPDATE operators SET name = name`, sql`SELECT id FROM operators FOR UPDATE`]) {
          const exit = yield* Effect.exit(statement)
          assert.match(String(exit), /read-only transaction/)
        }
      })
    )

    it.effect("each get their own rows when others are interrupted among them", () =>
      Effect.gen(function* () {
        const sql = yield* SharedReads
        const read = (n: number) =>
          Effect.map(sql<{ n: number }>`SELECT ${n}::int AS n, pg_sleep(0.002)`, ([row]) => row?.n)
        for (let round = 0; round < 20; round++) {
          const fibers = yield* Effect.forEach(
            Array.from({ length: 12 }, (_, n) => round * 100 + n),
            (n) => Effect.map(Effect.forkChild(read(n), { startImmediately: true }), (fiber) => ({ n, fiber }))
          )
          for (const { n, fiber } of fibers) if (n % 3 === round % 3) yield* Effect.forkChild(Fiber.interrupt(fiber))
          for (const { n, fiber } of fibers) {
            const exit = yield* Fiber.await(fiber)
            if (Exit.isSuccess(exit)) assert.strictEqual(exit.value, n)
            else assert.strictEqual(n % 3, round % 3)
          }
        }
      })
    )

    it.effect(
      "have their two connections apart: as many statements as there are connections for requests delay none",
      () =>
        Effect.gen(function* () {
          const [sql, shared] = [yield* SqlClient.SqlClient, yield* SharedReads]
          const connections = UNPOOLED_SETTINGS.databaseConnections - SHARED_READ_CONNECTIONS
          const waiting = yield* Effect.forkChild(
            Effect.all(
              Array.from({ length: connections }, () => sql`SELECT pg_sleep(60)`),
              { concurrency: "unbounded" }
            ),
            { startImmediately: true }
          )
          assert.deepStrictEqual(yield* shared`SELECT 1 AS one`, [{ one: 1 }])
          yield* Fiber.interrupt(waiting)
        })
    )

    it.effect("see what an open transaction wrote", () =>
      Effect.gen(function* () {
        const [sql, read] = [yield* SqlClient.SqlClient, yield* makeReadClientChooser]
        const countOperators = read(
          (client) => () => client<{ count: number }>`SELECT count(*)::int AS count FROM operators`
        )
        const rows = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`CREATE TEMPORARY TABLE operators (id int)`
            yield* sql`INSERT INTO operators VALUES (1), (2)`
            return yield* countOperators()
          })
        )
        assert.deepStrictEqual(rows, [{ count: 2 }])
      })
    )
  })

  layer(layerService(layerRequests))((it) => {
    it.effect("wait for no row that another operator's change has locked", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [locking, other] = [yield* createOperator(), yield* createOperator()]
        const property_id = yield* insertProperty(locking.operatorId, "Harbour 1")
        const entry = {
          property_id,
          direction: "income",
          amount: 5,
          currency: "EUR",
          item_id: 11,
          payment_method_id: 197
        }
        yield* Effect.flatMap(call(locking.token, "create_transaction", entry), dataOf)
        const [created] = yield* sql<{
          id: number
        }>`SELECT id FROM transactions WHERE operator_id = ${locking.operatorId}`
        const id = created?.id ?? assert.fail("no entry was created")
        const [locked, unlock] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const lock = yield* Effect.forkChild(
          sql.withTransaction(
            sql`SELECT id FROM transactions WHERE operator_id = ${locking.operatorId} AND id = ${id} FOR UPDATE`.pipe(
              Effect.andThen(Deferred.succeed(locked, undefined)),
              Effect.andThen(Deferred.await(unlock))
            )
          )
        )
        yield* Deferred.await(locked)
        const change = yield* Effect.forkChild(call(locking.token, "update_transaction", { id, note: "waits" }), {
          startImmediately: true
        })
        // All of these are answered while the change waits: it shares its connection with none of them.
        yield* Effect.all(
          Array.from({ length: 30 }, () => call(other.token, "search_transactions", { id: 1 })),
          { concurrency: "unbounded" }
        )
        yield* call(locking.token, "search_transactions", { id })
        assert.isUndefined(change.pollUnsafe())
        yield* Deferred.succeed(unlock, undefined)
        yield* Fiber.join(change)
        yield* Fiber.join(lock)
      })
    )
  })
})
