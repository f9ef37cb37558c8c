import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SHARED_PAGE_PROPERTIES_MAX } from "../../../src/platform/limits.ts"
import { PAGE_MONTHS } from "../../../src/transports/shared-calendar/shared-calendar.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../support/browser.ts"
import { createOperator, insertOrder, insertProperty, typedClient, withToken } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { EVERY_PAGE_MS } from "../../support/time-limits.ts"

const TODAY = "2027-06-10"

/** A new operator whose flat is taken at the end of June, and where links lead. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse(`${TODAY}T10:00:00Z`))
  const base = yield* BaseUrl
  const operator = yield* createOperator()
  const harbour = yield* insertProperty(operator.operatorId, "Harbour 1")
  const order = yield* insertOrder(operator.operatorId, [
    { propertyId: harbour, checkIn: "2027-06-29", checkOut: "2027-07-02", revenue: "777" }
  ])
  const api = yield* typedClient
  const as = withToken(operator.token)
  const share = Effect.fnUntraced(function* (property_ids?: ReadonlyArray<number>) {
    const { calendar_share_link: link } = yield* api
      .create_calendar_share_link(property_ids === undefined ? { scope: "entire" } : { scope: "partial", property_ids })
      .pipe(as)
    return { ...link, here: `${base}/calendar/${link.url.split("/").at(-1)}` }
  })
  return { ...operator, base, harbour, order, api, as, share }
})

const opened = Effect.fnUntraced(function* (url: string, options: Parameters<typeof openPage>[0] = {}) {
  const page = yield* openPage(options)
  const complaints: Array<string> = []
  const requests: Array<string> = []
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => requests.push(request.url()))
  const response = yield* Effect.promise(() => page.goto(url))
  return { page, response, complaints, requests }
})

describe.skipIf(!hasChromium)(withChromiumNote("the page of a share link"), () => {
  layer(Layer.merge(layerHttpServer(), Browser.layer), { excludeTestServices: false })((it) => {
    it.effect("shows the months ahead of a property, each day free or taken in words", () =>
      Effect.gen(function* () {
        const { share, harbour } = yield* ready
        const { page, response } = yield* opened((yield* share([harbour])).here)
        assert.strictEqual(response?.status(), 200)
        const seen = yield* Effect.promise(async () => ({
          title: await page.title(),
          language: await page.locator("html").getAttribute("lang"),
          headline: await page.getByRole("heading", { level: 1 }).textContent(),
          months: await page.locator("caption").allInnerTexts(),
          june: await page.getByRole("table", { name: "June 2027" }).getByRole("cell").allTextContents(),
          july: await page.getByRole("table", { name: "July 2027" }).getByRole("cell").allTextContents(),
          weekdays: await page.getByRole("table", { name: "June 2027" }).getByRole("columnheader").allInnerTexts(),
          today: await page.locator("[aria-current=date]").textContent()
        }))
        assert.strictEqual(seen.title, "Harbour 1 – free and taken days")
        assert.strictEqual(seen.language, "en")
        assert.strictEqual(seen.headline, "Harbour 1")
        assert.deepStrictEqual(seen.months, [
          "June 2027",
          "July 2027",
          "August 2027",
          "September 2027",
          "October 2027",
          "November 2027"
        ])
        assert.strictEqual(seen.months.length, PAGE_MONTHS)
        assert.deepStrictEqual(
          seen.june.filter((text) => text !== ""),
          Array.from({ length: 30 }, (_, index) => {
            const day = index + 1
            return `${day} ${day < 10 ? "past" : day < 29 ? "free" : "taken"}`
          })
        )
        assert.deepStrictEqual(seen.july.filter((text) => text !== "").slice(0, 3), ["1 taken", "2 free", "3 free"])
        assert.strictEqual(seen.weekdays.length, 7)
        assert.strictEqual(seen.today, "10 free")
      }).pipe(Effect.scoped)
    )

    it.effect("puts every date under its weekday", () =>
      Effect.gen(function* () {
        const { share } = yield* ready
        const { page } = yield* opened((yield* share()).here)
        const columns = yield* Effect.promise(() =>
          page.evaluate<ReadonlyArray<{ date: string; column: number }>>(`
            [...document.querySelectorAll("table")].flatMap((table) =>
              [...table.querySelectorAll("td b")].map((day) => {
                const cell = day.closest("td")
                const before = [...cell.parentElement.children].slice(0, cell.cellIndex)
                const column = before.reduce((sum, each) => sum + each.colSpan, 0)
                return { date: day.textContent + " " + table.caption.textContent, column }
              }))`)
        )
        assert.isAbove(columns.length, 180)
        for (const { date, column } of columns) {
          assert.strictEqual((new Date(`${date} UTC`).getUTCDay() + 6) % 7, column, date)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("names every property of an entire link, and leads to each by keyboard", () =>
      Effect.gen(function* () {
        const { share, operatorId } = yield* ready
        yield* insertProperty(operatorId, "Annex")
        const { page } = yield* opened((yield* share()).here, { viewport: PHONE_VIEWPORT })
        const seen = yield* Effect.promise(async () => {
          const names = await page.getByRole("navigation", { name: "Properties" }).getByRole("link").allInnerTexts()
          await page.keyboard.press("Tab")
          await page.keyboard.press("Tab")
          const focused = await page.evaluate<string>("document.activeElement.textContent")
          await page.keyboard.press("Enter")
          const regions = page.getByRole("region")
          return {
            names,
            focused,
            headings: await page.getByRole("heading", { level: 2 }).allInnerTexts(),
            tables: await page.getByRole("region", { name: "Annex" }).getByRole("table").count(),
            regions: await regions.count(),
            inView: await page.evaluate<boolean>(`(() => {
              const { top } = document.getElementById("property-2").getBoundingClientRect()
              return top >= 0 && top < innerHeight
            })()`)
          }
        })
        assert.deepStrictEqual(seen, {
          names: ["Annex", "Harbour 1"],
          focused: "Harbour 1",
          headings: ["Annex", "Harbour 1"],
          tables: PAGE_MONTHS,
          regions: 2,
          inView: true
        })
      }).pipe(Effect.scoped)
    )

    it.effect("has pages when there are many properties, to be turned without a script", () =>
      Effect.gen(function* () {
        const { share, operatorId } = yield* ready
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE operators SET room_limit = 1000 WHERE id = ${operatorId}`
        yield* sql`
          INSERT INTO properties (operator_id, title, created_at)
          SELECT ${operatorId}, 'Room ' || n, now() FROM generate_series(1, ${2 * SHARED_PAGE_PROPERTIES_MAX}::int) n`
        const { here } = yield* share()
        const { page } = yield* opened(here, { viewport: PHONE_VIEWPORT, javaScriptEnabled: false })
        const pages = page.getByRole("navigation", { name: "Pages", exact: true })
        const headlines = () =>
          page.waitForLoadState().then(() => page.getByRole("heading", { level: 2 }).allTextContents())
        const seen = yield* Effect.promise(async () => {
          const offered = await pages.getByRole("link").allTextContents()
          const first = await headlines()
          await pages.getByRole("link", { name: "Next" }).click()
          const second = await headlines()
          await page.getByRole("navigation", { name: "More pages" }).getByRole("link", { name: "Page 3" }).click()
          return {
            offered,
            first,
            second,
            third: await headlines(),
            current: await pages.locator("[aria-current]").textContent()
          }
        })
        const roomsFrom = (first: number, last: number) =>
          Array.from({ length: last - first + 1 }, (_, index) => `Room ${first + index}`)
        assert.deepStrictEqual(seen, {
          offered: ["Page 1", "Page 2", "Page 3", "Next"],
          first: ["Harbour 1", ...roomsFrom(1, 49)],
          second: roomsFrom(50, 99),
          third: ["Room 100"],
          current: "Page 3"
        })
        const last = yield* opened(`${here}?page=3`, { viewport: PHONE_VIEWPORT })
        assert.deepStrictEqual(yield* findAccessibilityViolations(last.page), [])
      }).pipe(Effect.scoped)
    )

    it.effect(
      "fits a phone, runs and loads nothing, and has no barriers by day and by night",
      () =>
        Effect.gen(function* () {
          const { share, operatorId } = yield* ready
          yield* insertProperty(operatorId, `The ${"very ".repeat(12)}long${"est".repeat(30)} name`)
          const { here } = yield* share()
          for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
            for (const colorScheme of ["light", "dark"] as const) {
              const { page, complaints, requests } = yield* opened(here, { viewport, colorScheme })
              const fits = yield* Effect.promise(() =>
                page.evaluate<boolean>("document.documentElement.scrollWidth <= window.innerWidth")
              )
              assert.isTrue(fits, `${viewport.width}`)
              assert.deepStrictEqual(requests, [here])
              assert.strictEqual(yield* Effect.promise(() => page.locator("script").count()), 0)
              assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
              assert.deepStrictEqual(complaints, [])
            }
          }
        }).pipe(Effect.scoped),
      EVERY_PAGE_MS
    )

    it.effect("needs no script to be read", () =>
      Effect.gen(function* () {
        const { share, harbour } = yield* ready
        const { page } = yield* opened((yield* share([harbour])).here, { javaScriptEnabled: false })
        const cell = page.getByRole("table", { name: "June 2027" }).getByRole("cell", { name: "29 taken" })
        assert.isTrue(yield* Effect.promise(() => cell.isVisible()))
      }).pipe(Effect.scoped)
    )

    it.effect("prints without what is of use on a screen only", () =>
      Effect.gen(function* () {
        const { share, operatorId } = yield* ready
        yield* insertProperty(operatorId, "Annex")
        const { page } = yield* opened((yield* share()).here)
        const navigation = page.getByRole("navigation")
        assert.isTrue(yield* Effect.promise(() => navigation.isVisible()))
        yield* Effect.promise(() => page.emulateMedia({ media: "print" }))
        assert.isFalse(yield* Effect.promise(() => navigation.isVisible()))
        assert.isTrue(yield* Effect.promise(() => page.getByRole("table").first().isVisible()))
      }).pipe(Effect.scoped)
    )

    it.effect("shows a title as it is, whatever is in it", () =>
      Effect.gen(function* () {
        const { share, operatorId } = yield* ready
        const odd = `<img src=x onerror="document.title='x'"> & 'Co' </style></title>`
        const property = yield* insertProperty(operatorId, odd)
        const { page, complaints } = yield* opened((yield* share([property])).here)
        assert.strictEqual(yield* Effect.promise(() => page.getByRole("heading", { level: 1 }).textContent()), odd)
        assert.strictEqual(yield* Effect.promise(() => page.title()), `${odd} – free and taken days`)
        assert.strictEqual(yield* Effect.promise(() => page.locator("img").count()), 0)
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.scoped)
    )

    it.effect("says so when the link is invalid", () =>
      Effect.gen(function* () {
        const { share, api, as, base } = yield* ready
        const link = yield* share()
        yield* api.delete_calendar_share_link({ id: link.id }).pipe(as)
        for (const url of [link.here, `${base}/calendar/unknown`, `${base}/calendar/`, `${link.here}x`]) {
          const { page, response } = yield* opened(url, { viewport: PHONE_VIEWPORT })
          assert.strictEqual(response?.status(), 404)
          const headline = yield* Effect.promise(() => page.getByRole("heading", { level: 1 }).textContent())
          assert.strictEqual(headline, "Share link invalid")
          assert.strictEqual(yield* Effect.promise(() => page.title()), "Share link invalid")
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        }
      }).pipe(Effect.scoped)
    )

    it.effect("is a page also without a property", () =>
      Effect.gen(function* () {
        const { base } = yield* ready
        const { token } = yield* createOperator()
        const api = yield* typedClient
        const { calendar_share_link: link } = yield* api
          .create_calendar_share_link({ scope: "entire" })
          .pipe(withToken(token))
        const { page } = yield* opened(`${base}/calendar/${link.url.split("/").at(-1)}`)
        assert.include(
          (yield* Effect.promise(() => page.getByRole("banner").textContent())) ?? "",
          "There are no properties in this calendar yet."
        )
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      }).pipe(Effect.scoped)
    )
  })
})
