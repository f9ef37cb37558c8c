import { setTimeout as sleep } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { type Greed, greed } from "../../bench/greed.ts"
import { addDays } from "../../src/contract/time.ts"
import { restWrite, type Target, toolRequest } from "./doors.ts"
import { type Figures, tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { REFUSED_CALLS } from "./refused-bodies.ts"
import { lives } from "./service-process.ts"
import { connections, PATIENCE_MS, type Reply, type Sent, send } from "./wire.ts"
import { type Estate, estate } from "./writing.ts"

// One operator sends expensive calls without a pause. The attack measures how long another operator's small reads take meanwhile.

export interface GreedyBudget {
  /** Calls of the greedy operator under way at once. */
  readonly callers: number
  /** Milliseconds of each of the two measurements. */
  readonly measureMs: number
}

/** The requests of the greedy operator, and the databases on which a quiet operator must be served within {@link QUIET_P95_MS}. */
interface Load {
  readonly name: string
  readonly boundOn: ReadonlyArray<Ground["on"]>
  readonly stock: (held: Estate) => Effect.Effect<void, never, SqlClient.SqlClient>
  readonly greed: (held: Estate) => Pick<Greed, "requests" | "headers" | "expected">
}

/** The highest allowed p95 of a quiet operator's small reads, in milliseconds. */
const QUIET_P95_MS = 250

/** The timeout of a load balancer's readiness probe, in milliseconds. */
const READY_MS = 5_000

const ENTRIES = 20_000
const PROPERTIES = 33

const get = (target: Target, { token }: Estate, path: string): Promise<Reply> =>
  send(target.base, target.agent, { method: "GET", target: `/v3${path}`, headers: { "service-access-token": token } })

/** Inserts entries with long notes, so that a search reads much. */
const insertEntries = Effect.fnUntraced(function* ({ operatorId, wanted }: Estate) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
      property_id, status, operator_name, created_at, updated_at)
    SELECT ${operatorId}::bigint, 'income', 10, 'EUR', 11, 197, now() - n * interval '1 minute', repeat('entry ' || n || ' ', 30),
      ${wanted}::bigint, 'paid', 'Owner', now(), now()
    FROM generate_series(1, ${ENTRIES}::int) n`
}, Effect.orDie)

/** The largest allowed read of availability, and a search without a match. */
const heavyReads: Load = {
  name: "heavy reads",
  boundOn: ["PostgreSQL"],
  stock: insertEntries,
  greed: (held) => {
    const today = new Date().toISOString().slice(0, 10)
    const days = `start_date=${addDays(today, -1)}&end_date=${addDays(today, 1_094)}`
    const range = `start_date=${addDays(today, -300)}&end_date=${today}`
    return {
      requests: [
        { path: `/v3/availabilities?property_ids=${held.own.join(",")}&${days}` },
        { path: `/v3/transactions?${range}&keyword=${"nowhere".repeat(12)}&limit=100` }
      ],
      headers: { "service-access-token": held.token }
    }
  }
}

/** Large bodies that the service reads whole and refuses with 422. `expected` is in the beginning of each refusal. */
const refusedBodies = (
  name: string,
  expected: string,
  sentBy: (token: string) => readonly [Sent, ...ReadonlyArray<Sent>]
): Load => ({
  name,
  boundOn: ["embedded", "PostgreSQL"],
  stock: () => Effect.void,
  greed: ({ token }) => {
    const sent = sentBy(token)
    const { "content-length": _, ...headers } = sent[0].headers
    return { requests: sent.map(({ target, body = "" }) => ({ path: target, body })), headers, expected }
  }
})

const refusedByRest = refusedBodies("bodies refused over REST", '"error_code":422', (token) => {
  const [first, ...others] = REFUSED_CALLS
  const sent = ({ path, fields }: typeof first) => restWrite(token, "POST", path, fields)
  return [sent(first), ...others.map(sent)]
})

const refusedByMcp = refusedBodies("arguments refused over MCP", String.raw`\"error_code\":422`, (token) => {
  const [first, ...others] = REFUSED_CALLS
  const sent = ({ operation, fields }: typeof first) => toolRequest(operation, token, fields)
  return [sent(first), ...others.map(sent)]
})

/** Sends small reads one after the other for `forMs`. Returns their milliseconds in ascending order. */
const waits = async (target: Target, quiet: Estate, forMs: number): Promise<ReadonlyArray<number>> => {
  const until = performance.now() + forMs
  const times: Array<number> = []
  while (performance.now() < until) {
    const waited = get(target, quiet, "/income_items").then(
      ({ ms }) => ms,
      () => PATIENCE_MS
    )
    times.push(await waited)
    await sleep(10)
  }
  return times.toSorted((one, other) => one - other)
}

const at = (sorted: ReadonlyArray<number>, share: number): number =>
  Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)

const summaryOf = (sorted: ReadonlyArray<number>): string =>
  `p50 ${at(sorted, 0.5)} ms, p95 ${at(sorted, 0.95)} ms, p99 ${at(sorted, 0.99)} ms of ${sorted.length}`

const besideQuietCaller = (load: Load) =>
  Effect.fnUntraced(function* (ground: Ground, budget: GreedyBudget): Effect.fn.Return<Figures, never, Scope.Scope> {
    const count = tally(`${budget.callers} ${load.name} at once beside a quiet caller`, ground.on)
    const [big, quiet] = yield* Effect.provide(
      Effect.gen(function* () {
        const made = [yield* estate(PROPERTIES), yield* estate(1)] as const
        yield* load.stock(made[0])
        return made
      }),
      ground.layer
    )
    const service = yield* lives(ground)
    const life = yield* service.begin
    const light: Target = { base: service.base, agent: connections(1) }
    yield* Effect.promise(() => waits(light, quiet, 1_000))
    const alone = yield* Effect.promise(() => waits(light, quiet, budget.measureMs))

    // The greedy caller has its own thread, so that it does not delay the quiet caller within this process.
    const greedy = greed({ url: service.base, connections: budget.callers, ...load.greed(big) })
    yield* Effect.sleep(500)
    const beside = yield* Effect.promise(() => waits(light, quiet, budget.measureMs))
    const ready = yield* Effect.promise(() =>
      fetch(`${service.base}/health/ready`, { signal: AbortSignal.timeout(READY_MS) }).then(
        ({ status }) => status,
        () => 0
      )
    )
    const heavy = yield* Effect.promise(greedy.stop)
    life.signal("SIGKILL")
    count.tried("light reads", alone.length + beside.length)
    count.seen(`the quiet caller alone: ${summaryOf(alone)}`)
    count.seen(`beside the greedy caller: ${summaryOf(beside)}`)
    count.seen(`${load.name} answered: ${Math.round(heavy.perSecond)} a second, ${heavy.failures} otherwise`)
    const without = beside.filter((ms) => ms >= PATIENCE_MS).length
    if (without > 0) count.fell(`the quiet caller gets no response within ${PATIENCE_MS / 1_000} s`, `${without} times`)
    if (ready !== 200) count.fell("the service is not ready under load", String(ready))
    if (heavy.perSecond === 0) count.fell("the greedy caller never got the expected response")
    if (load.boundOn.includes(ground.on) && at(beside, 0.95) > QUIET_P95_MS)
      count.fell(`p95 of the quiet caller is above ${QUIET_P95_MS} ms`, summaryOf(beside))
    return count.figures()
  }, Effect.scoped)

export const besideHeavyReads = besideQuietCaller(heavyReads)
export const besideBodiesRefusedByRest = besideQuietCaller(refusedByRest)
export const besideArgumentsRefusedByMcp = besideQuietCaller(refusedByMcp)
