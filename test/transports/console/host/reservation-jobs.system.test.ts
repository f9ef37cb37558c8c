import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { addDays } from "../../../../src/contract/time.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { createOperator, insertOrder, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { stayPath } from "../../../support/transports/console/host/stay-with-guest.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// A host works on reservations in a real browser, and needs few clicks for it.

const layerQuiet = Layer.provideMerge(layerSignedInPages, Layer.succeed(References.MinimumLogLevel, "Error"))

const run = <A>(act: () => Promise<A>) => Effect.promise(act)

const TODAY = new Date().toISOString().slice(0, 10)

const openConsole = Effect.fnUntraced(function* (viewport: { readonly width: number; readonly height: number }) {
  const operator = yield* createOperator()
  const propertyId = yield* insertProperty(operator.operatorId, "Lisbon, Belém")
  const [baseURL, cookie] = [yield* BaseUrl, yield* signIn(operator.accountId)]
  const page = yield* openPage({ viewport, baseURL })
  yield* run(() => page.context().addCookies([{ name: "latchkey", value: cookie, url: baseURL }]))
  const sql = yield* SqlClient.SqlClient
  const insertGuest = Effect.fnUntraced(function* (
    name: string,
    checkIn: string,
    checkOut: string,
    status?: "wait_accept"
  ) {
    const options = status === undefined ? {} : { channelType: "airbnb", status }
    const code = yield* insertOrder(operator.operatorId, [{ propertyId, checkIn, checkOut }], options)
    yield* sql`UPDATE stays SET guest_name = ${name} WHERE operator_id = ${operator.operatorId} AND stay_code = ${code}`
    return code
  })
  let clicks = 0
  /** Clicks, and waits for the page that follows. */
  const press = (name: string) =>
    run(async () => {
      clicks += 1
      await page.getByRole("button", { name, exact: true }).first().click()
      await page.waitForLoadState()
    })
  return { ...operator, propertyId, page, insertGuest, press, countClicks: () => clicks }
})

const overhang = (page: Page) =>
  run(() => page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth"))

const assertUsable = Effect.fnUntraced(function* (page: Page, what: string) {
  assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], what)
  assert.isAtMost(yield* overhang(page), 0, what)
})

const VIEWPORTS = [
  ["at a desk", DESKTOP_VIEWPORT],
  ["on a phone", PHONE_VIEWPORT]
] as const

describe.skipIf(!hasChromium)(withChromiumNote("a host's work on reservations"), () => {
  layer(Layer.merge(layerQuiet, Browser.layer), { excludeTestServices: true })((it) => {
    for (const [where, viewport] of VIEWPORTS) {
      it.effect(`checks a guest in with one click, and undoes it, ${where}`, () =>
        Effect.gen(function* () {
          const { page, insertGuest, press, countClicks } = yield* openConsole(viewport)
          const code = yield* insertGuest("Chloé Martin", TODAY, addDays(TODAY, 2))
          yield* run(() => page.goto(stayPath(code)))
          yield* assertUsable(page, "a stay")
          yield* press("Check in")
          assert.strictEqual(countClicks(), 1)
          assert.include(yield* run(() => page.getByRole("status").innerText()), "Checked in.")
          yield* assertUsable(page, "a stay with a notice")
          yield* press("Undo")
          assert.include(yield* run(() => page.getByRole("status").innerText()), "Check-in undone.")
        })
      )

      it.effect(`accepts a request with one click on its page, ${where}`, () =>
        Effect.gen(function* () {
          const { page, insertGuest, press, countClicks } = yield* openConsole(viewport)
          const code = yield* insertGuest("Chloé Martin", addDays(TODAY, 9), addDays(TODAY, 11), "wait_accept")
          yield* run(() => page.goto(stayPath(code)))
          yield* assertUsable(page, "a request")
          yield* press("Accept")
          assert.strictEqual(countClicks(), 1)
          assert.include(yield* run(() => page.getByRole("status").innerText()), "Request accepted.")
          assert.include(yield* run(() => page.locator(".headline").innerText()), "Confirmed")
        })
      )

      it.effect(`books by hand with one click on the form, after a conflict that names the guest, ${where}`, () =>
        Effect.gen(function* () {
          const { page, propertyId, insertGuest, press } = yield* openConsole(viewport)
          yield* insertGuest("Chloé Martin", "2099-12-26", "2099-12-28")
          yield* run(() =>
            page.goto(
              `/console/reservations/new?property=${propertyId}&check_in_date=2099-12-27&check_out_date=2099-12-29`
            )
          )
          yield* run(() => page.getByLabel("Guest name").fill("Ada Lovelace"))
          yield* run(() => page.getByLabel("Total price").fill("420"))
          yield* press("Save")
          const conflict = "Lisbon, Belém is not free on these nights: Chloé Martin, 26–28 Dec 2099."
          assert.strictEqual(yield* run(() => page.getByRole("alert").innerText()), conflict)
          assert.strictEqual(yield* run(() => page.locator(".field-error").innerText()), conflict)
          yield* assertUsable(page, "a booking with a conflict")
          yield* run(() => page.getByLabel("Check-in").fill("2099-12-28"))
          yield* press("Save")
          assert.include(yield* run(() => page.getByRole("status").innerText()), "Reservation saved.")
          assert.strictEqual(yield* run(() => page.locator("h1").innerText()), "Ada Lovelace")
        })
      )
    }

    it.effect("shows all columns of the list from 1024 pixels on, and ten rows on a phone", () =>
      Effect.gen(function* () {
        const { page, insertGuest, operatorId } = yield* openConsole(DESKTOP_VIEWPORT)
        const sql = yield* SqlClient.SqlClient
        for (let week = 0; week < 12; week += 1)
          yield* insertGuest(`Maximiliane Mustermann ${week}`, addDays(TODAY, 7 * week), addDays(TODAY, 7 * week + 5))
        yield* sql`
          UPDATE properties SET title = 'Edinburgh, Stockbridge Mews Garden Apartment' WHERE operator_id = ${operatorId}`
        for (const width of [1024, 1280, 1440]) {
          yield* run(() => page.setViewportSize({ width, height: 900 }))
          yield* run(() => page.goto("/console/reservations"))
          assert.isAtMost(yield* overhang(page), 0, String(width))
          const hidden = yield* run(() =>
            page.evaluate<number>(
              "Math.max(...Array.from(document.querySelectorAll('section'), (each) => each.scrollWidth - each.clientWidth))"
            )
          )
          assert.isAtMost(hidden, 0, `${width}: the last column`)
        }
        yield* assertUsable(page, "reservations")
        yield* run(() => page.setViewportSize(PHONE_VIEWPORT))
        yield* assertUsable(page, "reservations on a phone")
        const height = yield* run(() =>
          page.evaluate<number>(
            "(() => { const rows = document.querySelectorAll('table.cards tbody tr'); return rows[9].getBoundingClientRect().bottom - rows[0].getBoundingClientRect().top })()"
          )
        )
        assert.isAtMost(height, 844 - 56)
        yield* run(() => page.getByText("More filters").click())
        yield* assertUsable(page, "filters on a phone")
      })
    )
  })
})
