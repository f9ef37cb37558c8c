import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { formatFeedCursor } from "../../../src/domain/webhooks/event-feed/cursor.ts"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import { call, createOperator, type OperatorOptions } from "../../support/harness.ts"
import {
  findAlert,
  findForms,
  findSection,
  getAccessPage,
  layerSignedInPages,
  makeAccessForm,
  postAccessForm,
  sendAccessForm,
  signIn,
  signInSubAccount
} from "../../support/transports/console/signed-in-pages.ts"

const ready = Effect.fnUntraced(function* (options: OperatorOptions = {}) {
  yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
  const operator = yield* createOperator(options)
  return { ...operator, cookie: yield* signIn(operator.accountId) }
})

/** A consumer that has read so many events. */
const reading = (
  { operatorId, token }: { readonly operatorId: number; readonly token: string },
  name: string,
  position = 0
) => call(token, "put_event_consumer", { name, cursor: formatFeedCursor({ operatorId, position }) })

/** Events in the operator's feed, the first queued on 2 January. */
const fed = Effect.fnUntraced(function* (operatorId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at, fanned_out_at, position)
    SELECT ${operatorId}, 'message_created', 'message:' || n, '{}', '2027-01-02T23:30:00Z',
      '2027-01-02T23:30:00Z', n FROM generate_series(1, ${count}) n`
})

const section = (cookie: string) => Effect.map(getAccessPage(cookie), ({ text }) => findSection(text, "consumers"))
const namesIn = (text: string) => findForms(text, "delete_consumer").map((form) => form.get("name"))

layer(layerSignedInPages)("consumers of the feed on the page", (it) => {
  it.effect("say what they are for where there is none", () =>
    Effect.gen(function* () {
      const { cookie } = yield* ready()
      const text = yield* section(cookie)
      assert.include(text, "No event feed readers yet.")
      assert.include(text, `href="/docs/reference/feed.html"`)
    })
  )

  it.effect("are listed with how far each is behind, for every account, and deleted", () =>
    Effect.gen(function* () {
      const operator = yield* ready()
      const { operatorId, accountId, cookie } = operator
      yield* fed(operatorId, 2)
      yield* reading(operator, "ledger", 0)
      yield* reading(operator, "robot", 1)
      yield* reading(operator, "up-to-date", 2)
      const text = yield* section(cookie)
      assert.deepStrictEqual(namesIn(text), ["ledger", "robot", "up-to-date"])
      for (const words of [">2 events<", ">1 event<", ">0 events<", "Sun 3 Jan 2027, 00:30", ">none<"]) {
        assert.include(text, words)
      }
      const sub = yield* signInSubAccount(operatorId)
      assert.deepStrictEqual(namesIn(yield* section(sub.cookie)), ["ledger", "robot", "up-to-date"])
      const [form = new URLSearchParams()] = findForms(text, "delete_consumer")
      const done = yield* postAccessForm(cookie, form)
      assert.deepStrictEqual(
        [done.status, done.headers.get("location")],
        [303, "/console/access?done=consumer_deleted"]
      )
      assert.deepStrictEqual(namesIn(yield* section(cookie)), ["robot", "up-to-date"])
      assert.strictEqual(
        (yield* loadAuditLinesWithActor(operatorId)).at(-1),
        `${accountId} console: delete_event_consumer event_consumer:ledger`
      )
      // A consumer that has been made anew under the name since is not the one that the form was about.
      yield* reading(operator, "ledger", 0)
      assert.strictEqual((yield* postAccessForm(cookie, form)).status, 303)
      assert.deepStrictEqual(namesIn(yield* section(cookie)), ["ledger", "robot", "up-to-date"])
    })
  )

  it.effect("of another operator stay, whatever field names them, and odd names are refused", () =>
    Effect.gen(function* () {
      const [operator, there] = [yield* ready(), yield* ready()]
      yield* reading(there, "ledger")
      const foreigners = { operator_id: String(there.operatorId), account_id: String(there.accountId) }
      const statusOf = (name: string) =>
        Effect.map(sendAccessForm(operator.cookie, "delete_consumer", { name, ...foreigners }), ({ status }) => status)
      assert.deepStrictEqual(
        [yield* statusOf("ledger"), yield* statusOf(""), yield* statusOf("<b>"), yield* statusOf("a".repeat(51))],
        [404, 422, 422, 422]
      )
      assert.deepStrictEqual(namesIn(yield* section(there.cookie)), ["ledger"])
      assert.deepStrictEqual(namesIn(yield* section(operator.cookie)), [])
    })
  )

  it.effect("are deleted by the page's own form alone", () =>
    Effect.gen(function* () {
      const operator = yield* ready()
      yield* reading(operator, "ledger")
      const without = makeAccessForm(operator.cookie, "delete_consumer", { name: "ledger" })
      without.delete("form_token")
      assert.strictEqual((yield* postAccessForm(operator.cookie, without)).status, 403)
      const form = makeAccessForm(operator.cookie, "delete_consumer", { name: "ledger" })
      assert.strictEqual((yield* postAccessForm(operator.cookie, form, { "sec-fetch-site": "same-site" })).status, 403)
      assert.deepStrictEqual(namesIn(yield* section(operator.cookie)), ["ledger"])
    })
  )

  it.effect.each([
    ["Account banned", { status: "banned" }],
    ["Subscription expired", { subscriptionUntil: new Date("2020-01-01") }],
    ["Basic edition does not support this feature", { edition: "basic" }]
  ] as const)("give way to the reason where the API refuses the account: %s", ([words, standing]) =>
    Effect.gen(function* () {
      const operator = yield* ready(standing)
      assert.include(yield* section(operator.cookie), words)
      const refused = yield* sendAccessForm(operator.cookie, "delete_consumer", { name: "ledger" })
      assert.deepStrictEqual([refused.status, findAlert(refused)], [403, words])
    })
  )
})
