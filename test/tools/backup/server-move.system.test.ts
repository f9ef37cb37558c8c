import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import { readMove, type ServerSession, writeMove } from "../../../src/platform/database/database-move.ts"
import { layerEmbedded } from "../../../src/platform/database/embedded.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { findFirstRelation } from "../../../src/tools/backup/database-catalog.ts"
import { abortMove, moveToServer } from "../../../src/tools/backup/server-move.ts"
import { awaitSessionEnd, loadOwnSession } from "../../../src/tools/backup/server-session.ts"
import { withServerNote } from "../../support/overlapping-transactions.ts"
import { createEmptyDatabase } from "../../support/scratch-database.ts"
import { unpackTestDatabase } from "../../support/test-database.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { startLateCommitProxy } from "../../support/tools/backup/late-commit-proxy.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const server = process.env["DATABASE_URL"] ?? ""

/** A data folder with a migrated database, which nobody has: made once, as it takes seconds. Who moves it takes that back. */
const dataFolder = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const dataDir = join(yield* Scope.provide(makeEmptyFolder, yield* Scope.make()), "data")
      yield* Effect.promise(() => mkdir(dataDir, { mode: 0o700 }))
      yield* unpackTestDatabase(dataDir)
      yield* Effect.provide(migrate(migrations), layerEmbedded(dataDir, "command"), { local: true })
      return dataDir
    })
  )
)

const moving = (dataDir: string, to: string) => ({
  dataDir,
  imageStore: undefined,
  targetUrl: Redacted.make(to),
  latchkey: "3.13.0",
  migrations
})

const onServer = (url: string) => layerPostgres({ url: Redacted.make(url), maxConnections: 2 })
const thereAt = (url: string) => Effect.provide(Effect.flatMap(SqlClient.SqlClient, findFirstRelation), onServer(url))

/** Holds a transaction open that makes a table, until it is told to commit. */
const openTransaction = Effect.fnUntraced(function* (ms: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`CREATE TABLE late (a int)`
      yield* Effect.sleep(ms)
    })
  )
})

const SHORT = { gracefulEndMs: 300, terminationMs: 2_000, pollMs: 100 }

it.live.skipIf(server === "")(
  withServerNote(
    "a commit that the server takes up after the connection broke is waited for, and found by the next command"
  ),
  () =>
    Effect.gen(function* () {
      const [dataDir, url] = [yield* dataFolder, yield* createEmptyDatabase(server)]
      const broken = yield* Effect.flip(moveToServer(moving(dataDir, yield* startLateCommitProxy(url, 1_500))))
      // It was not there when the connection broke. Told as undone, it would have come into being behind everybody's back.
      assert.notDeepEqual(yield* thereAt(url), [])
      assert.match(String(broken), /\bmay be on the server\b.*\b127\.0\.0\.1\b/)
      const left = yield* readMove(dataDir)
      assert.strictEqual(left?.state, "committing")
      assert.isAbove(left?.session?.pid ?? 0, 0)
      assert.isTrue((yield* moveToServer(moving(dataDir, url))).finished)
      assert.strictEqual((yield* abortMove(dataDir)).state, "moved")
    }),
  PROCESSES_MS
)

it.live.skipIf(server === "")(
  withServerNote("a command waits for what a killed one left that still commits"),
  () =>
    Effect.gen(function* () {
      const [dataDir, url] = [yield* dataFolder, yield* createEmptyDatabase(server)]
      const elsewhere = yield* Layer.build(onServer(url))
      const began = yield* Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const session = yield* sql.withTransaction(loadOwnSession)
          return { session, open: yield* Effect.forkChild(openTransaction(1_500)) }
        }),
        Layer.succeedContext(elsewhere)
      )
      yield* Effect.sleep(200)
      yield* writeMove(dataDir, { state: "committing", to: "there", since: "now", session: began.session })
      const refused = yield* Effect.flip(moveToServer(moving(dataDir, url)))
      yield* Fiber.join(began.open)
      assert.match(String(refused), /--to: .*\bdiffers\b.*\bmove --abort\b/)
      yield* abortMove(dataDir)
    }),
  PROCESSES_MS
)

it.live.skipIf(server === "")(
  withServerNote("a session that does not end is terminated; one that is idle is over"),
  () =>
    Effect.gen(function* () {
      const url = yield* createEmptyDatabase(server)
      const elsewhere = Layer.succeedContext(yield* Layer.build(Layer.fresh(onServer(url))))
      const here = yield* Layer.build(Layer.fresh(onServer(url)))
      const over = (session: ServerSession, patience = SHORT) =>
        Effect.provide(awaitSessionEnd(session, patience), Layer.succeedContext(here))
      const session = yield* Effect.provide(loadOwnSession, elsewhere)
      assert.isTrue(yield* over(session))
      const open = yield* Effect.forkChild(Effect.provide(openTransaction(60_000), elsewhere))
      yield* Effect.sleep(200)
      // Not gone for as long as it is waited for.
      assert.isFalse(yield* over(session, { ...SHORT, terminationMs: 0 }))
      assert.isTrue(yield* over(session))
      assert.deepStrictEqual(yield* thereAt(url), [])
      yield* Fiber.interrupt(open)
      // The same number, given to another.
      assert.isTrue(yield* over({ ...session, began: "1" }))
    })
)
