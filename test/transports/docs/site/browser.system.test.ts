import { assert, describe, layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { vi } from "vitest"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { FirstStart } from "../../../support/first-start.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"

vi.setConfig({ testTimeout: EVERY_PAGE_MS })

// The documentation as a newcomer's browser shows it.

const PAGES = ["/docs/", "/docs/reference/rest.html", "/docs/reference/search_reservations.html", "/docs/try.html"]

/** A page whose every request is noted that goes anywhere else, with what its scripts complain of. */
const watched = Effect.fnUntraced(function* (options: Parameters<typeof openPage>[0]) {
  const { baseUrl: base } = yield* FirstStart
  const page = yield* openPage(options)
  const elsewhere: Array<string> = []
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) elsewhere.push(request.url())
  })
  page.on("pageerror", (error) => elsewhere.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error") elsewhere.push(message.text())
  })
  return { page, elsewhere, base }
})

const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth")

/** An operation of each method. */
const EXPANDED_OPERATIONS = [
  ["finance", "query_income_items", "get"],
  ["finance", "create_transaction", "post"],
  ["finance", "update_transaction", "patch"],
  ["finance", "delete_transaction", "delete"],
  ["reservation", "update_stay_status", "put"]
] as const

/** Texts with a contrast below 4.5, or below 3 if they are large (WCAG 2.2, 1.4.3). */
const findContrastViolations = (page: Page, selector: string) =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<{
      violations: ReadonlyArray<{ nodes: ReadonlyArray<{ html: string; failureSummary: string }> }>
    }>(`axe.run("${selector}", { runOnly: ["color-contrast"] })`)
    return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`))
  })

describe.skipIf(!hasChromium)(withChromiumNote("the documentation in a browser"), () => {
  layer(Layer.mergeAll(FirstStart.layer, Browser.layer), { excludeTestServices: true })((it) => {
    for (const [name, viewport, colorScheme, pages] of [
      ["phone", PHONE_VIEWPORT, "dark", PAGES],
      ["desk", DESKTOP_VIEWPORT, "light", PAGES.slice(0, 2)]
    ] as const) {
      it.effect(`fits a ${name}, ${colorScheme}, keeps nobody out, and asks nobody else`, () =>
        Effect.gen(function* () {
          const { page, elsewhere, base } = yield* watched({ viewport, colorScheme })
          for (const path of pages) {
            yield* Effect.promise(() => page.goto(`${base}${path}`, { waitUntil: "load" }))
            assert.isAtMost(yield* Effect.promise(() => widthOf(page)), viewport.width, path)
            // Swagger UI has violations that are not ours. The next test checks its colours.
            if (!path.endsWith("try.html")) assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], path)
          }
          assert.deepStrictEqual(elsewhere, [])
        })
      )
    }

    for (const [name, viewport, colorScheme] of [
      ["phone", PHONE_VIEWPORT, "dark"],
      ["desk", DESKTOP_VIEWPORT, "light"]
    ] as const) {
      it.effect(`has readable colours on the page for trying, on a ${name}, ${colorScheme}`, () =>
        Effect.gen(function* () {
          const { page, base } = yield* watched({ viewport, colorScheme })
          yield* Effect.promise(() => page.goto(`${base}/docs/try.html`))
          for (const [tag, operation, method] of EXPANDED_OPERATIONS) {
            yield* Effect.promise(async () => {
              const header = page.locator(`#operations-tag-${tag}`)
              await header.waitFor()
              if ((await header.getAttribute("data-is-open")) !== "true") await header.click()
              const block = page.locator(`#operations-${tag}-${operation}`)
              await block.locator(".opblock-summary-control").click()
              await block.locator(".opblock-body .responses-table").waitFor()
              assert.include(await block.getAttribute("class"), `opblock-${method}`)
            })
          }
          yield* Effect.promise(async () => {
            const block = page.locator("#operations-finance-query_income_items")
            await block.locator(".execute").click()
            await block.locator(".live-responses-table").waitFor()
          })
          assert.deepStrictEqual(yield* findContrastViolations(page, "#main"), [])
          const responsesAreWider = yield* Effect.promise(() =>
            page.$$eval(".responses-inner", (parts) => parts.some((part) => part.scrollWidth > part.clientWidth))
          )
          assert.isFalse(responsesAreWider)
          assert.isAtMost(yield* Effect.promise(() => widthOf(page)), viewport.width)
          yield* Effect.promise(() => page.click(".btn.authorize"))
          assert.deepStrictEqual(yield* findContrastViolations(page, ".modal-ux"), [])
        })
      )
    }

    it.effect(
      "shows the fields of an operation on a phone, and the options of a command, without scrolling sideways",
      () =>
        Effect.gen(function* () {
          const { page, base } = yield* watched({ viewport: PHONE_VIEWPORT })
          for (const [path, selector] of [
            ["search_reservations", ":is(#fields, #result) + .table"],
            ["cli", "pre:has(code.text)"]
          ]) {
            yield* Effect.promise(() => page.goto(`${base}/docs/reference/${path}.html`))
            const hiddenWidths = yield* Effect.promise(() =>
              page.$$eval(`${selector}`, (parts) =>
                parts.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
              )
            )
            assert.isNotEmpty(hiddenWidths)
            assert.isAtMost(Math.max(...hiddenWidths), 0, path)
          }
        })
    )

    it.effect("finds a page by words, and goes there", () =>
      Effect.gen(function* () {
        const { page, base } = yield* watched({ viewport: DESKTOP_VIEWPORT })
        yield* Effect.promise(async () => {
          await page.goto(`${base}/docs/`)
          await page.keyboard.press("/")
          await page.keyboard.type("rotated secret signature")
          await page.waitForSelector("#found a")
          await page.keyboard.press("Enter")
          await page.waitForURL(/\/docs\/reference\/verify-signatures\.html/)
          for (const [asked, wanted] of [
            ["move a booking", "update_reservation_basic"],
            ["search_staffs", "query_staffs"],
            ["unpaid", "search_reservations"],
            ["custom_channel_id", "create_reservation"],
            ["open a week", "update_availabilities"]
          ] as const) {
            await page.fill("#search", asked)
            await page.waitForSelector(`#found a[href*="${wanted}"]`)
          }
          await page.fill("#search", "zzzzqqq")
          await page.waitForSelector("#found :text('Nothing found')")
        })
      })
    )

    it.effect("keeps the colours that its reader chose", () =>
      Effect.gen(function* () {
        const { page, base } = yield* watched({ viewport: DESKTOP_VIEWPORT, colorScheme: "light" })
        const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
        yield* Effect.promise(async () => {
          await page.goto(`${base}/docs/`)
          const before = await ground()
          await page.click("#theme")
          const after = await ground()
          assert.notStrictEqual(after, before)
          await page.reload()
          assert.strictEqual(await ground(), after)
        })
      })
    )

    it.effect("calls the service with the demo's token filled in", () =>
      Effect.gen(function* () {
        const { page, base, elsewhere } = yield* watched({ viewport: DESKTOP_VIEWPORT })
        yield* Effect.promise(async () => {
          await page.goto(`${base}/docs/try.html`)
          await page.click("#operations-tag-finance")
          const operation = page.locator("#operations-finance-query_income_items")
          await operation.locator(".opblock-summary-control").click()
          await operation.locator(".execute").click()
          await operation.locator(".live-responses-table :text('Room fee')").first().waitFor()
        })
        assert.deepStrictEqual(elsewhere, [])
      })
    )

    it.effect("is read without scripts", () =>
      Effect.gen(function* () {
        const { baseUrl: base } = yield* FirstStart
        const page = yield* openPage({ viewport: DESKTOP_VIEWPORT, javaScriptEnabled: false })
        yield* Effect.promise(async () => {
          await page.goto(`${base}/docs/reference/rate-limits.html`)
          assert.include(await page.innerText("main"), "Rate limits")
          await page.click(".menu > summary")
          await page.click("nav summary:text('finance')")
          await page.click("nav a:text('search_transactions')")
          assert.include(await page.innerText("h1"), "search_transactions")
        })
      })
    )
  })
})
