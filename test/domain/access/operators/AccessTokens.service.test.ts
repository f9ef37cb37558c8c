import { randomBytes } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../../../src/contract/actor.ts"
import { AccessTokens } from "../../../../src/domain/access/operators/AccessTokens.ts"
import type { AccountViewer } from "../../../../src/domain/access/operators/account-viewer.ts"
import { Operators } from "../../../../src/domain/access/operators/Operators.ts"
import { ACCESS_TOKENS_MAX } from "../../../../src/platform/limits.ts"
import { AccessTokenList } from "../../../../src/transports/console/queries/AccessTokenList.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const layerTokens = Layer.mergeAll(Operators.layer, AccessTokens.layer, AccessTokenList.layer).pipe(
  Layer.provideMerge(layerTestDatabase),
  Layer.provideMerge(Layer.succeed(CurrentActor, systemActor("console", "test")))
)

/** An operator with so many tokens that work, of which two were there before. */
const having = Effect.fnUntraced(function* (count: number) {
  const operator = yield* createOperator()
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
    SELECT ${operator.operatorId}, ${operator.accountId}, 'many', 'read-only', sha256(convert_to(n || ${randomBytes(9).toString("hex")}, 'UTF8')), now()
    FROM generate_series(1, ${count - 2}) n`
  return operator
})

const live = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`
    SELECT count(*)::int AS count FROM access_tokens WHERE operator_id = ${operatorId} AND revoked_at IS NULL AND grant_id IS NULL`
  return row?.count
})

const newestToken = (viewer: AccountViewer) =>
  AccessTokenList.use((tokens) => Effect.map(tokens.list(undefined), ({ rows }) => rows[0])).pipe(asCaller(viewer))

layer(layerTokens)("access tokens of an operator", (it) => {
  it.effect(`are ${ACCESS_TOKENS_MAX} at most, of all its accounts and however they are made, also by 20 at once`, () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { operatorId, accountId } = yield* having(ACCESS_TOKENS_MAX - 3)
      const email = `${randomBytes(8).toString("hex")}@example.test`
      const sub = yield* operators.createAccount({ operator_id: operatorId, email, password: "correct horse" })
      const made = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? accountId : sub.account_id)),
        (account_id) => Effect.result(operators.createToken({ account_id, name: "one", scope: "read-only" })),
        { concurrency: "unbounded" }
      )
      const refused = made.flatMap((each) => (each._tag === "Failure" ? [each.failure] : []))
      assert.lengthOf(refused, 17)
      for (const { _tag, message } of refused) {
        assert.strictEqual(_tag, "ValidationFailed")
        assert.match(message, /^access_tokens: .*200/)
      }
      assert.strictEqual(yield* live(operatorId), ACCESS_TOKENS_MAX)
      // Nothing is in the trail of what was not made.
      assert.lengthOf(
        (yield* loadAuditLinesWithActor(operatorId)).filter((line) => line.includes("token:")),
        3
      )
    })
  )

  it.effect("that were deleted, and those of connections, leave their place to others", () =>
    Effect.gen(function* () {
      const [operators, tokens, sql] = [yield* Operators, yield* AccessTokens, yield* SqlClient.SqlClient]
      const { operatorId, accountId } = yield* having(ACCESS_TOKENS_MAX)
      const viewer = { operatorId, accountId, role: "main" } as const
      const make = operators.createToken({ account_id: accountId, name: "one", scope: "read-only" })
      assert.strictEqual((yield* Effect.flip(make))._tag, "ValidationFailed")
      const newest = yield* newestToken(viewer)
      assert.isTrue(yield* tokens.revoke(viewer, newest?.id ?? 0))
      assert.isFalse(yield* tokens.revoke(viewer, newest?.id ?? 0))
      yield* make
      assert.strictEqual((yield* Effect.flip(make))._tag, "ValidationFailed")
      const [grant] = yield* sql<{ id: number }>`
        INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
        VALUES (${operatorId}, ${accountId}, 'service_mcp', 'App', 'read-only', now()) RETURNING id`
      const [oldest] = yield* sql<{
        id: number
      }>`SELECT min(id) AS id FROM access_tokens WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE access_tokens SET grant_id = ${grant?.id ?? 0} WHERE id = ${oldest?.id ?? 0}`
      assert.isFalse(yield* tokens.revoke(viewer, oldest?.id ?? 0))
      yield* make
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("two at once"), () => {
  layer(layerTokens)((it) => {
    it.effect("that delete one token delete it once, and one of them is told that there is none", () =>
      Effect.gen(function* () {
        const tokens = yield* AccessTokens
        const { operatorId, accountId } = yield* createOperator()
        const viewer = { operatorId, accountId, role: "main" } as const
        const newest = yield* newestToken(viewer)
        const remove = tokens.revoke(viewer, newest?.id ?? 0)
        assert.deepStrictEqual(yield* runOverlapping(remove, remove), [true, false])
        assert.lengthOf(yield* loadAuditLinesWithActor(operatorId), 1)
      })
    )

    it.effect("that take the last free place are not both given it", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        const { operatorId, accountId } = yield* having(ACCESS_TOKENS_MAX - 1)
        const make = Effect.result(operators.createToken({ account_id: accountId, name: "one", scope: "read-only" }))
        const [first, second] = yield* runOverlapping(make, make)
        assert.deepStrictEqual([first._tag, second._tag], ["Success", "Failure"])
        assert.strictEqual(yield* live(operatorId), ACCESS_TOKENS_MAX)
      })
    )
  })
})
