import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { StayMarks } from "../../../src/resources/automation/planning/StayMarks.ts"
import { PLANNING_ROOM } from "../../../src/resources/automation/planning/taking.ts"
import { PlanQueue } from "../../../src/resources/automation/running/PlanQueue.ts"
import {
  REVIEWING_ROOM,
  RUNNING_ACCOUNT_SHARE,
  RUNNING_ROOM
} from "../../../src/resources/automation/running/taking.ts"
import {
  AFTER_LEAVING,
  BEFORE_ARRIVAL,
  emptied,
  hosting,
  layerAutomating,
  plannedAll,
  ruleOf,
  stayOf
} from "./automating.ts"

/** A host with one more due plan than a worker takes of an account at once, all of orders without an account. */
const withoutAccount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const host = yield* hosting
  for (let nth = 0; nth <= RUNNING_ACCOUNT_SHARE; nth++) yield* stayOf(host)
  yield* Effect.orDie(sql`UPDATE orders SET channel_account_id = NULL WHERE operator_id = ${host.operatorId}`)
  yield* ruleOf(host.operatorId, BEFORE_ARRIVAL)
  yield* plannedAll
  return host.operatorId
})

layer(layerAutomating)("plans of orders without a channel account", (it) => {
  it.effect("of one host that are under way keep no other host's waiting", () =>
    Effect.gen(function* () {
      yield* emptied
      const [busy, quiet] = [yield* withoutAccount, yield* withoutAccount]
      const queue = yield* PlanQueue
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      const now = yield* DateTime.nowAsDate
      const underWay = Array.from({ length: RUNNING_ACCOUNT_SHARE }, () => ({
        operator_id: busy,
        account_id: 0,
        kind: "send_message" as const
      }))
      const taken = yield* queue.take(now, RUNNING_ROOM, underWay)
      assert.deepStrictEqual(
        taken.map(({ operator_id, account_id }) => [operator_id, account_id]),
        Array.from({ length: RUNNING_ACCOUNT_SHARE }, () => [quiet, 0])
      )
    })
  )
})

/** A host with as many due reviews as a worker takes of an account at once, and a message that is due a minute later. */
const leaving = Effect.gen(function* () {
  const host = yield* hosting
  for (let nth = 0; nth < RUNNING_ACCOUNT_SHARE; nth++) yield* stayOf(host)
  yield* ruleOf(host.operatorId, AFTER_LEAVING)
  const trigger = { event: "check_out", when: "after", days: 0, at: "13:01" }
  yield* ruleOf(host.operatorId, { ...BEFORE_ARRIVAL, trigger })
})

layer(layerAutomating)("reviews at a channel that hangs", (it) => {
  it.effect("leave room for messages, also of the same account, and come as far as there is room", () =>
    Effect.gen(function* () {
      yield* emptied
      const hosts = Math.ceil((REVIEWING_ROOM + 1) / RUNNING_ACCOUNT_SHARE)
      for (let nth = 0; nth < hosts; nth++) yield* leaving
      yield* plannedAll
      const queue = yield* PlanQueue
      yield* TestClock.setTime(Date.parse("2027-04-28T12:00:00Z"))
      const reviews = yield* queue.take(yield* DateTime.nowAsDate, RUNNING_ROOM, [])
      assert.deepStrictEqual(
        reviews.map(({ kind }) => kind),
        Array.from({ length: REVIEWING_ROOM }, () => "review")
      )
      yield* TestClock.setTime(Date.parse("2027-04-28T12:01:00Z"))
      // Those that were taken hang, and their leases have ended.
      const messages = yield* queue.take(yield* DateTime.nowAsDate, RUNNING_ROOM - reviews.length, reviews)
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

/** How many rows the statements of an effect came by, each run once more. */
const rowsBy = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
  yield* Effect.provideService(work, Statement.CurrentTransformer, (statement) => {
    sent.push(statement.compile())
    return Effect.succeed(statement)
  })
  const plans = yield* Effect.forEach(sent, ([text, values]) =>
    sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
  )
  return plans.map(([row]) => (row?.["QUERY PLAN"] ?? []).reduce((sum, { Plan }) => sum + rowsOf(Plan), 0))
})

/** A message, a review and a stay of each of so many new hosts that wait until then; of no stay that is there. */
const waitingOf = Effect.fnUntraced(function* (hosts: number, until: Date) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO operators (name, time_zone, currency, created_at)
    SELECT 'Waiting ' || n, 'Europe/Lisbon', 'EUR', now() FROM generate_series(1, ${hosts}::int) n`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`
        INSERT INTO automation_plans (operator_id, stay_id, kind, scheduled_at, due_at, created_at)
        SELECT id, 1, kind, ${until}::timestamptz, ${until}::timestamptz, now()
        FROM operators, unnest('{send_message,review}'::text[]) kind`
      yield* sql`
        INSERT INTO automation_stays (operator_id, stay_id, due_at)
        SELECT id, 1, ${until} FROM operators`
    })
  )
  for (const table of ["operators", "automation_plans", "automation_stays"])
    yield* sql`ANALYZE ${sql.literal(table)}`.unprepared
}, Effect.orDie)

layer(layerAutomating)("a look for what is due", (it) => {
  it.effect("comes by none of the hosts of whom something waits, unless something is due", () =>
    Effect.gen(function* () {
      yield* emptied
      const hosts = 2_000
      const due = new Date("2027-04-24T14:00:00Z")
      yield* waitingOf(hosts, due)
      const [queue, marks] = [yield* PlanQueue, yield* StayMarks]
      const looks = Effect.fnUntraced(function* (now: Date) {
        const plans = yield* rowsBy(queue.take(now, RUNNING_ROOM, []))
        return [...plans, ...(yield* rowsBy(marks.take(now, PLANNING_ROOM)))]
      })
      const none = yield* looks(new Date(due.getTime() - 1))
      assert.lengthOf(none, 3)
      for (const rows of none) assert.isBelow(rows, 50)
      // Messages fill the room: no reviews are looked for.
      const all = yield* looks(due)
      assert.lengthOf(all, 2)
      for (const rows of all) assert.isAtLeast(rows, hosts)
      yield* emptied
    })
  )
})
