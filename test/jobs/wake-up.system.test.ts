import { setImmediate as nextTurn } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Latch, Layer, Queue, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { NOTIFY_GAP_MS, WakeUp } from "../../src/jobs/WakeUp.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { withServerNote } from "../support/overlapping-transactions.ts"
import { createScratchDatabase } from "../support/own-database.ts"
import { runLatchkeyProcess } from "../support/tools/cli/latchkey-process.ts"

// The clock stands still unless a test moves it: whoever is woken here was woken by a word, not by a poll.

type WakeUpService = WakeUp["Service"]

/** What holds for any `WakeUp`; `made` answers two that wake each other, and the latch of a worker of the second. */
const wakes = <R>(
  made: Effect.Effect<readonly [WakeUpService, WakeUpService, Latch.Latch], never, R | Scope.Scope>
): ReadonlyArray<readonly [name: string, Effect.Effect<void, never, R | Scope.Scope>]> => [
  [
    "wakes every worker, here and there",
    Effect.gen(function* () {
      const [one, other, there] = yield* made
      const here = yield* one.latch
      for (const { wake } of [one, other]) {
        yield* wake
        for (const each of [here, there]) {
          yield* each.await
          yield* each.close
        }
      }
    })
  ],
  [
    "loses no wake-up: after the last of a thousand changes comes a look",
    Effect.gen(function* () {
      const [one, , there] = yield* made
      let changes = 0
      const changing = Effect.forEach(
        Array.from({ length: 1_000 }),
        () =>
          Effect.andThen(
            Effect.sync(() => changes++),
            Effect.andThen(one.wake, Effect.yieldNow)
          ),
        { discard: true }
      )
      const seeing = Effect.gen(function* () {
        let seen = 0
        while (seen < 1_000) {
          yield* there.await
          yield* there.close
          seen = changes
        }
      })
      // Time goes on by itself, as it does in life: the last word may still wait for the gap after the one before it.
      const passing = Effect.forever(
        Effect.andThen(
          TestClock.adjust(NOTIFY_GAP_MS),
          Effect.promise(() => nextTurn())
        )
      )
      yield* Effect.raceFirst(Effect.all([changing, seeing], { concurrency: "unbounded" }), passing)
    })
  ],
  [
    "forgets the latch of a worker that has ended",
    Effect.gen(function* () {
      const [one] = yield* made
      const scope = yield* Scope.make()
      const ended = yield* Scope.provide(one.latch, scope)
      yield* Scope.close(scope, Exit.void)
      yield* one.wake
      assert.isFalse(ended.isOpen())
    })
  ]
]

const inProcess = Effect.gen(function* () {
  const one = Context.get(yield* Layer.build(WakeUp.layerProcess), WakeUp)
  return [one, one, yield* one.latch] as const
})

describe("in a process, a wake-up", () => {
  for (const [name, test] of wakes(inProcess)) it.effect(name, () => test)
})

const server = process.env.DATABASE_URL ?? ""
const realClock = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

class Address extends Context.Service<Address, string>()("latchkey/test/Address") {}

const layerServer = Layer.unwrap(
  Effect.map(createScratchDatabase(server), (url) =>
    Layer.merge(layerPostgres({ url: Redacted.make(url), maxConnections: 12 }), Layer.succeed(Address, url))
  )
).pipe(Layer.provide(realClock))

/** A `WakeUp` as a process has it, from when on it hears the others, and the latch of its worker. */
const listening = Effect.gen(function* () {
  const wakeUp = Context.get(yield* Layer.build(Layer.fresh(WakeUp.layerServer)), WakeUp)
  const latch = yield* wakeUp.latch
  // Opened when the process begins to listen.
  yield* latch.await
  yield* latch.close
  return { wakeUp, latch }
})

const onServer = Effect.gen(function* () {
  const one = yield* listening
  const other = yield* listening
  return [one.wakeUp, other.wakeUp, other.latch] as const
})

