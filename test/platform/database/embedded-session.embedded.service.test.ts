import type { Duplex } from "node:stream"
import { PgConnection } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Scope } from "effect"
import { EmbeddedDatabase } from "../../../src/platform/database/embedded.ts"

/** What a careful client brings: it asks for encryption first and has a password at hand. */
const clientUrl = Redacted.make("postgres://postgres:secret@localhost/postgres?sslmode=prefer")

/** A connection of its own to the embedded database, and the stream below it. */
const connection = Effect.gen(function* () {
  const { connect } = yield* EmbeddedDatabase
  const streams: Array<Duplex> = []
  const stream = () => {
    const opened = connect()
    streams.push(opened)
    return opened
  }
  const scope = yield* Effect.acquireRelease(Scope.make(), (opened) => Scope.close(opened, Exit.void))
  const client = yield* Scope.provide(PgConnection.make({ stream, url: clientUrl }), scope)
  return { client, streams, close: Scope.close(scope, Exit.void) }
})

/** Everything that is ready to run gets to run. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const rowsOf = (client: PgConnection.PgConnection, statement: string) =>
  Effect.map(client.query(statement), ({ rows }) => rows)

layer(EmbeddedDatabase.layerInMemory())("the session of the embedded database", (it) => {
  it.effect("a connection cut in the middle of a transaction leaves nothing to the next one", () =>
    Effect.gen(function* () {
      const first = yield* connection
      yield* first.client.query("create table if not exists kept (id integer)")
      yield* first.client.query("set work_mem = '3MB'")
      yield* first.client.query("select pg_advisory_lock(1)")
      yield* first.client.query("prepare mine as select 1")
      yield* first.client.query("begin")
      yield* first.client.query("insert into kept values (1)")
      for (const stream of first.streams) stream.destroy(new Error("connection reset"))

      const second = yield* connection
      expect(yield* rowsOf(second.client, "select * from kept")).toEqual([])
      expect(yield* rowsOf(second.client, "select 1 from pg_locks where locktype = 'advisory'")).toEqual([])
      expect(yield* rowsOf(second.client, "select 1 from pg_prepared_statements where name = 'mine'")).toEqual([])
      const [setting] = yield* rowsOf(second.client, "show work_mem")
      expect(setting?.work_mem).not.toBe("3MB")
      yield* second.client.query("insert into kept values (2)")
      yield* second.close
      yield* first.close
    })
  )

  it.effect("a connection cut after an error inside a transaction is no different", () =>
    Effect.gen(function* () {
      const first = yield* connection
      yield* first.client.query("begin")
      yield* Effect.flip(first.client.query("select 1/0"))
      yield* first.close
      const second = yield* connection
      expect(yield* rowsOf(second.client, "select 1 as one")).toEqual([{ one: 1 }])
      yield* second.close
    })
  )

  it.effect("a second connection waits for the first one to go", () =>
    Effect.gen(function* () {
      const first = yield* connection
      yield* first.client.query("create table waited (id integer)")
      const second = yield* Effect.forkChild(
        Effect.flatMap(connection, (later) =>
          Effect.ensuring(rowsOf(later.client, "select id from waited"), later.close)
        )
      )
      yield* first.client.query("begin")
      yield* first.client.query("insert into waited values (1)")
      yield* Effect.repeat(Effect.andThen(first.client.query("select 1"), turn), { times: 50 })
      expect(second.pollUnsafe()).toBeUndefined()
      yield* first.client.query("rollback")
      yield* first.close
      expect(yield* Fiber.join(second)).toEqual([])
    })
  )

  it.effect("one that gives up waiting does not hold up those behind it", () =>
    Effect.gen(function* () {
      const first = yield* connection
      const impatient = yield* Effect.forkChild(connection)
      yield* first.client.query("select 1")
      const patient = yield* Effect.forkChild(connection)
      yield* Fiber.interrupt(impatient)
      yield* first.close
      const last = yield* Fiber.join(patient)
      expect(yield* rowsOf(last.client, "select 2 as two")).toEqual([{ two: 2 }])
      yield* last.close
    })
  )

  it.effect("a request to cancel is closed at once and disturbs nobody", () =>
    Effect.gen(function* () {
      const { client } = yield* connection
      const { connect } = yield* EmbeddedDatabase
      const request = Buffer.alloc(16)
      request.writeInt32BE(16, 0)
      request.writeInt32BE(80_877_102, 4)
      yield* Effect.callback<void>((resume) => {
        connect()
          .once("close", () => resume(Effect.void))
          .write(request)
      })
      expect(yield* rowsOf(client, "select 1 as one")).toEqual([{ one: 1 }])
    })
  )

  it.effect("timers and sockets get their turn while statements follow one another", () =>
    Effect.gen(function* () {
      const { client, close } = yield* connection
      let ticks = 0
      const timer = setInterval(() => ticks++, 1)
      yield* Effect.repeat(client.query("select 1"), { until: () => ticks > 3, times: 100_000 })
      clearInterval(timer)
      expect(ticks).toBeGreaterThan(3)
      yield* close
    })
  )
})
