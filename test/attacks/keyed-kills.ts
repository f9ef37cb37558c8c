import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect } from "effect"
import { tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { inTurn, type KeyedWrite, keyedWrite, noteAnswers, noteEffects, untilHeard } from "./keyed.ts"
import { lives } from "./service-process.ts"
import { connections } from "./wire.ts"
import { estate } from "./writing.ts"

// The process is killed at any moment of keyed writes, again and again, and each write is repeated under its key until it
// is answered: what it asked for is there once, and it is answered as it was the first time.

export interface KeyedKillsBudget {
  readonly kills: number
  readonly writers: number
  /** Writes heard of before a kill, at least and at most. */
  readonly writes: readonly [least: number, most: number]
}

/** Properties of the writers: so many orders have one check-in date. */
const PROPERTIES = 20

export const keyedKills = Effect.fnUntraced(function* (ground: Ground, budget: KeyedKillsBudget) {
  const count = tally("SIGKILL in the middle of keyed writes", ground.on)
  const held = yield* Effect.provide(estate(PROPERTIES), ground.layer)
  const service = yield* lives(ground)
  const target = { base: service.base, agent: connections(budget.writers) }
  const writes: Array<KeyedWrite> = []
  let heard = 0
  let over = false

  // Endless until the last kill: what is under way then is repeated against the life after it.
  const written = function* (): Generator<KeyedWrite> {
    while (!over) {
      const write = keyedWrite(held, writes.length)
      writes.push(write)
      yield write
    }
  }
  const heardMore = async (): Promise<void> => {
    const [least, most] = budget.writes
    const enough = heard + least + Math.floor(Math.random() * (most - least + 1))
    while (heard < enough) await nextTurn()
  }

  let life = yield* service.begin
  const writing = inTurn(written(), budget.writers, async (write) => {
    await untilHeard(target, count, held.token, write)
    heard++
  })
  for (let nth = 0; nth < budget.kills; nth++) {
    yield* Effect.promise(() => Promise.race([heardMore(), writing]))
    const underWay = writes.length - heard
    life.signal("SIGKILL")
    yield* Effect.promise(() => life.ended)
    count.tried("kills")
    count.tried("writes under way at a kill", underWay)
    over = nth === budget.kills - 1
    life = yield* service.begin
  }
  yield* Effect.promise(() => writing)
  yield* Effect.promise(() => noteAnswers(target, count, held.token, writes, budget.writers))
  life.signal("SIGTERM")
  yield* Effect.promise(() => life.ended)
  count.tried("keys", writes.length)
  yield* Effect.provide(noteEffects(count, held, writes), ground.layer)
  return count.figures()
}, Effect.scoped)
