import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../src/contract/time.ts"
import { type Fields, restEnvelope, restWrite, type Target } from "./doors.ts"
import type { Tally } from "./figures.ts"
import { PATIENCE_MS, type Reply, send } from "./wire.ts"
import type { Estate } from "./writing.ts"

// A client as docs/guides/retry-safely.md wants one: each write under a key of its own, repeated until it hears. What it wrote bears
// a mark, so that it can be counted afterwards.

export const KINDS = ["task", "entry", "order"] as const

export interface KeyedWrite {
  readonly kind: (typeof KINDS)[number]
  /** The key, and the mark of what it makes. */
  readonly key: string
  readonly path: string
  readonly fields: Fields
  /** The data of every answer that left the service whole, whether or not the client heard it. */
  readonly said: Array<string>
}

const pathsOf = { task: "/v3/tasks", entry: "/v3/transactions", order: "/v3/reservations" } as const

const money = { currency: "EUR", property_id: 0 } as const

/** The nth write: a task, an entry, an order, and so on, each order for a night of its own. */
export const keyedWrite = (held: Estate, nth: number): KeyedWrite => {
  const kind = KINDS[nth % KINDS.length] ?? "task"
  const key = `${kind}-${nth}`
  const property_id = held.own[nth % held.own.length] ?? held.wanted
  const check_in_date = addDays(new Date().toISOString().slice(0, 10), 1 + Math.floor(nth / held.own.length))
  const fields = {
    task: { type: "cleaning", property_id, note: key },
    entry: { ...money, direction: "income", amount: 1, item_id: 11, payment_method_id: 197, property_id, note: key },
    order: {
      ...money,
      property_id,
      custom_channel_id: 30,
      check_in_date,
      check_out_date: addDays(check_in_date, 1),
      guest_name: "Ada Lovelace",
      rate_amount: 100,
      commission_amount: 0,
      // Money that is recorded with the order, and so must be there once as well.
      received_amount: 10,
      income_method_id: 197,
      remarks: key
    }
  }[kind]
  return { kind, key, path: pathsOf[kind], fields, said: [] }
}

/** The text of an answer's data, as it is. */
const dataIn = ({ text }: Reply): string => text.slice(text.indexOf('"data":'))

/** Milliseconds after which a client that got no answer, or one that says "later", asks again. */
const AGAIN_MS = 100

/** Whether an answer asks for a repeat: later, or because something went wrong and did nothing. */
const asksAgain = (reply: Reply): boolean =>
  restEnvelope(reply)?.error_code === 500 || reply.headers["retry-after"] !== undefined

/** How a client fares with a request: answers what it heard, if anything. */
export type Hearing = (request: (signal?: AbortSignal) => Promise<Reply>) => Promise<Reply | undefined>

export const hears: Hearing = (request) => request().catch(() => undefined)

/** Repeats a write under its key until its answer is heard; answers that. */
export const untilHeard = async (
  { base, agent }: Target,
  count: Tally,
  token: string,
  write: KeyedWrite,
  hearing: Hearing = hears
): Promise<Reply> => {
  const { method, target, headers, body } = restWrite(token, "POST", write.path, write.fields)
  const sent = { method, target, headers: { ...headers, "idempotency-key": `"${write.key}"` }, body: body ?? "" }
  const request = async (signal?: AbortSignal) => {
    const reply = await send(base, agent, sent, signal)
    if (restEnvelope(reply)?.error_code === 0) write.said.push(dataIn(reply))
    return reply
  }
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    count.tried("keyed requests")
    const reply = await hearing(request)
    const code = reply === undefined ? undefined : restEnvelope(reply)?.error_code
    if (reply !== undefined && code === 0) return reply
    count.tried(code === undefined ? "requests without an answer heard" : `requests answered ${code}`)
    const again = reply === undefined || asksAgain(reply)
    if (!again || performance.now() > until) throw new Error(`${write.key} is never answered well: ${reply?.text}`)
    await sleep(AGAIN_MS)
  }
}

/** So many workers take the writes in turn. */
export const inTurn = async (
  writes: Iterable<KeyedWrite>,
  workers: number,
  work: (write: KeyedWrite) => Promise<unknown>
): Promise<void> => {
  const left = writes[Symbol.iterator]()
  const one = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: workers }, one))
}

/** Repeats each write that was answered once more, and notes what was ever answered otherwise. */
export const noteAnswers = async (
  target: Target,
  count: Tally,
  token: string,
  writes: ReadonlyArray<KeyedWrite>,
  workers: number
) => {
  await inTurn(writes, workers, async (write) => {
    const { headers } = await untilHeard(target, count, token, write)
    if (headers["idempotent-replayed"] !== "true") count.fell("a repeat does not say that it is one", write.key)
    const [first, ...others] = new Set(write.said)
    if (others.length > 0) count.fell("a repeat is answered otherwise", `${write.key}: ${first}, then ${others[0]}`)
    count.tried("answers compared, byte for byte", write.said.length)
  })
}

/** What the marks of a kind say: how many there are, and how many records bear one. */
interface Marked {
  readonly what: string
  readonly marks: number
  readonly records: number
}

const marked = Effect.fnUntraced(function* ({ operatorId }: Estate) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Marked>`
    SELECT 'task' AS what, count(DISTINCT note)::int AS marks, count(*)::int AS records
    FROM tasks WHERE operator_id = ${operatorId}
    UNION ALL SELECT 'entry', count(DISTINCT note)::int, count(*)::int
    FROM transactions WHERE operator_id = ${operatorId} AND order_id IS NULL
    UNION ALL SELECT 'order', count(DISTINCT remarks)::int, count(*)::int
    FROM stays WHERE operator_id = ${operatorId}
    UNION ALL SELECT 'the money of an order', count(DISTINCT order_id)::int, count(*)::int
    FROM transactions WHERE operator_id = ${operatorId} AND order_id IS NOT NULL
    UNION ALL SELECT 'event of a record', count(DISTINCT (event, record))::int, count(*)::int
    FROM events WHERE operator_id = ${operatorId} AND event IN ('transaction_created', 'reservation_created')
    UNION ALL SELECT 'trail of a record', count(DISTINCT record)::int, count(*)::int
    FROM trail WHERE operator_id = ${operatorId}
    UNION ALL SELECT 'key', count(*)::int, count(*)::int
    FROM idempotency_keys WHERE operator_id = ${operatorId} AND outcome IS NOT NULL`
}, Effect.orDie)

/** Holds what the database has against what was written: one effect a key. */
export const noteEffects = Effect.fnUntraced(function* (count: Tally, held: Estate, writes: ReadonlyArray<KeyedWrite>) {
  const made = (kind: KeyedWrite["kind"]) => writes.filter((each) => each.kind === kind).length
  const [tasks, entries, orders] = [made("task"), made("entry"), made("order")]
  const owed: Readonly<Record<string, number>> = {
    task: tasks,
    entry: entries,
    order: orders,
    "the money of an order": orders,
    "event of a record": entries + 2 * orders,
    "trail of a record": tasks + entries + 2 * orders,
    key: writes.length
  }
  for (const { what, marks, records } of yield* marked(held)) {
    count.tried(`effects: ${what}`, records)
    if (records !== owed[what]) count.fell(`${what}: there are ${records}, not ${owed[what]}`)
    if (records !== marks) count.fell(`${what}: ${records - marks} are there twice`)
  }
})
