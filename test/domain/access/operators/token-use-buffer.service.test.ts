import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { TokenUseRecorder } from "../../../../src/admission/gate/TokenUseRecorder.ts"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../../../../src/changes/FailedCallCounter.ts"
import { makeTokenUseBuffer } from "../../../../src/domain/access/operators/token-use-buffer.ts"
import {
  layerTokenUseWriter,
  TOKEN_USES_BATCH,
  TOKEN_USES_WRITE_MS
} from "../../../../src/domain/access/operators/token-use-writer.ts"
import { WakeUp } from "../../../../src/jobs/WakeUp.ts"
import { BUFFERED_TOKEN_USES_MAX } from "../../../../src/platform/limits.ts"
import { call, createOperator, layerService } from "../../../support/harness.ts"
import { canOverlap, holdLock, withServerNote } from "../../../support/overlapping-transactions.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"
import { countStatements } from "../../../support/statement-count.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const MINUTE = Date.parse("2027-03-01T12:34:00Z")

describe("last uses in memory", () => {
  const use = (tokenId: number) => ({ operatorId: 1, tokenId })

  it("are right to the minute, and the last of each token", () => {
    const uses = makeTokenUseBuffer(10)
    for (const at of [MINUTE + 59_999, MINUTE + 60_000, MINUTE + 1]) uses.record(use(7), at)
    uses.record(use(8), MINUTE + 1)
    assert.deepStrictEqual(uses.take(10), [
      { operatorId: 1, tokenId: 7, minute: MINUTE + 60_000 },
      { operatorId: 1, tokenId: 8, minute: MINUTE }
    ])
    assert.deepStrictEqual(uses.take(10), [])
  })

  it("are of so many tokens at once, and a token among them is noted on", () => {
    const uses = makeTokenUseBuffer(BUFFERED_TOKEN_USES_MAX)
    for (let id = 1; id <= BUFFERED_TOKEN_USES_MAX + 1; id++) uses.record(use(id), MINUTE)
    uses.record(use(1), MINUTE + 60_000)
    const taken = uses.take(2 * BUFFERED_TOKEN_USES_MAX)
    assert.strictEqual(taken.length, BUFFERED_TOKEN_USES_MAX)
    assert.deepStrictEqual(taken[0], { operatorId: 1, tokenId: 1, minute: MINUTE + 60_000 })
  })

  it("come back when they could not be written down, unless there is a later one", () => {
    const uses = makeTokenUseBuffer(10)
    uses.record(use(7), MINUTE)
    uses.record(use(8), MINUTE)
    const taken = uses.take(10)
    uses.record(use(7), MINUTE + 60_000)
    taken.forEach(uses.restore)
    assert.deepStrictEqual(
      uses.take(10).map(({ tokenId, minute }) => [tokenId, minute - MINUTE]),
      [
        [7, 60_000],
        [8, 0]
      ]
    )
  })
})

const noRefusals = Layer.succeed(FailedCallCounter, { recordCall: () => Effect.void, recordSignIn: () => Effect.void })

/** The service as the process makes it: its gate tells of uses, which are written down. */
const layerUsing = layerService(
  layerTestDatabase,
  RateWindows.layerMemory,
  ScriptedChannel.layer,
  WakeUp.layerProcess,
  noRefusals
).pipe(Layer.provideMerge(Layer.provide(layerTokenUseWriter, layerTestDatabase)))

const usesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ at: Date | null }>`
    SELECT last_used_at AS at FROM access_tokens WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ at }) => at?.toISOString() ?? "never")
}, Effect.orDie)

const until = Effect.fnUntraced(function* (operatorId: number, wanted: ReadonlyArray<string>) {
  let uses: ReadonlyArray<string> = []
  for (let looks = 0; looks < 1_000 && uses.join() !== wanted.join(); looks++) uses = yield* usesOf(operatorId)
  assert.deepStrictEqual(uses, wanted)
})

/** Until the use of that token of an operator is written down. */
const untilUsed = Effect.fnUntraced(function* (operatorId: number, token: number) {
  let use: string | undefined = "never"
  for (let looks = 0; looks < 1_000 && use === "never"; looks++) use = (yield* usesOf(operatorId))[token]
  assert.notStrictEqual(use, "never")
})

layer(layerUsing, { excludeTestServices: false })("last uses", (it) => {
  it.effect("of tokens are written down every half minute, without a statement more for a call", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      yield* TestClock.adjust("7 minutes")
      const now = yield* Clock.currentTimeMillis
      const minute = new Date(now - (now % 60_000)).toISOString()
      yield* call(operator.token, "query_income_items")
      const [, statements] = yield* countStatements(call(operator.token, "query_income_items"))
      assert.isAtMost(statements, 1)
      assert.deepStrictEqual(yield* usesOf(operator.operatorId), ["never", "never"])
      yield* TestClock.adjust(TOKEN_USES_WRITE_MS)
      yield* until(operator.operatorId, [minute, "never"])
      yield* TestClock.adjust("1 minute")
      yield* call(operator.readOnlyToken, "query_income_items")
      yield* TestClock.adjust(TOKEN_USES_WRITE_MS)
      const later = new Date(Date.parse(minute) + 60_000).toISOString()
      yield* untilUsed(operator.operatorId, 1)
      const [own, readOnly = ""] = yield* usesOf(operator.operatorId)
      assert.strictEqual(own, minute)
      assert.isAtLeast(Date.parse(readOnly), Date.parse(later))
    })
  )

  it.effect("are none of a call that the token was not good for", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator({ status: "banned" })
      yield* call(operator.token, "query_income_items")
      const other = yield* createOperator()
      yield* call(other.token, "query_income_items")
      yield* TestClock.adjust(2 * TOKEN_USES_WRITE_MS)
      yield* untilUsed(other.operatorId, 0)
      assert.deepStrictEqual(yield* usesOf(operator.operatorId), ["never", "never"])
    })
  )
})

const tokensOf = (operatorId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql<{ id: number }>`SELECT id FROM access_tokens WHERE operator_id = ${operatorId} ORDER BY id`)
  )

/** The writer of a process, and how that process ends. */
const writer = Effect.fnUntraced(function* (...[transformer]: [transformer?: Statement.Transformer]) {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Layer.fresh(layerTokenUseWriter), scope).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    transformer === undefined ? (built) => built : Effect.provideService(Statement.CurrentTransformer, transformer)
  )
  return { note: Context.get(context, TokenUseRecorder), end: Scope.close(scope, Exit.void) }
})

layer(layerTestDatabase, { excludeTestServices: false })("the writer of last uses", (it) => {
  it.effect("writes down what it has when the process ends, and never an earlier use over a later one", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const [token, second] = yield* tokensOf(operatorId)
      const tokenId = token?.id ?? 0
      for (const at of [MINUTE + 60_000, MINUTE]) {
        const { note, end } = yield* writer()
        note({ operatorId, tokenId }, at)
        // A token that is gone, and one whose operator is another.
        note({ operatorId, tokenId: 2 ** 40 }, at)
        note({ operatorId: operatorId + 1, tokenId: second?.id ?? 0 }, at)
        yield* end
        assert.deepStrictEqual(yield* usesOf(operatorId), ["2027-03-01T12:35:00.000Z", "never"])
      }
    })
  )

  it.effect("writes more than a statement takes", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
        SELECT ${operatorId}::bigint, a.id, 'many', 'read-only', sha256((${operatorId}::text || '-' || n)::bytea), now()
        FROM accounts a, generate_series(1, ${TOKEN_USES_BATCH}::int) n WHERE a.operator_id = ${operatorId}`
      const { note, end } = yield* writer()
      for (const { id } of yield* tokensOf(operatorId)) note({ operatorId, tokenId: id }, MINUTE)
      yield* end
      assert.isTrue((yield* usesOf(operatorId)).every((use) => use === "2027-03-01T12:34:00.000Z"))
    })
  )

  it.effect("keeps what it could not write down while the database is away", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const [token] = yield* tokensOf(operatorId)
      let away = true
      let tries = 0
      const { note, end } = yield* writer((statement) => {
        tries++
        return away ? Effect.die(new Error("the database is away")) : Effect.succeed(statement)
      })
      note({ operatorId, tokenId: token?.id ?? 0 }, MINUTE)
      yield* TestClock.adjust(TOKEN_USES_WRITE_MS)
      assert.strictEqual(tries, 1)
      away = false
      yield* end
      assert.deepStrictEqual(yield* usesOf(operatorId), ["2027-03-01T12:34:00.000Z", "never"])
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("the writer of last uses beside who changes tokens"), () => {
  layer(layerTestDatabase, { excludeTestServices: false })((it) => {
    it.effect("waits for none that is held, and writes it down the next time", () =>
      Effect.gen(function* () {
        const { operatorId } = yield* createOperator()
        const sql = yield* SqlClient.SqlClient
        const [first, second] = yield* tokensOf(operatorId)
        const { note, end } = yield* writer()
        const letGo = yield* holdLock(sql`SELECT FROM access_tokens WHERE id = ${first?.id ?? 0} FOR NO KEY UPDATE`)
        for (const token of [first, second]) note({ operatorId, tokenId: token?.id ?? 0 }, MINUTE)
        yield* TestClock.adjust(TOKEN_USES_WRITE_MS)
        yield* until(operatorId, ["never", "2027-03-01T12:34:00.000Z"])
        yield* letGo
        yield* TestClock.adjust(TOKEN_USES_WRITE_MS)
        yield* until(operatorId, ["2027-03-01T12:34:00.000Z", "2027-03-01T12:34:00.000Z"])
        yield* end
      })
    )
  })
})
