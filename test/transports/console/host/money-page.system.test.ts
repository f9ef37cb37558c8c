import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { TRANSACTION_DAYS, USUAL_METHOD_TRANSACTIONS } from "../../../../src/platform/limits.ts"
import { insertOrder, insertProperty, typedClient, withToken } from "../../../support/harness.ts"
import {
  createSignedInHost,
  decodeEntities,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findFieldErrors,
  findForms,
  findNotice,
  getPage,
  postInventedForm,
  postWithoutToken,
  pressUndo
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages, signInSubAccount } from "../../../support/transports/console/signed-in-pages.ts"

const INCOME = "/console/money?add=income"
const EXPENSE = "/console/money?add=expense"

/** A host with a property in November, and a way to see what was entered. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-25T10:00:00Z"))
  const host = yield* createSignedInHost()
  const harbour = yield* insertProperty(host.operatorId, "Harbour <1>")
  const api = yield* typedClient
  const entries = Effect.map(
    api.search_transactions({ start_date: "2026-01-01", end_date: "2026-12-31" }).pipe(withToken(host.token)),
    ({ transactions }) => transactions
  )
  const enter = (fields: Partial<Parameters<typeof api.create_transaction>[0]> = {}) =>
    Effect.map(
      api
        .create_transaction({
          direction: "income",
          amount: 100,
          currency: "EUR",
          item_id: 11,
          payment_method_id: 197,
          ...fields
        })
        .pipe(withToken(host.token)),
      ({ transaction_id }) => transaction_id
    )
  return { ...host, harbour, api, entries, enter }
})

layer(layerSignedInPages)("money", (it) => {
  it.effect("is entered as an income on a property, shown with its sums, changed and deleted", () =>
    Effect.gen(function* () {
      const { cookie, entries, harbour } = yield* ready
      const entered = yield* fillAndFollow(cookie, INCOME, "record", {
        amount: "1420.5",
        item_id: "13",
        property_id: String(harbour),
        note: "<script>two\r\nlines"
      })
      assert.strictEqual(findNotice(entered), "Income of 1,420.50 EUR saved.")
      assert.include(entered.text, "1,420.50 EUR")
      assert.include(entered.text, "Cleaning fee")
      assert.include(entered.text, "Harbour &lt;1&gt;")
      assert.include(entered.text, "&lt;script&gt;two")
      const entry = (yield* entries)[0] ?? assert.fail("nothing was entered")
      assert.deepInclude(entry, {
        ...{ direction: "income", amount: 1420.5, currency: "EUR", status: "paid", property_id: harbour },
        ...{ note: "<script>two\nlines", operator_name: "Owner" }
      })
      const form = `/console/money?change=${entry.id}`
      const changed = yield* fillAndFollow(cookie, form, "change", { amount: "1400" })
      assert.strictEqual(findDoneAction(changed), "change")
      assert.include(changed.text, "1,400.00 EUR")
      // What was not touched stays as it is, to the second.
      assert.deepInclude((yield* entries)[0], { amount: 1400, action_at: entry.action_at, note: entry.note })
      const deleted = yield* fillAndFollow(cookie, form, "delete")
      assert.strictEqual(findNotice(deleted), "Income of 1,400.00 EUR deleted.")
      assert.deepStrictEqual(yield* entries, [])
      assert.strictEqual((yield* getPage(cookie, form)).status, 404)
      const restored = yield* pressUndo(cookie, deleted)
      const { id: _id, created_at: _created, updated_at: _updated, ...content } = entry
      assert.deepInclude((yield* entries)[0], { ...content, amount: 1400 })
      yield* pressUndo(cookie, restored)
      assert.deepStrictEqual(yield* entries, [])
    })
  )

  it.effect("has the categories and methods of expenses in the form for one, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, entries } = yield* ready
      const { text } = yield* getPage(cookie, EXPENSE)
      assert.include(text, ">Laundry<")
      assert.notInclude(text, ">Room fee<")
      const refused = yield* fillAndSend(cookie, EXPENSE, "record", {
        ...{ amount: "10.005", item_id: "52", note: "sheets", action_at: "2026-11-24T08:30" }
      })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(findFieldErrors(refused), { amount: "Amounts in EUR have two decimals." })
      for (const kept of ['value="10.005"', 'value="52" selected', 'value="2026-11-24T08:30"', "\nsheets<"]) {
        assert.include(refused.text, kept)
      }
      assert.deepStrictEqual(yield* entries, [])
      yield* fillAndFollow(cookie, EXPENSE, "record", { amount: "10", item_id: "52", action_at: "2026-11-24T08:30" })
      // On the clock of Berlin.
      assert.deepInclude((yield* entries)[0], {
        direction: "expense",
        action_at: "2026-11-24T07:30:00Z",
        link_type: "operator"
      })
    })
  )

  it.effect("on a reservation is in its currency and is shared by its properties", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, entries, harbour } = yield* ready
      const garden = yield* insertProperty(operatorId, "Garden")
      const code = yield* insertOrder(
        operatorId,
        [
          { propertyId: harbour, revenue: "300" },
          { propertyId: garden, revenue: "100" }
        ],
        { currency: "USD" }
      )
      const ofOrder = `${INCOME}&order=${code}`
      const other = yield* fillAndSend(cookie, ofOrder, "record", { amount: "80", currency: "EUR" })
      assert.include(findFieldErrors(other)["currency"], "USD")
      const { text } = yield* fillAndFollow(cookie, ofOrder, "record", { amount: "80", currency: "usd" })
      assert.lengthOf(yield* entries, 1)
      // Without days: all that there is of the order.
      assert.include(text, `href="/console/stay?code=${code}">${code}</a>`)
      assert.include(text, "Harbour &lt;1&gt; 60.00 USD, Garden 20.00 USD")
      const garden_only = yield* getPage(cookie, `/console/money?property=${garden}`)
      assert.include(garden_only.text, "20.00 USD")
      assert.notInclude(garden_only.text.split("<h2>Transactions")[0] ?? "", "80.00 USD")
    })
  )

  it.effect("of a reservation is entered in the currency that its form begins with, by whichever code of it", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, entries, harbour } = yield* ready
      const garden = yield* insertProperty(operatorId, "Garden")
      const code = yield* insertOrder(operatorId, [{ propertyId: harbour }, { propertyId: garden }], {
        currency: "GBP"
      })
      for (const each of [code, `${code}_1`]) {
        yield* fillAndFollow(cookie, `/console/money?add=expense&order=${each}`, "record", { amount: "3" })
      }
      assert.deepStrictEqual(
        (yield* entries).map(({ currency }) => currency),
        ["GBP", "GBP"]
      )
      const [form] = findForms(yield* getPage(cookie, "/console/money?add=expense&order=NOBODYS"), "record")
      assert.strictEqual(form?.form.get("currency"), "EUR")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET currency = 'JPY' WHERE id = ${harbour}`
      for (const [query, currency] of [
        [`property=${harbour}`, "JPY"],
        [`property=${garden}`, "EUR"],
        [`property=${harbour}&order=${code}`, "GBP"]
      ]) {
        const [ofProperty] = findForms(yield* getPage(cookie, `/console/money?add=expense&${query}`), "record")
        assert.strictEqual(ofProperty?.form.get("currency"), currency, query)
      }
    })
  )

  it.effect("of a reservation that goes on for longer than is listed says so", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, harbour } = yield* ready
      const code = yield* insertOrder(operatorId, [{ propertyId: harbour }])
      const sql = yield* SqlClient.SqlClient
      const entered = (at: string) => sql`
        INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, status,
          operator_name, order_id, created_at, updated_at)
        SELECT operator_id, 'income', 10, 'EUR', 11, 197, ${at}::timestamptz, 'paid', 'Owner', id, now(), now()
        FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
      const shown = Effect.map(getPage(cookie, `/console/money?order=${code}`), ({ text }) => text)
      yield* entered("2025-11-25T12:00:00Z")
      yield* entered(`${addDays("2025-11-25", TRANSACTION_DAYS - 1)}T12:00:00Z`)
      const whole = yield* shown
      assert.include(whole, "Transactions (2)")
      assert.notInclude(whole, "are not listed")
      yield* entered(`${addDays("2025-11-25", TRANSACTION_DAYS)}T12:00:00Z`)
      const cut = yield* shown
      assert.include(cut, "Transactions (2)")
      assert.include(cut, "are not listed. Choose dates to see them. The totals and the export include them.")
      assert.include(cut, "30.00 EUR")
    })
  )

  it.effect("says what is outstanding, and lists entries page by page", () =>
    Effect.gen(function* () {
      const { cookie, enter } = yield* ready
      yield* enter({ amount: 30, action_at: "2026-11-28T10:00:00Z" })
      const { text } = yield* getPage(cookie, "/console/money")
      assert.include(text, ">30.00 EUR outstanding<")
      for (let index = 0; index < 49; index += 1) yield* enter({ amount: index + 1 })
      const full = yield* getPage(cookie, "/console/money")
      assert.include(full.text, "Transactions (50)")
      assert.notInclude(full.text, "Next page")
      yield* enter()
      const more = yield* getPage(cookie, "/console/money")
      assert.include(more.text, "Next page")
      const next = decodeEntities(/href="([^"]*offset=50[^"]*)"/.exec(more.text)?.[1] ?? "")
      assert.strictEqual((yield* getPage(cookie, next)).text.match(/[?&;]change=\d+/g)?.length, 1)
    })
  )

  it.effect("that is outstanding is marked as paid, and keeps its time", () =>
    Effect.gen(function* () {
      const { cookie, entries, enter } = yield* ready
      const action_at = "2026-11-28T10:00:00Z"
      const form = `/console/money?change=${yield* enter({ amount: 30, action_at })}`
      const settled = yield* fillAndFollow(cookie, form, "settle")
      assert.strictEqual(findDoneAction(settled), "settle")
      assert.notInclude(settled.text, "outstanding")
      assert.deepInclude((yield* entries)[0], { amount: 30, action_at, status: "paid" })
      assert.notInclude((yield* getPage(cookie, form)).text, "Mark as paid")
    })
  )

  it.effect("of a period that is none says so and nothing else", () =>
    Effect.gen(function* () {
      const { cookie } = yield* ready
      const backwards = yield* getPage(cookie, "/console/money?from=2026-11-02&to=2026-11-01")
      assert.isDefined(findAlert(backwards))
      const year = yield* getPage(cookie, "/console/money?from=2026-01-01&to=2027-01-01")
      assert.isUndefined(findAlert(year))
      const longer = yield* getPage(cookie, "/console/money?from=2026-01-01&to=2027-01-02")
      assert.include(findAlert(longer), "366 days")
      assert.include(longer.text, 'name="from" value="2026-01-01"')
    })
  )

  it.effect("of others is not to be had, nor changed, whatever is sent", () =>
    Effect.gen(function* () {
      const other = yield* ready
      const id = yield* other.enter({ property_id: other.harbour, note: "theirs" })
      const before = yield* other.entries
      const code = yield* insertOrder(other.operatorId, [{ propertyId: other.harbour }])
      const { cookie, entries } = yield* ready
      for (const query of [`change=${id}`, `property=${other.harbour}`, `order=${code}`]) {
        const page = yield* getPage(cookie, `/console/money?${query}`)
        assert.strictEqual(page.status, 404, query)
        assert.notInclude(page.text, "theirs")
      }
      const fields = { amount: "5", currency: "EUR", item_id: "11", payment_method_id: "197", direction: "income" }
      for (const [act, sent] of [
        ["change", { id: String(id), amount: "5" }],
        ["delete", { id: String(id) }],
        ["record", { ...fields, property_id: String(other.harbour) }],
        ["record", { ...fields, reservation_code: code }]
      ] as const) {
        const answer = yield* postInventedForm(cookie, "/console/money", act, sent)
        assert.strictEqual(answer.status, 404, act)
        assert.isDefined(findAlert(answer), act)
      }
      assert.deepStrictEqual(yield* other.entries, before)
      assert.deepStrictEqual(yield* entries, [])
    })
  )

  it.effect("is not taken from other sites, and taken once from an impatient hand", () =>
    Effect.gen(function* () {
      const { cookie, entries, enter } = yield* ready
      for (const act of ["record", "change", "delete"]) {
        assert.strictEqual((yield* postWithoutToken(cookie, "/console/money", act)).status, 403, act)
      }
      const recorded = yield* fillAndSendTwice(cookie, INCOME, "record", { amount: "7" })
      assert.deepStrictEqual(
        recorded.map(({ status }) => status),
        [303, 303]
      )
      assert.lengthOf(yield* entries, 1)
      const id = yield* enter()
      const form = `/console/money?change=${id}`
      const changed = yield* fillAndSendTwice(cookie, form, "change", { amount: "9" })
      assert.deepStrictEqual(
        changed.map(({ status }) => status),
        [303, 303]
      )
      const deleted = yield* fillAndSendTwice(cookie, form, "delete")
      assert.deepStrictEqual(
        deleted.map(({ status }) => status),
        [303, 303]
      )
      assert.lengthOf(yield* entries, 1)
    })
  )

  it.effect("begins with the payment method that was used most often lately", () =>
    Effect.gen(function* () {
      const { cookie, enter } = yield* ready
      const chosen = Effect.map(getPage(cookie, EXPENSE), (page) =>
        findForms(page, "record")[0]?.form.get("payment_method_id")
      )
      assert.strictEqual(yield* chosen, "301")
      const expense = { direction: "expense", item_id: 51 } as const
      for (const payment_method_id of [303, 302, 303]) yield* enter({ ...expense, payment_method_id })
      assert.strictEqual(yield* chosen, "303")
      for (let index = 3; index < USUAL_METHOD_TRANSACTIONS; index += 1) yield* enter()
      assert.strictEqual(yield* chosen, "303")
      for (let index = 0; index < 3; index += 1) yield* enter()
      assert.strictEqual(yield* chosen, "301")
    })
  )

  it.effect("of the business as a whole is the main account's to enter", () =>
    Effect.gen(function* () {
      const { operatorId, entries } = yield* ready
      const { cookie } = yield* signInSubAccount(operatorId)
      const refused = yield* fillAndSend(cookie, INCOME, "record", { amount: "7" })
      assert.strictEqual(refused.status, 403)
      assert.isDefined(findAlert(refused))
      assert.deepStrictEqual(yield* entries, [])
    })
  )
})
