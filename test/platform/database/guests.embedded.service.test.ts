import type { Duplex } from "node:stream"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import fc from "fast-check"
import { EmbeddedDatabase } from "../../../src/platform/database/embedded.ts"
import {
  SECONDARY_MESSAGE_BYTES,
  SECONDARY_TRANSACTION_MS,
  type SecondaryTimeouts
} from "../../../src/platform/database/secondary-connection.ts"
import { layerTestDatabaseInMemory, openTestSnapshot } from "../../support/test-database.ts"

const url = Redacted.make("postgres://postgres@localhost/postgres?sslmode=disable")

/** A guest's connection, the stream below it, and how often the session was told that something of it is over. */
const guest = Effect.fnUntraced(function* (patience: Partial<SecondaryTimeouts> = {}) {
  const { connectSecondary: join } = yield* EmbeddedDatabase
  const streams: Array<Duplex> = []
  let over = 0
  const stream = () => {
    const opened = join(() => over++, patience)
    streams.push(opened)
    return opened
  }
  const scope = yield* Effect.acquireRelease(Scope.make(), (opened) => Scope.close(opened, Exit.void))
  const client = yield* Scope.provide(PgConnection.make({ stream, url, prepare: false }), scope)
  return {
    rows: (statement: string) => Effect.map(client.query(statement), ({ rows }) => rows),
    over: () => over,
    cut: Effect.sync(() => {
      for (const opened of streams) opened.destroy(new Error("connection reset"))
    }),
    close: Scope.close(scope, Exit.void)
  }
})

/** An embedded database whose session nobody owns yet. */
const layerUnowned = Layer.unwrap(Effect.map(Effect.promise(openTestSnapshot), EmbeddedDatabase.layerInMemory))

const message = (type: string, body: string): Buffer => {
  const head = Buffer.from(`${type}\0\0\0\0`, "latin1")
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, Buffer.from(body, "latin1")])
}

const STARTUP = Buffer.from("\0\0\0\x17\0\x03\0\0user\0postgres\0\0", "latin1")

/** What a connection says to some bytes, up to the point that is waited for. */
const told = (connection: Duplex, bytes: Buffer, until: RegExp) =>
  Effect.callback<string>((resume) => {
    let said = ""
    const hear = (word: Buffer) => {
      said += word.toString("latin1")
      if (!until.test(said)) return
      connection.off("data", hear)
      resume(Effect.succeed(said))
    }
    connection.on("data", hear)
    connection.write(bytes)
  })

/** The same of a guest that has just come. */
const answerTo = Effect.fnUntraced(function* (bytes: Buffer, until: RegExp) {
  const { connectSecondary: join } = yield* EmbeddedDatabase
  const one = join(() => {})
  const said = yield* told(one, Buffer.concat([STARTUP, bytes]), until)
  one.destroy()
  return said
})

const pause = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))

const table = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient
  yield* sql.unsafe(`create table ${name} (id integer)`)
  return {
    insert: (id: number) => sql`insert into ${sql(name)} values (${id})`,
    ids: Effect.map(sql<{ id: number }>`select id from ${sql(name)} order by id`, (rows) => rows.map(({ id }) => id))
  }
})

