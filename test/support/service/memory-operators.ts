import { randomBytes } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { AccessTokens } from "../../../src/domain/access/operators/AccessTokens.ts"
import { OperatorStore } from "../../../src/domain/access/operators/OperatorStore.ts"
import { asSystemActor, type OperatorOptions, type TestOperator } from "../harness.ts"

const createToken = Effect.fnUntraced(function* (
  account: Pick<TestOperator, "operatorId" | "accountId">,
  scope: "writable" | "read-only"
) {
  const created = yield* (yield* AccessTokens).create(account, { name: "test", scope })
  return created?.token ?? assert.fail("no token was created")
})

/** Creates an operator on the memory layers, with its main account and a token of each scope. */
export const createMemoryOperator = (
  options: Pick<OperatorOptions, "edition" | "status" | "subscriptionUntil"> = {}
): Effect.Effect<TestOperator, never, OperatorStore | AccessTokens> =>
  Effect.gen(function* () {
    const operators = yield* OperatorStore
    const newOperator = {
      name: "Test",
      timeZone: "Europe/Berlin",
      currency: "EUR",
      edition: options.edition ?? "pro",
      subscriptionUntil: options.subscriptionUntil ?? null,
      email: `${randomBytes(8).toString("hex")}@example.test`,
      passwordHash: "none"
    }
    const created = yield* operators.create(newOperator, new Date(0))
    const account = { operatorId: created.operator_id, accountId: created.account_id }
    const operator: TestOperator = {
      ...account,
      token: yield* createToken(account, "writable"),
      readOnlyToken: yield* createToken(account, "read-only")
    }
    const { status } = options
    if (status !== undefined) yield* operators.update(operator.operatorId, { status }, undefined)
    return operator
  }).pipe(asSystemActor, Effect.orDie)
