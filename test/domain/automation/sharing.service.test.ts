import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { PLANNING_ROOM, PLANNING_SHARE, PlanningQueue } from "../../../src/domain/automation/planning/PlanningQueue.ts"
import { PlanQueue } from "../../../src/domain/automation/running/PlanQueue.ts"
import {
  REVIEWING_ROOM,
  RUNNING_ACCOUNT_SHARE,
  RUNNING_ROOM,
  RUNNING_SHARE
} from "../../../src/domain/automation/running/plan-statements.ts"
import { DUE_SCAN_ROWS } from "../../../src/jobs/fair-queue.ts"
import { idsParameter } from "../../../src/platform/database/parameters.ts"
import {
  AFTER_LEAVING_RULE,
  BEFORE_ARRIVAL_RULE,
  createAutomationHost,
  emptyAutomationTables,
  insertRule,
  insertStay,
  layerAutomationService,
  planAllDue
} from "../../support/domain/automation/automation-service.ts"

/** A host with one more due plan than a worker takes of an account at once, all of orders without an account. */
const withoutAccount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const host = yield* createAutomationHost
  for (let nth = 0; nth <= RUNNING_ACCOUNT_SHARE; nth++) yield* insertStay(host)
  yield* Effect.orDie(sql`UPDATE orders SET channel_account_id = NULL WHERE operator_id = ${host.operatorId}`)
  yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
  yield* planAllDue
  return host.operatorId
})

/** As much of that host under way as it gets there. */
const fullOf = (operator_id: number) =>
  Array.from({ length: RUNNING_ACCOUNT_SHARE }, () => ({ operator_id, account_id: 0, kind: "send_message" as const }))

layer(layerAutomationService)("plans of orders without a channel account", (it) => {
  it.effect("of one host that are under way keep no other host's waiting", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [busy, quiet] = [yield* withoutAccount, yield* withoutAccount]
      const queue = yield* PlanQueue
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      const now = yield* DateTime.nowAsDate
      const taken = yield* queue.claim(now, RUNNING_ROOM, fullOf(busy))
      assert.deepStrictEqual(
        taken.map(({ operator_id, account_id }) => [operator_id, account_id]),
        Array.from({ length: RUNNING_ACCOUNT_SHARE }, () => [quiet, 0])
      )
    })
  )

  it.effect("count for each of two hosts that have some under way", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [one, other] = [yield* withoutAccount, yield* withoutAccount]
      const queue = yield* PlanQueue
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      const now = yield* DateTime.nowAsDate
      assert.deepStrictEqual(yield* queue.claim(now, RUNNING_ROOM, [...fullOf(one), ...fullOf(other)]), [])
    })
  )
})

/** A host with as many due reviews as a worker takes of an account at once, and a message that is due a minute later. */
const leaving = Effect.gen(function* () {
  const host = yield* createAutomationHost
  for (let nth = 0; nth < RUNNING_ACCOUNT_SHARE; nth++) yield* insertStay(host)
  yield* insertRule(host.operatorId, AFTER_LEAVING_RULE)
  const trigger = { event: "check_out", when: "after", days: 0, at: "13:01" }
  yield* insertRule(host.operatorId, { ...BEFORE_ARRIVAL_RULE, trigger })
})

layer(layerAutomationService)("reviews at a channel that hangs", (it) => {
  it.effect("leave room for messages, also of the same account, and come as far as there is room", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const hosts = Math.ceil((REVIEWING_ROOM + 1) / RUNNING_ACCOUNT_SHARE)
      for (let nth = 0; nth < hosts; nth++) yield* leaving
      yield* planAllDue
      const queue = yield* PlanQueue
      yield* TestClock.setTime(Date.parse("2027-04-28T12:00:00Z"))
      const reviews = yield* queue.claim(yield* DateTime.nowAsDate, RUNNING_ROOM, [])
      assert.deepStrictEqual(
        reviews.map(({ kind }) => kind),
        Array.from({ length: REVIEWING_ROOM }, () => "review")
      )
      yield* TestClock.setTime(Date.parse("2027-04-28T12:01:00Z"))
      // Those that were taken hang, and their leases have ended.
      const messages = yield* queue.claim(yield* DateTime.nowAsDate, RUNNING_ROOM - reviews.length, reviews)
      assert.deepStrictEqual(
        messages.map(({ kind }) => kind),
        Array.from({ length: RUNNING_ROOM - REVIEWING_ROOM }, () => "send_message")
      )
    })
  )
})

