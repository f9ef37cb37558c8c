import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { missingFrom, noteAccount, settledWithin } from "./accounting.ts"
import { arrivals } from "./arrivals.ts"
import { tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { lives } from "./service-process.ts"
import { subscribe } from "./subscribing.ts"
import { connections } from "./wire.ts"
import { acknowledged, estate, type Ledger, ledger, writing } from "./writing.ts"

// The server ends the service's connections at random, under load: calls fail for a moment, and nothing more.

export interface BackendsBudget {
  /** How often connections are ended. */
  readonly rounds: number
  readonly writers: number
  /** Milliseconds between two rounds. */
  readonly pauseMs: number
  /** Milliseconds after the last round within which calls must go well again; how soon they do is the machine's matter. */
  readonly recoverMs: number
  readonly arriveMs: number
}

/** The share of the connections that a round ends. */
const SHARE = 0.5

/** Ends some connections of everybody else to this database; answers how many. */
const terminated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend' AND random() < ${SHARE}`
  return ended.length
}).pipe(Effect.orDie)

/** Writes of each writer, one after the other, in which no call fails: then all connections were used that there are. */
const WELL = 5

const failures = ({ answers }: Ledger): number => answers.get(500) ?? 0

/** Waits until calls go well, so long at most; answers whether they do. */
const recovered = async (kept: Ledger, milliseconds: number): Promise<boolean> => {
  const until = performance.now() + milliseconds
  while (performance.now() < until) {
    const [failed, enough] = [failures(kept), acknowledged(kept) + WELL * kept.writers]
    while (failures(kept) === failed && performance.now() < until) {
      if (acknowledged(kept) >= enough) return true
      await sleep(20)
    }
  }
  return false
}

export const backends = Effect.fnUntraced(function* (ground: Ground, budget: BackendsBudget) {
  const count = tally("terminated database backends under load", ground.on)
  const receiving = yield* arrivals()
  const held = yield* Effect.provide(estate(budget.writers), ground.layer)
  const kept = ledger(budget.writers)
  const service = yield* lives(ground)
  const life = yield* service.begin
  yield* subscribe(service.base, held.token, receiving.url)
  const database = yield* Layer.build(ground.layer)

  let over = false
  const written = writing({ base: service.base, agent: connections(budget.writers) }, held, kept, 0, () => over)
  for (let nth = 0; nth < budget.rounds; nth++) {
    yield* Effect.promise(() => sleep(budget.pauseMs))
    count.tried("connections ended", yield* Effect.provideContext(terminated, database))
    count.tried("rounds")
  }
  const isWell = yield* Effect.promise(() => recovered(kept, budget.recoverMs))
  over = true
  yield* Effect.promise(() => written)
  if (!isWell) count.fell(`calls still fail ${budget.recoverMs} ms after the last round`)
  if (kept.unanswered > 0) count.fell(`${kept.unanswered} requests got no answer`, life.said())
  for (const [code, times] of kept.answers) {
    if (![0, 409, 500].includes(code)) count.fell(`calls are answered ${code}`, `${times} times`)
  }
  const owed = yield* Effect.promise(() => settledWithin(budget.arriveMs, receiving.first, kept))
  life.signal("SIGTERM")
  yield* Effect.promise(() => life.ended)
  noteAccount(count, held, yield* Effect.provideContext(missingFrom(held, kept), database), owed, receiving.first())
  count.tried("acknowledged writes", acknowledged(kept))
  count.tried("calls answered 500", failures(kept))
  count.tried("events that arrived", receiving.first().length)
  return count.figures()
}, Effect.scoped)
