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

// A host sets base prices on the page of prices, and the sandbox marketplace sells for them.

const run = (act: () => Promise<unknown>) => Effect.promise(act)

const dateInDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

// Seven nights have each weekday once.
const [FIRST, LAST] = [dateInDays(200), dateInDays(206)]
const NIGHTS = Array.from({ length: 7 }, (_, index) => dateInDays(200 + index))
const isSaturday = (date: string): boolean => new Date(date).getUTCDay() === 6

interface Ratio {
  readonly channel_type: string
  readonly listing_id: string
  readonly ratio: number
  readonly readonly: boolean
}

describe.skipIf(!hasChromium)(withChromiumNote("base prices in the console"), () => {
  layer(Layer.merge(FirstStart.layer, Browser.layer), { excludeTestServices: true })((it) => {
    it.effect(
      "are set on the page of prices and reach the marketplace",
      () =>
        Effect.gen(function* () {
          const { baseUrl: baseURL, email, password, token } = yield* FirstStart
          const page = yield* openPage({ viewport: DESKTOP_VIEWPORT, baseURL })
          const press = (name: string) =>
            run(() =>
              Promise.all([page.waitForEvent("load"), page.getByRole("button", { name, exact: true }).first().click()])
            )
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
          const title = "Lisbon, Alfama Terrace"
          const tick = (name: string) =>
            run(() => page.locator("tbody").filter({ hasText: name }).getByRole("checkbox").first().check())
          const fillNights = Effect.andThen(
            run(() => page.getByLabel("First night").fill(FIRST)),
            run(() => page.getByLabel("Last night").fill(LAST))
          )
          const status = Effect.promise(() => page.getByRole("status").first().innerText())
          yield* run(() => page.goto("/console/prices"))
          yield* run(() => page.getByLabel("Name").fill(title))
          yield* run(() => page.getByLabel("From", { exact: true }).fill(FIRST))
          yield* press("Show")
          const rows = page.locator("table.prices tbody")
          assert.strictEqual(yield* Effect.promise(() => rows.count()), 1)
          const property = yield* Effect.promise(() => rows.getByRole("checkbox").inputValue())
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])

          // A mistake is shown beside its field, and the form keeps what was filled in.
          yield* tick(title)
          yield* fillNights
          const minimumStay = page.getByLabel("Min. stay")
          yield* run(() => minimumStay.fill("5"))
          yield* run(() => page.getByLabel("Max. stay").fill("2"))
          yield* press("Save prices")
          const error = page.locator("label", { has: minimumStay }).locator(".field-error")
          assert.include(yield* Effect.promise(() => error.innerText()), "Minimum stay must not be above maximum stay")
          assert.strictEqual(yield* Effect.promise(() => minimumStay.inputValue()), "5")
          assert.isTrue(yield* Effect.promise(() => rows.getByRole("checkbox").isChecked()))

          yield* run(() => page.getByLabel("Max. stay").fill(""))
          yield* run(() => minimumStay.fill("2"))
          yield* run(() => page.getByLabel("Price per night").fill("150"))
          yield* press("Save prices")
          assert.match(yield* status, /^Prices saved: Lisbon, Alfama Terrace\. \d+ listings get the changes/)
          assert.include(yield* status, "prices are set on the channel")
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
          if (process.env["SCREENSHOT"] !== undefined)
            yield* run(() => page.screenshot({ path: process.env["SCREENSHOT"] ?? "", fullPage: true }))

          yield* tick(title)
          yield* fillNights
          yield* run(() => page.getByLabel("Price per night").fill("180"))
          yield* run(() => page.getByLabel("Sat", { exact: true }).check())
          yield* press("Save prices")
          assert.match(yield* status, /^Prices saved/)

          const { channels }: { channels: ReadonlyArray<Ratio> } = yield* api(`/pricing_ratios?property_id=${property}`)
          const airbnb = channels.find((each) => each.channel_type === "airbnb" && !each.readonly)
          assert.isDefined(airbnb)
          const { channel_type, listing_id, ratio } = airbnb
          const withMarkup = (price: number) => Math.floor((price * ratio + 50) / 100)
          const expected = NIGHTS.map((date) => withMarkup(isSaturday(date) ? 180 : 150))
          const readPrices = Effect.map(
            api("/listings/calendar", { start_date: FIRST, end_date: LAST, listings: [{ channel_type, listing_id }] }),
            (data: { listings: ReadonlyArray<{ calendar: ReadonlyArray<{ price: number }> }> }) =>
              data.listings[0]?.calendar.map(({ price }) => price)
          )
          yield* Effect.repeat(readPrices, {
            until: (found) => found?.join() === expected.join(),
            schedule: Schedule.spaced("600 millis")
          }).pipe(Effect.timeout("60 seconds"))
          const shown = `/console/prices?q=${encodeURIComponent(title)}&from=${FIRST}`
          yield* run(() => page.goto(shown))
          assert.include(yield* Effect.promise(() => rows.innerText()), "synced")

          yield* tick(title)
          yield* fillNights
          yield* run(() => page.locator("summary", { hasText: "Clear prices" }).click())
          yield* press("Clear prices")
          yield* run(() => page.goto(shown))
          assert.notMatch(yield* Effect.promise(() => rows.innerText()), /150|180|min 2/)

          const { room_types: roomTypes } = yield* api("/room_types?limit=1")
          const { id, title: roomType, properties: rooms } = roomTypes[0]
          yield* run(() => page.goto(`/console/prices?from=${FIRST}`))
          yield* run(() => page.getByRole("link", { name: "Room types" }).click())
          yield* run(() => page.waitForURL(/show=room_type/))
          yield* tick(roomType)
          yield* fillNights
          yield* run(() => page.getByLabel("Price per night").fill("130"))
          yield* press("Save prices")
          assert.include(yield* status, `Prices saved: ${roomType}.`)
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
          for (const query of [`room_type_id=${id}`, `property_id=${rooms[0].id}`]) {
            const { days } = yield* api(`/base_prices?${query}&start_date=${FIRST}&end_date=${LAST}`)
            assert.deepStrictEqual([days.length, days[0].price], [7, 130])
          }
        }),
      EVERY_PAGE_MS
    )
  })
})
