import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, References } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { PLANNING_ROOM, PlanningQueue } from "../src/domain/automation/planning/PlanningQueue.ts"
import { planOnce } from "../src/domain/automation/planning/planner.ts"
import type { RuleDefinition } from "../src/domain/automation/rules/rule.ts"
import { PlanQueue } from "../src/domain/automation/running/PlanQueue.ts"
import { RUNNING_ROOM } from "../src/domain/automation/running/plan-statements.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { codeOf, type Host, ONE_RULE, seedHost, seedRules, TWENTY_RULES, unchecked } from "./automation-ground.ts"
import { inTurn, median } from "./figures.ts"
import { callWith, layerInProcess, withStatements } from "./in-process.ts"
import { withScratchDatabase } from "./scratch-database.ts"

// What rules cost a host with many stays, and one with few beside him: the list of what is to come, the look for what is due,
// working out all plans anew, and a message sent by a rule. On a server and on the embedded database.
// `node bench/automation.ts [stays] [embedded stays]`.

const SERVER_STAYS = Number(process.argv[2] ?? 100_000)
const EMBEDDED_STAYS = Number(process.argv[3] ?? SERVER_STAYS)
const CALLS = 100
const WARM_UP = 50
/** Milliseconds that the list may take at p50. */
const LIST_AIM_MS = 50
/** How much longer the look for what is due may take with as many plans that are not due as below than with a few. */
const LOOK_AIM = 2
const FEW = 100
const MANY = 100_000
/** Hosts of whom something waits, each at as many channel accounts. */
const FEW_HOSTS = 500
const MANY_HOSTS = 5_000
const ACCOUNTS = 3

const LARGE = { name: "Large", token: "lk_bench_token_of_the_large_host", houses: 400 }
const SMALL: Host = { name: "Small", token: "lk_bench_token_of_the_small_host", houses: 4, stays: 200 }

const millisecondsOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const startedAt = performance.now()
  yield* work
  return performance.now() - startedAt
})

const p99Of = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN

const ms = (value: number): string => `${value.toFixed(2)} ms`

interface Seeded {
  readonly large: number
  readonly small: number
}

const SEEDED = ["operators", "properties", "conversations", "orders", "stays", "calendar_days"]

const seeded = Effect.fnUntraced(function* (stays: number) {
  const sql = yield* SqlClient.SqlClient
  const [large, small] = [yield* seedHost({ ...LARGE, stays }), yield* seedHost(SMALL)]
  // What nothing is in yet has no figures, as where nobody had a rule before.
  for (const table of SEEDED) yield* sql`VACUUM ANALYZE ${sql.literal(table)}`.unprepared
  return { large, small } satisfies Seeded
})

// What waits.

/** Before anything that was seeded is due. */
const NOW = new Date("2020-01-01")

/** What it takes to do it; the database is left as it was. */
const undone = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const before = sql`SAVEPOINT before`.unprepared
  const undo = sql`ROLLBACK TO SAVEPOINT before`.unprepared
  return yield* sql.withTransaction(Effect.andThen(before, Effect.tap(millisecondsOf(work), undo)))
})

/** A look of each worker for what is due: what it finds stays due. */
const looks = Effect.gen(function* () {
  const [queue, marks] = [yield* PlanQueue, yield* PlanningQueue]
  const [plans, stays]: [Array<number>, Array<number>] = [[], []]
  for (let nth = 0; nth < WARM_UP + CALLS; nth++) {
    const look = yield* undone(queue.claim(NOW, RUNNING_ROOM, []))
    const markLook = yield* undone(marks.claim(NOW, PLANNING_ROOM))
    if (nth < WARM_UP) continue
    plans.push(look)
    stays.push(markLook)
  }
  return { plans: median(plans), stays: median(stays) }
})

