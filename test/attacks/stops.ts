import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { restEnvelope, restWrite } from "./doors.ts"
import { type Tally, tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { type Life, lives } from "./service-process.ts"
import { connections, type Reply, send } from "./wire.ts"
import { type Estate, estate } from "./writing.ts"

// SIGTERM under load: every request that was carried out is answered, each answer says that its connection ends, and
// the process ends by itself with status 0.

export interface StopsBudget {
  readonly rounds: number
  readonly callers: number
  /** Milliseconds of load before the signal. */
  readonly loadMs: number
}

interface Replied {
  readonly at: number
  /** Whether it was asked for when an answer had said already that its connection ends. */
  readonly afterLast: boolean
  readonly reply: Reply
}

const isLast = ({ headers }: Reply): boolean => headers.connection === "close"

/** Calls, one after the other over each connection, until the service is gone. */
const load = async (base: string, held: Estate, round: number, callers: number) => {
  const agent = connections(callers)
  const answered = new Set<string>()
  const replies: Array<Replied> = []
  let broken = 0
  let lasts = 0
  let over = false
  const calls = async (caller: number): Promise<void> => {
    // A few refusals in a row: nobody listens any more.
    for (let nth = 0, refused = 0; !over && refused < 3; nth++) {
      const note = `round ${round} caller ${caller} call ${nth}`
      const entry = { direction: "income", amount: 1, currency: "EUR", item_id: 11, payment_method_id: 197, note }
      const sent = restWrite(held.token, "POST", "/v3/transactions", { ...entry, property_id: held.wanted })
      const afterLast = lasts > 0
      await send(base, agent, sent).then(
        (reply) => {
          refused = 0
          if (isLast(reply)) lasts++
          replies.push({ at: performance.now(), afterLast, reply })
          if (restEnvelope(reply)?.error_code === 0) answered.add(note)
        },
        (error: NodeJS.ErrnoException) => {
          refused++
          if (error.code !== "ECONNREFUSED") broken++
        }
      )
    }
  }
  const ended = Promise.all(Array.from({ length: callers }, (_, caller) => calls(caller)))
  return {
    answered,
    replies,
    broken: () => broken,
    stop: () => {
      over = true
      return ended.then(() => agent.destroy())
    }
  }
}

const judged = (count: Tally, replies: ReadonlyArray<Replied>, askedAt: number) => {
  const late = replies.filter(({ at }) => at > askedAt)
  const without = late.filter(({ reply }) => restEnvelope(reply) === undefined)
  const kept = replies.filter(({ afterLast, reply }) => afterLast && !isLast(reply))
  count.tried("answers after the signal", late.length)
  if (without.length > 0) {
    count.fell(
      "an answer after SIGTERM has no envelope",
      `${without.length} in a round, HTTP ${without[0]?.reply.status}`
    )
  }
  if (!replies.some(({ reply }) => isLast(reply))) count.fell("no answer says that its connection ends")
  if (kept.length > 0) count.fell("an answer keeps its connection after one that ends it", `${kept.length} in a round`)
}

/** Ends a life by SIGTERM in the middle of the load. Answers how many milliseconds that took. */
const stopped = async (count: Tally, life: Life, held: Estate, round: number, budget: StopsBudget) => {
  const loading = await load(life.base, held, round, budget.callers)
  await sleep(budget.loadMs)
  const askedAt = performance.now()
  life.signal("SIGTERM")
  const { status, signal } = await life.ended
  const tookMs = performance.now() - askedAt
  await loading.stop()
  if (status !== 0) count.fell("the process does not end with status 0", `${status} ${signal}`)
  // At the end of its patience, and not by itself.
  if (life.said().includes("the stop cut connections")) count.fell("a stop cuts what is under way", life.said())
  judged(count, loading.replies, askedAt)
  count.tried("calls acknowledged", loading.answered.size)
  count.tried("requests whose connection broke off", loading.broken())
  return { tookMs, answered: loading.answered }
}

export const stops = Effect.fnUntraced(function* (ground: Ground, budget: StopsBudget) {
  const count = tally("SIGTERM under load", ground.on)
  const held = yield* Effect.provide(estate(0), ground.layer)
  const service = yield* lives(ground)
  const took: Array<number> = []
  const answered = new Set<string>()
  for (let round = 0; round < budget.rounds; round++) {
    const life = yield* service.begin
    const stop = yield* Effect.promise(() => stopped(count, life, held, round, budget))
    took.push(stop.tookMs)
    for (const note of stop.answered) answered.add(note)
    count.tried("stops")
  }
  const written = yield* Effect.provide(notes(held), ground.layer)
  const unanswered = written.filter((note) => !answered.has(note))
  const lost = [...answered].filter((note) => !written.includes(note))
  if (unanswered.length > 0)
    count.fell(`${unanswered.length} calls were carried out and not answered`, unanswered.slice(0, 3).join(", "))
  if (lost.length > 0) count.fell(`${lost.length} acknowledged writes are lost`, lost.slice(0, 3).join(", "))
  count.seen(`ended after ${Math.round(Math.min(...took))} to ${Math.round(Math.max(...took))} ms`)
  return count.figures()
}, Effect.scoped)

const notes = Effect.fnUntraced(function* ({ operatorId }: Estate) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ note: string }>`SELECT note FROM transactions WHERE operator_id = ${operatorId}`
  return rows.map(({ note }) => note)
}, Effect.orDie)
