import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SUDO_MS } from "../../../src/domain/access/sign-in/Sessions.ts"
import { createOperator } from "../../support/harness.ts"
import {
  findForms,
  getAccessPage,
  layerSignedInPages,
  PASSWORD,
  sendAccessForm,
  signIn
} from "../../support/transports/console/signed-in-pages.ts"

/** Somebody who gave the password so long ago, and how many tokens the operator has. */
const since = Effect.fnUntraced(function* (ms: number) {
  yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
  const operator = yield* createOperator()
  const sql = yield* SqlClient.SqlClient
  const count = Effect.map(
    sql<{ count: number }>`SELECT count(*)::int AS count FROM access_tokens WHERE operator_id = ${operator.operatorId}`,
    ([row]) => row?.count
  )
  return { cookie: yield* signIn(operator.accountId, ms), count }
})

describe("a token", () => {
  layer(layerSignedInPages)((it) => {
    it.effect.each(["read-only", "writable"])(
      "needs the password again if it was last given more than fifteen minutes ago: %s",
      (scope) =>
        Effect.gen(function* () {
          const { cookie, count } = yield* since(SUDO_MS + 1)
          const { text } = yield* getAccessPage(cookie)
          assert.include(text, `type="password"`)
          const fields = { name: "Robot", scope }
          const missing = yield* sendAccessForm(cookie, "make_token", fields)
          assert.strictEqual(missing.status, 403)
          assert.include(missing.text, `value="Robot"`)
          assert.strictEqual(
            (yield* sendAccessForm(cookie, "make_token", { ...fields, password: "wrong" })).status,
            401
          )
          assert.strictEqual(yield* count, 2)
          assert.strictEqual(
            (yield* sendAccessForm(cookie, "make_token", { ...fields, password: PASSWORD })).status,
            200
          )
          // The password was just given.
          assert.strictEqual((yield* sendAccessForm(cookie, "make_token", fields)).status, 200)
          assert.strictEqual(yield* count, 4)
          assert.lengthOf(findForms((yield* getAccessPage(cookie)).text, "make_token"), 1)
        })
    )

    it.effect.each(["read-only", "writable"])("needs no password within fifteen minutes: %s", (scope) =>
      Effect.gen(function* () {
        const { cookie } = yield* since(SUDO_MS)
        assert.notInclude((yield* getAccessPage(cookie)).text, `type="password"`)
        assert.strictEqual((yield* sendAccessForm(cookie, "make_token", { name: "Robot", scope })).status, 200)
      })
    )
  })
})
