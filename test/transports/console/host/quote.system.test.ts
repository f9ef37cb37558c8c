import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  withChromiumNote
} from "../../../support/browser.ts"
import { toBasePriceBody } from "../../../support/domain/bookings/quotes/base-prices.ts"
import { createOperator, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// A host sets the prices of a property, quotes a stay and books it: in a real browser, by the words that the pages show.

const layerQuiet = Layer.provideMerge(layerSignedInPages, Layer.succeed(References.MinimumLogLevel, "Error"))

const run = (act: () => Promise<unknown>) => Effect.promise(act)

describe.skipIf(!hasChromium)(withChromiumNote("quotes in the console"), () => {
  layer(Layer.merge(layerQuiet, Browser.layer), { excludeTestServices: true })((it) => {
    it.effect("lead from the prices of a property to a reservation", () =>
      Effect.gen(function* () {
        const { operatorId, accountId, token } = yield* createOperator()
        const propertyId = yield* insertProperty(operatorId, "Harbour 1")
        const from = addDays(new Date().toISOString().slice(0, 10), 30)
        const [base, cookie] = [yield* BaseUrl, yield* signIn(accountId)]
        const { ok } = yield* Effect.promise(() =>
          fetch(`${base}/v3/base_prices`, {
            method: "POST",
            headers: { "service-access-token": token, "content-type": "application/json" },
            body: JSON.stringify(toBasePriceBody({ propertyId, from, prices: [100, 110] }))
          })
        )
        assert.isTrue(ok)
        const page = yield* openPage({ viewport: DESKTOP_VIEWPORT, baseURL: base })
        const press = (name: string) =>
          run(async () => {
            await page.getByRole("button", { name, exact: true }).first().click()
            await page.waitForLoadState()
          })
        const statusText = Effect.promise(() => page.getByRole("status").first().textContent())
        yield* run(async () => {
          await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
          await page.goto("/console/properties")
          await page.getByRole("link", { name: "Harbour 1", exact: true }).click()
          await page.getByLabel(/^Currency/).fill("chf")
          await page.getByLabel(/^Max\. guests/).fill("3")
          await page.getByLabel(/^Fees/).fill("Cleaning: 40 per stay")
          await page.getByLabel(/^Taxes/).fill("VAT: 10% per stay\nCity tax: 2.50 per guest")
        })
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        yield* press("Save")
        assert.include(yield* statusText, "Property saved.")
        assert.strictEqual(yield* Effect.promise(() => page.getByLabel(/^Currency/).inputValue()), "CHF")

        yield* run(async () => {
          await page.goto(
            `/console/reservations/new?property=${propertyId}&check_in_date=${from}&check_out_date=${addDays(from, 2)}`
          )
          await page.getByLabel("Guests", { exact: true }).fill("2")
        })
        assert.strictEqual(
          yield* Effect.promise(() => page.locator('form:has(button[value="create"]) [name="currency"]').inputValue()),
          "CHF"
        )
        yield* press("Get quote")
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        const folder = process.env["SCREENSHOTS"]
        if (folder !== undefined) yield* run(() => page.screenshot({ path: `${folder}/quote.png`, fullPage: true }))
        const rows = yield* Effect.promise(() => page.locator("table").first().locator("tbody tr").allTextContents())
        assert.deepStrictEqual(
          rows.map((row) => row.trim()).slice(2),
          // Of 210 for the nights and 40 for cleaning.
          ["Cleaning40.00 CHF", "VAT25.00 CHF", "City tax5.00 CHF", "Total280.00 CHF"]
        )
        yield* run(() => page.getByLabel("Guest name").first().fill("Ada Lovelace"))
        yield* press("Save")
        assert.include(yield* statusText, "Reservation saved.")
        const sql = yield* SqlClient.SqlClient
        const orders = yield* sql`
          SELECT o.currency, s.rate::float8 AS rate, s.number_of_guests, s.guest_name
          FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
          WHERE o.operator_id = ${operatorId}`
        assert.deepStrictEqual(orders, [
          { currency: "CHF", rate: 280, number_of_guests: 2, guest_name: "Ada Lovelace" }
        ])
      })
    )
  })
})
