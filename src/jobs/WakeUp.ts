import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Queue, type Scope } from "effect"
import { WakeUpConnectionFailed } from "../platform/database/storage-failure.ts"
import { repeatForever } from "./loop.ts"

const CHANNEL = "latchkey_work"
/** Wake-ups within this time share the next notification. */
export const NOTIFY_GAP_MS = 10
const FINAL_NOTIFY_MS = 500

/**
 * Wakes workers when a commit may have made jobs due. A wake-up may be lost, so each worker also polls at intervals.
 */
export class WakeUp extends Context.Service<
  WakeUp,
  {
    /** Wakes the workers of all processes on this database. Call it after the commit. */
    readonly wake: Effect.Effect<void>
    /** Every wake-up opens the latch, and the worker closes it. */
    readonly latch: Effect.Effect<Latch.Latch, never, Scope.Scope>
  }
>()("latchkey/jobs/WakeUp") {
  /** Used with the embedded database, which only this process uses. */
  static readonly layerProcess: Layer.Layer<WakeUp> = Layer.effect(
    WakeUp,
    Effect.sync(() => {
      const { latch, openAll } = makeLatches()
      return { latch, wake: openAll }
    })
  )

  /**
   * Used by processes that share a server and wake each other by NOTIFY. A change never contains the NOTIFY, because
   * PostgreSQL serializes the commits of transactions that notify.
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

  /** Used by commands with a database server. They have no workers, so they do not listen. */
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

const listenForWakeUps = (client: PgClient.PgClient, self: string, openAll: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const notifications = yield* client.listen(CHANNEL)
    // Notifications sent before LISTEN were lost, so all workers wake once.
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

/** Returns an effect that requests a notification. When the scope closes, a pending one is sent. */
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