interface Node {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Node>
}

const rowsOf = (node: Node): number =>
  node["Actual Rows"] * node["Actual Loops"] + (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0)

/** Does it, and leaves the database as it was. */
const undone = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const before = sql`SAVEPOINT before`.unprepared
  const undo = sql`ROLLBACK TO SAVEPOINT before`.unprepared
  return yield* sql.withTransaction(Effect.andThen(before, Effect.tap(work, undo)))
})

/** How many rows the statements of an effect came by, each run once more on what the first of them found. */
const rowsBy = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const listening = Effect.provideService(work, Statement.CurrentTransformer, (statement) => {
    sent.push(statement.compile())
    return Effect.succeed(statement)
  })
  yield* undone(listening)
  const plans = yield* Effect.forEach(sent, ([text, values]) =>
    undone(
      sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
    )
  )
  return plans.map(([row]) => (row?.["QUERY PLAN"] ?? []).reduce((sum, { Plan }) => sum + rowsOf(Plan), 0))
})

/** The rows that looks for messages, for reviews and for stays came by; for no reviews where messages fill the room. */
const looks = Effect.fnUntraced(function* (now: Date) {
  const [queue, marks] = [yield* PlanQueue, yield* PlanningQueue]
  const plans = yield* rowsBy(queue.claim(now, RUNNING_ROOM, []))
  return [...plans, ...(yield* rowsBy(marks.claim(now, PLANNING_ROOM)))]
})

const newHosts = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const made = yield* sql<{ id: number }>`
    INSERT INTO operators (name, time_zone, currency, created_at)
    SELECT 'Waiting ' || n, 'Europe/Lisbon', 'EUR', now() FROM generate_series(1, ${count}::int) n
    RETURNING id`
  return made.map(({ id }) => id)
}, Effect.orDie)

interface Waiting {
  readonly until: Date
  /** Of each host; default: one of each. */
  readonly count?: number
  /** Default: one. */
  readonly accounts?: number
}

/** So many messages, reviews and stays of hosts that wait until then, at their accounts in turn; of no stay that is there. */
const waitingOf = Effect.fnUntraced(function* (hosts: ReadonlyArray<number>, waiting: Waiting) {
  const sql = yield* SqlClient.SqlClient
  const { until, count = 1, accounts = 1 } = waiting
  const each = sql`
    SELECT host, nth, nth % ${accounts}::int AS account, ${until}::timestamptz AS until
    FROM unnest(${idsParameter(hosts)}::bigint[]) host, generate_series(1, ${count}::int) nth`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`
        INSERT INTO automation_plans (operator_id, stay_id, kind, account_id, scheduled_at, due_at, created_at)
        SELECT host, nth, kind, account, until, until, now() FROM (${each}) each, unnest('{send_message,review}'::text[]) kind`
      yield* sql`
        INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at)
        SELECT host, nth, account, until FROM (${each}) each`
    })
  )
  for (const table of ["operators", "automation_plans", "automation_stays"])
    yield* sql`ANALYZE ${sql.literal(table)}`.unprepared
}, Effect.orDie)

/** What of a host was taken: `send_message 4`. */
const takenOf = Effect.fnUntraced(function* (host: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ taken: string }>`
    SELECT what || ' ' || count(*) AS taken FROM (
      SELECT kind AS what FROM automation_plans WHERE operator_id = ${host} AND attempts = 1
      UNION ALL SELECT 'stay' FROM automation_stays WHERE operator_id = ${host} AND attempts = 1) taken
    GROUP BY what ORDER BY what`
  return rows.map(({ taken }) => taken)
}, Effect.orDie)

const DUE = new Date("2027-04-24T14:00:00Z")
const EARLIER = new Date(DUE.getTime() - 1)

layer(layerAutomationService)("a host with due plans at many accounts", (it) => {
  it.effect("gets its share of a worker, and what comes of another has room", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [busy = 0, quiet = 0] = yield* newHosts(2)
      yield* waitingOf([busy], { until: DUE, count: RUNNING_ROOM, accounts: RUNNING_ROOM / RUNNING_ACCOUNT_SHARE })
      const queue = yield* PlanQueue
      const taken = yield* queue.claim(DUE, RUNNING_ROOM, [])
      assert.deepStrictEqual(yield* takenOf(busy), [`review ${RUNNING_SHARE}`, `send_message ${RUNNING_SHARE}`])
      yield* waitingOf([quiet], { until: DUE })
      yield* queue.claim(DUE, RUNNING_ROOM - taken.length, taken)
      assert.deepStrictEqual(yield* takenOf(quiet), ["review 1", "send_message 1"])
      assert.deepStrictEqual(yield* takenOf(busy), [`review ${RUNNING_SHARE}`, `send_message ${RUNNING_SHARE}`])
    })
  )
})

