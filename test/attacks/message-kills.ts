import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { conversationOf } from "../conversations.ts"
import { channelAccountOf } from "../listings.ts"
import { restEnvelope, restWrite } from "./doors.ts"
import { type Tally, tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { type Life, lives } from "./service-process.ts"
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

/** The first knows our ids, the second does not. */
const CHANNELS = ["airbnb", "vrbo"] as const

const threadOf = Effect.fnUntraced(function* (operatorId: number, accountId: number, channelType: string) {
  const sql = yield* SqlClient.SqlClient
  const { code, thread_id } = yield* conversationOf({ operatorId, accountId, channelType })
  const said = { type: "thread", version: 1, thread_id, guest: { name: "Ada Lovelace" } }
  yield* sql`
    INSERT INTO sandbox_threads (operator_id, account_id, thread_id, guest, version, revision, messages, offers, said,
      last_message_at)
    VALUES (${operatorId}, ${accountId}, ${thread_id}, ${thread_id}, 1, 0, 0, 0, ${JSON.stringify(said)}::jsonb, now())`
  return code
})

/** Accounts of the marketplace in the process, which answer late, and their threads. */
const inhabited = Effect.fnUntraced(function* ({ threads, lateMs }: MessageKillsBudget) {
  const sql = yield* SqlClient.SqlClient
  const held = yield* estate(0)
  const each = yield* Effect.forEach(CHANNELS, (channelType) =>
    Effect.gen(function* () {
      const accountId = yield* channelAccountOf(held.operatorId, { channelType })
      yield* sql`
        INSERT INTO sandbox_accounts (operator_id, account_id, mood, mood_ms)
        VALUES (${held.operatorId}, ${accountId}, 'late', ${lateMs})`
      return yield* Effect.forEach(Array.from({ length: threads }), () =>
        threadOf(held.operatorId, accountId, channelType)
      )
    })
  )
  const limits = JSON.stringify({ "5s": 1e9, "60s": 1e9, "30m": 1e9, "2h": 1e9, "24h": 1e9 })
  yield* sql`
    UPDATE operators SET rate_limits = jsonb_set(rate_limits, '{conversation}', ${limits}::jsonb)
    WHERE id = ${held.operatorId}`
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

interface Row {
  readonly channel_type: string
  readonly content: string
  readonly delivery: string
  /** How often it is at the marketplace. */
  readonly there: number
  readonly told: number
}

/** Messages as they are here, how often each is there, and how often its event was told. */
const messagesHere = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Row>`
    SELECT c.channel_type, m.content, m.delivery,
      (SELECT count(*)::int FROM sandbox_messages s WHERE s.operator_id = m.operator_id AND s.said ->> 'text' = m.content) AS there,
      (SELECT count(*)::int FROM events e WHERE e.operator_id = m.operator_id AND e.event = 'message_created'
        AND e.payload ->> 'message_id' = m.code) AS told
    FROM messages m JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id
    WHERE m.sender_role = 'host'`
)

/** Messages that reached the marketplace before one that was written earlier in their thread. */
const outOfTurn = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ content: string }>`
    SELECT content FROM (
      SELECT m.content, m.id, min(m.id) OVER (PARTITION BY s.account_id, s.thread_id ORDER BY s.number
        ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS earliest_after
      FROM sandbox_messages s JOIN messages m ON m.operator_id = s.operator_id AND m.content = s.said ->> 'text'
    ) sent WHERE earliest_after < id`
)

const lanesUneven = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ waiting: number }>`
    SELECT waiting FROM message_lanes l WHERE waiting <> (
      SELECT count(*) FROM messages m
      WHERE m.operator_id = l.operator_id AND m.conversation_id = l.conversation_id AND m.delivery = 'queued')`
)

const noteMessages = Effect.fnUntraced(function* (count: Tally, acknowledged: ReadonlyArray<string>) {
  const rows = yield* messagesHere
  const byText = new Map<string, number>()
  for (const { content } of rows) byText.set(content, (byText.get(content) ?? 0) + 1)
  for (const text of acknowledged)
    if (byText.get(text) !== 1) count.fell("an acknowledged message is not here once", text)
  for (const row of rows) {
    const known = row.channel_type === CHANNELS[0]
    if (row.delivery === "queued") count.fell("a message did not go", row.content)
    if (row.there > 1) count.fell(`${row.channel_type} has a message twice`, row.content)
    if (known && row.there === 0) count.fell(`${row.channel_type} never got a message`, row.content)
    if (row.delivery === "sent" && row.there !== 1) count.fell("a message is called sent and is not there", row.content)
    if (known && row.delivery !== "sent") count.fell(`a message to ${row.channel_type} is ${row.delivery}`, row.content)
    if (row.told !== 1) count.fell(`a message was told ${row.told} times`, row.content)
  }
  for (const { content } of yield* outOfTurn) count.fell("a message overtook another", content)
  for (const { waiting } of yield* lanesUneven) count.fell("a lane counts wrong", String(waiting))
  if (acknowledged.length === 0) count.fell("no message was acknowledged")
  count.tried("messages", rows.length)
  count.seen(`${rows.filter(({ delivery }) => delivery === "unknown").length} may or may not have got there`)
})

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
