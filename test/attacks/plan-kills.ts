import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Tally, tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { leavingAtMidnight, leftStay, noteReviews, REVIEW_RULE, reviewOf } from "./left-stays.ts"
import { type Life, lives } from "./service-process.ts"
import { lateAccounts, noteMessages, type ThreadsAccount, threadOf, unboundedTalk } from "./threads.ts"
import { connections, send } from "./wire.ts"
import { estate } from "./writing.ts"

// Processes are killed again and again while rules do what is due: each plan is done once, and what it says is in its
// conversation once, at a channel that knows our ids once and at one that does not never twice. What it writes of a guest is at
// his channel once and has a record.

export interface PlanKillsBudget {
  readonly rounds: number
  /** Processes at once; on the embedded database there is one. */
  readonly processes: number
  /** Stays that are booked in a round, at each of the two channels. */
  readonly stays: number
  /** Stays that a round finds to have left, at the channel that takes reviews. */
  readonly left: number
  /** Milliseconds that the marketplace takes for an answer: long enough to be killed in. */
  readonly lateMs: number
  /** Milliseconds after a round began within which a process is killed. */
  readonly killedWithinMs: number
  /** Milliseconds that what waits at the end may take to go. */
  readonly goneMs: number
}

/** Each says something of every stay as soon as it is booked. */
const RULES = ["Thanks", "Arrival", "House rules"] as const

const saidOf = (rule: string, code: string): string => `${rule} of ${code}`

/** A stay is called by its conversation. */
const codeOf = (conversation: string): string => `0-${conversation}`
const conversationOf = (code: string): string => code.slice(2)

interface Host {
  readonly token: string
  readonly operatorId: number
  readonly accounts: ReadonlyArray<ThreadsAccount>
}

const hosting = Effect.fnUntraced(function* ({ lateMs }: PlanKillsBudget) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId, token } = yield* estate(0)
  const accounts = yield* lateAccounts(operatorId, lateMs)
  yield* unboundedTalk(operatorId)
  yield* leavingAtMidnight(operatorId)
  const saying = RULES.map((name) => ({
    definition: {
      name,
      action: "send_message",
      trigger: { event: "booking", when: "after", hours: 0 },
      text: saidOf(name, "{{stay.code}}")
    },
    since: "now"
  }))
  for (const { definition, since } of [...saying, { definition: REVIEW_RULE, since: "yesterday" }]) {
    yield* sql`
      INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
      VALUES (${operatorId}, ${definition.action}, ${JSON.stringify(definition)}::jsonb, 'active', ${since}::timestamptz, now())`
  }
  return { token, operatorId, accounts } satisfies Host
}, Effect.orDie)

/** A stay that was just booked, its conversation, and the mark that whoever booked it would lead to; answers its code. */
const booked = Effect.fnUntraced(function* (account: ThreadsAccount) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId, accountId, channelType } = account
  const conversation = yield* threadOf(account)
  const code = codeOf(conversation)
  yield* sql`
    WITH ordered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_account_id, channel_id, status, currency, booked_at,
        created_at, conversation_id)
      VALUES (${operatorId}, ${code}, ${channelType}, ${accountId}, ${conversation}, 'accepted', 'EUR', now(), now(),
        ${conversation})
      RETURNING operator_id, id
    )
    INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue, guest_name)
    SELECT operator_id, id, ${code}, current_date + 20, current_date + 23, 100, 100, 'Ada Lovelace' FROM ordered`
  yield* sql`
    INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at)
    SELECT operator_id, id, ${accountId}, now() FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}`
  return code
})

/** Stays by their codes: those that something is said to, and those that are reviewed. */
interface Stays {
  readonly said: Array<string>
  readonly reviewed: Array<string>
}

/** Books a round's stays, at the channels in turn, and lets others leave. */
const bookedAll = Effect.fnUntraced(function* ({ accounts }: Host, budget: PlanKillsBudget, stays: Stays) {
  const [reviewing] = accounts.filter(({ channelType }) => channelType === "airbnb")
  const left = Array.from({ length: budget.left }, () => reviewing ?? []).flat()
  stays.reviewed.push(...(yield* Effect.forEach(left, leftStay)))
  stays.said.push(...(yield* Effect.forEach(Array.from({ length: budget.stays }, () => accounts).flat(), booked)))
}, Effect.orDie)

/**
 * Waits until what rules say stands in every conversation and nothing of it is on its way any more, and until every review has
 * its record and nothing is about to be done of its stay.
 */
const untilDone = async (base: string, { token }: Host, { said, reviewed }: Stays, goneMs: number) => {
  const agent = connections(4)
  const until = performance.now() + goneMs
  const got = async (target: string): Promise<string> => {
    const { text } = await send(base, agent, { method: "GET", target, headers: { "service-access-token": token } })
    return text
  }
  const isSaid = async (code: string): Promise<boolean> => {
    const text = await got(`/v3/conversations/${conversationOf(code)}`)
    return RULES.every((rule) => text.includes(saidOf(rule, code))) && !text.includes('"queued"')
  }
  const isReviewed = async (code: string): Promise<boolean> => {
    const record = await got(`/v3/reviews?reservation_code=${code}&review_status=pending_guest_review`)
    return (
      record.includes(reviewOf(code)) &&
      (await got(`/v3/automation/actions?type=review&stay_code=${code}`)).includes('"total":0')
    )
  }
  for (const code of said) while (performance.now() < until && !(await isSaid(code))) await sleep(100)
  for (const code of reviewed) while (performance.now() < until && !(await isReviewed(code))) await sleep(100)
}

