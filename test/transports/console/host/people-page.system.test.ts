import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { STAFF_ROWS_MAX } from "../../../../src/platform/limits.ts"
import { CHEAP_PASSWORD_COST } from "../../../support/domain/access/sign-in/sign-in-accounts.ts"
import { call, createAccessToken, insertAccount } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findDoneAction,
  findForms,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import {
  layerSignedInPages,
  PASSWORD,
  signIn,
  signInSubAccount
} from "../../../support/transports/console/signed-in-pages.ts"

const PEOPLE = "/console/people"

const accountsOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; name: string; email: string; disabled: boolean; password_hash: string }>`
    SELECT id, name, email, disabled_at IS NOT NULL AS disabled, password_hash FROM accounts
    WHERE operator_id = ${operatorId} AND role = 'sub' ORDER BY id`
})

const staffOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; name: string; mobile: string; is_active: boolean }>`
    SELECT id, name, mobile, is_active FROM staffs WHERE operator_id = ${operatorId} ORDER BY id`
})

// No two tests make an account of the same address: it has one in all the service.
const mail = (operatorId: number) => `helper-${operatorId}@example.test`

layer(Layer.provideMerge(layerSignedInPages, Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST)))("people", (it) => {
  it.effect("with accounts are made, switched off and on, and given passwords", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const email = mail(operatorId)
      const made = yield* fillAndFollow(cookie, PEOPLE, "make_account", {
        email,
        name: "<i>Ana",
        new_password: "a long enough one",
        again: "a long enough one"
      })
      assert.strictEqual(findDoneAction(made), "make_account")
      assert.include(made.text, "&lt;i&gt;Ana")
      assert.notInclude(made.text, "a long enough one")
      const [account] = yield* accountsOf(operatorId)
      const id = account?.id ?? 0
      const token = yield* createAccessToken({ operatorId, accountId: id }, "writable")
      assert.strictEqual((yield* call(token, "query_income_items")).error_code, 0)
      const at = `${PEOPLE}?change=account:${id}`
      const off = yield* fillAndFollow(cookie, at, "disable_account")
      assert.include(off.text, "Disabled</span>")
      assert.deepStrictEqual(
        (yield* accountsOf(operatorId)).map(({ disabled }) => disabled),
        [true]
      )
      yield* fillAndFollow(cookie, at, "enable_account")
      assert.deepStrictEqual(
        (yield* accountsOf(operatorId)).map(({ disabled }) => disabled),
        [false]
      )
      yield* fillAndFollow(cookie, at, "new_password", { new_password: "another password", again: "another password" })
      assert.notStrictEqual((yield* accountsOf(operatorId))[0]?.password_hash, account?.password_hash)
    })
  )

  it.effect("are given access by who has just given the password", () =>
    Effect.gen(function* () {
      const { operatorId, accountId } = yield* createSignedInHost()
      const cookie = yield* signIn(accountId, 16 * 60 * 1000)
      const fields = {
        email: mail(operatorId),
        name: "Ana",
        new_password: "a long enough one",
        again: "a long enough one"
      }
      const missing = yield* fillAndSend(cookie, PEOPLE, "make_account", fields)
      assert.strictEqual(missing.status, 403)
      assert.include(missing.text, mail(operatorId))
      assert.notInclude(missing.text, "a long enough one")
      const wrong = yield* fillAndSend(cookie, PEOPLE, "make_account", { ...fields, password: "wrong" })
      assert.strictEqual(wrong.status, 401)
      assert.lengthOf(yield* accountsOf(operatorId), 0)
      const right = yield* fillAndSend(cookie, PEOPLE, "make_account", { ...fields, password: PASSWORD })
      assert.strictEqual(right.status, 303)
      const [account] = yield* accountsOf(operatorId)
      // So is who gives it back; taken away it is by anybody's hand that is signed in.
      const at = `${PEOPLE}?change=account:${account?.id}`
      const isDisabled = Effect.map(accountsOf(operatorId), (all) => all.map(({ disabled }) => disabled))
      assert.strictEqual((yield* fillAndSend(cookie, at, "disable_account")).status, 303)
      const later = yield* signIn(accountId, 16 * 60 * 1000)
      for (const [password, status] of [
        ["", 403],
        ["wrong", 401]
      ] as const) {
        assert.strictEqual((yield* fillAndSend(later, at, "enable_account", { password })).status, status)
        assert.deepStrictEqual(yield* isDisabled, [true])
      }
      assert.strictEqual((yield* fillAndSend(later, at, "enable_account", { password: PASSWORD })).status, 303)
      assert.deepStrictEqual(yield* isDisabled, [false])
    })
  )

  it.effect("are the main account's to manage alone", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createSignedInHost()
      const sub = yield* signInSubAccount(operatorId)
      const { text } = yield* getPage(sub.cookie, PEOPLE)
      assert.include(text, "main account")
      assert.notInclude(text, 'value="make_account"')
      assert.strictEqual((yield* getPage(sub.cookie, `${PEOPLE}?change=account:${sub.accountId}`)).status, 404)
      const fields = {
        ...{
          id: String(sub.accountId),
          email: mail(operatorId),
          new_password: "a long enough one",
          again: "a long enough one"
        }
      }
      for (const act of ["make_account", "new_password", "disable_account", "enable_account"]) {
        const at = `${PEOPLE}?change=account:${sub.accountId}`
        assert.strictEqual((yield* postInventedForm(sub.cookie, at, act, fields)).status, 403, act)
      }
      assert.deepStrictEqual(
        (yield* accountsOf(operatorId)).map(({ disabled }) => disabled),
        [false]
      )
    })
  )

  it.effect("are not listed for a sub-account, on the list or in the form of another account", () =>
    Effect.gen(function* () {
      const { operatorId, cookie } = yield* createSignedInHost()
      const colleague = yield* insertAccount(operatorId, "sub", "Colleague")
      const sub = yield* signInSubAccount(operatorId)
      const [account] = yield* accountsOf(operatorId)
      const email = account?.email ?? assert.fail("there is no sub-account")
      const paths = [PEOPLE, `${PEOPLE}?change=account:${colleague}`]
      for (const path of paths) {
        assert.include((yield* getPage(cookie, path)).text, "Colleague", path)
        const { text } = yield* getPage(sub.cookie, path)
        for (const secret of ["Colleague", email]) assert.notInclude(text, secret, path)
      }
    })
  )

  it.effect("of another operator are nobody's, and no form is taken without its token", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      const theirs = yield* insertAccount(other.operatorId, "sub", "Theirs")
      yield* call(other.token, "create_staff", { name: "Theirs", mobile: "+351 912345678" })
      const [before, staff] = [yield* accountsOf(other.operatorId), yield* staffOf(other.operatorId)]
      for (const id of [theirs, other.accountId, host.accountId]) {
        const at = `${PEOPLE}?change=account:${id}`
        assert.strictEqual((yield* getPage(host.cookie, at)).status, 404, String(id))
        for (const act of ["new_password", "disable_account", "enable_account"]) {
          assert.strictEqual(
            (yield* postInventedForm(host.cookie, at, act, {
              id: String(id),
              new_password: "mine from now on",
              again: "mine from now on"
            })).status,
            404,
            act
          )
        }
      }
      const member = String(staff[0]?.id)
      assert.strictEqual((yield* getPage(host.cookie, `${PEOPLE}?change=staff:${member}`)).status, 404)
      const changed = yield* postInventedForm(host.cookie, PEOPLE, "change_staff", {
        id: member,
        name: "Mine",
        is_active: "yes"
      })
      assert.strictEqual(changed.status, 404)
      assert.strictEqual((yield* postInventedForm(host.cookie, PEOPLE, "delete_staff", { id: member })).status, 404)
      for (const act of [
        "make_account",
        "new_password",
        "disable_account",
        "enable_account",
        "add_staff",
        "change_staff",
        "delete_staff"
      ]) {
        assert.strictEqual((yield* postWithoutToken(host.cookie, PEOPLE, act)).status, 403, act)
      }
      assert.deepStrictEqual(yield* accountsOf(other.operatorId), before)
      assert.deepStrictEqual(yield* staffOf(other.operatorId), staff)
    })
  )

  it.effect("on the staff are added, changed where touched, switched off and deleted", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      yield* call(token, "create_property", { title: "Harbour <1>" })
      const added = yield* fillAndFollow(cookie, `${PEOPLE}?change=staff:new`, "add_staff", {
        ...{ name: "Marta <b>", mobile: "+351 912345678" }
      })
      assert.include(added.text, "Marta &lt;b&gt;")
      const [marta] = yield* staffOf(operatorId)
      const at = `${PEOPLE}?change=staff:${marta?.id}`
      const page = yield* getPage(cookie, at)
      assert.include(page.text, "Harbour &lt;1&gt;")
      // Somebody else changes her number meanwhile: what this form did not touch stays so.
      yield* call(token, "update_staff", { id: marta?.id, mobile: "+351 900000000" })
      const [form] = findForms(page, "change_staff")
      form?.form.set("name", "Marta")
      form?.form.set("is_active", "false")
      yield* postForm(cookie, form?.action ?? "", form?.form ?? new URLSearchParams())
      assert.deepStrictEqual(yield* staffOf(operatorId), [
        { id: marta?.id ?? 0, name: "Marta", mobile: "+351 900000000", is_active: false }
      ])
      const wrong = yield* fillAndSend(cookie, at, "change_staff", { mobile: "nonsense" })
      assert.strictEqual(wrong.status, 422)
      assert.match(wrong.text, /name="mobile"[^>]*aria-invalid="true"><span class="field-error">[^<]+</)
      assert.include(wrong.text, 'value="nonsense"')
      yield* fillAndFollow(cookie, at, "delete_staff")
      assert.deepStrictEqual(yield* staffOf(operatorId), [])
    })
  )

  it.effect("sent twice at once are there once", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      yield* fillAndSendTwice(cookie, `${PEOPLE}?change=staff:new`, "add_staff", {
        name: "Marta",
        mobile: "+351 912345678"
      })
      assert.lengthOf(yield* staffOf(operatorId), 1)
      const fields = { email: mail(operatorId), new_password: "a long enough one", again: "a long enough one" }
      const sent = yield* fillAndSendTwice(cookie, PEOPLE, "make_account", fields)
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.lengthOf(yield* accountsOf(operatorId), 1)
    })
  )

  it.effect("are so many a page", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      const add = (from: number, to: number) => sql`
        INSERT INTO staffs (operator_id, name, mobile, created_at, updated_at)
        SELECT ${operatorId}, 'Cleaner ' || n, '+49 15112345678', now(), now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* add(1, STAFF_ROWS_MAX)
      const full = yield* getPage(cookie, PEOPLE)
      assert.lengthOf(full.text.match(/>Cleaner \d+</g) ?? [], STAFF_ROWS_MAX)
      assert.notInclude(full.text, "Next page")
      yield* add(STAFF_ROWS_MAX + 1, STAFF_ROWS_MAX + 1)
      const cut = yield* getPage(cookie, PEOPLE)
      assert.lengthOf(cut.text.match(/>Cleaner \d+</g) ?? [], STAFF_ROWS_MAX)
      assert.include(cut.text, "Next page")
    })
  )
})