/** Fills both queues of the host up to so many: none of it is a plan that a rule would make, and all of it goes again. */
const filledUp = Effect.fnUntraced(function* ({ large }: Seeded, most: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO automation_plans (operator_id, stay_id, rule_id, kind, account_id, scheduled_at, due_at, created_at)
    SELECT s.operator_id, s.id, r.id, 'send_message', o.channel_account_id, at, at, now()
    FROM (SELECT * FROM stays WHERE operator_id = ${large} ORDER BY id LIMIT ${most}) s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    CROSS JOIN LATERAL (SELECT now() + s.id * interval '1 minute' AS at) time
    JOIN LATERAL (SELECT id FROM automation_rules r WHERE r.operator_id = s.operator_id ORDER BY id LIMIT ${TWENTY_RULES.length}) r ON true
    LIMIT ${most}`
  yield* sql`
    INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at)
    SELECT s.operator_id, s.id, o.channel_account_id, now() + s.id * interval '1 minute'
    FROM (SELECT * FROM stays WHERE operator_id = ${large} ORDER BY id LIMIT ${most}) s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id`
  yield* sql`VACUUM ANALYZE automation_plans`.unprepared
  yield* sql`VACUUM ANALYZE automation_stays`.unprepared
})

/** Gives so many hosts a message, a review and a stay that wait at each of their accounts: of nobody who is there. */
const filledOfHosts = Effect.fnUntraced(function* (hosts: number) {
  const sql = yield* SqlClient.SqlClient
  const accounts = sql`generate_series(1, ${hosts}::int) host, generate_series(1, ${ACCOUNTS}::int) account`
  yield* sql`
    INSERT INTO operators (name, time_zone, currency, created_at)
    SELECT 'Waiting ' || n, 'Europe/Berlin', 'EUR', now()
    FROM generate_series((SELECT count(*) FROM operators) + 1, ${hosts}::int) n`
  yield* unchecked(
    Effect.andThen(
      sql`
        INSERT INTO automation_plans (operator_id, stay_id, kind, account_id, scheduled_at, due_at, created_at)
        SELECT host, account, kind, account, now(), now(), now() FROM ${accounts}, unnest('{send_message,review}'::text[]) kind`,
      sql`
        INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at) SELECT host, account, account, now() FROM ${accounts}`
    )
  )
  for (const table of ["operators", "automation_plans", "automation_stays"]) {
    yield* sql`VACUUM ANALYZE ${sql.literal(table)}`.unprepared
  }
})

/** Makes a message and a stay of one host due. */
const oneDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE automation_plans SET due_at = ${NOW} WHERE (operator_id, id) = (
      SELECT operator_id, id FROM automation_plans WHERE kind = 'send_message' ORDER BY operator_id DESC, id LIMIT 1)`
  yield* sql`
    UPDATE automation_stays SET due_at = ${NOW} WHERE (operator_id, stay_id) = (
      SELECT operator_id, stay_id FROM automation_stays ORDER BY operator_id DESC, stay_id LIMIT 1)`
})

const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE automation_plans, automation_stays`
})

const lookedWith = Effect.fnUntraced(function* <E, R>(filled: Effect.Effect<unknown, E, R>) {
  yield* filled
  const times = yield* looks
  yield* emptied
  return times
})

const compared = (what: string, [few, one]: readonly [string, number], [many, other]: readonly [string, number]) => {
  const ratio = other / one
  const missed = ratio > LOOK_AIM ? ", TOO MUCH" : ""
  console.log(`${what.padEnd(44)} ${ms(one)} with ${few}, ${ms(other)} with ${many}: ${ratio.toFixed(2)}${missed}`)
}

const looked = Effect.fnUntraced(function* (seed: Seeded, stays: number) {
  const few = yield* lookedWith(filledUp(seed, FEW))
  const many = yield* lookedWith(filledUp(seed, MANY))
  compared("a look for due plans, none due", [`${FEW}`, few.plans], [`${MANY}`, many.plans])
  compared("a look for stays to plan, none due", [`${FEW}`, few.stays], [`${Math.min(MANY, stays)}`, many.stays])
})

/** Looks where nothing is due and where something of one host is, with so many hosts of whom something waits. */
const lookedWithHosts = Effect.fnUntraced(function* (hosts: number) {
  yield* filledOfHosts(hosts)
  const none = yield* looks
  yield* oneDue
  const one = yield* looks
  yield* emptied
  return { none, one }
})

/** After all else: the hosts stay. */
const lookedOfHosts = Effect.gen(function* () {
  yield* emptied
  const few = yield* lookedWithHosts(FEW_HOSTS)
  const many = yield* lookedWithHosts(MANY_HOSTS)
  const [of, ofMany] = [`those of ${FEW_HOSTS} hosts`, `those of ${MANY_HOSTS}`]
  for (const due of ["none", "one"] as const) {
    compared(`a look for due plans, ${due} due`, [of, few[due].plans], [ofMany, many[due].plans])
    compared(`a look for stays to plan, ${due} due`, [of, few[due].stays], [ofMany, many[due].stays])
  }
})

// What is worked out.

/** Marks the next stay of the small host, as its change would, and says which. */
const marked = Effect.fnUntraced(function* ({ small }: Seeded, nth: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO automation_stays AS mark (operator_id, stay_id, due_at)
    SELECT operator_id, id, now() FROM stays WHERE operator_id = ${small} ORDER BY id DESC OFFSET ${nth % SMALL.stays} LIMIT 1
    ON CONFLICT (operator_id, stay_id) DO UPDATE SET due_at = excluded.due_at`
})

