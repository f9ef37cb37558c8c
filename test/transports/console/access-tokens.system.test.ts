import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ACCESS_TOKENS_MAX, ACCESS_TOKENS_SHOWN, ACCOUNT_NAME_LENGTH } from "../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import { call, createAccessToken, createOperator, insertAccount } from "../../support/harness.ts"
import {
  findAlert,
  findForms,
  findSection,
  getAccessPage,
  layerSignedInPages,
  makeAccessForm,
  PUBLIC_URL,
  postAccessForm,
  sendAccessForm,
  signIn,
  signInSubAccount
} from "../../support/transports/console/signed-in-pages.ts"

const NASTY = `<script>alert(1)</script>"'&`
const ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"

/** An operator with its main account signed in, and no tokens but the two it was made with. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  return { ...operator, cookie: yield* signIn(operator.accountId) }
})

/** Tokens of an account that are written directly, in one statement. */
const entered = Effect.fnUntraced(function* (operatorId: number, accountId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
    SELECT ${operatorId}, ${accountId}, 'many ' || n, 'read-only', sha256(convert_to(gen_random_uuid()::text, 'UTF8')), now()
    FROM generate_series(1, ${count}) n ORDER BY n`
})

const tokensOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; name: string; account_id: number; scope: string; revoked: boolean }>`
    SELECT id, name, account_id, scope, revoked_at IS NOT NULL AS revoked FROM access_tokens
    WHERE operator_id = ${operatorId} ORDER BY id`
})

const liveOf = (operatorId: number) =>
  Effect.map(tokensOf(operatorId), (rows) => rows.filter(({ revoked }) => !revoked).length)

const secretIn = (text: string): string => /<pre class="secret"><code>(lk_[\w-]{43})<\/code>/.exec(text)?.[1] ?? ""

const idsIn = (text: string) => findForms(text, "delete_token").map((form) => Number(form.get("id")))

layer(layerSignedInPages)("access tokens on the page", (it) => {
  it.effect("are listed, the newest first, with what a host needs to know them by and never what they are", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, token, cookie } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE access_tokens SET created_at = '2027-01-02T23:30:00Z', last_used_at = '2027-05-04T10:00:00Z', name = ${NASTY}
        WHERE operator_id = ${operatorId} AND scope = 'writable'`
      yield* entered(operatorId, accountId, 1)
      const { status, text, headers } = yield* getAccessPage(cookie)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      const section = findSection(text, "tokens")
      const ids = (yield* tokensOf(operatorId)).map(({ id }) => id)
      assert.deepStrictEqual(idsIn(section), ids.toReversed())
      for (const words of [
        ESCAPED,
        ">Read and write<",
        ">Read-only<",
        "Owner",
        "Sun 3 Jan 2027",
        "Tue 4 May 2027, 12:00",
        ">never<"
      ]) {
        assert.include(section, words)
      }
      assert.include(text, "All times: Europe/Berlin")
      assert.notInclude(text, "<script")
      assert.notInclude(text, token)
    })
  )

  it.effect("say what they are for where there is none, and point to a document that is there", () =>
    Effect.gen(function* () {
      const { operatorId, cookie } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE access_tokens SET revoked_at = now() WHERE operator_id = ${operatorId}`
      const section = findSection((yield* getAccessPage(cookie)).text, "tokens")
      assert.include(section, "No access tokens yet.")
      assert.include(section, "lets one of your programs")
      assert.include(section, `href="/docs/reference/console.html"`)
    })
  )

  it.effect.each(["read-only", "writable"] as const)("are made, and shown this once: %s", (scope) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
      const { operatorId, accountId, cookie } = yield* ready
      const made = yield* sendAccessForm(cookie, "make_token", { name: NASTY, scope })
      assert.strictEqual(made.status, 200)
      const token = secretIn(made.text)
      assert.notStrictEqual(token, "")
      assert.include(made.text, `<code>curl -H "Service-Access-Token: ${token}" "${PUBLIC_URL}/v3/income_items"</code>`)
      assert.include(made.text, `Token “${ESCAPED}” created`)
      assert.notInclude(made.text, "<script")
      assert.notInclude([...made.headers].join(), token)
      assert.strictEqual(made.headers.get("cache-control"), "no-store")
      assert.strictEqual((yield* call(token, "query_income_items")).error_code, 0)
      assert.strictEqual(
        (yield* call(token, "create_reservation_tag", { tag_name: "x" })).error_code === 401,
        scope === "read-only"
      )
      const row = (yield* tokensOf(operatorId)).at(-1)
      assert.deepInclude(row, { name: NASTY, scope, account_id: accountId })
      assert.deepStrictEqual(
        (yield* loadAuditLinesWithActor(operatorId))[0],
        `${accountId} console: create_access_token token:${row?.id}`
      )
      const again = yield* getAccessPage(cookie)
      assert.notInclude(again.text, token)
      assert.include(findSection(again.text, "tokens"), "Tue 4 May 2027")
    })
  )

  it.effect("have read-only chosen unless somebody chooses otherwise", () =>
    Effect.gen(function* () {
      const { cookie } = yield* ready
      const { text } = yield* getAccessPage(cookie)
      assert.include(text, `name="scope" value="read-only" checked>`)
      assert.include(text, `name="scope" value="writable">`)
    })
  )

  it.effect("have a name and one of two scopes, and what was filled in is not lost", () =>
    Effect.gen(function* () {
      const { operatorId, cookie } = yield* ready
      const before = yield* liveOf(operatorId)
      const longest = "é".repeat(ACCOUNT_NAME_LENGTH)
      const answers = []
      for (const fields of [
        { name: " ", scope: "read-only" },
        { name: `${longest}é`, scope: "writable" },
        { name: "Books", scope: "admin" },
        { name: "Books" },
        { scope: "read-only" }
      ]) {
        const seen = yield* sendAccessForm(cookie, "make_token", { ...fields })
        answers.push([seen.status, findAlert(seen) !== undefined])
        if (fields.name === `${longest}é`) {
          assert.include(seen.text, `value="${longest}é"`)
          assert.include(seen.text, `name="scope" value="writable" checked>`)
        }
      }
      assert.deepStrictEqual(answers, [
        [422, true],
        [422, true],
        [422, true],
        [400, true],
        [400, true]
      ])
      const unstorable = yield* sendAccessForm(cookie, "make_token", { name: "a\u0000b", scope: "read-only" })
      assert.strictEqual(unstorable.status, 400)
      assert.strictEqual(yield* liveOf(operatorId), before)
      assert.strictEqual(
        (yield* sendAccessForm(cookie, "make_token", { name: longest, scope: "read-only" })).status,
        200
      )
    })
  )

  it.effect("are deleted for good, by the form that says what it ends", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, token, cookie } = yield* ready
      assert.strictEqual((yield* call(token, "query_income_items")).error_code, 0)
      const { text } = yield* getAccessPage(cookie)
      assert.include(text, "Programs that use “test” lose access within seconds.")
      const forms = findForms(text, "delete_token")
      const ids = (yield* tokensOf(operatorId)).map(({ id }) => id)
      const form = forms.find((each) => Number(each.get("id")) === ids[0]) ?? assert.fail("no form")
      const done = yield* postAccessForm(cookie, form)
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, "/console/access?done=token_deleted"])
      assert.match((yield* getAccessPage(cookie, "?done=token_deleted")).text, /role="status"/)
      assert.deepStrictEqual(idsIn((yield* getAccessPage(cookie)).text), ids.slice(1).toReversed())
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `${accountId} console: revoke_access_token token:${ids[0]} (revoked_at)`
      ])
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* call(token, "query_income_items")).error_code, 401)
      // The form again is the same act; another form finds no such token.
      assert.strictEqual((yield* postAccessForm(cookie, form)).status, 303)
      form.set("form_key", "another")
      const again = yield* postAccessForm(cookie, form)
      assert.strictEqual(again.status, 404)
      assert.isDefined(findAlert(again))
      assert.lengthOf(yield* loadAuditLinesWithActor(operatorId), 1)
    })
  )

  it.effect("of all accounts are the main account's to see and delete, a sub-account has its own", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, cookie } = yield* ready
      const sub = yield* signInSubAccount(operatorId)
      const other = yield* insertAccount(operatorId, "sub", "Another")
      yield* createAccessToken({ operatorId, accountId: other }, "read-only")
      assert.strictEqual(
        (yield* sendAccessForm(sub.cookie, "make_token", { name: "Own", scope: "read-only" })).status,
        200
      )
      const rows = yield* tokensOf(operatorId)
      const own = rows.filter(({ account_id }) => account_id === sub.accountId).map(({ id }) => id)
      assert.lengthOf(own, 1)
      assert.deepStrictEqual(idsIn((yield* getAccessPage(sub.cookie)).text), own)
      assert.deepStrictEqual(idsIn((yield* getAccessPage(cookie)).text), rows.map(({ id }) => id).toReversed())
      for (const { id } of rows.filter(({ account_id }) => account_id === accountId || account_id === other)) {
        assert.strictEqual((yield* sendAccessForm(sub.cookie, "delete_token", { id: String(id) })).status, 404)
      }
      assert.strictEqual(yield* liveOf(operatorId), 4)
      assert.strictEqual((yield* sendAccessForm(cookie, "delete_token", { id: String(own[0]) })).status, 303)
      assert.strictEqual(yield* liveOf(operatorId), 3)
    })
  )

  it.effect("of others are none of anybody's business, whatever field names them", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* ready, yield* ready]
      const sql = yield* SqlClient.SqlClient
      const [foreign] = yield* tokensOf(there.operatorId)
      const foreigners = { operator_id: String(there.operatorId), account_id: String(there.accountId) }
      for (const id of [
        String(foreign?.id),
        "",
        "0",
        "-1",
        "1e3",
        "0x1",
        " 1",
        "9".repeat(15),
        "9".repeat(40),
        "1;2"
      ]) {
        const seen = yield* sendAccessForm(here.cookie, "delete_token", { id, ...foreigners })
        assert.strictEqual(seen.status, 404, id)
        assert.isDefined(findAlert(seen), id)
      }
      const made = yield* sendAccessForm(here.cookie, "make_token", { name: "Mine", scope: "writable", ...foreigners })
      assert.strictEqual(made.status, 200)
      assert.deepInclude((yield* tokensOf(here.operatorId)).at(-1), { name: "Mine", account_id: here.accountId })
      assert.strictEqual(yield* liveOf(there.operatorId), 2)
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(there.operatorId), [])
      const { text } = yield* getAccessPage(here.cookie, `?tokens=older-${(foreign?.id ?? 0) + 1}`)
      assert.notInclude(idsIn(text), foreign?.id)
      // What came of a consent is a connection, and ended there.
      const [grant] = yield* sql<{ id: number }>`
        INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
        VALUES (${here.operatorId}, ${here.accountId}, 'service_mcp', 'App', 'read-only', now()) RETURNING id`
      const [first] = yield* tokensOf(here.operatorId)
      yield* sql`UPDATE access_tokens SET grant_id = ${grant?.id ?? 0} WHERE id = ${first?.id ?? 0}`
      assert.notInclude(idsIn((yield* getAccessPage(here.cookie)).text), first?.id)
      assert.strictEqual((yield* sendAccessForm(here.cookie, "delete_token", { id: String(first?.id) })).status, 404)
    })
  )

  it.effect("are taken of the page's own forms alone", () =>
    Effect.gen(function* () {
      const { operatorId, cookie } = yield* ready
      const [first] = yield* tokensOf(operatorId)
      for (const [act, fields] of [
        ["make_token", { name: "Forged", scope: "read-only" }],
        ["delete_token", { id: String(first?.id) }]
      ] as const) {
        const without = makeAccessForm(cookie, act, fields)
        without.delete("form_token")
        const anothers = makeAccessForm(yield* signIn((yield* createOperator()).accountId), act, fields)
        assert.deepStrictEqual(
          [
            (yield* postAccessForm(cookie, without)).status,
            (yield* postAccessForm(cookie, anothers)).status,
            (yield* postAccessForm(cookie, makeAccessForm(cookie, act, fields), { origin: "https://evil.example" }))
              .status,
            (yield* postAccessForm(cookie, makeAccessForm(cookie, act, fields), { "sec-fetch-site": "cross-site" }))
              .status
          ],
          [403, 403, 403, 403],
          act
        )
      }
      assert.deepStrictEqual(
        (yield* tokensOf(operatorId)).map(({ revoked }) => revoked),
        [false, false]
      )
      // Forms of somebody who has signed out meanwhile lead to the sign-in.
      const gone = yield* sendAccessForm(`lkconsole_${"a".repeat(43)}`, "make_token", { name: "x", scope: "read-only" })
      assert.deepStrictEqual([gone.status, gone.headers.get("location")?.split("?")[0]], [303, "/console"])
    })
  )

  it.effect(`are shown ${ACCESS_TOKENS_SHOWN} a page, with ways to older and newer ones`, () =>
    Effect.gen(function* () {
      const { operatorId, accountId, cookie } = yield* ready
      yield* entered(operatorId, accountId, ACCESS_TOKENS_SHOWN - 2)
      const full = yield* getAccessPage(cookie)
      assert.lengthOf(idsIn(full.text), ACCESS_TOKENS_SHOWN)
      assert.notInclude(full.text, "Older tokens")
      yield* entered(operatorId, accountId, 1)
      const first = yield* getAccessPage(cookie)
      const [, older = ""] = /href="\/console\/access(\?tokens=older-\d+)#tokens">Older tokens/.exec(first.text) ?? []
      assert.notInclude(first.text, "Newer tokens")
      const second = yield* getAccessPage(cookie, older)
      assert.lengthOf(idsIn(second.text), 1)
      assert.notInclude(second.text, "Older tokens")
      const [, newer = ""] = /href="\/console\/access(\?tokens=newer-\d+)#tokens">Newer tokens/.exec(second.text) ?? []
      assert.deepStrictEqual(idsIn((yield* getAccessPage(cookie, newer)).text), idsIn(first.text))
      const all = [...idsIn(first.text), ...idsIn(second.text)]
      assert.deepStrictEqual(
        all.toReversed(),
        (yield* tokensOf(operatorId)).map(({ id }) => id)
      )
      for (const odd of ["?tokens=", "?tokens=older-0", "?tokens=sideways-1", "?tokens=older-1", "?tokens=%3Cb%3E"]) {
        assert.deepStrictEqual(idsIn((yield* getAccessPage(cookie, odd)).text), idsIn(first.text), odd)
      }
    })
  )

  it.effect(`are ${ACCESS_TOKENS_MAX} at most`, () =>
    Effect.gen(function* () {
      const { operatorId, accountId, cookie } = yield* ready
      yield* entered(operatorId, accountId, ACCESS_TOKENS_MAX - 3)
      const asked = { name: "Last", scope: "read-only" }
      assert.strictEqual((yield* sendAccessForm(cookie, "make_token", asked)).status, 200)
      const refused = yield* sendAccessForm(cookie, "make_token", asked)
      assert.strictEqual(refused.status, 422)
      assert.match(findAlert(refused) ?? "", new RegExp(`\\b${ACCESS_TOKENS_MAX}\\b`))
      const [first] = yield* tokensOf(operatorId)
      yield* sendAccessForm(cookie, "delete_token", { id: String(first?.id) })
      assert.strictEqual((yield* sendAccessForm(cookie, "make_token", asked)).status, 200)
      assert.strictEqual(yield* liveOf(operatorId), ACCESS_TOKENS_MAX)
    })
  )

  it.effect.each([{ status: "banned" }, { subscriptionUntil: new Date("2020-01-01") }, { edition: "basic" }] as const)(
    "can be seen and withdrawn where nothing else works: %o",
    (standing) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
        const operator = yield* createOperator(standing)
        const cookie = yield* signIn(operator.accountId)
        const seen = yield* getAccessPage(cookie)
        assert.strictEqual(seen.status, 200)
        const [form] = findForms(seen.text, "delete_token")
        assert.strictEqual((yield* postAccessForm(cookie, form ?? assert.fail("no form"))).status, 303)
        assert.strictEqual(yield* liveOf(operator.operatorId), 1)
      })
  )
})
