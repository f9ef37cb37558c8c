import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { call, dataOf, insertProperty } from "../../../support/harness.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"
import { openCalendar } from "../../../support/transports/console/host/calendar-browser.ts"
import { createSignedInHost } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

// A Tuesday. The calendar of the tests begins on it.
const NOW = Date.parse("2027-05-04T10:00:00Z")

const PHONE = { viewport: PHONE_VIEWPORT, hasTouch: true, isMobile: true }
const DESKTOP = { viewport: DESKTOP_VIEWPORT }

const run = <A>(act: () => Promise<A>) => Effect.promise(act)

/** A host with two properties. Ada has the first one from 5 to 8 May. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createSignedInHost()
  const [attic, boat] = [
    yield* insertProperty(host.operatorId, "Attic"),
    yield* insertProperty(host.operatorId, "Boat")
  ]
  const book = (property_id: number, guest_name: string, check_in_date: string, check_out_date: string) =>
    Effect.flatMap(
      call(host.token, "create_reservation", {
        ...{ property_id, guest_name, check_in_date, check_out_date, received_amount: 0 },
        ...{ custom_channel_id: 30, currency: "EUR", rate_amount: 100, commission_amount: 0, income_method_id: 197 }
      }),
      dataOf
    )
  yield* book(attic, "Ada", "2027-05-05", "2027-05-08")
  return { ...host, attic, boat, book }
})

const readDays = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ day: string }>`
    SELECT p.title || ' ' || d.day AS day FROM calendar_days d JOIN properties p ON p.operator_id = d.operator_id AND p.id = d.property_id
    WHERE d.operator_id = ${operatorId} AND d.closed ORDER BY 1`
  return rows.map(({ day }) => day)
})

const readPlaces = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ place: string }>`
    SELECT s.guest_name || ': ' || coalesce(p.title, 'unassigned') || ' ' || s.check_in_date || ' ' || s.check_out_date AS place
    FROM stays s LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE s.operator_id = ${operatorId} ORDER BY 1`
  return rows.map(({ place }) => place)
})

const cell = (page: Page, property: string, day: string) =>
  page
    .locator("tr[data-property]", { hasText: property })
    .locator("td")
    .nth((Date.parse(day) - Date.parse("2027-05-04")) / 86_400_000)

/** The lower edge of a cell is below the bar of a stay. */
const pointOf = async (page: Page, property: string, day: string) => {
  const target = cell(page, property, day)
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (box === null) throw new Error(`no cell of ${property} on ${day}`)
  return { x: box.x + box.width / 2, y: box.y + box.height - 4 }
}

interface Place {
  readonly x: number
  readonly y: number
}

const dragMouse = async (page: Page, from: Place, to: Place) => {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 })
  await page.mouse.move(to.x, to.y, { steps: 3 })
  await page.mouse.up()
}

