import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TrustedAccount } from "../../../src/contract/caller.ts"
import { toReceivedInput } from "../../../src/contract/input.ts"
import { Service } from "../../../src/service/service.ts"
import { toConsoleCaller } from "../../support/console-caller.ts"
import { createOperator, layerTest, type TestOperator } from "../../support/harness.ts"

const personOf = (
  { operatorId, accountId }: TestOperator,
  given: Partial<Omit<TrustedAccount, "caller">> & { readonly edition?: "pro" | "basic" } = {}
): TrustedAccount => ({
  caller: toConsoleCaller({ operatorId, accountId, role: "main", edition: given.edition ?? "pro" }),
  status: given.status ?? "active",
  subscriptionUntil: given.subscriptionUntil ?? null
})

const callAs = (person: TrustedAccount, operation: string, fields: object) =>
  Service.use((service) =>
    service.call(operation, {
      transport: "console",
      headers: {},
      params: {},
      trustedAccount: person,
      receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
    })
  )

const TAG = { tag_name: "By hand" }

layer(layerTest)("who is signed in", (it) => {
  it.effect("calls as the account, is in the trail by name, and counts in no window", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator({ rateLimits: { user: { "1m": 1 } } })
      for (const name of ["One", "Two", "Three"]) {
        const { envelope } = yield* callAs(personOf(operator), "create_reservation_tag", { tag_name: name })
        assert.strictEqual(envelope.error_code, 0, envelope.error_msg)
      }
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ application: string; account_id: number }>`
        SELECT DISTINCT application, account_id FROM trail WHERE operator_id = ${operator.operatorId}`
      assert.deepStrictEqual(trail, [{ application: "console", account_id: operator.accountId }])
    })
  )

  it.effect.each([
    ["a banned account", { status: "banned" }, "Account banned"],
    ["a lapsed account", { subscriptionUntil: DateTime.makeUnsafe("1969-01-01T00:00:00Z") }, "Subscription expired"],
    ["the basic edition", { edition: "basic" }, "Basic edition does not support this feature"]
  ] as const)("is told why of %s, and changes nothing", ([, given, words]) =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const { envelope } = yield* callAs(personOf(operator, given), "create_reservation_tag", TAG)
      assert.deepInclude(envelope, { error_code: 420, error_msg: words })
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT 1 FROM trail WHERE operator_id = ${operator.operatorId}`, 0)
    })
  )
})
