import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Metric, Scope } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../src/admission/windows/RateWindows.ts"
import {
  FAILED_CALLS_BATCH_ROWS,
  FAILED_CALLS_TIMEOUT_MS,
  FAILED_CALLS_WRITE_MS,
  FailedCallCounter
} from "../../src/changes/FailedCallCounter.ts"
import { type FailedCallCount, makeFailedCallCounts, startOfHour } from "../../src/changes/failed-call-counts.ts"
import { toReceivedInput } from "../../src/contract/input.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { REJECTION_KINDS_MAX } from "../../src/platform/limits.ts"
import { anonymousFailedCalls } from "../../src/platform/telemetry/metrics/metric-definitions.ts"
import { Service } from "../../src/service/service.ts"
import { call, createAccessToken, createOperator, layerService } from "../support/harness.ts"
import { ScriptedChannel } from "../support/scripted-channel.ts"
import { countStatements } from "../support/statement-count.ts"
import { layerTestDatabase } from "../support/test-database.ts"

const HOUR_MS = 3_600_000

/** What is written down of an operator: `times error_code operation application account`, hour by hour. */
const written = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    times: number
    error_code: number
    operation: string
    application: string
    account_id: number
  }>`SELECT times, error_code, operation, application, account_id FROM refusals
    WHERE operator_id = ${operatorId} ORDER BY hour, error_code, operation, account_id`
  return rows.map((row) => [row.times, row.error_code, row.operation, row.application, row.account_id].join(" "))
}, Effect.orDie)

/** Waits until what is written down is as it should be. */
const until = Effect.fnUntraced(function* (operatorId: number, wanted: ReadonlyArray<string>) {
  let rows: ReadonlyArray<string> = []
  for (let looks = 0; looks < 1_000 && rows.join() !== wanted.join(); looks++) rows = yield* written(operatorId)
  assert.deepStrictEqual(rows, wanted)
})

const of = (operatorId: number, operation = "search_tasks") => ({
  caller: { operatorId, accountId: 7, tokenName: "Robot" },
  operation,
  errorCode: 404
})

const count = (own: Partial<FailedCallCount> = {}): FailedCallCount => ({
  operatorId: 1,
  accountId: 2,
  application: "Robot",
  operation: "search_tasks",
  errorCode: 404,
  hour: 0,
  times: 1,
  ...own
})

it("counts are told apart by everything they are counted by, up to so many, and the rest is one number", () => {
  const counts = makeFailedCallCounts(8)
  const kinds = [
    count(),
    count({ operatorId: 2 }),
    count({ accountId: 3 }),
    count({ application: "Robot 2" }),
    count({ operation: "create_task" }),
    count({ errorCode: 400 }),
    count({ hour: HOUR_MS })
  ]
  for (const each of [...kinds, ...kinds]) counts.add(each)
  counts.add(count({ operatorId: 8 }))
  assert.strictEqual(counts.takeUncounted(), 0)
  counts.add(count({ operatorId: 9, times: 3 }))
  counts.add(count())
  assert.strictEqual(counts.takeUncounted(), 3)
  assert.strictEqual(counts.takeUncounted(), 0)
  assert.deepStrictEqual(counts.takeBatch(2), [{ ...count(), times: 3 }, count({ operatorId: 2, times: 2 })])
  assert.lengthOf(counts.takeBatch(100), 6)
  assert.lengthOf(counts.takeBatch(100), 0)
  assert.strictEqual(startOfHour(2 * HOUR_MS - 1), HOUR_MS)
  assert.strictEqual(startOfHour(2 * HOUR_MS), 2 * HOUR_MS)
})

/** Refusals of a process of its own, over the database of the tests; `end` ends it. */
const process = Effect.fnUntraced(function* (transformer?: Statement.Transformer) {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(FailedCallCounter.layer, scope).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    transformer === undefined ? (built) => built : Effect.provideService(Statement.CurrentTransformer, transformer)
  )
  return {
    refusals: Context.get(context, FailedCallCounter),
    end: Scope.close(scope, Exit.void)
  }
})