const centerOf = async (page: Page, guest: string): Promise<Place> => {
  const box = await page.locator("a.stay", { hasText: guest }).boundingBox()
  if (box === null) throw new Error(`no stay of ${guest}`)
  return { x: box.x + 20, y: box.y + box.height / 2 }
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

const layerBrowserPages = Layer.merge(layerSignedInPages, Browser.layer)

layer(layerBrowserPages, { timeout: EVERY_PAGE_MS })("the calendar in a browser", (it) => {
  const inBrowser = it.effect.skipIf(!hasChromium)

  inBrowser(withChromiumNote("blocks a weekend with a drag and a click, and undoes it"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* prepare
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        await dragMouse(page, await pointOf(page, "Boat", "2027-05-08"), await pointOf(page, "Boat", "2027-05-09"))
        await press(page, "Block")
        await page.getByRole("status").getByText("Blocked 8–9 May 2027 in Boat.").waitFor()
      })
      assert.deepStrictEqual(yield* readDays(operatorId), ["Boat 2027-05-08", "Boat 2027-05-09"])
      assert.strictEqual(yield* run(() => cell(page, "Boat", "2027-05-08").innerText()), "Blocked")
      assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      yield* run(async () => {
        await press(page, "Undo")
        await page.getByRole("status").getByText("Undone.").waitFor()
      })
      assert.deepStrictEqual(yield* readDays(operatorId), [])
    })
  )

  inBrowser(withChromiumNote("blocks days of two properties by keyboard, and keeps the focus"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* prepare
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        await page.locator("td[tabindex='0']").focus()
        for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", " "])
          await page.keyboard.press(key)
        await page.keyboard.press("Shift+ArrowRight")
        await page.keyboard.press("Shift+ArrowDown")
        await page.getByRole("button", { name: "Block", exact: true }).focus()
        await page.keyboard.press("Enter")
        await page.getByRole("status").getByText("Blocked 9–10 May 2027 in 2 properties.").waitFor()
      })
      assert.deepStrictEqual(yield* readDays(operatorId), [
        ...["Attic 2027-05-09", "Attic 2027-05-10"],
        ...["Boat 2027-05-09", "Boat 2027-05-10"]
      ])
      const label = yield* run(() => page.locator("td:focus").getAttribute("aria-label"))
      assert.strictEqual(label, "Boat, 10 May, Blocked")
    })
  )

  inBrowser(withChromiumNote("blocks a weekend by touch: the first day, the last day and the button"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* prepare
      const page = yield* openCalendar(cookie, PHONE)
      yield* run(async () => {
        for (const day of ["2027-05-08", "2027-05-09"]) {
          const { x, y } = await pointOf(page, "Boat", day)
          await page.touchscreen.tap(x, y)
        }
      })
      assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      yield* run(async () => {
        await page.getByRole("button", { name: "Block", exact: true }).tap()
        await page.getByRole("status").getByText("Blocked 8–9 May 2027 in Boat.").waitFor()
      })
      assert.deepStrictEqual(yield* readDays(operatorId), ["Boat 2027-05-08", "Boat 2027-05-09"])
    })
  )

  inBrowser(withChromiumNote("moves a stay to another property with one drag, and undoes it"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* prepare
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        const from = await centerOf(page, "Ada")
        await dragMouse(page, from, { x: from.x, y: (await pointOf(page, "Boat", "2027-05-05")).y })
        await page.getByRole("status").getByText("Moved Ada to Boat.").waitFor()
      })
      assert.deepStrictEqual(yield* readPlaces(operatorId), ["Ada: Boat 2027-05-05 2027-05-08"])
      yield* run(async () => {
        await press(page, "Undo")
        await page.getByRole("status").getByText("Moved Ada to Attic.").waitFor()
      })
      assert.deepStrictEqual(yield* readPlaces(operatorId), ["Ada: Attic 2027-05-05 2027-05-08"])
    })
  )

  inBrowser(withChromiumNote("moves a stay to other days with one drag"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* prepare
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        const from = await centerOf(page, "Ada")
        const [first, fourth] = [await pointOf(page, "Attic", "2027-05-05"), await pointOf(page, "Attic", "2027-05-08")]
        await dragMouse(page, from, { x: from.x + fourth.x - first.x, y: from.y })
        await page.getByRole("status").getByText("Moved Ada to 8–11 May 2027.").waitFor()
      })
      assert.deepStrictEqual(yield* readPlaces(operatorId), ["Ada: Attic 2027-05-08 2027-05-11"])
    })
  )

  inBrowser(withChromiumNote("asks before a move that clashes, and names the guest and the dates in the way"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId, boat, book } = yield* prepare
      yield* book(boat, "Bea", "2027-05-07", "2027-05-10")
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        const from = await centerOf(page, "Ada")
        await dragMouse(page, from, { x: from.x, y: (await pointOf(page, "Boat", "2027-05-05")).y })
        await page.getByRole("alertdialog").getByText("Bea, 7–10 May 2027").waitFor()
      })
      assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      assert.include(yield* readPlaces(operatorId), "Ada: Attic 2027-05-05 2027-05-08")
      yield* run(async () => {
        await press(page, "Move and unassign")
        await page.getByRole("status").getByText("Moved Ada to Boat.").waitFor()
      })
      assert.deepStrictEqual(yield* readPlaces(operatorId), [
        "Ada: Boat 2027-05-05 2027-05-08",
        "Bea: unassigned 2027-05-07 2027-05-10"
      ])
      yield* run(async () => {
        await press(page, "Undo")
        await page.getByRole("status").getByText("Moved Ada to Attic.").waitFor()
      })
      assert.deepStrictEqual(yield* readPlaces(operatorId), [
        "Ada: Attic 2027-05-05 2027-05-08",
        "Bea: Boat 2027-05-07 2027-05-10"
      ])
    })
  )

  inBrowser(withChromiumNote("starts a reservation from selected nights, and saves prices for them"), () =>
    Effect.gen(function* () {
      const { cookie, boat } = yield* prepare
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        const select = async () =>
          dragMouse(page, await pointOf(page, "Boat", "2027-05-12"), await pointOf(page, "Boat", "2027-05-13"))
        await select()
        await page.locator("summary", { hasText: "Price & minimum stay" }).click()
        await page.getByLabel("Price per night").fill("120")
        await page.getByLabel("Minimum stay").fill("2")
        await page.keyboard.press("Enter")
        await page.getByRole("status").getByText("Prices saved for 12–13 May 2027 in Boat.").waitFor()
        assert.strictEqual(await cell(page, "Boat", "2027-05-12").innerText(), "120\n2n")
        await select()
        await press(page, "Book")
        await page.waitForURL(/reservations\/new/)
      })
      assert.include(page.url(), `property=${boat}&check_in_date=2027-05-12&check_out_date=2027-05-14`)
    })
  )

  inBrowser(withChromiumNote("loads further days at both edges, and does not leave the days that are shown"), () =>
    Effect.gen(function* () {
      const { cookie, token, boat } = yield* prepare
      yield* call(token, "update_availabilities", {
        ...{ property_ids: [boat], available: false, start_date: "2027-06-20", end_date: "2027-06-20" }
      })
      const page = yield* openCalendar(cookie, DESKTOP)
      yield* run(async () => {
        const scroll = (left: number) =>
          page.locator(".calendar-scroll").evaluate((box, to) => {
            box.scrollLeft = to
          }, left)
        await scroll(10_000)
        await page.locator("table[data-days='60']").waitFor()
        assert.strictEqual(await cell(page, "Boat", "2027-06-20").innerText(), "Blocked")
        await scroll(300)
        await scroll(0)
        await page.locator("table[data-first='2027-04-04']").waitFor()
        assert.isAbove(await page.locator(".calendar-scroll").evaluate((box) => box.scrollLeft), 1_000)
        assert.include(page.url(), "from=2027-04-04&days=90")
      })
    })
  )
})

layer(layerBrowserPages, { timeout: EVERY_PAGE_MS })("the calendar without script", (it) => {
  it.effect.skipIf(!hasChromium)(withChromiumNote("blocks days with its form"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* prepare
      const page = yield* openCalendar(cookie, { ...DESKTOP, javaScriptEnabled: false })
      yield* run(async () => {
        await page.locator("select[name=property]").selectOption({ label: "Boat" })
        await page.getByLabel("First day").fill("2027-05-08")
        await page.getByLabel("Last day").fill("2027-05-09")
        await press(page, "Block")
        await page.getByText("Blocked 8–9 May 2027 in Boat.").waitFor()
      })
      assert.deepStrictEqual(yield* readDays(operatorId), ["Boat 2027-05-08", "Boat 2027-05-09"])
    })
  )
})