const listeners = Effect.gen(function* () {
  const sql = yield* SqlClient
  return yield* sql<{ pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`
}).pipe(Effect.orDie)

describe.skipIf(server === "")(withServerNote("on a server, a wake-up"), () => {
  layer(layerServer)((it) => {
    for (const [name, test] of wakes(onServer)) it.effect(name, () => test)

    it.effect("is told to the others once for all that came while the gap lasted", () =>
      Effect.gen(function* () {
        const client = yield* PgClient.PgClient
        const words = yield* client.listen("latchkey_work")
        const told = yield* Latch.make()
        const notify = (channel: string, payload: string) =>
          Effect.tap(client.notify(channel, payload), () => told.open)
        const observed = Layer.succeed(PgClient.PgClient, Object.assign(Object.create(client), { notify }))
        const { wakeUp } = yield* Effect.provide(listening, observed)
        yield* wakeUp.wake
        yield* Queue.take(words)
        // The gap begins when the server has answered, which may be after the word arrived.
        yield* told.await
        yield* Effect.yieldNow
        yield* Effect.replicateEffect(Effect.andThen(wakeUp.wake, Effect.yieldNow), 1_000)
        yield* TestClock.adjust(NOTIFY_GAP_MS - 1)
        // Arrives after whatever was told before it.
        yield* client.notify("latchkey_work", "before the gap is over")
        assert.strictEqual((yield* Queue.take(words)).payload, "before the gap is over")
        yield* TestClock.adjust(1)
        yield* Queue.take(words)
        yield* TestClock.adjust(NOTIFY_GAP_MS)
        yield* client.notify("latchkey_work", "afterwards")
        assert.strictEqual((yield* Queue.take(words)).payload, "afterwards")
      })
    )

    it.effect("is heard again after the connection that listens was cut; what was said meanwhile is looked for", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { latch } = yield* listening
        const [before] = yield* listeners
        yield* sql`SELECT pg_terminate_backend(${before?.pid ?? 0})`
        // Nothing wakes the worker but the new connection: it waits for a second first.
        while (!latch.isOpen()) {
          yield* TestClock.adjust(100)
          yield* Effect.promise(() => nextTurn())
        }
        yield* latch.close
        const { wakeUp: other } = yield* listening
        yield* other.wake
        yield* latch.await
        assert.notInclude(
          (yield* listeners).map(({ pid }) => pid),
          before?.pid
        )
      })
    )

    it.effect("that could not be told is told a second later", () =>
      Effect.gen(function* () {
        const { latch } = yield* listening
        const client = yield* PgClient.PgClient
        let fails = 2
        const notify = (channel: string, payload: string) =>
          Effect.suspend(() => {
            fails--
            return fails < 0 ? client.notify(channel, payload) : Effect.die("away")
          })
        const failing = Layer.succeed(PgClient.PgClient, Object.assign(Object.create(client), { notify }))
        const wakeUp = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(WakeUp.layerServer), failing)), WakeUp)
        yield* wakeUp.wake
        yield* TestClock.adjust(0)
        assert.strictEqual(fails, 1)
        yield* TestClock.adjust(999)
        assert.strictEqual(fails, 1)
        yield* TestClock.adjust(1_001)
        yield* latch.await
      })
    )

    it.effect("is told before its process ends", () =>
      Effect.gen(function* () {
        const { latch } = yield* listening
        const scope = yield* Scope.make()
        const { wakeUp } = yield* Scope.provide(listening, scope)
        yield* latch.close
        yield* wakeUp.wake
        yield* Scope.close(scope, Exit.void)
        yield* latch.await
      })
    )

    it.effect("comes from a command that sends deliveries again", () =>
      Effect.gen(function* () {
        const { latch } = yield* listening
        const ended = yield* runLatchkeyProcess(["webhook", "replay", "--dead"], { DATABASE_URL: yield* Address })
        assert.strictEqual(ended.code, 0, ended.stderr)
        yield* latch.await
      })
    )
  })
})
