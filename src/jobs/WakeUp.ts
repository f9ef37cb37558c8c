import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Queue, type Scope } from "effect"
import { WakeUpConnectionFailed } from "../platform/database/storage-failure.ts"
import { repeatForever } from "./loop.ts"

/** The name under which processes on one database wake each other. */
const CHANNEL = "latchkey_work"
/** Milliseconds between two words of this process to the others. What comes meanwhile goes with the next. */
export const NOTIFY_GAP_MS = 10
/** Milliseconds that the last word gets when the process ends. */
const FINAL_NOTIFY_MS = 500

/**
 * Tells workers that something was committed they may have work from, so that they need not ask. It says neither what
 * nor how often: a worker that is woken polls. A wake-up may be lost (the connection that listens was cut), so each
 * worker polls from time to time all the same.
 */
export class WakeUp extends Context.Service<
  WakeUp,
  {
    /**
     * Wakes the workers of all processes on this database. To be called after the commit. It waits for nothing and
     * cannot fail: calls cost as much as opening a latch.
     */
    readonly wake: Effect.Effect<void>
    /** A latch of one worker's own that every wake-up opens; the worker closes it. */
    readonly latch: Effect.Effect<Latch.Latch, never, Scope.Scope>
  }
>()("latchkey/jobs/WakeUp") {
  /** Where this process is the only one: the embedded database. */
  static readonly layerProcess: Layer.Layer<WakeUp> = Layer.effect(
    WakeUp,
    Effect.sync(() => {
      const { latch, openAll } = makeLatches()
      return { latch, wake: openAll }
    })
  )

  /**
   * Processes on one PostgreSQL server wake each other by NOTIFY, on a connection of the given client and never inside
   * the statement that changes something: PostgreSQL lets transactions that notify commit only one after the other.
   */
  static readonly layerServer: Layer.Layer<WakeUp, never, PgClient.PgClient> = Layer.effect(
    WakeUp,
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const { latch, openAll } = makeLatches()
      const self = randomUUID()
      yield* Effect.forkScoped(repeatForever("listening for other processes", listenForWakeUps(client, self, openAll)))
      const notifyOthers = yield* makeNotifier(client, self)
      return { latch, wake: Effect.andThen(openAll, notifyOthers) }
    })
  )

  /** For a command that changes something on a server and ends: it wakes the processes there and hears nobody. */
  static readonly layerNotifyOnly: Layer.Layer<WakeUp, never, PgClient.PgClient> = Layer.effect(
    WakeUp,
    Effect.gen(function* () {
      const wake = yield* makeNotifier(yield* PgClient.PgClient, randomUUID())
      return { latch: Latch.make(), wake }
    })
  )
}

const makeLatches = () => {
  const latches = new Set<Latch.Latch>()
  const latch = Effect.acquireRelease(
    Effect.sync(() => {
      const newLatch = Latch.makeUnsafe()
      latches.add(newLatch)
      return newLatch
    }),
    (newLatch) => Effect.sync(() => latches.delete(newLatch))
  )
  const openAll = Effect.sync(() => {
    for (const each of latches) each.openUnsafe()
  })
  return { latch, openAll }
}

/** Opens the latches at every word of another process, for as long as its connection lasts. */
const listenForWakeUps = (client: PgClient.PgClient, self: string, openAll: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const notifications = yield* client.listen(CHANNEL)
    // Nobody has heard what was said until now.
    yield* openAll
    while (true) {
      const { payload } = yield* Queue.take(notifications)
      if (payload !== self) yield* openAll
    }
  }).pipe(
    Effect.mapError((cause) => new WakeUpConnectionFailed({ cause })),
    Effect.scoped,
    Effect.orDie
  )

/**
 * An effect that leads to a word to the others soon after: one for all calls that came while the last was under way or
 * its gap lasted. What was not told when the scope closes is told then.
 */
const makeNotifier = Effect.fnUntraced(function* (client: PgClient.PgClient, self: string) {
  const pending = yield* Latch.make()
  const notify = Effect.orDie(
    Effect.mapError(client.notify(CHANNEL, self), (cause) => new WakeUpConnectionFailed({ cause }))
  )
  const flush = Effect.uninterruptibleMask((restore) =>
    Effect.andThen(
      pending.close,
      Effect.onError(restore(notify), () => pending.open)
    )
  )
  const finalFlush = Effect.suspend(() => (pending.isOpen() ? flush : Effect.void)).pipe(
    Effect.interruptible,
    Effect.timeoutOption(FINAL_NOTIFY_MS),
    Effect.withTracerEnabled(false),
    // The others find it by themselves a little later.
    Effect.exit
  )
  yield* Effect.addFinalizer(() => finalFlush)
  yield* Effect.forkScoped(
    repeatForever(
      "waking other processes",
      Effect.andThen(pending.await, Effect.andThen(flush, Effect.sleep(NOTIFY_GAP_MS)))
    )
  )
  return pending.open
})
