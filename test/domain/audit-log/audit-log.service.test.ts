import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHostClient } from "../../support/domain/host-client.ts"
import { connectClient } from "../../support/domain/webhooks/subscriptions/connected-client.ts"
import { call, createAccessToken, insertAccount, layerTest } from "../../support/harness.ts"
import { countStatements } from "../../support/statement-count.ts"

const ready = Effect.gen(function* () {
  const host = yield* createHostClient({ timeZone: "Asia/Tokyo" })
  const { api, as } = host
  yield* TestClock.setTime(Date.parse("2027-05-07T10:00:00.250Z"))
  const { property_id } = yield* api.create_property({ title: "Harbour 1" }).pipe(as)
  yield* TestClock.adjust("1 hour")
  yield* api.update_property({ id: property_id, title: "Harbour One" }).pipe(as)
  yield* TestClock.adjust("1 hour")
  yield* api.create_property_group({ name: "Sea", property_ids: [property_id] }).pipe(as)
  return { ...host, property_id, record: `property:${property_id}` }
})

layer(layerTest, { excludeTestServices: false })("the audit log", (it) => {
  it.effect("says who changed what and when, the latest change first", () =>
    Effect.gen(function* () {
      const { api, as, accountId, record } = yield* ready
      const [{ entries, next_cursor }, statements] = yield* countStatements(api.search_audit_log({}).pipe(as))
      assert.isAtMost(statements, 2, "the token and the entries")
      assert.deepStrictEqual(
        entries.map(({ operation, fields }) => [operation, fields]),
        [
          ["create_property_group", []],
          ["update_property", ["title"]],
          ["create_property", []]
        ]
      )
      const [, edit] = entries
      assert.deepInclude(edit, { at: "2027-05-07T11:00:00.250Z", account_id: accountId, record })
      assert.isString(edit?.account_name)
      assert.match(edit?.request_id ?? "", /^RT/)
      assert.notInclude(JSON.stringify(entries), "Harbour")
      assert.isNull(next_cursor)
    })
  )

  it.effect("is narrowed by record and time, on the host's clock where no offset is sent", () =>
    Effect.gen(function* () {
      const { api, as, token, record } = yield* ready
      const operationsOf = (fields: Parameters<typeof api.search_audit_log>[0]) =>
        Effect.map(api.search_audit_log(fields).pipe(as), ({ entries }) => entries.map(({ operation }) => operation))
      assert.deepStrictEqual(yield* operationsOf({ record }), ["update_property", "create_property"])
      assert.deepStrictEqual(yield* operationsOf({ record, until: "2027-05-07T11:00:00Z" }), ["create_property"])
      assert.deepStrictEqual(yield* operationsOf({ since: "2027-05-07T20:00:00", until: "2027-05-07T21:00:00" }), [
        "update_property"
      ])
      assert.deepStrictEqual(yield* operationsOf({ record: "nothing:1" }), [])
      const { error_code, error_msg } = yield* call(token, "search_audit_log", {
        since: "2027-05-07T11:00:00Z",
        until: "2027-05-07T11:00:00Z"
      })
      assert.deepStrictEqual([error_code, error_msg], [422, "since: must be before until."])
    })
  )

  it.effect("goes on behind the last entry of a page", () =>
    Effect.gen(function* () {
      const { api, as, token, record } = yield* ready
      const whole = yield* api.search_audit_log({}).pipe(as)
      const first = yield* api.search_audit_log({ limit: 2 }).pipe(as)
      assert.deepStrictEqual(first.entries, whole.entries.slice(0, 2))
      const rest = yield* api.search_audit_log({ limit: 2, cursor: first.next_cursor ?? "" }).pipe(as)
      assert.deepStrictEqual(rest, { entries: whole.entries.slice(2), next_cursor: null })
      const narrowed = yield* api.search_audit_log({ record, limit: 1 }).pipe(as)
      const next = yield* api.search_audit_log({ record, limit: 1, cursor: narrowed.next_cursor ?? "" }).pipe(as)
      assert.deepStrictEqual(
        next.entries.map(({ operation }) => operation),
        ["create_property"]
      )
      const { error_code, error_msg } = yield* call(token, "search_audit_log", { cursor: "x" })
      assert.strictEqual(error_code, 400)
      assert.match(error_msg, /^cursor\b/)
    })
  )

  it.effect("is the operator's own", () =>
    Effect.gen(function* () {
      const { record } = yield* ready
      const { api, as } = yield* createHostClient()
      assert.deepStrictEqual(yield* api.search_audit_log({}).pipe(as), { entries: [], next_cursor: null })
      assert.deepStrictEqual(yield* api.search_audit_log({ record }).pipe(as), { entries: [], next_cursor: null })
    })
  )

  it.effect("is read by a token of the main account, also a read-only one, and by no other", () =>
    Effect.gen(function* () {
      const { operatorId, accountId } = yield* ready
      const subAccountId = yield* insertAccount(operatorId, "sub", "Marta")
      const subToken = yield* createAccessToken({ operatorId, accountId: subAccountId }, "writable")
      const readOnlyToken = yield* createAccessToken({ operatorId, accountId }, "read-only")
      assert.strictEqual((yield* call(readOnlyToken, "search_audit_log")).error_code, 0)
      const connected = yield* connectClient({ operatorId, accountId })
      for (const token of [subToken, connected.token]) {
        const { error_code, error_msg, data } = yield* call(token, "search_audit_log")
        assert.deepStrictEqual(
          [error_code, error_msg],
          [
            403,
            "Only an access token of the main account can read the audit log, and no token of a connected application."
          ]
        )
        assert.notInclude(JSON.stringify(data ?? null), "property")
      }
    })
  )
})
