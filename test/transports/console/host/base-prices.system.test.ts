import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  withChromiumNote
} from "../../../support/browser.ts"
import { FirstStart } from "../../../support/first-start.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"

// A host sets base prices on the calendar page, and the sandbox marketplace sells for them.

const run = (act: () => Promise<unknown>) => Effect.promise(act)

const dateInDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const [FIRST, LAST] = [dateInDays(200), dateInDays(206)]

interface Ratio {
  readonly channel_type: string
  readonly listing_id: string
  readonly ratio: number
  readonly readonly: boolean
}

describe.skipIf(!hasChromium)(withChromiumNote("base prices in the console"), () => {
  layer(Layer.merge(FirstStart.layer, Browser.layer), { excludeTestServices: true })((it) => {
    it.effect(
      "are set for selected days and reach the marketplace",
      () =>
        Effect.gen(function* () {
          const { baseUrl: baseURL, email, password, token } = yield* FirstStart
          const page = yield* openPage({ viewport: DESKTOP_VIEWPORT, baseURL })
          const press = (name: string) =>
            run(async () => {
              await page.getByRole("button", { name }).first().click()
              await page.waitForLoadState()
            })
          const api = (path: string, body?: object) =>
            Effect.promise(async () => {
              const response = await fetch(`${baseURL}/v3${path}`, {
                method: body === undefined ? "GET" : "POST",
                headers: { "service-access-token": token, "content-type": "application/json" },
                ...(body === undefined ? {} : { body: JSON.stringify(body) })
              })
              const { data } = JSON.parse(await response.text())
              return data
            })
          yield* run(() => page.goto("/console"))
          yield* run(() => page.getByLabel("E-mail address").fill(email))
          yield* run(() => page.getByLabel("Password").fill(password))
          yield* press("Sign in")
          yield* run(() => page.goto("/console/calendar"))
          yield* run(() => page.getByLabel("First day").fill(FIRST))
          yield* run(() => page.getByLabel("Last day").fill(LAST))
          const properties = page.getByLabel("Property").first()
          yield* run(() => properties.selectOption({ label: "Lisbon, Alfama Terrace" }))
          const property = yield* Effect.promise(() => properties.inputValue())
          yield* press("Look at these days")
          const prices = page.locator("#prices")
          assert.include(yield* Effect.promise(() => prices.innerText()), "none")
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])

          // A mistake is shown, and the form keeps what was filled in.
          yield* run(() => prices.getByLabel("Minimum stay").fill("5"))
          yield* run(() => prices.getByLabel("Maximum stay").fill("2"))
          yield* press("Save prices")
          const alert = yield* Effect.promise(() => page.getByRole("alert").first().innerText())
          assert.include(alert, "minimum_stay: must not be above maximum_stay")
          assert.strictEqual(yield* Effect.promise(() => prices.getByLabel("Minimum stay").inputValue()), "5")

          yield* run(() => prices.getByLabel("Maximum stay").fill(""))
          yield* run(() => prices.getByLabel("Minimum stay").fill("2"))
          yield* run(() => prices.getByLabel("Base price").fill("150"))
          yield* press("Save prices")
          const status = yield* Effect.promise(() => page.getByRole("status").first().innerText())
          assert.match(status, /^Prices saved\. \d+ listings get the changes within a minute\.$/)
          assert.include(yield* Effect.promise(() => prices.innerText()), "150.00 EUR")
          assert.include(
            yield* Effect.promise(() => page.locator(".message.note").innerText()),
            "its prices are set on its channel"
          )
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
          if (process.env["SCREENSHOT"] !== undefined)
            yield* run(() => page.screenshot({ path: process.env["SCREENSHOT"] ?? "", fullPage: true }))

          const { channels }: { channels: ReadonlyArray<Ratio> } = yield* api(`/pricing_ratios?property_id=${property}`)
          const airbnb = channels.find((each) => each.channel_type === "airbnb" && !each.readonly)
          assert.isDefined(airbnb)
          const { channel_type, listing_id, ratio } = airbnb
          const expected = Math.floor((150 * ratio + 50) / 100)
          const readPrices = Effect.map(
            api("/listings/calendar", { start_date: FIRST, end_date: LAST, listings: [{ channel_type, listing_id }] }),
            (data: { listings: ReadonlyArray<{ calendar: ReadonlyArray<{ price: number }> }> }) =>
              data.listings[0]?.calendar.map(({ price }) => price)
          )
          yield* Effect.repeat(readPrices, {
            until: (found) => found?.every((price) => price === expected) === true,
            schedule: Schedule.spaced("600 millis")
          }).pipe(Effect.timeout("60 seconds"))

          yield* run(() => page.goto(`/console/calendar?property=${property}&from=${FIRST}&to=${LAST}`))
          yield* run(() => page.locator("summary", { hasText: "Clear prices" }).click())
          yield* press("Clear prices")
          assert.notInclude(yield* Effect.promise(() => prices.innerText()), "150.00 EUR")

          const { room_types: roomTypes } = yield* api("/room_types?limit=1")
          const { id, title, properties: rooms } = roomTypes[0]
          yield* run(() => page.goto("/console/calendar"))
          yield* run(() => page.getByLabel("Room type").selectOption({ label: title }))
          yield* run(() => page.getByLabel("First night").fill(LAST))
          yield* run(() => page.getByLabel("Last night").fill(FIRST))
          yield* press("Show the base prices")
          const form = page.locator("#room-type")
          assert.include(yield* Effect.promise(() => form.innerText()), "The last day is before the first.")
          assert.strictEqual(yield* Effect.promise(() => page.getByRole("alert").count()), 1)
          yield* run(() => page.getByLabel("First night").fill(FIRST))
          yield* run(() => page.getByLabel("Last night").fill(LAST))
          yield* press("Show the base prices")
          assert.include(yield* Effect.promise(() => prices.innerText()), `Base prices of ${title}`)
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
          yield* run(() => prices.getByLabel("Base price").fill("130"))
          yield* press("Save prices")
          assert.match(yield* Effect.promise(() => page.getByRole("status").first().innerText()), /^Prices saved\./)
          assert.include(yield* Effect.promise(() => prices.innerText()), "130.00")
          for (const query of [`room_type_id=${id}`, `property_id=${rooms[0].id}`]) {
            const { days } = yield* api(`/base_prices?${query}&start_date=${FIRST}&end_date=${LAST}`)
            assert.deepStrictEqual([days.length, days[0].price], [7, 130])
          }
        }),
      EVERY_PAGE_MS
    )
  })
})
