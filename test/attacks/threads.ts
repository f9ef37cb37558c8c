import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { insertConversation } from "../support/conversations.ts"
import { insertChannelAccount } from "../support/listings.ts"
import type { Tally } from "./figures.ts"

// Threads at two channels of the marketplace in the process, and what became of messages to them: a channel that knows our ids
// has each once, one that does not has none twice, and each arrives after those before it.

/** The first knows our ids, the second does not. */
export const CHANNELS = ["airbnb", "vrbo"] as const

/** An account at one of them. */
export interface ThreadsAccount {
  readonly operatorId: number
  readonly accountId: number
  readonly channelType: (typeof CHANNELS)[number]
}

/** Accounts at the marketplace in the process, which takes that long for an answer. */
export const lateAccounts = Effect.fnUntraced(function* (operatorId: number, lateMs: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(CHANNELS, (channelType) =>
    Effect.gen(function* () {
      const accountId = yield* insertChannelAccount(operatorId, { channelType })
      yield* sql`
        INSERT INTO sandbox_accounts (operator_id, account_id, mood, mood_ms)
        VALUES (${operatorId}, ${accountId}, 'late', ${lateMs})`
      return { operatorId, accountId, channelType } satisfies ThreadsAccount
    })
  )
})

/** Messages to guests meet no limit. */
export const unboundedTalk = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const limits = JSON.stringify({ "5s": 1e9, "60s": 1e9, "30m": 1e9, "2h": 1e9, "24h": 1e9 })
  yield* sql`
    UPDATE operators SET rate_limits = jsonb_set(rate_limits, '{conversation}', ${limits}::jsonb) WHERE id = ${operatorId}`
})

/** A thread of an account, here and there; answers the code of its conversation. */
export const threadOf = Effect.fnUntraced(function* (account: ThreadsAccount) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId, accountId } = account
  const { code, thread_id } = yield* insertConversation(account)
  const said = { type: "thread", version: 1, thread_id, guest: { name: "Ada Lovelace" } }
  yield* sql`
    INSERT INTO sandbox_threads (operator_id, account_id, thread_id, guest, version, revision, messages, offers, said,
      last_message_at)
    VALUES (${operatorId}, ${accountId}, ${thread_id}, ${thread_id}, 1, 0, 0, 0, ${JSON.stringify(said)}::jsonb, now())`
  return code
})

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

/** What must be of messages in threads, of which these texts were promised; what must not and is falls. */
export const noteMessages = Effect.fnUntraced(function* (count: Tally, promised: ReadonlyArray<string>) {
  const rows = yield* messagesHere
  const byText = new Map<string, number>()
  for (const { content } of rows) byText.set(content, (byText.get(content) ?? 0) + 1)
  for (const text of promised) if (byText.get(text) !== 1) count.fell("a promised message is not here once", text)
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
  if (promised.length === 0) count.fell("no message was promised")
  count.tried("messages", rows.length)
  count.seen(`${rows.filter(({ delivery }) => delivery === "unknown").length} may or may not have got there`)
})
