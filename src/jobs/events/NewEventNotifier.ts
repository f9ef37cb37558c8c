import { Context, Effect, Latch, Layer, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { idsParameter } from "../../platform/database/parameters.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { repeatForever } from "../loop.ts"
import { pollWhenWoken } from "../polling.ts"
import { WakeUp } from "../WakeUp.ts"

/** Milliseconds between two looks for what another process put into the feed, where no word of it came. */
export const NEW_EVENTS_POLL_MS = 1_000
/** Milliseconds between the word of a change and the look: by then its event is in the feed as a rule. */
const DISPATCH_WAIT_MS = 50

/**
 * Tells who waits for events of an operator that there are new ones in the feed. It says neither which nor how many, and
 * may say so for nothing: whoever is told reads.
 */
export class NewEventNotifier extends Context.Service<
  NewEventNotifier,
  {
    /** Events of these operators are in the feed now. To be called after the commit; it waits for nothing. */
    readonly notify: (operators: ReadonlyArray<number>) => Effect.Effect<void>
    /** A latch of one waiter's own that every word of new events of the operator opens; the waiter closes it. */
    readonly latch: (operator: number) => Effect.Effect<Latch.Latch, never, Scope.Scope>
  }
>()("latchkey/jobs/events/NewEventNotifier") {
  /** Where this process is the only one that hands out events: the embedded database. */
  static readonly layerProcess: Layer.Layer<NewEventNotifier> = Layer.sync(NewEventNotifier, () => {
    const waiters = new Waiters()
    return { notify: waiters.notify, latch: waiters.latch }
  })

  /**
   * Processes on one server: what this one hands out it tells at once. What others hand out is looked up while somebody
   * waits, by one statement for all who do: soon after a change wakes the workers, and from time to time.
   */
  static readonly layerServer: Layer.Layer<NewEventNotifier, never, SqlClient.SqlClient | WakeUp> = Layer.effect(
    NewEventNotifier,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const waiters = new Waiters()
      const wakeUp = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
      const poll = Effect.andThen(Effect.sleep(DISPATCH_WAIT_MS), Effect.as(notifyOfNewEvents(sql, waiters), false))
      const iteration = Effect.andThen(waiters.awaitWaiter, pollWhenWoken(wakeUp, poll, NEW_EVENTS_POLL_MS))
      yield* Effect.forkScoped(repeatForever("looking for new events", iteration))
      return { notify: waiters.notify, latch: waiters.latch }
    })
  )
}

/** Who waits, by operator. */
class Waiters {
  readonly #latches = new Map<number, Set<Latch.Latch>>()
  /** The position of the latest event that those who wait have been told of, for each operator somebody waits for. */
  readonly notifiedPositions = new Map<number, number>()
  readonly #some = Latch.makeUnsafe()

  /** Waits until somebody waits. */
  readonly awaitWaiter: Effect.Effect<void> = this.#some.await

  readonly notify = (operators: Iterable<number>): Effect.Effect<void> =>
    Effect.sync(() => {
      for (const operator of operators) {
        for (const latch of this.#latches.get(operator) ?? []) latch.openUnsafe()
      }
    })

  readonly latch = (operator: number): Effect.Effect<Latch.Latch, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => this.#add(operator)),
      (latch) => Effect.sync(() => this.#remove(operator, latch))
    )

  /** The operators somebody waits for. */
  get operators(): ReadonlyArray<number> {
    return Array.from(this.#latches.keys())
  }

  #add(operator: number): Latch.Latch {
    const latch = Latch.makeUnsafe()
    const latches = this.#latches.get(operator)
    if (latches === undefined) this.#latches.set(operator, new Set([latch]))
    else latches.add(latch)
    this.#some.openUnsafe()
    // What it has read by now is not known here: the next look tells it in any case.
    this.notifiedPositions.delete(operator)
    return latch
  }

  #remove(operator: number, latch: Latch.Latch): void {
    const latches = this.#latches.get(operator)
    latches?.delete(latch)
    if (latches?.size !== 0) return
    this.#latches.delete(operator)
    this.notifiedPositions.delete(operator)
    if (this.#latches.size === 0) this.#some.closeUnsafe()
  }
}

const readLatest = makeRowsReader(Schema.Struct({ operator_id: Schema.Int, position: Schema.NullOr(Schema.Int) }))

/** Tells those who wait for an operator whose latest event is another one than they were told of. */
const notifyOfNewEvents = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, waiters: Waiters) {
  const latest = yield* readLatest(sql`
    SELECT operator_id, (SELECT latest_feed_positions(waiting.operator_id, 0, 1)) AS position
    FROM unnest(${idsParameter(waiters.operators)}::bigint[]) AS waiting (operator_id)`)
  const changed = latest.filter(
    ({ operator_id, position }) => waiters.notifiedPositions.get(operator_id) !== (position ?? 0)
  )
  for (const { operator_id, position } of changed) waiters.notifiedPositions.set(operator_id, position ?? 0)
  yield* waiters.notify(changed.map(({ operator_id }) => operator_id))
})
