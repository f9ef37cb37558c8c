import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RESERVATIONS_CSV_LINES_MAX } from "../../../../src/platform/limits.ts"
import { insertOrder, insertProperty, type OrderOptions } from "../../../support/harness.ts"
import { createSignedInHost, findAlert, getPage } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const CSV_PATH = "/console/reservations.csv"

/** A host on 4 May, with a property. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
  const host = yield* createSignedInHost()
  const sql = yield* SqlClient.SqlClient
  const property = yield* insertProperty(host.operatorId, "Harbour 1")
  const guest = Effect.fnUntraced(function* (name: string, options: OrderOptions = {}) {
    // Without a property, several stays may have the same nights.
    const stay = { propertyId: null, checkIn: "2027-05-03", checkOut: "2027-05-06", revenue: "1420.5" }
    const code = yield* insertOrder(host.operatorId, [stay], options)
    yield* sql`UPDATE stays SET guest_name = ${name} WHERE operator_id = ${host.operatorId} AND stay_code = ${code}`
    return code
  })
  const file = (query = "") => getPage(host.cookie, `${CSV_PATH}${query}`)
  return { ...host, sql, property, guest, file }
})

const linesOf = ({ text }: { readonly text: string }) => text.trimEnd().split("\r\n").slice(1)

layer(layerSignedInPages)("the file of reservations", (it) => {
  it.effect("has a line for each stay of the filters, and is downloaded", () =>
    Effect.gen(function* () {
      const { guest, file } = yield* ready
      const code = yield* guest("Ada, Countess")
      yield* guest("Grace", { status: "wait_accept" })
      const page = yield* file("?q=&status=accepted&property=&from=")
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(page.headers.get("content-disposition"), 'attachment; filename="reservations-2027-05-04.csv"')
      assert.deepStrictEqual(linesOf(page), [
        `${code},"Ada, Countess",Unassigned,2027-05-03,2027-05-06,3,1,Confirmed,Direct,1420.5,1420.5,1420.5,EUR,`
      ])
      assert.lengthOf(linesOf(yield* file()), 2)
    })
  )

  it.effect("has nothing that a spreadsheet would run", () =>
    Effect.gen(function* () {
      const { guest, file } = yield* ready
      yield* guest('=HYPERLINK("http://x","y")')
      assert.include((yield* file()).text, `,"'=HYPERLINK(""http://x"",""y"")",`)
    })
  )

  it.effect("is whole or there is none", () =>
    Effect.gen(function* () {
      const { sql, operatorId, file } = yield* ready
      const add = (count: number, name: string) => sql`
        WITH entered AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
          SELECT ${operatorId}::bigint, '5-' || ${name} || at, 'direct', ${name} || at, 'accepted', 'EUR', now(), now()
          FROM generate_series(1, ${count}::int) at
          RETURNING id, reservation_code)
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue)
        SELECT ${operatorId}::bigint, id, reservation_code, '2027-05-03', '2027-05-06', 100, 100 FROM entered`
      yield* add(RESERVATIONS_CSV_LINES_MAX, "A")
      const full = yield* file()
      assert.strictEqual(full.status, 200)
      assert.lengthOf(linesOf(full), RESERVATIONS_CSV_LINES_MAX)
      yield* add(1, "B")
      const tooMany = yield* file()
      assert.strictEqual(tooMany.status, 422)
      assert.include(findAlert(tooMany), "2,000 reservations")
    })
  )

  it.effect("is of nothing else than what was asked for, and of one's own reservations", () =>
    Effect.gen(function* () {
      const { file, property, guest } = yield* ready
      yield* guest("Theirs")
      for (const [query, alert] of [
        ["from=2027-02-30", "Choose a check-in date."],
        ["leaves_to=x", "Choose a check-out date."],
        ["property=Harbour", "Choose a property."],
        ["status=gone", "Choose a status."]
      ] as const) {
        const refused = yield* file(`?${query}`)
        assert.deepStrictEqual([refused.status, findAlert(refused)], [422, alert])
      }
      const other = yield* ready
      for (const query of ["", `?property=${property}`]) assert.deepStrictEqual(linesOf(yield* other.file(query)), [])
      assert.strictEqual((yield* getPage("", CSV_PATH)).status, 303)
      const banned = yield* createSignedInHost({ status: "banned" })
      assert.strictEqual((yield* getPage(banned.cookie, CSV_PATH)).status, 403)
    })
  )
})
