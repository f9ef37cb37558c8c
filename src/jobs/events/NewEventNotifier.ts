import { Context, Effect, Latch, Layer, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { idsParameter } from "../../platform/database/parameters.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { repeatForever } from "../loop.ts"
import { pollWhenWoken } from "../polling.ts"
import { WakeUp } from "../WakeUp.ts"

export const NEW_EVENTS_POLL_MS = 1_000
/** After this pause, a new event is usually in the feed. */
const DISPATCH_WAIT_MS = 50

/**
 * Notifies requests that wait for events of an operator. A notification may be needless, so the request must check the
 * feed.
 */
export class NewEventNotifier extends Context.Service<
  NewEventNotifier,
  {
    /** Call it after the commit. */
    readonly notify: (operators: ReadonlyArray<number>) => Effect.Effect<void>
    /** Every notification of the operator opens the latch. */
    readonly latch: (operator: number) => Effect.Effect<Latch.Latch, never, Scope.Scope>
  }
>()("latchkey/jobs/events/NewEventNotifier") {
  /** Used with the embedded database, whose events only this process dispatches. */
  static readonly layerProcess: Layer.Layer<NewEventNotifier> = Layer.sync(NewEventNotifier, () => {
    const waiters = new Waiters()
    return { notify: waiters.notify, latch: waiters.latch }
  })

  /**
   * Used by processes that share a server. Events of this process are notified at once. While requests wait, one
   * statement for all of them polls for events of other processes.
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

class Waiters {
  readonly #latches = new Map<number, Set<Latch.Latch>>()
  readonly notifiedPositions = new Map<number, number>()
  readonly #some = Latch.makeUnsafe()

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

  get operators(): ReadonlyArray<number> {
    return Array.from(this.#latches.keys())
  }

  #add(operator: number): Latch.Latch {
    const latch = Latch.makeUnsafe()
    const latches = this.#latches.get(operator)
    if (latches === undefined) this.#latches.set(operator, new Set([latch]))
    else latches.add(latch)
    this.#some.openUnsafe()
    // The feed position from which the new waiter reads is unknown here, so the next poll notifies it in any case.
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