layer(layerTestDatabase, { excludeTestServices: false })("refusals", (it) => {
  it.effect("are written down every few seconds, added to what the hour has already, and when the process ends", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const { refusals, end } = yield* process()
      yield* refusals.recordCall(of(operatorId))
      yield* refusals.recordCall(of(operatorId))
      yield* refusals.recordSignIn({ operatorId, accountId: 7 })
      yield* TestClock.adjust(FAILED_CALLS_WRITE_MS)
      yield* until(operatorId, ["1 401 sign_in Latchkey 7", "2 404 search_tasks Robot 7"])
      yield* refusals.recordCall(of(operatorId))
      yield* end
      assert.deepStrictEqual(yield* written(operatorId), ["1 401 sign_in Latchkey 7", "3 404 search_tasks Robot 7"])
      const next = yield* process()
      yield* TestClock.adjust("1 hour")
      yield* next.refusals.recordCall(of(operatorId))
      yield* next.end
      assert.deepStrictEqual((yield* written(operatorId)).slice(2), ["1 404 search_tasks Robot 7"])
    })
  )

  it.effect("of two processes in one hour are added up", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const both = yield* Effect.all([process(), process()])
      for (const { refusals } of both) {
        yield* Effect.forEach(["a", "b", "c"], (operation) => refusals.recordCall(of(operatorId, operation)))
      }
      yield* Effect.all(
        both.map(({ end }) => end),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* written(operatorId), ["2 404 a Robot 7", "2 404 b Robot 7", "2 404 c Robot 7"])
    })
  )

  it.effect("that nobody can be named for are a metric and no row", () =>
    Effect.gen(function* () {
      const { refusals, end } = yield* process()
      const sql = yield* SqlClient.SqlClient
      const { count: known } = yield* Metric.value(anonymousFailedCalls.withLabels({}))
      yield* refusals.recordCall({ caller: undefined, operation: "whatever somebody sent", errorCode: 401 })
      yield* refusals.recordSignIn(undefined)
      yield* end
      assert.strictEqual(Number((yield* Metric.value(anonymousFailedCalls.withLabels({}))).count) - Number(known), 2)
      assert.lengthOf(yield* sql`SELECT FROM refusals WHERE operation = 'whatever somebody sent'`, 0)
    })
  )

  it.effect(`are of ${REJECTION_KINDS_MAX} kinds at most in memory; the rest is said as one number`, () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const { refusals, end } = yield* process()
      const lines: Array<string> = []
      for (let kind = 0; kind < REJECTION_KINDS_MAX; kind++)
        yield* refusals.recordCall(of(operatorId, `operation ${kind}`))
      yield* refusals.recordCall(of(operatorId, "operation 0"))
      yield* refusals.recordCall(of(operatorId, "one more"))
      yield* end.pipe(Effect.provideService(Logger.CurrentLoggers, new Set([collecting(lines)])))
      assert.match(lines.join(), /^refusals /)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ rows: number; times: number }>`
        SELECT count(*) AS rows, sum(times)::bigint AS times FROM refusals WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(row, { rows: REJECTION_KINDS_MAX, times: REJECTION_KINDS_MAX + 1 })
    })
  )

  it.effect.each([
    ["fails", Effect.die(new Error("the database is away")), 0],
    ["does not answer", Effect.never, FAILED_CALLS_TIMEOUT_MS]
  ] as const)("are kept while the database %s, and written down once when it is back", ([, trouble, lasts]) =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      let away = true
      let tries = 0
      const { refusals, end } = yield* process((statement) => {
        tries++
        return away ? trouble : Effect.succeed(statement)
      })
      for (let kind = 0; kind <= FAILED_CALLS_BATCH_ROWS; kind++)
        yield* refusals.recordCall(of(operatorId, `operation ${kind}`))
      for (let turn = 1; turn <= 3; turn++) {
        yield* TestClock.adjust(FAILED_CALLS_WRITE_MS)
        yield* TestClock.adjust(lasts)
        assert.strictEqual(tries, turn)
        yield* refusals.recordCall(of(operatorId, "operation 0"))
        // The loop rests for a second after it failed.
        yield* TestClock.adjust("1 second")
      }
      away = false
      yield* end
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ rows: number; times: number }>`
        SELECT count(*) AS rows, sum(times)::bigint AS times FROM refusals WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(row, { rows: FAILED_CALLS_BATCH_ROWS + 1, times: FAILED_CALLS_BATCH_ROWS + 4 })
    })
  )
})

