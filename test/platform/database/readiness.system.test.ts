import { connect, createServer, type Server, type Socket } from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import {
  DatabaseSettings,
  layerReadiness,
  layerRequestDatabase
} from "../../../src/platform/database/database-layers.ts"
import { DATABASE_CONNECTIONS } from "../../../src/platform/database/postgres.ts"
import { READINESS_TIMEOUT_MS, Readiness } from "../../../src/platform/database/Readiness.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"
import { UNPOOLED_SETTINGS } from "../../support/platform/database/unpooled-settings.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const answers = Effect.flatMap(Readiness, (database) => database.isReady)

const settingsFor = (url: string) =>
  Layer.succeed(DatabaseSettings, {
    databaseUrl: Redacted.make(url),
    dataDir: "unused",
    statementSeconds: 10,
    ...UNPOOLED_SETTINGS
  })

/** A door to somewhere that can be shut and opened again, like a server that goes away. */
const door = (to: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const open = new Set<Socket>()
      const server: Server = createServer((socket) => {
        open.add(socket)
        socket.once("close", () => open.delete(socket)).on("error", () => socket.destroy())
        to(socket)
      })
      const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
      await listen(0)
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      const shut = () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          for (const socket of open) socket.destroy()
        })
      return { port, shut: Effect.promise(shut), reopen: Effect.promise(() => listen(port)), close: shut }
    }),
    ({ close }) => Effect.promise(close)
  )

describe("readiness", () => {
  layer(Layer.provide(Readiness.layer(), layerTestDatabase))((it) => {
    it.effect("a database that answers is ready", () => Effect.map(answers, assert.isTrue))
  })

  it.effect("a database that says nothing is not ready, after a bounded time", () =>
    Effect.gen(function* () {
      const { port } = yield* door(() => {})
      yield* Effect.gen(function* () {
        const asked = yield* Effect.forkChild(answers, { startImmediately: true })
        yield* TestClock.adjust(READINESS_TIMEOUT_MS - 1)
        assert.isUndefined(asked.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.isFalse(yield* Fiber.join(asked))
      }).pipe(Effect.provide(Layer.provide(layerReadiness, settingsFor(`postgres://nobody@127.0.0.1:${port}/nothing`))))
    })
  )

  describe.skipIf(!canOverlap)(withServerNote("of a server"), () => {
    it.live("is told on a connection of its own, while requests have all of theirs", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const busy = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 3 * DATABASE_CONNECTIONS }, () => sql`SELECT pg_sleep(60)`),
            { concurrency: "unbounded" }
          )
        )
        for (let n = 0; n < 20; n++) assert.isTrue(yield* answers)
        yield* Fiber.interrupt(busy)
      }).pipe(
        Effect.provide(Layer.merge(layerReadiness, layerRequestDatabase)),
        Effect.provide(settingsFor(inject("testDatabaseUrl")))
      )
    )

    it.live("is over when the server has gone, and comes back with it", () =>
      Effect.gen(function* () {
        const server = new URL(inject("testDatabaseUrl"))
        const { port, shut, reopen } = yield* door((socket) => {
          const onward = connect(Number(server.port), server.hostname).on("error", () => socket.destroy())
          socket.pipe(onward).pipe(socket)
        })
        const through = new URL(server)
        through.port = String(port)
        through.hostname = "127.0.0.1"
        yield* Effect.gen(function* () {
          assert.isTrue(yield* answers)
          yield* shut
          assert.isFalse(yield* answers)
          yield* reopen
          yield* Effect.repeat(answers, { until: (ready) => ready })
        }).pipe(Effect.provide(Layer.provide(layerReadiness, settingsFor(through.href))))
      })
    )
  })
})
