import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Queue, type Scope } from "effect"
import { Unheard } from "../platform/database/trouble.ts"
import { loop } from "./loop.ts"

/** The name under which processes on one database wake each other. */
const CHANNEL = "latchkey_work"
/** Milliseconds between two words of this process to the others. What comes meanwhile goes with the next. */
export const TELLING_GAP_MS = 10
/** Milliseconds that the last word gets when the process ends. */
const LAST_WORD_MS = 500

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
>()("latchkey/background/WakeUp") {
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
      yield* Effect.forkScoped(loop("listening for other processes", listening(client, self, openAll)))
      const tellOthers = yield* telling(client, self)
      return { latch, wake: Effect.andThen(openAll, tellOthers) }
    })
  )

  /** For a command that changes something on a server and ends: it wakes the processes there and hears nobody. */
  static readonly layerTelling: Layer.Layer<WakeUp, never, PgClient.PgClient> = Layer.effect(
    WakeUp,
    Effect.gen(function* () {
      const wake = yield* telling(yield* PgClient.PgClient, randomUUID())
      return { latch: Latch.make(), wake }
    })
  )
}

const makeLatches = () => {
  const latches = new Set<Latch.Latch>()
  const latch = Effect.acquireRelease(
    Effect.sync(() => {
      const made = Latch.makeUnsafe()
      latches.add(made)
      return made
    }),
    (made) => Effect.sync(() => latches.delete(made))
  )
  const openAll = Effect.sync(() => {
    for (const each of latches) each.openUnsafe()
  })
  return { latch, openAll }
}

/** Opens the latches at every word of another process, for as long as its connection lasts. */
const listening = (client: PgClient.PgClient, self: string, openAll: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const words = yield* client.listen(CHANNEL)
    // Nobody has heard what was said until now.
    yield* openAll
    while (true) {
      const { payload } = yield* Queue.take(words)
      if (payload !== self) yield* openAll
    }
  }).pipe(
    Effect.mapError((cause) => new Unheard({ cause })),
    Effect.scoped,
    Effect.orDie
  )

/**
 * An effect that leads to a word to the others soon after: one for all calls that came while the last was under way or
 * its gap lasted. What was not told when the scope closes is told then.
 */
const telling = Effect.fnUntraced(function* (client: PgClient.PgClient, self: string) {
  const owed = yield* Latch.make()
  const tell = Effect.orDie(Effect.mapError(client.notify(CHANNEL, self), (cause) => new Unheard({ cause })))
  const pay = Effect.uninterruptibleMask((restore) =>
    Effect.andThen(
      owed.close,
      Effect.onError(restore(tell), () => owed.open)
    )
  )
  const lastWord = Effect.suspend(() => (owed.isOpen() ? pay : Effect.void)).pipe(
    Effect.interruptible,
    Effect.timeoutOption(LAST_WORD_MS),
    Effect.withTracerEnabled(false),
    // The others find it by themselves a little later.
    Effect.exit
  )
  yield* Effect.addFinalizer(() => lastWord)
  yield* Effect.forkScoped(
    loop("waking other processes", Effect.andThen(owed.await, Effect.andThen(pay, Effect.sleep(TELLING_GAP_MS))))
  )
  return owed.open
})
