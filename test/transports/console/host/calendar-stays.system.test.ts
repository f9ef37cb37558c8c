import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { Browser, DESKTOP_VIEWPORT, hasChromium, openPage, withChromiumNote } from "../../../support/browser.ts"
import {
  toAirbnbBlock,
  toAirbnbBooking,
  toAirbnbFeed
} from "../../../support/domain/calendars/calendar-stays/marketplace-feeds.ts"
import {
  MINUTE_MS,
  NOW,
  startCalendarSource
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { layerLocalOutbound } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { createOperator, insertProperty, layerServiceWithOutbound } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"
import { layerSignedInPagesOf, PASSWORD, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// The whole way of a booking in a marketplace's calendar: by the public API, and by a host in a browser.

const layerPages = Layer.provide(
  layerSignedInPagesOf(Layer.provideMerge(layerServiceWithOutbound(layerTestDatabase), layerLocalOutbound)),
  Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))
)

const BOOKING = toAirbnbBooking("HMWHOLE123", "2027-05-01", "2027-05-04")
const BLOCK = toAirbnbBlock("block", "2027-06-01", "2027-06-03")

const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const operator = yield* createOperator()
  const propertyId = yield* insertProperty(operator.operatorId, "Harbour 1")
  const source = yield* startCalendarSource
  source.serveCalendar(toAirbnbFeed(BOOKING, BLOCK))
  return { ...operator, ...source, propertyId, base: yield* BaseUrl }
})

layer(Layer.merge(layerPages, Browser.layer))("a booking of a marketplace's calendar", (it) => {
  it.effect("becomes a reservation over the API, and is cancelled when it is gone from two fetches", () =>
    Effect.gen(function* () {
      const { token, operatorId, base, propertyId, makeUrl, serveCalendar } = yield* prepare
      const request = (method: string, path: string, body?: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${base}/v3${path}`, {
            method,
            headers: { "Service-Access-Token": token, "Content-Type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          const { error_code, error_msg, data } = JSON.parse(await response.text())
          assert.strictEqual(error_code, 0, `${method} ${path}: ${error_msg}`)
          return data
        })
      const { imported_calendar_id: id } = yield* request("POST", "/imported_calendars", {
        property_id: propertyId,
        url: makeUrl(),
        events: "stay"
      })
      yield* request("POST", `/imported_calendars/${id}/fetch`)
      const search = request("GET", "/reservations?start_check_in_date=2027-04-20")
      const [stay, ...others] = (yield* search).reservations
      assert.deepStrictEqual(others, [])
      assert.include(stay, { channel_type: "airbnb", status: "accepted", check_in_date: "2027-05-01" })
      assert.match(stay.reservation_code, /^9-/)
      const { stay_code } = stay
      yield* request("POST", "/tasks", { type: "cleaning", stay_code })
      yield* request("PATCH", `/reservations/${stay_code}/check_in_details`, { lock_code: "4711" })
      const portalPath = new URL(stay.check_in_details.check_in_guide_url).pathname
      const portal = yield* Effect.promise(() => fetch(`${base}${portalPath}`))
      assert.strictEqual(portal.status, 200)
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ event: string }>`
        SELECT event FROM events WHERE operator_id = ${operatorId} AND event LIKE 'reservation%'`
      assert.strictEqual(events[0]?.event, "reservation_created")

      serveCalendar(toAirbnbFeed(BLOCK))
      yield* request("POST", `/imported_calendars/${id}/fetch`)
      assert.include((yield* search).reservations[0], { status: "accepted" })
      yield* TestClock.adjust(14 * MINUTE_MS)
      yield* request("POST", `/imported_calendars/${id}/fetch`)
      const [calendar] = (yield* request("GET", "/imported_calendars")).imported_calendars
      assert.deepInclude(calendar, {
        events: "stay",
        channel_type: "airbnb",
        stay_problems: [
          {
            reason: "missing",
            reservation_code: stay_code,
            check_in_date: "2027-05-01",
            check_out_date: "2027-05-04"
          }
        ]
      })
      yield* TestClock.adjust(MINUTE_MS)
      yield* request("POST", `/imported_calendars/${id}/fetch`)
      assert.include((yield* search).reservations[0], { status: "cancelled" })
      yield* request("POST", `/imported_calendars/${id}/fetch`)
      assert.lengthOf((yield* search).reservations, 1)
    })
  )

  it.effect.skipIf(!hasChromium)(
    withChromiumNote("becomes a reservation in the console, which the host detaches"),
    () =>
      Effect.gen(function* () {
        const { accountId, base, makeUrl } = yield* prepare
        const cookie = yield* signIn(accountId)
        const page = yield* openPage({ viewport: DESKTOP_VIEWPORT })
        yield* Effect.promise(async () => {
          await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
          await page.goto(`${base}/console/calendars`)
          const form = page.locator("form", { has: page.getByRole("button", { name: "Import", exact: true }) })
          await form.locator("select[name=property]").selectOption({ label: "Harbour 1" })
          await form.locator("input[name=url]").fill(makeUrl())
          await form.getByLabel("Bookings become reservations").check()
          const password = form.locator("input[type=password]")
          if ((await password.count()) > 0) await password.fill(PASSWORD)
          await form.getByRole("button", { name: "Import" }).click()
          await page.waitForLoadState()
          await page.goto(`${base}/console/calendars`)
          await page
            .getByRole("button", { name: /^Sync now/ })
            .first()
            .click()
          await page.waitForLoadState()
          await page.goto(`${base}/console/calendars`)
          assert.include((await page.locator("main").textContent()) ?? "", "match the calendar")
          await page.goto(`${base}/console/reservations?start_check_in_date=2027-05-01`)
          const link = page.locator('a[href*="code=9-"]').first()
          await link.click()
          await page.waitForLoadState()
          assert.include((await page.locator("main").textContent()) ?? "", "From an imported calendar")
          await page.locator("summary", { hasText: "Disconnect from the calendar" }).click()
          await page.getByRole("button", { name: "Disconnect", exact: true }).click()
          await page.waitForLoadState()
          assert.include(
            (await page.getByRole("status").first().textContent()) ?? "",
            "Disconnected from the calendar."
          )
        })
      }),
    EVERY_PAGE_MS
  )
})
