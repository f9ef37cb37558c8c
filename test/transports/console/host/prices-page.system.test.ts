import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import {
  PRICE_LISTINGS_SHOWN,
  PRICE_PUSHES_SCANNED,
  PRICE_RESULTS_SHOWN,
  PRICE_TARGETS_MAX,
  PRICE_UNDO_DAYS,
  PRICE_UNDO_LENGTH
} from "../../../../src/platform/limits.ts"
import { renderEarlierPrices } from "../../../../src/transports/console/host/prices/price-undo.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"
import {
  createSignedInHost,
  fillAndSend,
  fillForm,
  findForms,
  getPage,
  postForm
} from "../../../support/transports/console/host/host-forms.ts"
import { findListingRowId, insertPushes } from "../../../support/transports/console/host/listing-rows.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PATH = "/console/prices"
const NOW = "2027-04-20T10:00:00Z"
const FIRST = "2027-05-01"
const CHANNELS = ["airbnb", "booking.com", "agoda", "expedia", "vrbo", "trip.com"]

/** A host with one property that six channels sell, the first with a markup of 15 percent. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse(NOW))
  const host = yield* createSignedInHost()
  const property = yield* insertProperty(host.operatorId, "Harbour <b>")
  const listings = yield* Effect.forEach(CHANNELS, (channelType, index) =>
    Effect.gen(function* () {
      const account = yield* insertChannelAccount(host.operatorId, { channelType })
      const ratio = index === 0 ? 115 : 100
      const options = { channelType, propertyId: property, ratio, title: `Loft ${index}` }
      return yield* insertListing(host.operatorId, account, options)
    })
  )
  return { ...host, property, listings }
})

const readPrices = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ date: string; price: number | null; minimum_stay: number | null }>`
    SELECT date::text AS date, price, minimum_stay FROM base_prices WHERE operator_id = ${operatorId} ORDER BY date`
}, Effect.orDie)

const readPushedPrices = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ price: number }>`
    SELECT (ranges -> 0 ->> 'price')::integer AS price FROM listing_pushes
    WHERE operator_id = ${operatorId} AND kind = 'prices' ORDER BY price DESC`
  return rows.map(({ price }) => price)
}, Effect.orDie)

const MAY = { from: FIRST, to: addDays(FIRST, 2) }

layer(Layer.merge(layerSignedInPages, Browser.layer))("the page of prices", (it) => {
  it.effect.skipIf(!hasChromium)(
    withChromiumNote("prices six listings with two clicks"),
    () =>
      Effect.gen(function* () {
        const { operatorId, cookie } = yield* ready
        const base = yield* BaseUrl
        const page = yield* openPage({ viewport: DESKTOP_VIEWPORT, baseURL: base })
        let clicks = 0
        const click = (locator: ReturnType<typeof page.locator>) => {
          clicks += 1
          return locator.click()
        }
        yield* Effect.promise(async () => {
          await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
          await page.goto(PATH)
          await click(page.getByRole("checkbox", { name: /^Harbour/ }))
          await page.getByLabel("Price per night").fill("120")
          await click(page.getByRole("button", { name: "Save prices" }))
          await page.getByRole("status").waitFor()
        })
        assert.isAtMost(clicks, 3)
        const result = yield* Effect.promise(() => page.getByRole("status").innerText())
        assert.include(result, "6 listings get the changes")
        assert.strictEqual(result.match(/Sent/g)?.length, 6)
        assert.deepStrictEqual(yield* readPushedPrices(operatorId), [138, 120, 120, 120, 120, 120])
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        yield* Effect.promise(() => page.getByRole("link", { name: "Show 6 listings" }).click())
        yield* Effect.promise(() => page.locator("tr.listing").first().waitFor())
        assert.include(yield* Effect.promise(() => page.locator("table").innerText()), "+15 %")
        for (const viewport of [DESKTOP_VIEWPORT, PHONE_VIEWPORT]) {
          yield* Effect.promise(() => page.setViewportSize(viewport))
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
          const overhang = yield* Effect.promise(() =>
            page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
          )
          assert.isAtMost(overhang, 0)
        }
      }),
    EVERY_PAGE_MS
  )

  it.effect("undoes a change, whose earlier prices were complete", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const target = [String(property)]
      const first = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, target, price: "100", minimum_stay: "2" })
      assert.lengthOf(findForms(first, "restore_prices"), 0)
      const second = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, target, price: "130", weekdays: ["6"] })
      assert.deepStrictEqual(
        (yield* readPrices(operatorId)).map(({ price }) => Number(price)),
        [130, 100, 100]
      )
      const [undo] = findForms(second, "restore_prices")
      assert.strictEqual((yield* postForm(cookie, PATH, undo?.form ?? assert.fail("no undo"))).status, 303)
      assert.deepStrictEqual(
        (yield* readPrices(operatorId)).map(({ price, minimum_stay }) => [Number(price), minimum_stay]),
        [
          [100, 2],
          [100, 2],
          [100, 2]
        ]
      )
      const days = (count: number) => ({ target, from: FIRST, to: addDays(FIRST, count - 1), price: "90" })
      yield* fillAndSend(cookie, PATH, "set_prices", { ...days(PRICE_UNDO_DAYS + 1), price: "80" })
      const withUndo = yield* fillAndSend(cookie, PATH, "set_prices", days(PRICE_UNDO_DAYS))
      const withoutUndo = yield* fillAndSend(cookie, PATH, "set_prices", { ...days(PRICE_UNDO_DAYS + 1), price: "70" })
      assert.deepStrictEqual(
        [withUndo, withoutUndo].map((page) => findForms(page, "restore_prices").length),
        [1, 0]
      )
      yield* fillAndSend(cookie, PATH, "clear_prices", { ...MAY, target })
      assert.strictEqual((yield* readPrices(operatorId))[0]?.date, addDays(MAY.to, 1))
    })
  )

  it.effect("shows errors beside their fields, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const none = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, price: "100" })
      assert.strictEqual(none.status, 422)
      assert.include(none.text, `<p class="field-error">Choose at least one property.</p>`)
      const target = [String(property)]
      const cheap = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, target, price: "0" })
      assert.match(cheap.text, /name="price" value="0"[^>]*aria-invalid="true"><span class="field-error">Enter a price/)
      assert.include(cheap.text, `name="target" value="${property}" checked`)
      const past = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, from: "2027-04-01", target, price: "9" })
      assert.match(past.text, /name="from" value="2027-04-01"[^>]*><span class="field-error">/)
      const unknown = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, target: ["999999999"], price: "9" })
      assert.strictEqual(unknown.status, 404)
      assert.deepStrictEqual(yield* readPrices(operatorId), [])
    })
  )

  it.effect("marks listings whose channel has another price, and tells why a listing gets none", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property, listings } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const target = [String(property)]
      yield* fillAndSend(cookie, PATH, "set_prices", { from: FIRST, to: FIRST, target, price: "100" })
      yield* sql`UPDATE listing_pushes SET state = 'pushed', settled_at = now() WHERE operator_id = ${operatorId}`
      const shown = (query = "") => getPage(cookie, `${PATH}?from=${FIRST}&listings=${property}${query}`)
      assert.include((yield* shown()).text, "6 synced")
      const row = yield* findListingRowId(operatorId, listings[1] ?? "")
      yield* insertPushes(operatorId, row, { state: "pushed", settledAt: NOW })
      assert.match((yield* shown()).text, /120 <abbr class="mark" title="The channel has this price. It should be 100"/)
      yield* sql`UPDATE listing_lanes SET missed_price_days = '{[2027-05-01,2027-05-02)}' WHERE listing_row = ${row}`
      assert.include((yield* shown()).text, "1 not accepted")
      yield* sql`UPDATE listings SET ratio_readonly = true WHERE operator_id = ${operatorId} AND id = ${row}`
      const { text } = yield* shown()
      assert.include(text, "Not sent: prices are set on the channel.")
      assert.include(text, "Harbour &lt;b&gt;")
      const saved = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, target, price: "140" })
      assert.match(saved.text, /Not sent<\/span> prices are set on the channel/)
    })
  )

  it.effect("shows a page of properties, and changes as many at once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW))
      const { operatorId, cookie } = yield* createSignedInHost()
      const add = (index: number) => insertProperty(operatorId, `P ${String(index).padStart(2, "0")}`)
      const ids = yield* Effect.forEach(Array.from({ length: PRICE_TARGETS_MAX }), (_, index) => add(index))
      const full = yield* getPage(cookie, PATH)
      assert.strictEqual(full.text.match(/name="target"/g)?.length, PRICE_TARGETS_MAX)
      assert.notInclude(full.text, "Next page")
      const all = yield* fillAndSend(cookie, PATH, "set_prices", { ...MAY, all: "yes", price: "100" })
      assert.strictEqual(all.status, 200)
      assert.lengthOf(yield* readPrices(operatorId), 3 * PRICE_TARGETS_MAX)
      const one = yield* add(PRICE_TARGETS_MAX)
      const more = yield* getPage(cookie, PATH)
      assert.strictEqual(more.text.match(/name="target"/g)?.length, PRICE_TARGETS_MAX)
      assert.include((yield* getPage(cookie, `${PATH}?offset=${PRICE_TARGETS_MAX}`)).text, "P 20")
      assert.strictEqual((yield* getPage(cookie, `${PATH}?q=p+07`)).text.match(/name="target"/g)?.length, 1)
      const form = findForms(more, "set_prices")[0]?.form ?? assert.fail("no form")
      const target = [...ids, one].map(String)
      const refused = yield* postForm(cookie, PATH, fillForm(form, { ...MAY, target, price: "100" }))
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, `Change at most ${PRICE_TARGETS_MAX} at once.`)
    })
  )

  it.effect("shows so many listings and results, and reads so many pushes", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property, listings } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const addListings = (name: string, count: number) => sql`
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id, created_at, updated_at)
        SELECT operator_id, account_id, channel_type, ${name} || at, 'Many', currency, 'on', property_id, now(), now()
        FROM listings CROSS JOIN generate_series(1, ${count}) at
        WHERE operator_id = ${operatorId} AND listing_id = ${listings[0]}`
      const row = yield* findListingRowId(operatorId, listings[0] ?? "")
      yield* insertPushes(operatorId, row, { state: "pushed", settledAt: NOW })
      yield* insertPushes(operatorId, row, { state: "refused", settledAt: NOW }, PRICE_PUSHES_SCANNED - 1)
      const shown = Effect.map(getPage(cookie, `${PATH}?from=${FIRST}&listings=${property}`), ({ text }) => text)
      assert.include(yield* shown, ">120</td>")
      yield* insertPushes(operatorId, row, { state: "refused", settledAt: NOW })
      assert.notInclude(yield* shown, ">120</td>")
      yield* addListings("a", PRICE_LISTINGS_SHOWN - listings.length)
      assert.strictEqual((yield* shown).match(/<tr class="listing">/g)?.length, PRICE_LISTINGS_SHOWN)
      yield* addListings("b", 1)
      assert.include(yield* shown, `The first ${PRICE_LISTINGS_SHOWN} of ${PRICE_LISTINGS_SHOWN + 1}`)
      yield* addListings("c", PRICE_RESULTS_SHOWN - PRICE_LISTINGS_SHOWN - 1)
      const save = (price: string) =>
        fillAndSend(cookie, PATH, "set_prices", { ...MAY, target: [String(property)], price })
      const full = yield* save("100")
      assert.strictEqual(full.text.match(/>Sent</g)?.length, PRICE_RESULTS_SHOWN)
      assert.notInclude(full.text, "more listing")
      yield* addListings("d", 1)
      assert.include((yield* save("110")).text, "And 1 more listing.")
    })
  )

  it.effect("has no undo for earlier prices that are too long for a form", () =>
    Effect.sync(() => {
      const day = (index: number) => {
        const values = { price: 100 + (index % 2), minimum_stay: null, maximum_stay: null }
        return { date: addDays(FIRST, index), ...values, own: values }
      }
      const render = (days: number) =>
        renderEarlierPrices(
          [
            {
              id: 1,
              title: "Harbour",
              currency: "EUR",
              listings: [],
              days: Array.from({ length: days }, (_, index) => day(index))
            }
          ],
          { values: { price: 1 } }
        )
      const dayLength = (render(2)?.length ?? 0) - (render(1)?.length ?? 0)
      const fitting = Math.floor((PRICE_UNDO_LENGTH - (render(1)?.length ?? 0)) / dayLength) + 1
      assert.isAtMost(render(fitting)?.length ?? 0, PRICE_UNDO_LENGTH)
      assert.isDefined(render(fitting))
      assert.isUndefined(render(fitting + 1))
    })
  )
})
