import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CARRIED_QUERY_VALUE_LENGTH, MESSAGES_PAGE_TEXT_LENGTH } from "../../../../src/platform/limits.ts"
import { insertConversation } from "../../../support/conversations.ts"
import { call, insertOrder, insertProperty } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import {
  createSignedInHost,
  findAlert,
  findForms,
  getPage,
  postForm
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

// What an attack from outside found: windows that were opened before, and pages without an end.

layer(layerSignedInPages)("a window that was opened before", (it) => {
  it.effect("does not begin a task anew that is done by now, and says so", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      yield* call(token, "create_task", { type: "cleaning", expected_date: "1970-01-01" })
      const [finish] = findForms(yield* getPage(cookie, "/console/tasks"), "finish")
      const form = finish?.form ?? new URLSearchParams()
      assert.strictEqual((yield* postForm(cookie, "/console/tasks", form)).status, 303)
      form.set("act", "begin")
      const stale = yield* postForm(cookie, "/console/tasks", form)
      assert.strictEqual(stale.status, 409)
      assert.isDefined(findAlert(stale))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT status FROM tasks WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(rows, [{ status: "completed" }])
    })
  )

  it.effect("does not bring back a guest who has left, and what is done already is done", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "1970-01-01", checkOut: "1970-01-04" }
      ])
      const path = `/console/stay?code=${code}`
      const [arrived] = findForms(yield* getPage(cookie, path), "whereabouts")
      const form = arrived?.form ?? new URLSearchParams()
      assert.strictEqual((yield* postForm(cookie, path, form)).status, 303)
      assert.strictEqual((yield* postForm(cookie, path, form)).status, 303)
      yield* call(token, "update_stay_status", { stay_code: code, stay_status: "stay_completed" })
      form.set("form_key", "another look")
      assert.strictEqual((yield* postForm(cookie, path, form)).status, 409)
      assert.include((yield* getPage(cookie, path)).text, "Checked out")
    })
  )

  it.effect("does not put back a note that it did not touch", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const account = yield* insertChannelAccount(operatorId)
      const { code: id } = yield* insertConversation({ operatorId, accountId: account, channelType: "airbnb" })
      const path = `/console/messages?id=${id}`
      const [stale] = findForms(yield* getPage(cookie, path), "note")
      yield* call(token, "update_conversation_note", { conversation_id: id, note: "Allergic to nuts" })
      assert.strictEqual((yield* postForm(cookie, path, stale?.form ?? new URLSearchParams())).status, 303)
      assert.include((yield* getPage(cookie, path)).text, "Allergic to nuts")
    })
  )
})

layer(layerSignedInPages)("a page", (it) => {
  it.effect("carries on what an address says up to a length", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const carried = (length: number) =>
        Effect.map(getPage(cookie, `/console/money?x=${"a".repeat(length)}`), ({ text }) =>
          text.includes("a".repeat(length))
        )
      assert.isTrue(yield* carried(CARRIED_QUERY_VALUE_LENGTH))
      assert.isFalse(yield* carried(CARRIED_QUERY_VALUE_LENGTH + 1))
    })
  )

  it.effect("of a conversation has as many messages as fit, the newest at the least, and leads to the others", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const account = yield* insertChannelAccount(operatorId)
      const { code: id } = yield* insertConversation({ operatorId, accountId: account, channelType: "airbnb" })
      const sql = yield* SqlClient.SqlClient
      // A quotation mark takes six characters in a page.
      const half = MESSAGES_PAGE_TEXT_LENGTH / 12
      const say = (nth: number, marks: number) => sql`
        INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
        SELECT operator_id, id, code || '-' || ${nth}::int, 'guest', 'Text', 'M' || ${nth}::int || repeat('"', ${marks}::int),
          '1970-01-01'::timestamptz + ${nth}::int * interval '1 minute'
        FROM conversations WHERE code = ${id}`
      const shown = Effect.map(getPage(cookie, `/console/messages?id=${id}`), ({ text }) => [
        (text.match(/M\d&quot;/g) ?? []).join(),
        text.includes("Earlier messages"),
        text.length < 300_000
      ])
      yield* say(1, half - 1)
      yield* say(2, half - 1)
      assert.deepStrictEqual(yield* shown, ["M1&quot;,M2&quot;", false, true])
      yield* say(3, 2)
      assert.deepStrictEqual(yield* shown, ["M2&quot;,M3&quot;", true, true])
      yield* say(4, 2 * half + 1)
      assert.deepStrictEqual(yield* shown, ["M4&quot;", true, true])
    })
  )
})