interface PlanRow {
  readonly stay_code: string
  readonly name: string
  readonly state: string
  readonly reason: string | null
}

const plansThere = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<PlanRow>`
    SELECT s.stay_code, r.definition ->> 'name' AS name, p.state, p.reason FROM automation_plans p
    JOIN stays s ON s.operator_id = p.operator_id AND s.id = p.stay_id
    JOIN automation_rules r ON r.operator_id = p.operator_id AND r.id = p.rule_id`
)

const unlikeARule = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ content: string }>`
    SELECT content FROM messages WHERE sender_role = 'host' AND (sender_name IS DISTINCT FROM 'Assistant' OR sources = '[]')`
)

/** Nothing follows of any stay. */
const stillMarked = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ stay_id: number }>`SELECT stay_id FROM automation_stays`
)

const notePlans = Effect.fnUntraced(function* (count: Tally, stays: Stays) {
  const plans = yield* plansThere
  const states = new Map(plans.map((plan) => [saidOf(plan.name, plan.stay_code), plan]))
  const messages = stays.said.flatMap((code) => RULES.map((rule) => saidOf(rule, code)))
  const wanted = [...messages, ...stays.reviewed.map((code) => saidOf(REVIEW_RULE.name, code))]
  for (const said of wanted) {
    const plan = states.get(said)
    if (plan === undefined) count.fell("a plan was never made", said)
    else if (plan.state !== "done") count.fell(`a plan is ${plan.state}`, `${said}: ${plan.reason}`)
  }
  if (plans.length !== wanted.length) count.fell("there are other plans", `${plans.length} of ${wanted.length}`)
  for (const { stay_id } of yield* stillMarked) count.fell("a stay is to be looked at for ever", String(stay_id))
  for (const { content } of yield* unlikeARule) count.fell("a message does not say that it is a rule's", content)
  count.tried("plans", plans.length)
  yield* noteMessages(count, messages)
  yield* noteReviews(count, stays.reviewed)
})

const killed = async (life: Life, withinMs: number): Promise<void> => {
  await sleep(Math.random() * withinMs)
  life.signal("SIGKILL")
  await life.ended
}

/**
 * In each round a process begins, stays are booked, and another process is killed: the one that begins in the next round. The
 * embedded database belongs to one process at a time: there stays are booked before it begins, and it is killed itself.
 */
const rounds = Effect.fnUntraced(function* (
  ground: Ground,
  budget: PlanKillsBudget,
  host: Host,
  services: ReadonlyArray<Effect.Success<ReturnType<typeof lives>>>,
  count: Tally
) {
  const stays: Stays = { said: [], reviewed: [] }
  const running = new Map<number, Life>()
  const booking = Effect.provide(bookedAll(host, budget, stays), ground.layer)
  const beginning = Effect.fnUntraced(function* (nth: number) {
    const service = services[nth]
    if (service !== undefined) running.set(nth, yield* service.begin)
  })
  for (let nth = 1; nth < services.length; nth++) yield* beginning(nth)
  for (let round = 0; round < budget.rounds; round++) {
    const first = beginning(round % services.length)
    yield* ground.on === "embedded" ? Effect.andThen(booking, first) : Effect.andThen(first, booking)
    const next = (round + 1) % services.length
    const life = running.get(next)
    if (life !== undefined) yield* Effect.promise(() => killed(life, budget.killedWithinMs))
    running.delete(next)
    count.tried("kills")
  }
  yield* beginning(budget.rounds % services.length)
  return { stays, running: Array.from(running.values()) }
})

export const planKills = Effect.fnUntraced(
  function* (ground: Ground, budget: PlanKillsBudget) {
    const processes = ground.on === "embedded" ? 1 : budget.processes
    const count = tally(`SIGKILL of one of ${processes} processes while rules do what is due`, ground.on)
    const host = yield* Effect.provide(hosting(budget), ground.layer)
    const env = { ...ground.env, SANDBOX: "1" }
    const services = yield* Effect.forEach(Array.from({ length: processes }), () => lives({ ...ground, env }))
    const { stays, running } = yield* rounds(ground, budget, host, services, count)
    const again = performance.now()
    const base = running[0]?.base ?? ""
    yield* Effect.promise(() => untilDone(base, host, stays, budget.goneMs))
    count.seen(`all was done ${Math.round(performance.now() - again)} ms after the last start`)
    for (const life of running) life.signal("SIGTERM")
    yield* Effect.promise(() => Promise.all(running.map(({ ended }) => ended)))
    yield* Effect.provide(notePlans(count, stays), ground.layer)
    return count.figures()
  },
  Effect.scoped,
  Effect.orDie
)
