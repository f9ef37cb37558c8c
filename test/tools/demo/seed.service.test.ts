import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { Tokens } from "../../../src/admission/gate/Tokens.ts"
import { PasswordCost, verifyPassword } from "../../../src/domain/access/operators/password.ts"
import { PlanningQueue } from "../../../src/domain/automation/planning/PlanningQueue.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { renderGreeting } from "../../../src/tools/demo/greeting.ts"
import { seedDemo } from "../../../src/tools/demo/seed.ts"
import { createEmptyDatabase } from "../../support/scratch-database.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"

const server = process.env.DATABASE_URL ?? ""

const layerOwnServerDatabase = Layer.unwrap(
  Effect.map(
    Effect.suspend(() => createEmptyDatabase(server)),
    (url) => layerPostgres({ url: Redacted.make(url), maxConnections: 4 })
  )
)

const settings = { publicUrl: "http://127.0.0.1:8080", demo: true, sandbox: "with demo" } as const

/** A database of its own: seeding looks whether there is any operator at all. */
const seedSuite = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient, E>) =>
  layer(
    Tokens.layer.pipe(
      Layer.provideMerge(Layer.effectDiscard(migrate(migrations))),
      Layer.provideMerge(database),
      Layer.provideMerge(Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 }))
    )
  )(name, (it) => {
    it.effect("seeds once, however many start together, and greets the first with a token that works", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tokens = yield* Tokens
        const greetings = yield* Effect.all(
          [renderGreeting(settings), renderGreeting(settings), renderGreeting(settings)],
          { concurrency: 3 }
        )
        assert.lengthOf(yield* sql`SELECT FROM operators`, 1)
        const welcomes = greetings.filter((text) => text.includes("curl"))
        assert.lengthOf(welcomes, 1)
        const [welcome = ""] = welcomes
        assert.match(welcome, /^ {2}MCP {6}http:\/\/127\.0\.0\.1:8080\/mcp$/m)
        assert.match(
          welcome,
          /curl -H "Service-Access-Token: lk_\S+" "http:\/\/127\.0\.0\.1:8080\/v3\/transactions\?start_date=[\d-]{10}&end_date=[\d-]{10}"/
        )
        const known = yield* tokens.lookup(/lk_[\w-]+/.exec(welcome)?.[0] ?? "")
        assert.deepInclude(known, { scope: "writable", role: "main", status: "active", edition: "pro" })
        assert.match(welcome, /^ {2}Console {2}http:\/\/127\.0\.0\.1:8080\/console$/m)
        // The password is one that opens the account of the address beside it, and of this database alone.
        const [, email, password] = /^ {2}e-mail {4}(\S+)\n {2}password {2}(\S+)$/m.exec(welcome) ?? []
        const [account] = yield* sql<{ hash: string }>`
          SELECT password_hash AS hash FROM accounts WHERE email = ${email ?? ""}`
        assert.isTrue(yield* verifyPassword(password ?? "", account?.hash))
        // A later start cannot show it again, and says how to make another.
        const later = yield* renderGreeting(settings)
        assert.notInclude(later, "lk_")
        assert.notInclude(later, password ?? "")
        assert.include(later, `| npx latchkey account password --account ${known?.accountId} --password-stdin`)
        assert.include(later, `npx latchkey token create --account ${known?.accountId} --name mine --scope writable`)
        for (const text of [welcome, later]) assert.include(text, "http://127.0.0.1:8080/sandbox")
        assert.notInclude(yield* renderGreeting({ ...settings, sandbox: "never" }), "/sandbox")
        // Its page is not where others reach the service.
        const reached = { ...settings, publicUrl: "https://pms.example", sandbox: "always" } as const
        assert.notInclude(yield* renderGreeting(reached), "/sandbox")
        assert.strictEqual((yield* Effect.flip(seedDemo))._tag, "OperatorsExist")
        assert.notInclude(yield* renderGreeting({ ...settings, demo: false }), "demo operator")
      })
    )

    it.effect("shares of an entry on an order add up to it, one a stay", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const onOrders = yield* sql<{ rooms: number; shares: number; exact: boolean; properties: number }>`
          SELECT (SELECT count(*) FROM stays s WHERE s.order_id = t.order_id) AS rooms,
            count(share.*) AS shares, sum(share.amount) = t.amount AS exact, count(DISTINCT stay.property_id) AS properties
          FROM transactions t
          LEFT JOIN transaction_shares share ON share.transaction_id = t.id
          LEFT JOIN stays stay ON stay.id = share.stay_id
          WHERE t.order_id IS NOT NULL GROUP BY t.id, t.order_id, t.amount`
        assert.isAbove(onOrders.length, 20)
        for (const entry of onOrders) {
          assert.isTrue(entry.exact)
          assert.strictEqual(entry.shares, entry.rooms)
        }
        assert.isTrue(onOrders.some(({ properties }) => properties > 1))
      })
    )

    it.effect("what is due later is outstanding, everything else paid", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // The test clock stands at 1970, where the seed was made.
        const wrong = yield* sql`
          SELECT FROM transactions WHERE (status = 'outstanding') <> (action_at > '1970-01-01T00:00:00Z')`
        assert.lengthOf(wrong, 0)
        const [count] = yield* sql<{ outstanding: number; paid: number }>`
          SELECT count(*) FILTER (WHERE status = 'outstanding') AS outstanding,
            count(*) FILTER (WHERE status = 'paid') AS paid FROM transactions`
        assert.isAbove(count?.outstanding ?? 0, 5)
        assert.isAbove(count?.paid ?? 0, 100)
      })
    )

    it.effect("overrides names of built-in dictionary entries", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const own = yield* sql`SELECT FROM dictionary_entries WHERE id < 1000`
        assert.isAbove(own.length, 0)
      })
    )
  })

/** As in the service: the background has its stores already, on a client of its own. */
const layerBesideBackground = Layer.effectDiscard(seedDemo).pipe(
  Layer.provide(Layer.provide(PlanningQueue.layer, layerTestDatabaseInMemory)),
  Layer.provideMerge(Layer.effectDiscard(migrate(migrations))),
  Layer.provideMerge(server === "" ? Layer.fresh(layerTestDatabaseInMemory) : layerOwnServerDatabase),
  Layer.provideMerge(Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 }))
)

layer(layerBesideBackground)("beside work in the background", (it) => {
  it.effect("has planned what its rules are about to do, in its own transaction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.isAbove((yield* sql`SELECT FROM automation_plans WHERE state = 'waiting'`).length, 10)
    })
  )
})

describe("the demo operator in an empty database", () => {
  seedSuite("embedded", layerTestDatabaseInMemory)
  describe.skipIf(server === "")(server === "" ? "server (skipped: DATABASE_URL not set)" : "server", () => {
    seedSuite("PostgreSQL", layerOwnServerDatabase)
  })
})