/** Whether something of each host is to be worked out now: of the large one also whether a rule has stays to mark. */
const left = Effect.fnUntraced(function* ({ large, small }: Seeded) {
  const sql = yield* SqlClient.SqlClient
  const due = (operatorId: number) => sql`
    EXISTS (SELECT FROM automation_stays WHERE operator_id = ${operatorId} AND due_at <= now())`
  const [row] = yield* sql<{ large: boolean; small: boolean }>`
    SELECT ${due(small)} AS small, ${due(large)} OR EXISTS (
      SELECT FROM automation_rules WHERE operator_id = ${large} AND mark_before IS NOT NULL) AS large`
  return row ?? { large: false, small: false }
})

const planned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ plans: number; marks: number }>`
    SELECT (SELECT count(*)::int FROM automation_plans) AS plans, (SELECT count(*)::int FROM automation_stays) AS marks`
  return row ?? { plans: 0, marks: 0 }
})

const upcoming = Effect.fnUntraced(function* ({ large }: Seeded) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ stays: number }>`
    SELECT count(*)::int AS stays FROM stays WHERE operator_id = ${large} AND check_out_date >= current_date`
  return row?.stays ?? 0
})

/** Turns of the planner until nothing of the large host is left, while stays of the small one change one after the other. */
const turned = Effect.fnUntraced(function* (seed: Seeded) {
  const [turns, waits]: [Array<number>, Array<number>] = [[], []]
  const startedAt = performance.now()
  let markedAt: number | undefined
  do {
    if (markedAt === undefined) {
      yield* marked(seed, waits.length)
      markedAt = performance.now()
    }
    turns.push(yield* millisecondsOf(planOnce))
    if (!(yield* left(seed)).small) {
      waits.push(performance.now() - markedAt)
      markedAt = undefined
    }
  } while ((yield* left(seed)).large)
  return { seconds: (performance.now() - startedAt) / 1_000, turns, waits }
})

/** Gives the large host rules, and says what working them out took. */
const workedOut = Effect.fnUntraced(function* (what: string, seed: Seeded, rules: ReadonlyArray<RuleDefinition>) {
  yield* seedRules(seed.large, rules)
  const before = yield* planned
  const { seconds, turns, waits } = yield* turned(seed)
  const { plans, marks } = yield* planned
  const stays = yield* upcoming(seed)
  console.log(
    `${what}: ${stays} stays to come, ${plans - before.plans} more plans, ${marks} stays looked at again later; ${seconds.toFixed(1)} s, ${(stays / seconds).toFixed(0)} stays/s`
  )
  console.log(
    `  a changed stay of the small host waits p50 ${ms(median(waits))}, longest ${ms(Math.max(...waits))} (a turn: p50 ${ms(median(turns))})`
  )
})

const plannedAll = Effect.fnUntraced(function* (seed: Seeded) {
  yield* seedRules(seed.small, ONE_RULE)
  while (yield* planOnce);
  yield* workedOut("nineteen rules made at once", seed, TWENTY_RULES.slice(0, -1))
  yield* workedOut("one more rule", seed, TWENTY_RULES.slice(-1))
})

// What is asked.

type Call = readonly [host: Pick<Host, "token">, operation: string, fields: (nth: number) => object]

const made = ([{ token }, operation, fields]: Call, nth: number) => callWith(token, operation, fields(nth))

const LIST = "query_upcoming_automation_actions"

interface Asking {
  readonly late: number
  readonly propertyIds: ReadonlyArray<number>
  readonly stayCodes: ReadonlyArray<string>
}

const asking = Effect.fnUntraced(function* ({ large }: Seeded) {
  const sql = yield* SqlClient.SqlClient
  const stays = yield* sql<{ stay_code: string; property_id: number; plans: number }>`
    SELECT s.stay_code, s.property_id::int AS property_id, count(*)::int AS plans FROM automation_plans p
    JOIN stays s ON s.operator_id = p.operator_id AND s.id = p.stay_id
    WHERE p.operator_id = ${large} AND p.kind = 'send_message' AND p.scheduled_at < now() + interval '30 days'
    GROUP BY s.stay_code, s.property_id ORDER BY s.stay_code`
  const plans = stays.reduce((sum, stay) => sum + stay.plans, 0)
  return {
    late: plans - 20,
    propertyIds: Array.from(new Set(stays.map(({ property_id }) => property_id))),
    stayCodes: stays.map(({ stay_code }) => stay_code)
  } satisfies Asking
})