layer(layerTestDatabaseInMemory, { excludeTestServices: true })("a guest of the embedded session", (it) => {
  it.effect("works beside the owner, each with the statements it prepared", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const one = yield* guest()
      const two = yield* guest()
      const counts = yield* Effect.all(
        [
          Effect.forEach(
            Array.from({ length: 60 }, (_, n) => n),
            (n) => sql<{ n: number }>`select ${n}::int as n`
          ),
          Effect.forEach(Array.from({ length: 60 }), () => one.rows("select 1 as n")),
          Effect.forEach(Array.from({ length: 60 }), () => two.rows("select 2 as n"))
        ],
        { concurrency: 3 }
      )
      const [own, ones, twos] = counts.map((answers) => answers.flat().map(({ n }) => n))
      assert.deepStrictEqual(
        own,
        Array.from({ length: 60 }, (_, n) => n)
      )
      assert.deepStrictEqual([new Set(ones), new Set(twos)], [new Set([1]), new Set([2])])
      assert.strictEqual(one.over(), 60)
    })
  )

  // Each of these once made the database of the process look for the end of a message for ever.
  it.effect("that speaks no protocol is shown out, and holds up nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { connectSecondary: join } = yield* EmbeddedDatabase
      for (const bytes of [
        Buffer.alloc(14, 0xff),
        Buffer.alloc(1_000),
        Buffer.concat([STARTUP, Buffer.from("Q\0\0\0\x03", "latin1")]),
        Buffer.concat([STARTUP, Buffer.from("S\xff\xff\xff\xff", "latin1")])
      ]) {
        const one = join(() => {})
        assert.include(yield* told(one, bytes, /08P01/), "no message of the protocol")
        one.destroy()
        assert.deepStrictEqual(yield* sql`select 1 as n`, [{ n: 1 }])
      }
    })
  )

  it.effect("that fills messages with anything at all holds up nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { connectSecondary: join } = yield* EmbeddedDatabase
      const bodies = fc.sample(fc.string({ unit: "binary-ascii", maxLength: 40 }), { numRuns: 12, seed: 10 })
      for (const type of "BCDEFHPQScdf") {
        for (const body of ["", ...bodies]) {
          const one = join(() => {})
          one.on("error", () => {})
          one.resume()
          one.write(Buffer.concat([STARTUP, message(type, body), message("S", "")]))
          // Waits for its turn behind whatever came of that.
          assert.deepStrictEqual(yield* sql`select 1 as n`, [{ n: 1 }], `${type} ${JSON.stringify(body)}`)
          one.destroy()
        }
      }
      assert.deepStrictEqual(yield* sql`select 1 as n`, [{ n: 1 }])
    })
  )

  it.effect("keeps its transaction to itself, and the owner its own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { insert, ids } = yield* table("apart")
      const one = yield* guest()
      yield* one.rows("begin")
      yield* one.rows("insert into apart values (1)")
      assert.strictEqual(one.over(), 0)
      const outside = yield* Effect.forkChild(ids)
      yield* Effect.repeat(one.rows("select 1"), { times: 20 })
      assert.isUndefined(outside.pollUnsafe())
      yield* one.rows("rollback")
      assert.deepStrictEqual(yield* Fiber.join(outside), [])
      assert.strictEqual(one.over(), 1)
      const inside = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(2)
          const asked = yield* Effect.forkChild(one.rows("select id from apart"))
          yield* pause(20)
          assert.isUndefined(asked.pollUnsafe())
          return asked
        })
      )
      assert.deepStrictEqual(yield* Fiber.join(inside), [{ id: 2 }])
    })
  )

  it.effect("that is cut off in its transaction leaves nothing and holds up nobody", () =>
    Effect.gen(function* () {
      const { ids } = yield* table("cut")
      for (const last of ["insert into cut values (1)", "select 1/0"]) {
        const one = yield* guest()
        yield* one.rows("begin")
        yield* Effect.exit(one.rows(last))
        yield* one.cut
        assert.deepStrictEqual(yield* ids, [])
      }
    })
  )

  it.effect("leaves nothing in the session with the end of its turn, and the owner what it prepared", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { insert, ids } = yield* table("kept")
      yield* insert(1)
      // Prepared by the owner, and used again below.
      const ask = sql`select name from pg_prepared_statements where not from_sql order by name`
      yield* ask
      const prepared = yield* ask
      assert.isNotEmpty(prepared)
      const settings = sql`select name, setting from pg_settings order by name`
      const before = yield* settings
      const locks = sql`select 1 from pg_locks where locktype = 'advisory'`
      const statements = [
        "set search_path = nowhere",
        "set timezone = 'Asia/Tokyo'",
        "set role pg_monitor",
        "set default_transaction_read_only = on",
        "select set_config('work_mem', '3MB', false)",
        "select pg_advisory_lock(1)",
        "listen theirs",
        "prepare mine as select 1",
        'prepare "Mine""s" as select 1',
        "declare held cursor with hold for select 1",
        "create temporary table kept (id integer)"
      ]
      for (const statement of statements) {
        const one = yield* guest()
        yield* one.rows(statement)
        assert.deepStrictEqual(yield* ids, [1], statement)
        assert.deepStrictEqual(yield* settings, before, statement)
        assert.deepStrictEqual(yield* locks, [], statement)
        assert.deepStrictEqual(yield* sql`select * from pg_listening_channels()`, [], statement)
        assert.deepStrictEqual(yield* sql`select name from pg_prepared_statements where from_sql`, [], statement)
        assert.deepStrictEqual(yield* sql`select name from pg_cursors where is_holdable`, [], statement)
        yield* one.close
      }
      const cut = yield* guest()
      yield* cut.rows("begin")
      yield* cut.rows("select pg_advisory_lock(2)")
      yield* cut.cut
      assert.deepStrictEqual(yield* locks, [])
      const names = new Set((yield* ask).map(({ name }) => name))
      assert.isTrue(prepared.every(({ name }) => names.has(name)))
    })
  )

  it.effect("may be silent in its transaction for a while, not for longer", () =>
    Effect.gen(function* () {
      const { ids } = yield* table("silent")
      const one = yield* guest({ idleMs: 1_500 })
      yield* pause(1_700)
      yield* one.rows("begin")
      yield* one.rows("insert into silent values (1)")
      yield* pause(100)
      yield* one.rows("commit")
      yield* pause(1_700)
      assert.deepStrictEqual(yield* ids, [1])
      yield* one.rows("begin")
      yield* one.rows("insert into silent values (2)")
      assert.deepStrictEqual(yield* ids, [1])
      const refused = yield* Effect.flip(one.rows("commit"))
      assert.strictEqual(refused._tag, "SqlError")
    })
  )

  it.effect("may take so long for its transaction, however much it says, and no millisecond longer", () =>
    Effect.gen(function* () {
      const { ids } = yield* table("long")
      let now = 0
      const open = Effect.fnUntraced(function* () {
        const one = yield* guest({ now: () => now })
        // What comes before it does not count.
        now += 2 * SECONDARY_TRANSACTION_MS
        const began = now
        yield* one.rows("begin")
        yield* one.rows("insert into long values (1)")
        while (now < began + SECONDARY_TRANSACTION_MS - 1_000) {
          now += 1_000
          yield* one.rows("select 1")
        }
        return { one, end: began + SECONDARY_TRANSACTION_MS }
      })
      const first = yield* open()
      now = first.end
      yield* first.one.rows("select 1")
      yield* first.one.close
      const second = yield* open()
      now = second.end + 1
      assert.isTrue(Exit.isFailure(yield* Effect.exit(second.one.rows("select 1"))))
      assert.deepStrictEqual(yield* ids, [])
      const third = yield* open()
      yield* third.one.rows("commit")
      assert.deepStrictEqual(yield* ids, [1])
    })
  )

  it.effect("is undone in time also when it says nothing more", () =>
    Effect.gen(function* () {
      const { connectSecondary: join } = yield* EmbeddedDatabase
      const { ids } = yield* table("timed")
      const one = join(() => {}, { idleMs: 60_000, transactionMs: 100 })
      const begun = Buffer.concat([STARTUP, message("Q", "begin; insert into timed values (1)\0")])
      assert.include(yield* told(one, begun, /C25P04/), "it took too long")
      assert.deepStrictEqual(yield* ids, [])
    })
  )

  it.effect.each([
    { why: "is refused", patience: { idleMs: 50 }, sent: message("Q", "begin\0") },
    {
      why: "stalls",
      patience: { stallMs: 50 },
      sent: Buffer.concat(["1", "2"].map((n) => message("Q", `select repeat('${n}', 100000)\0`)))
    }
  ])("is gone soon when it $why and takes nothing any more", ({ patience, sent }) =>
    Effect.gen(function* () {
      const { connectSecondary: join } = yield* EmbeddedDatabase
      const deaf = join(() => {}, patience)
      const closed = Effect.callback<string>((resume) => {
        deaf.once("close", () => resume(Effect.succeed("closed")))
      })
      deaf.write(Buffer.concat([STARTUP, sent]))
      assert.strictEqual(yield* Effect.race(closed, Effect.as(pause(5_000), "there")), "closed")
    })
  )

  it.effect("must begin in time", () =>
    Effect.gen(function* () {
      const { connectSecondary: join } = yield* EmbeddedDatabase
      const said = yield* Effect.callback<string>((resume) => {
        const silent = join(() => {}, { idleMs: 50 })
        silent.once("data", (word: Buffer) => resume(Effect.succeed(word.toString())))
      })
      assert.include(said, "25P03")
    })
  )

  it.effect("may not name statements: names are the session's", () =>
    Effect.gen(function* () {
      const parse = (name: string) => message("P", `${name}\0select 1\0\0\0`)
      const said = (name: string) => answerTo(Buffer.concat([parse(name), message("S", "")]), /1.{4}Z|C0A000/s)
      assert.include(yield* said(""), "1\0\0\0\x04")
      assert.include(yield* said("mine"), "cannot be named")
    })
  )

  it.effect("may send a message of so many bytes, and none longer", () =>
    Effect.gen(function* () {
      const asked = (bytes: number) =>
        answerTo(message("Q", `select 1 --${" ".repeat(bytes - 17)}\0`), /SELECT 1\0|C54000/)
      assert.include(yield* asked(SECONDARY_MESSAGE_BYTES), "SELECT 1\0")
      assert.include(yield* asked(SECONDARY_MESSAGE_BYTES + 1), "C54000")
    })
  )

  it.effect("has the client a server has: transactions, savepoints, typed errors", () =>
    Effect.gen(function* () {
      const { connectSecondary: join } = yield* EmbeddedDatabase
      const client = PgClient.layer({ stream: () => join(() => {}), url, prepare: false, maxConnections: 1 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`create table client (id integer primary key)`
        const twice = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into client values (1)`
            return yield* Effect.flip(sql.withTransaction(sql`insert into client values (1)`))
          })
        )
        assert.strictEqual((yield* twice).reason._tag, "UniqueViolation")
        assert.deepStrictEqual(yield* sql`select id from client`, [{ id: 1 }])
      }).pipe(Effect.provide(client, { local: true }))
    })
  )
})

layer(layerUnowned, { excludeTestServices: true })("the owner of the session", (it) => {
  it.effect("waits for one statement of its guests before its own, however many there are", () =>
    Effect.gen(function* () {
      const { connect } = yield* EmbeddedDatabase
      const owner = connect()
      yield* told(owner, STARTUP, /Z.{4}I/s)
      const guests = yield* Effect.forEach(Array.from({ length: 8 }), () => guest())
      const greedy = yield* Effect.forkChild(
        Effect.forEach(guests, ({ rows }) => Effect.forever(rows("select 1")), { concurrency: "unbounded" })
      )
      const through = () => guests.reduce((sum, each) => sum + each.over(), 0)
      while (through() === 0) yield* pause(1)
      for (let n = 0; n < 100; n++) {
        const before = through()
        yield* told(owner, message("Q", "select 2\0"), /SELECT 1\0/)
        assert.isAtMost(through() - before, 2)
      }
      yield* Fiber.interrupt(greedy)
      owner.destroy()
    })
  )
})
