import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import type { Target } from "./doors.ts"
import { tally } from "./figures.ts"
import { type Hearing, hears, inTurn, KINDS, keyedWrite, noteAnswers, noteEffects, untilHeard } from "./keyed.ts"
import { estate } from "./writing.ts"

// A client that loses every second answer, and repeats: whatever it asked for is there once.

export interface LostAnswersBudget {
  readonly on: string
  /** Tasks, entries and orders, so many of each. */
  readonly each: number
  readonly callers: number
}

const PROPERTIES = 20

/** Longest a client waits before it hangs up, in milliseconds: the call is done, or under way, or waits for its turn. */
const PATIENCE_MS = 20

/** Ways to lose an answer: it does not arrive, or who asked hangs up at once, or in the middle. */
const ways: ReadonlyArray<Hearing> = [
  (request) =>
    request().then(
      () => undefined,
      () => undefined
    ),
  (request) => hungUp(request, nextTurn()),
  (request) => hungUp(request, sleep(Math.random() * PATIENCE_MS))
]

const hungUp = async (request: Parameters<Hearing>[0], moment: Promise<unknown>): Promise<undefined> => {
  const away = new AbortController()
  const asked = hears(() => request(away.signal))
  await moment
  away.abort()
  await asked
}

export const lostAnswers = Effect.fnUntraced(function* (target: Target, budget: LostAnswersBudget) {
  const count = tally("a client that loses every second answer", budget.on)
  const held = yield* estate(PROPERTIES)
  const writes = Array.from({ length: KINDS.length * budget.each }, (_, nth) => keyedWrite(held, nth))
  let requests = 0
  const halfDeaf: Hearing = (request) => {
    const nth = requests++
    const way = nth % 2 === 0 ? ways[(nth / 2) % ways.length] : undefined
    return (way ?? hears)(request)
  }
  yield* Effect.promise(() =>
    inTurn(writes, budget.callers, (write) => untilHeard(target, count, held.token, write, halfDeaf))
  )
  yield* Effect.promise(() => noteAnswers(target, count, held.token, writes, budget.callers))
  yield* noteEffects(count, held, writes)
  count.tried("keys", writes.length)
  return count.figures()
})
