import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MONEY_CSV_LINES_MAX } from "../../../../src/platform/limits.ts"
import { renderMoneyCsv } from "../../../../src/transports/console/host/money/money-csv.ts"
import type { LedgerLine } from "../../../../src/transports/console/queries/Ledger.ts"
import { insertOrder, insertProperty, typedClient, withToken } from "../../../support/harness.ts"
import { createSignedInHost, findAlert, getPage } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const LINE: LedgerLine = {
  ...{ id: 5, action_at: new Date("2026-11-24T23:30:00Z"), direction: "income", status: "paid" },
  ...{ item_id: 11, item_name: "Room fee", payment_method_id: 197, payment_method_name: "Cash", amount: "120.5000" },
  ...{
    currency: "EUR",
    property_title: "Harbour 1",
    reservation_code: null,
    stay_code: null,
    operator_name: "Owner",
    note: ""
  }
}

const noteCell = (note: string): string =>
  (renderMoneyCsv([{ ...LINE, note }], "Europe/Berlin").split("\r\n")[1] ?? "").split(",Owner,")[1] ?? "none"

describe("a file of entries", () => {
  plainIt("begins with a byte order mark and its header, and has times on the operator's clock", () => {
    assert.strictEqual(
      renderMoneyCsv([LINE], "Europe/Berlin"),
      "\uFEFFEntry,Time,Kind,Status,Category,Payment method,Amount,Currency,Property,Reservation,Stay,Entered by,Note\r\n" +
        "5,2026-11-25 00:30:00,income,paid,Room fee,Cash,120.5,EUR,Harbour 1,,,Owner,\r\n"
    )
  })

  plainIt("quotes what would end a cell, and has nothing a spreadsheet would run", () => {
    for (const [note, cell] of [
      ["plain", "plain"],
      ["a,b", '"a,b"'],
      ['say "hi"', '"say ""hi"""'],
      ["=1+1", "'=1+1"],
      ["+49 151", "'+49 151"],
      ["-2", "'-2"],
      ["@SUM(A1)", "'@SUM(A1)"],
      ["  =1", "'  =1"],
      ["\t=1", "'\t=1"],
      ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
      ["＝1+1", "'＝1+1"],
      ["＋1", "'＋1"],
      ["－1", "'－1"],
      ["＠SUM(A1)", "'＠SUM(A1)"],
      ["\u3000＝1", "'\u3000＝1"],
      ["﹦1", "'﹦1"],
      ["a=b", "a=b"],
      ["a＝b", "a＝b"]
    ] as const) {
      assert.strictEqual(noteCell(note), cell, JSON.stringify(note))
    }
    assert.include(renderMoneyCsv([{ ...LINE, note: "two\nlines" }], "UTC"), ',"two\nlines"\r\n')
    assert.include(renderMoneyCsv([{ ...LINE, amount: "100.0000" }], "UTC"), ",100,EUR,")
  })
})

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-25T10:00:00Z"))
  const host = yield* createSignedInHost()
  const harbour = yield* insertProperty(host.operatorId, "Harbour 1")
  return { ...host, harbour }
})

layer(layerSignedInPages)("the file of a period's entries", (it) => {
  it.effect("has a line for what each property carries, and is downloaded", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, token, harbour } = yield* ready
      const garden = yield* insertProperty(operatorId, "Garden")
      const code = yield* insertOrder(operatorId, [
        { propertyId: harbour, revenue: "300" },
        { propertyId: garden, revenue: "100" }
      ])
      const api = yield* typedClient
      const common = { direction: "income", item_id: 11, payment_method_id: 197 } as const
      yield* api.create_transaction({ ...common, amount: 80, reservation_code: code }).pipe(withToken(token))
      yield* api
        .create_transaction({
          ...common,
          amount: 5,
          currency: "EUR",
          property_id: garden,
          action_at: "2026-10-31T12:00:00Z"
        })
        .pipe(withToken(token))
      const page = yield* getPage(cookie, "/console/money.csv")
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(
        page.headers.get("content-disposition"),
        'attachment; filename="money-2026-11-01-to-2026-11-30.csv"'
      )
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      const cells = page.text
        .trimEnd()
        .split("\r\n")
        .slice(1)
        .map((row) => row.split(",").slice(6, 11).join())
      assert.deepStrictEqual(cells, [`60,EUR,Harbour 1,${code},${code}`, `20,EUR,Garden,${code},${code}_1`])
      const october = yield* getPage(cookie, `/console/money.csv?from=2026-10-01&to=2026-11-30&property=${garden}`)
      assert.strictEqual(october.text.trimEnd().split("\r\n").length, 3)
    })
  )

  it.effect("is whole or there is none", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const enter = (count: number) => sql`
        INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, status,
          operator_name, created_at, updated_at)
        SELECT ${operatorId}::bigint, 'income', 1, 'EUR', 11, 197, '2026-11-20', 'paid', 'Owner', now(), now()
        FROM generate_series(1, ${count}::int)`
      yield* enter(MONEY_CSV_LINES_MAX)
      const full = yield* getPage(cookie, "/console/money.csv")
      assert.strictEqual(full.status, 200)
      assert.strictEqual(full.text.trimEnd().split("\r\n").length, MONEY_CSV_LINES_MAX + 1)
      yield* enter(1)
      const tooMany = yield* getPage(cookie, "/console/money.csv")
      assert.strictEqual(tooMany.status, 422)
      assert.include(findAlert(tooMany), `${MONEY_CSV_LINES_MAX.toLocaleString("en")} lines`)
      assert.strictEqual((yield* getPage(cookie, "/console/money.csv?from=2026-11-02&to=2026-11-01")).status, 422)
    })
  )

  it.effect("is of nothing else than what was asked for", () =>
    Effect.gen(function* () {
      const { cookie } = yield* ready
      for (const [query, words] of [
        ["from=2026-02-30", "Choose the first day."],
        ["to=x", "Choose the last day."],
        ["property=Harbour", "Choose a property."]
      ] as const) {
        const refused = yield* getPage(cookie, `/console/money.csv?${query}`)
        assert.deepStrictEqual([refused.status, findAlert(refused)], [422, words])
      }
      // The form of the page leaves boxes empty.
      assert.strictEqual((yield* getPage(cookie, "/console/money.csv?from=&to=&property=&order=")).status, 200)
    })
  )

  it.effect("is of one's own entries alone, and for who is signed in and whose account works", () =>
    Effect.gen(function* () {
      const other = yield* ready
      const api = yield* typedClient
      yield* api
        .create_transaction({
          ...{ direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 },
          ...{ property_id: other.harbour, note: "theirs" }
        })
        .pipe(withToken(other.token))
      const { cookie, harbour } = yield* ready
      for (const [query, status] of [
        ["", 200],
        [`?property=${harbour}`, 200],
        [`?property=${other.harbour}`, 404],
        ["?order=NOBODYS", 404]
      ] as const) {
        const none = yield* getPage(cookie, `/console/money.csv${query}`)
        assert.strictEqual(none.status, status, query)
        assert.notInclude(none.text, "theirs")
      }
      const nobody = yield* getPage("", "/console/money.csv?from=2026-11-01")
      assert.strictEqual(nobody.status, 303)
      assert.include(nobody.location, encodeURIComponent("/console/money.csv?from=2026-11-01"))
      const banned = yield* createSignedInHost({ status: "banned" })
      const kept = yield* getPage(banned.cookie, "/console/money.csv")
      assert.strictEqual(kept.status, 403)
      assert.include(kept.text, "Account banned")
    })
  )
})