const collecting = (lines: Array<string>) =>
  Logger.make(({ message }) => {
    lines.push(String(message))
  })

const layerCounting = layerService(
  layerTestDatabase,
  RateWindows.layerMemory,
  ScriptedChannel.layer,
  WakeUp.layerProcess,
  FailedCallCounter.layer
)

layer(layerCounting, { excludeTestServices: false })("the service", (it) => {
  it.effect("counts what its gate and its operations refuse, for who called, and costs the call no statement", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator({ rateLimits: { endpoint: { "GET /income_items": { "1m": 1 } } } })
      const { operatorId, accountId, token, readOnlyToken } = operator
      const sql = yield* SqlClient.SqlClient
      const codes = [
        yield* call(readOnlyToken, "create_task", { type: "cleaning" }),
        yield* call(token, "query_income_items"),
        yield* call(token, "query_income_items"),
        yield* call(token, "update_task", { id: "x" }),
        yield* call(token, "delete_task", { id: 999_999 }),
        yield* call(token, "delete_task", { id: 999_998 })
      ].map(({ error_code }) => error_code)
      assert.deepStrictEqual(codes, [401, 0, 429, 400, 404, 404])
      const [, statements] = yield* countStatements(call(readOnlyToken, "create_task", { type: "cleaning" }))
      assert.strictEqual(statements, 0)
      const revoked = yield* createAccessToken(operator, "writable")
      yield* sql`UPDATE access_tokens SET revoked_at = now(), name = 'Old' WHERE id = (
        SELECT max(id) FROM access_tokens WHERE operator_id = ${operatorId})`
      assert.strictEqual((yield* call(revoked, "search_tasks")).error_code, 401)
      assert.strictEqual((yield* call("lk_unknown", "search_tasks")).error_code, 401)
      const service = yield* Service
      const unknown = yield* service.call("no_such", {
        transport: "mcp",
        headers: { "service-access-token": token },
        params: {},
        receive: Effect.succeed(toReceivedInput({ encoding: "json", fields: {} }))
      })
      assert.strictEqual(unknown.envelope.error_code, 404)
      yield* TestClock.adjust(FAILED_CALLS_WRITE_MS)
      yield* until(operatorId, [
        `1 400 update_task test ${accountId}`,
        `2 401 create_task test ${accountId}`,
        `1 401 search_tasks Old ${accountId}`,
        `2 404 delete_task test ${accountId}`,
        `1 429 query_income_items test ${accountId}`
      ])
    })
  )

  it.effect("counts calls of accounts that may not call, and those of closed ones", () =>
    Effect.gen(function* () {
      const banned = yield* createOperator({ status: "banned" })
      const closed = yield* createOperator({ status: "closed" })
      assert.strictEqual((yield* call(banned.token, "search_tasks")).error_code, 420)
      assert.strictEqual((yield* call(closed.token, "search_tasks")).error_code, 401)
      yield* TestClock.adjust(FAILED_CALLS_WRITE_MS)
      yield* until(banned.operatorId, [`1 420 search_tasks test ${banned.accountId}`])
      yield* until(closed.operatorId, [`1 401 search_tasks test ${closed.accountId}`])
    })
  )
})
