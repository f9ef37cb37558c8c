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
      assert.include(text, "The year 2027")
      assert.lengthOf(text.match(/<rect class="bar"/g) ?? [], 12)
      assert.lengthOf(text.match(/<polyline class="income"/g) ?? [], 1)
      // What the picture says is said in words, and nothing in it is inline, which the page's policy forbids.
      assert.match(
        text,
        /<svg [^>]*role="img" aria-labelledby="year-picture">\n<title id="year-picture">Occupancy[^<]*May 2027 \d+%, 1,234\.50 EUR/
      )
      assert.notInclude(text, "style=")
      assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'; style-src 'self'")
      assert.include(text, "Harbour &lt;1&gt;")
      assert.include(text, `href="/console/money?from=2027-05-01&amp;to=2027-05-31"`)
      assert.include((yield* getPage(cookie, "/console/year?year=2026")).text, "The year 2026")
      assert.include((yield* getPage(cookie, "/console/year?year=12345")).text, "The year 2027")

      const one = decodeEntities(/href="(\/console\/year\?year=2027&amp;property=\d+)">Harbour/.exec(text)?.[1] ?? "")
      const ofOne = yield* getPage(cookie, one)
      assert.include(ofOne.text, "The year 2027, Harbour &lt;1&gt;")
      assert.notInclude(ofOne.text, "Garden")
      assert.include(ofOne.text, `href="/console/year?year=2027"`)
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
      assert.include(text, "There is no property yet.")
      assert.notInclude(text, "polyline")
      const theirs = yield* getPage(cookie, `/console/year?property=${harbour}`)
      assert.strictEqual(theirs.status, 404)
      assert.notInclude(theirs.text, "Harbour")
    })
  )
})
