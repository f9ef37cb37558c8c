import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { insertOrder, insertProperty, typedClient, withToken } from "../../../support/harness.ts"
import { createSignedInHost, decodeEntities, getPage } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-11-25T10:00:00Z"))
  const host = yield* createSignedInHost()
  const harbour = yield* insertProperty(host.operatorId, "Harbour <1>")
  return { ...host, harbour }
})

layer(layerSignedInPages)("the year", (it) => {
  it.effect("is this one unless another is asked for, as a picture and in numbers", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId, harbour } = yield* ready
      yield* insertProperty(operatorId, "Garden")
      yield* insertOrder(operatorId, [{ propertyId: harbour, checkIn: "2027-05-01", checkOut: "2027-05-28" }])
      const api = yield* typedClient
      yield* api
        .create_transaction({
          ...{ direction: "income", amount: 1234.5, currency: "EUR", item_id: 11, payment_method_id: 197 },
          ...{ property_id: harbour, action_at: "2027-05-02T10:00:00Z" }
        })
        .pipe(withToken(token))
      const { status, text, headers } = yield* getPage(cookie, "/console/year")
      assert.strictEqual(status, 200)
      assert.include(text, "<h1>Reports · 2027</h1>")
      // One chart is for phones.
      assert.lengthOf(text.match(/<rect class="occupancy"/g) ?? [], 24)
      assert.lengthOf(text.match(/<polyline class="income"/g) ?? [], 2)
      assert.include(text, ">2K</text>")
      // What the picture says is said in words, and nothing in it is inline, which the page's policy forbids.
      assert.match(
        text,
        /<svg [^>]*role="img" aria-labelledby="year-picture">\n<title id="year-picture">Occupancy[^<]*May 2027 \d+%, 1,234\.50 EUR/
      )
      assert.notInclude(text, "style=")
      assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'; style-src 'self'")
      assert.include(text, "Harbour &lt;1&gt;")
      assert.include(text, `href="/console/money?from=2027-05-01&amp;to=2027-05-31"`)
      assert.include((yield* getPage(cookie, "/console/year?year=2026")).text, "Reports · 2026")
      assert.include((yield* getPage(cookie, "/console/year?year=12345")).text, "Reports · 2027")

      const one = decodeEntities(/href="(\/console\/year\?year=2027&amp;property=\d+)">Harbour/.exec(text)?.[1] ?? "")
      const ofOne = yield* getPage(cookie, one)
      assert.include(ofOne.text, "Reports · 2027 · Harbour &lt;1&gt;")
      assert.notInclude(ofOne.text, ">Garden</a>")
      assert.include(ofOne.text, `href="/console/year?year=2027"`)
    })
  )

  it.effect("leads with income, expenses, net and occupancy of the year or of a month", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId, harbour } = yield* ready
      yield* insertOrder(operatorId, [{ propertyId: harbour, checkIn: "2027-12-01", checkOut: "2027-12-03" }])
      const api = yield* typedClient
      const enter = (direction: "income" | "expense", amount: number, action_at: string) =>
        api
          .create_transaction({
            ...{ direction, amount, currency: "EUR", action_at, property_id: harbour },
            ...(direction === "income"
              ? { item_id: 11, payment_method_id: 197 }
              : { item_id: 51, payment_method_id: 301 })
          })
          .pipe(withToken(token))
      yield* enter("income", 500, "2027-05-02T10:00:00Z")
      yield* enter("income", 100.5, "2027-11-02T10:00:00Z")
      yield* enter("expense", 700, "2027-11-03T10:00:00Z")
      const figuresOf = (query: string) =>
        Effect.map(getPage(cookie, `/console/year?year=2027${query}`), ({ text }) =>
          Array.from(text.matchAll(/<dt>([^<]*)<\/dt><dd>(?:<span[^>]*>)?([^<]*)</g), ([, label, value]) => [
            label,
            value
          ])
        )
      const [income, expenses, net, occupancy, nights] = yield* figuresOf("")
      assert.deepStrictEqual(
        [income, expenses, net],
        [
          ["Income", "600.50"],
          ["Expenses", "700.00"],
          ["Net", "−99.50"]
        ]
      )
      assert.strictEqual(occupancy?.[0], "Occupancy")
      assert.deepStrictEqual(nights, ["Nights booked", "2"])
      const may = yield* figuresOf("&month=5")
      assert.deepStrictEqual(
        may.slice(0, 3).map(([, value]) => value),
        ["500.00", "0.00", "500.00"]
      )
      const file = yield* getPage(cookie, "/console/year.csv?year=2027")
      assert.strictEqual(file.headers.get("content-disposition"), 'attachment; filename="report-2027.csv"')
      const lines = file.text.trimEnd().split("\r\n")
      assert.lengthOf(lines, 13)
      assert.match(lines[11] ?? "", /^2027-11,0,\d+,EUR,100\.5,700,-599\.5$/)
      const may_of_property = yield* figuresOf(`&month=5&property=${harbour}`)
      assert.deepStrictEqual(may_of_property.slice(0, 3), may.slice(0, 3))
    })
  )

  it.effect("draws one currency and has all of them in its numbers", () =>
    Effect.gen(function* () {
      const { cookie, token, harbour } = yield* ready
      const api = yield* typedClient
      for (const currency of ["USD", "JPY"]) {
        yield* api
          .create_transaction({
            ...{ direction: "income", amount: 50, currency, item_id: 11, payment_method_id: 197, property_id: harbour }
          })
          .pipe(withToken(token))
      }
      const { text } = yield* getPage(cookie, "/console/year")
      assert.include(text, "Line: income in JPY")
      assert.include(text, "50.00 USD")
      assert.include(text, "50 JPY")
    })
  )

  it.effect("of nothing has nothing in it, and of others' properties there is none", () =>
    Effect.gen(function* () {
      const { harbour } = yield* ready
      const { cookie } = yield* createSignedInHost()
      const { status, text } = yield* getPage(cookie, "/console/year")
      assert.strictEqual(status, 200)
      assert.include(text, "No properties yet.")
      assert.notInclude(text, "polyline")
      const theirs = yield* getPage(cookie, `/console/year?property=${harbour}`)
      assert.strictEqual(theirs.status, 404)
      assert.notInclude(theirs.text, "Harbour")
    })
  )
})