layer(layerAutomationService)("a look for what is due", (it) => {
  const hosts = 2_000

  it.effect("comes by none of the hosts of whom something waits, unless very much is due", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      yield* waitingOf(yield* newHosts(hosts), { until: DUE })
      const none = yield* looks(EARLIER)
      assert.lengthOf(none, 3)
      for (const rows of none) assert.isBelow(rows, 50)
      yield* waitingOf(yield* newHosts(1), { until: EARLIER })
      const one = yield* looks(EARLIER)
      assert.lengthOf(one, 3)
      for (const rows of one) assert.isBelow(rows, 50)
      // Messages fill the room: no reviews are looked for.
      const all = yield* looks(DUE)
      assert.lengthOf(all, 2)
      for (const rows of all) assert.isAtLeast(rows, hosts)
    })
  )

  it.effect(`comes by every one of them where ${DUE_SCAN_ROWS} rows are due, and not where one less is`, () =>
    Effect.gen(function* () {
      const dueBeside = Effect.fnUntraced(function* (count: number) {
        yield* emptyAutomationTables
        yield* waitingOf(yield* newHosts(hosts), { until: DUE })
        yield* waitingOf(yield* newHosts(1), { until: EARLIER, count })
        return yield* looks(EARLIER)
      })
      const [below, above] = [yield* dueBeside(DUE_SCAN_ROWS - 1), yield* dueBeside(DUE_SCAN_ROWS)]
      assert.lengthOf(below, 3)
      for (const [at, rows] of below.entries()) assert.isBelow(rows, (above[at] ?? 0) - hosts)
    })
  )

  for (const count of [DUE_SCAN_ROWS - 1, DUE_SCAN_ROWS, DUE_SCAN_ROWS + 1]) {
    it.effect(`takes what is due of a quiet host behind ${count} rows of another`, () =>
      Effect.gen(function* () {
        yield* emptyAutomationTables
        const [greedy = 0, quiet = 0] = yield* newHosts(2)
        yield* waitingOf([greedy], { until: EARLIER, count })
        yield* waitingOf([quiet], { until: DUE })
        const [queue, marks] = [yield* PlanQueue, yield* PlanningQueue]
        yield* queue.claim(DUE, RUNNING_ROOM, [])
        yield* marks.claim(DUE, PLANNING_ROOM)
        assert.deepStrictEqual(yield* takenOf(quiet), ["review 1", "send_message 1", "stay 1"])
        const share = [
          `review ${RUNNING_ACCOUNT_SHARE}`,
          `send_message ${RUNNING_ACCOUNT_SHARE}`,
          `stay ${PLANNING_SHARE}`
        ]
        assert.deepStrictEqual(yield* takenOf(greedy), share)
      })
    )
  }
})

// On connections of its own: which plan is taken hangs on those that were made before.
layer(layerAutomationService)("a look where much waits of one host", (it) => {
  it.effect("is planned once for any time, and not anew by each", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      yield* waitingOf(yield* newHosts(1), { until: DUE, count: 10_000 })
      const sql = yield* SqlClient.SqlClient
      const [queue, marks] = [yield* PlanQueue, yield* PlanningQueue]
      const plansAfterLooks = Effect.gen(function* () {
        for (let nth = 0; nth < 10; nth++) {
          yield* queue.claim(EARLIER, RUNNING_ROOM, [])
          yield* marks.claim(EARLIER, PLANNING_ROOM)
        }
        const rows = yield* sql<{ plans: number }>`
          SELECT custom_plans::int AS plans FROM pg_prepared_statements WHERE statement LIKE 'WITH RECURSIVE first AS %'
          ORDER BY name`
        return rows.map(({ plans }) => plans)
      })
      // Prepared statements are those of a connection.
      const [before, after] = yield* sql.withTransaction(Effect.all([plansAfterLooks, plansAfterLooks]))
      assert.lengthOf(before, 3)
      assert.deepStrictEqual(after, before)
    })
  )
})