/** The first is what the others are held against. */
const readsOf = ({ late, propertyIds, stayCodes }: Asking): Readonly<Record<string, Call>> => {
  const list = (fields: (nth: number) => object): Call => [
    LARGE,
    LIST,
    (nth) => ({ type: "message", limit: 20, ...fields(nth) })
  ]
  const at = <A>(all: ReadonlyArray<A>, nth: number) => all[nth % all.length]
  return {
    "latest 20 reservations (reference)": [LARGE, "search_reservations", () => ({ status: "accepted", limit: 20 })],
    "20 messages to come, small host": [SMALL, LIST, () => ({ type: "message", limit: 20 })],
    "20 messages to come": list(() => ({})),
    "100 messages to come": list(() => ({ limit: 100 })),
    "20 reviews to come": list(() => ({ type: "review" })),
    [`20 messages from the ${late.toLocaleString("en")}th on`]: list(() => ({ offset: late })),
    "20 messages of one property": list((nth) => ({ property_ids: `${at(propertyIds, nth)}` })),
    "20 messages of 50 properties": list((nth) => ({
      property_ids: Array.from({ length: 50 }, (_, add) => at(propertyIds, nth + add * 7)).join(",")
    })),
    "20 messages of a stay": list((nth) => ({ stay_code: at(stayCodes, nth) })),
    "20 messages of a channel": list(() => ({ channel_types: "vrbo" })),
    "20 messages by a word that many have": list(() => ({ keyword: "House 1" })),
    "20 messages by a word that none has": list((nth) => ({ keyword: `nobody ${nth}` }))
  }
}

interface Timed {
  readonly times: ReadonlyArray<Array<number>>
  readonly statements: ReadonlyArray<number>
}

/** Milliseconds of each, the calls in turn, each round begun by another. */
const timed = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>, rounds: number, from: number) {
  const times = calls.map((): Array<number> => [])
  const counts = calls.map((): Array<number> => [])
  for (let nth = 0; nth < rounds; nth++) {
    for (const [at, call] of inTurn([...calls.entries()], nth)) {
      const { answer, statements } = yield* withStatements(millisecondsOf(made(call, from + nth)))
      times[at]?.push(answer)
      counts[at]?.push(statements.length)
    }
  }
  return { times, statements: counts.map(median) } satisfies Timed
})

const printed = Effect.fnUntraced(function* (calls: Readonly<Record<string, Call>>, aim: number) {
  const all = Object.values(calls)
  yield* timed(all, WARM_UP, 0)
  const { times, statements } = yield* timed(all, CALLS, WARM_UP)
  const reference = median(times[0] ?? [])
  for (const [at, name] of Object.keys(calls).entries()) {
    const of = times[at] ?? []
    const [p50, p99] = [median(of), p99Of(of)]
    console.log(
      `${name.padEnd(44)} p50 ${ms(p50)}   p99 ${ms(p99)}   ${(p50 / reference).toFixed(2)} of the reference   ${statements[at]} statements${p50 > aim ? "   TOO SLOW" : ""}`
    )
  }
})

/** Plans of as many stays that have a conversation. */
const toRun = Effect.fnUntraced(function* ({ large }: Seeded) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`
    SELECT DISTINCT ON (p.stay_id) p.id::int AS id FROM automation_plans p
    JOIN stays s ON s.operator_id = p.operator_id AND s.id = p.stay_id
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    WHERE p.operator_id = ${large} AND p.kind = 'send_message' AND o.conversation_id IS NOT NULL
    ORDER BY p.stay_id, p.id LIMIT ${CALLS + WARM_UP}`
  return rows.map(({ id }) => id)
})

const changesOf = (planIds: ReadonlyArray<number>): Readonly<Record<string, Call>> => ({
  "a message sent (reference)": [
    LARGE,
    "send_message",
    (nth) => ({ id: codeOf(LARGE, 1 + 5 * nth), message: "Welcome!" })
  ],
  "a message of a rule sent now": [LARGE, "execute_automation_action", (nth) => ({ plan_id: planIds[nth] })]
})

const bench = Effect.fnUntraced(
  function* (stays: number) {
    const seed = yield* seeded(stays)
    yield* seedRules(seed.large, TWENTY_RULES)
    yield* looked(seed, stays)
    yield* (yield* SqlClient.SqlClient)`DELETE FROM automation_rules`
    yield* plannedAll(seed)
    yield* (yield* SqlClient.SqlClient)`VACUUM ANALYZE`.unprepared
    const asked = yield* asking(seed)
    const planIds = yield* toRun(seed)
    yield* printed(readsOf(asked), LIST_AIM_MS).pipe(
      Effect.andThen(printed(changesOf(planIds), Number.POSITIVE_INFINITY)),
      Effect.provide(layerInProcess)
    )
    yield* lookedOfHosts
  },
  Effect.provide([PlanningQueue.layer, PlanQueue.layer]),
  Effect.provideService(References.MinimumLogLevel, "Error")
)

NodeRuntime.runMain(
  Effect.gen(function* () {
    console.log("\non a server")
    yield* withScratchDatabase(() => bench(SERVER_STAYS))
    console.log("\non the embedded database")
    yield* Effect.provide(Effect.andThen(migrate(migrations), bench(EMBEDDED_STAYS)), layerInMemory())
  })
)
