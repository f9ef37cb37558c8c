import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { restEnvelope, restWrite } from "./doors.ts"
import { tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { type Life, lives } from "./service-process.ts"
import { lateAccounts, noteMessages, threadOf, unboundedTalk } from "./threads.ts"
import { connections, send } from "./wire.ts"
import { estate } from "./writing.ts"

// The process is killed again and again while messages are on their way to a marketplace that answers late: a channel that
// knows our ids has each message once, one that does not has none twice, and each arrives after those before it.

export interface MessageKillsBudget {
  readonly rounds: number
  /** Threads of each of the two channels. */
  readonly threads: number
  /** Messages to each thread in a life. */
  readonly each: number
  /** Milliseconds that the marketplace takes for an answer: long enough to be killed in. */
  readonly lateMs: number
  /** Milliseconds that what waits at the end may take to go. */
  readonly goneMs: number
}

/** Threads of each channel. */
const inhabited = Effect.fnUntraced(function* ({ threads, lateMs }: MessageKillsBudget) {
  const held = yield* estate(0)
  const accounts = yield* lateAccounts(held.operatorId, lateMs)
  const each = yield* Effect.forEach(accounts, (account) =>
    Effect.forEach(Array.from({ length: threads }), () => threadOf(account))
  )
  yield* unboundedTalk(held.operatorId)
  return { token: held.token, codes: each.flat() }
}, Effect.orDie)

type Inhabited = Effect.Success<ReturnType<typeof inhabited>>

/** Sends to every thread, one message after the other, and notes the texts that are acknowledged. */
const written = async (
  base: string,
  { token, codes }: Inhabited,
  round: number,
  each: number,
  acknowledged: Array<string>
): Promise<void> => {
  const agent = connections(16)
  await Promise.all(
    codes.map(async (code) => {
      for (let nth = 0; nth < each; nth++) {
        const message = `${code} ${round} ${nth}`
        const sent = restWrite(token, "POST", `/v3/conversations/${code}`, { message })
        const envelope = await send(base, agent, sent).then(restEnvelope, () => undefined)
        if (envelope?.error_code === 0) acknowledged.push(message)
      }
    })
  )
}

/** A life ends after this, in milliseconds, however little was acknowledged. */
const LONGEST_LIFE_MS = 20_000

/** Kills a life some time after half of its messages were acknowledged, in the middle of sending them. */
const killedWhileSending = async (life: Life, held: Inhabited, round: number, { each, lateMs }: MessageKillsBudget) => {
  const acknowledged: Array<string> = []
  const until = performance.now() + LONGEST_LIFE_MS
  const writing = written(life.base, held, round, each, acknowledged)
  while (acknowledged.length < (held.codes.length * each) / 2 && performance.now() < until) await sleep(5)
  await sleep(Math.random() * lateMs * 4)
  life.signal("SIGKILL")
  await Promise.all([writing, life.ended])
  return acknowledged
}

/** The leases of who was killed are over: nobody waits for them here. */
const leasesOver = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`UPDATE message_lanes SET due_at = now() WHERE waiting > 0`,
    sql`UPDATE sandbox_words SET due_at = now() WHERE due_at IS NOT NULL`
  )
)

/** Waits until nothing of the conversations is queued any more. */
const untilGone = async (base: string, { token, codes }: Inhabited, goneMs: number): Promise<void> => {
  const agent = connections(4)
  const until = performance.now() + goneMs
  const isQueued = async (code: string): Promise<boolean> => {
    const sent = { method: "GET", target: `/v3/conversations/${code}`, headers: { "service-access-token": token } }
    return (await send(base, agent, sent)).text.includes('"queued"')
  }
  for (const code of codes) while (performance.now() < until && (await isQueued(code))) await sleep(50)
}

export const messageKills = Effect.fnUntraced(
  function* (ground: Ground, budget: MessageKillsBudget) {
    const count = tally("SIGKILL while messages are on their way", ground.on)
    const held = yield* Effect.provide(inhabited(budget), ground.layer)
    const service = yield* lives({ ...ground, env: { ...ground.env, SANDBOX: "1" } })
    const acknowledged: Array<string> = []
    for (let round = 0; round < budget.rounds; round++) {
      const life = yield* service.begin
      acknowledged.push(...(yield* Effect.promise(() => killedWhileSending(life, held, round, budget))))
      yield* Effect.provide(leasesOver, ground.layer)
      count.tried("kills")
    }
    const last = yield* service.begin
    const again = performance.now()
    yield* Effect.promise(() => untilGone(last.base, held, budget.goneMs))
    count.seen(`all went ${Math.round(performance.now() - again)} ms after the last start`)
    last.signal("SIGTERM")
    yield* Effect.promise(() => last.ended)
    yield* Effect.provide(noteMessages(count, acknowledged), ground.layer)
    return count.figures()
  },
  Effect.scoped,
  Effect.orDie
)
