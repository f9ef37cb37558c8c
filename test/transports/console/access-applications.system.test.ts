import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOperator } from "../../support/harness.ts"
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

/** A connection of an account, since an hour that is another day in Berlin; answers its id. */
const connected = Effect.fnUntraced(function* (
  { operatorId, accountId }: { readonly operatorId: number; readonly accountId: number },
  name: string
) {
  const sql = yield* SqlClient.SqlClient
  const [grant] = yield* sql<{ id: number }>`
    INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
    VALUES (${operatorId}, ${accountId}, 'service_mcp', ${name}, 'writable', '2027-01-02T23:30:00Z') RETURNING id`
  return grant?.id ?? assert.fail("there is no grant")
}, Effect.orDie)

const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  return { ...operator, cookie: yield* signIn(operator.accountId) }
})

const section = (cookie: string) => Effect.map(getAccessPage(cookie), ({ text }) => findSection(text, "applications"))
const idsIn = (text: string) => findForms(text, "disconnect_application").map((form) => Number(form.get("id")))

layer(layerSignedInPages)("connected applications on the page", (it) => {
  it.effect("say what they are for where there is none", () =>
    Effect.gen(function* () {
      const { cookie } = yield* ready
      const text = yield* section(cookie)
      assert.include(text, "No applications are connected.")
      assert.include(text, "you can disconnect each of them")
    })
  )

  it.effect("are listed with since when, and disconnected by the form that says what it ends", () =>
    Effect.gen(function* () {
      const operator = yield* ready
      const id = yield* connected(operator, `<script>"'</script>`)
      const text = yield* section(operator.cookie)
      for (const words of [
        "&lt;script&gt;&quot;&#39;&lt;/script&gt;",
        ">Read and write<",
        "Owner",
        "Sun 3 Jan 2027",
        ">never<",
        "Its tokens, webhooks, automation rules and property feeds end too."
      ]) {
        assert.include(text, words)
      }
      assert.notInclude(text, "<script")
      const [form = new URLSearchParams()] = findForms(text, "disconnect_application")
      assert.strictEqual(form.get("id"), String(id))
      const done = yield* postAccessForm(operator.cookie, form)
      assert.deepStrictEqual(
        [done.status, done.headers.get("location")],
        [303, "/console/access?done=application_disconnected"]
      )
      assert.include(
        (yield* getAccessPage(operator.cookie, "?done=application_disconnected")).text,
        "Application disconnected."
      )
      assert.include(yield* section(operator.cookie), "No applications are connected.")
      // The form again is the same act; another form finds no such connection.
      assert.strictEqual((yield* postAccessForm(operator.cookie, form)).status, 303)
      form.set("form_key", "another")
      const again = yield* postAccessForm(operator.cookie, form)
      assert.strictEqual(again.status, 404)
      assert.isDefined(findAlert(again))
    })
  )

  it.effect("of a sub-account are its own, and nobody ends those of others", () =>
    Effect.gen(function* () {
      const [operator, there] = [yield* ready, yield* ready]
      const sub = yield* signInSubAccount(operator.operatorId)
      const mains = yield* connected(operator, "Main's")
      const subs = yield* connected({ operatorId: operator.operatorId, accountId: sub.accountId }, "Sub's")
      const foreign = yield* connected(there, "Foreign")
      assert.deepStrictEqual(idsIn(yield* section(sub.cookie)), [subs])
      assert.sameMembers([...idsIn(yield* section(operator.cookie))], [mains, subs])
      const foreigners = { operator_id: String(there.operatorId), account_id: String(there.accountId) }
      for (const id of [String(mains), String(foreign), "", "0", "-1", "1e3", "9".repeat(40)]) {
        const seen = yield* sendAccessForm(sub.cookie, "disconnect_application", { id, ...foreigners })
        assert.strictEqual(seen.status, 404, id)
      }
      assert.sameMembers([...idsIn(yield* section(operator.cookie))], [mains, subs])
      assert.deepStrictEqual(idsIn(yield* section(there.cookie)), [foreign])
    })
  )

  it.effect("are disconnected by the page's own form alone", () =>
    Effect.gen(function* () {
      const operator = yield* ready
      const id = String(yield* connected(operator, "App"))
      const without = makeAccessForm(operator.cookie, "disconnect_application", { id })
      without.delete("form_token")
      assert.strictEqual((yield* postAccessForm(operator.cookie, without)).status, 403)
      const form = makeAccessForm(operator.cookie, "disconnect_application", { id })
      assert.strictEqual((yield* postAccessForm(operator.cookie, form, { origin: "https://evil.example" })).status, 403)
      assert.deepStrictEqual(idsIn(yield* section(operator.cookie)), [Number(id)])
    })
  )

  it.effect("are withdrawn where nothing else works", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator({ status: "banned" })
      const cookie = yield* signIn(operator.accountId)
      const id = yield* connected(operator, "App")
      assert.strictEqual((yield* sendAccessForm(cookie, "disconnect_application", { id: String(id) })).status, 303)
    })
  )
})
