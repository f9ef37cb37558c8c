import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect } from "effect"
import { missingFrom, noteAccount, settledWithin } from "./accounting.ts"
import { arrivals } from "./arrivals.ts"
import { tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { type Life, lives } from "./service-process.ts"
import { subscribe } from "./subscribing.ts"
import { connections } from "./wire.ts"
import { acknowledged, estate, ledger, writing } from "./writing.ts"

// The process is killed at any moment of a busy life, again and again: what it acknowledged is there, and its events
// arrive.

export interface KillsBudget {
  readonly rounds: number
  readonly writers: number
  /** Acknowledged writes before a kill, at least and at most. */
  readonly writes: readonly [least: number, most: number]
  /** Milliseconds that what is owed at the end may take to arrive. */
  readonly arriveMs: number
  /** Milliseconds of a worker's lease; that of the real program if absent. */
  readonly leaseMs?: number
}

/** A life ends after this, in milliseconds, however little was written. */
const LONGEST_LIFE_MS = 20_000

export const kills = Effect.fnUntraced(function* (ground: Ground, budget: KillsBudget) {
  const count = tally("SIGKILL under concurrent writes, webhooks on", ground.on)
  const receiving = yield* arrivals()
  const held = yield* Effect.provide(estate(budget.writers), ground.layer)
  const kept = ledger(budget.writers)
  const service = yield* lives(ground, { leaseMs: budget.leaseMs })
  const agent = connections(budget.writers)
  let round = 0

  const killedWhileWriting = (life: Life) =>
    Effect.promise(async () => {
      const [least, most] = budget.writes
      const enough = acknowledged(kept) + least + Math.floor(Math.random() * (most - least + 1))
      const until = performance.now() + LONGEST_LIFE_MS
      let over = false
      const written = writing({ base: service.base, agent }, held, kept, round, () => over)
      while (acknowledged(kept) < enough && performance.now() < until) await nextTurn()
      life.signal("SIGKILL")
      await life.ended
      over = true
      round = await written
    })

  const starts: Array<number> = []
  for (let nth = 0; nth < budget.rounds; nth++) {
    const life = yield* service.begin
    starts.push(life.readyAfterMs)
    if (nth === 0) yield* subscribe(service.base, held.token, receiving.url)
    yield* killedWhileWriting(life)
    count.tried("kills")
  }
  const last = yield* service.begin
  starts.push(last.readyAfterMs)
  const again = performance.now()
  const owed = yield* Effect.promise(() => settledWithin(budget.arriveMs, receiving.first, kept))
  const tookMs = performance.now() - again
  last.signal("SIGTERM")
  yield* Effect.promise(() => last.ended)
  noteAccount(count, held, yield* Effect.provide(missingFrom(held, kept), ground.layer), owed, receiving.first())
  count.tried("acknowledged writes", acknowledged(kept))
  count.tried("requests without an answer", kept.unanswered)
  count.tried("events that arrived", receiving.first().length)
  count.seen(`${receiving.requests() - receiving.first().length} deliveries arrived twice`)
  count.seen(
    `ready again after ${Math.round(Math.max(...starts))} ms at most; all owed arrived ${Math.round(tookMs)} ms after the last start`
  )
  if ((kept.answers.get(500) ?? 0) > 0) count.fell(`${kept.answers.get(500)} calls are answered 500`, last.said())
  return count.figures()
}, Effect.scoped)
