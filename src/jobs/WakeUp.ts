import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Queue, type Scope } from "effect"
import { WakeUpConnectionFailed } from "../platform/database/storage-failure.ts"
import { repeatForever } from "./loop.ts"

/** The name under which processes on one database wake each other. */
const CHANNEL = "latchkey_work"
/** Milliseconds between two notifications of this process. Wake-ups that come meanwhile share the next one. */
export const NOTIFY_GAP_MS = 10
/** Milliseconds that the last notification gets when the process ends. */
const FINAL_NOTIFY_MS = 500

/**
 * Wakes workers when a commit may have made jobs due. A wake-up carries no content: the worker polls then. A wake-up may be lost, for
 * example when the listening connection is cut, so each worker also polls at regular times.
 */
export class WakeUp extends Context.Service<
  WakeUp,
  {
    /**
     * Wakes the workers of all processes on this database. Call it after the commit. It does not wait, cannot fail, and costs as much as
     * opening a latch.
     */
    readonly wake: Effect.Effect<void>
    /** Makes a latch for one worker. Every wake-up opens it, and the worker closes it. */
    readonly latch: Effect.Effect<Latch.Latch, never, Scope.Scope>
  }
>()("latchkey/jobs/WakeUp") {
  /** For a database that only this process uses: the embedded one. */
  static readonly layerProcess: Layer.Layer<WakeUp> = Layer.effect(
    WakeUp,
    Effect.sync(() => {
      const { latch, openAll } = makeLatches()
      return { latch, wake: openAll }
    })
  )

  /**
   * For processes on one PostgreSQL server, which wake each other by NOTIFY on a connection of the given client. The NOTIFY is never
   * part of a change: PostgreSQL serializes the commits of transactions that notify.
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

  /** For a command on a server: it wakes the processes there and does not listen. */
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

/** Opens the latches at every notification of another process, until the connection is lost. */
const listenForWakeUps = (client: PgClient.PgClient, self: string, openAll: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const notifications = yield* client.listen(CHANNEL)
    // Notifications before LISTEN were lost.
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
 * Returns an effect that requests a notification to the other processes. Requests during a notification or its gap share the next one. A
 * request that is pending when the scope closes is sent then.
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
    // If it fails, the others find the jobs at their next poll.
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
