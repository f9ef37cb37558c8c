import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
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

// The day of a host, from the demo's sign-in on, by the words that the pages show and nothing else.

const done = (act: () => Promise<unknown>) => Effect.promise(act)

/** Pixels of a page that stand out of a window that is as wide. */
const overhang = (page: Page) =>
  Effect.promise(() => page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth"))

const LOOKS = [
  { name: "at a desk", options: { viewport: DESKTOP_VIEWPORT } },
  { name: "on a phone, without a script", options: { viewport: PHONE_VIEWPORT, javaScriptEnabled: false } }
] as const

const nextSaturday = (): readonly [string, string] => {
  const now = new Date()
  const days = (6 - now.getUTCDay() + 7) % 7 || 7
  const at = (more: number) => new Date(now.getTime() + (days + more) * 86_400_000).toISOString().slice(0, 10)
  return [at(0), at(1)]
}

describe.skipIf(!hasChromium)(withChromiumNote("the day of a host"), () => {
  layer(Layer.merge(FirstStart.layer, Browser.layer), { excludeTestServices: false })((it) => {
    for (const { name, options } of LOOKS) {
      it.effect(
        name,
        () =>
          Effect.gen(function* () {
            const { baseUrl: base, email, password } = yield* FirstStart
            const page = yield* openPage({ ...options, baseURL: base })
            const hasScript = !("javaScriptEnabled" in options)

            /** Everything is in reach on every page that the day leads over. */
            const looked = Effect.fnUntraced(function* (what: string) {
              if (!hasScript) return
              assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], what)
              assert.isAtMost(yield* overhang(page), 0, what)
            })
            const press = (words: string | RegExp) =>
              done(async () => {
                await page.getByRole("button", { name: words }).first().click()
                await page.waitForLoadState()
              })
            const follow = (words: string | RegExp) =>
              done(async () => {
                await page.getByRole("link", { name: words }).first().click()
                await page.waitForLoadState()
              })
            const unfold = (words: string) => done(() => page.locator("summary", { hasText: words }).first().click())
            const go = Effect.fnUntraced(function* (words: string) {
              const link = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: words })
              if (!(yield* Effect.promise(() => link.isVisible())))
                yield* done(() => page.getByText("More", { exact: true }).click())
              yield* done(async () => {
                await link.click()
                await page.waitForLoadState()
              })
            })
            const says = Effect.fnUntraced(function* (words: string) {
              const status = page.getByRole("status").filter({ hasText: words }).first()
              yield* done(() => status.waitFor({ timeout: 20_000 }))
            })

            /** Drags over the days of the last property of the calendar. */
            const dragDays = (first: string, last: string) =>
              done(async () => {
                const row = page.locator("tr[data-property]").last()
                const today = await page.locator("table.calendar").getAttribute("data-first")
                const toPoint = async (day: string) => {
                  const cell = row.locator("td").nth((Date.parse(day) - Date.parse(today ?? "")) / 86_400_000)
                  await cell.scrollIntoViewIfNeeded()
                  const box = await cell.boundingBox()
                  if (box === null) throw new Error(`the calendar has no cell of ${day}`)
                  return { x: box.x + box.width / 2, y: box.y + box.height - 4 }
                }
                const [from, to] = [await toPoint(first), await toPoint(last)]
                await page.mouse.move(from.x, from.y)
                await page.mouse.down()
                await page.mouse.move(to.x, to.y, { steps: 4 })
                await page.mouse.up()
              })

            yield* done(() => page.goto("/console"))
            yield* done(() => page.getByLabel("E-mail address").fill(email))
            yield* done(() => page.getByLabel("Password").fill(password))
            yield* press("Sign in")
            yield* looked("calendar")

            // A request is seen and accepted.
            yield* go("Overview")
            yield* looked("overview")
            yield* follow(/^Answer/)
            yield* looked("a request")
            yield* press("Accept")
            yield* says("Request accepted.")

            // A guest is answered.
            yield* go("Messages")
            yield* looked("messages")
            yield* done(() => page.locator("table.cards a").first().click())
            yield* done(() => page.getByLabel("Reply").fill(`You are welcome, ${name}.`))
            yield* looked("a conversation")
            yield* press(/^Send to /)
            yield* says("Message on its way to the guest.")
            assert.include(yield* Effect.promise(() => page.locator(".talk").innerText()), `You are welcome, ${name}.`)

            // Another stay is moved, and moved back.
            yield* go("Reservations")
            yield* done(() => page.locator("table.cards tr", { hasText: "Confirmed" }).locator("a").nth(3).click())
            yield* unfold("Move to another property")
            const properties = page.locator("select[name=property_id]").first()
            const property = yield* Effect.promise(() => properties.locator("option").nth(1).getAttribute("value"))
            yield* done(() => properties.selectOption(property))
            yield* press(/^Move/)
            yield* says("Moved to ")
            yield* looked("a stay")

            // A weekend is blocked.
            const [saturday, sunday] = nextSaturday()
            yield* go("Calendar")
            if (hasScript) yield* dragDays(saturday, sunday)
            else {
              yield* done(() => page.getByLabel("First day").fill(saturday))
              yield* done(() => page.getByLabel("Last day").fill(sunday))
            }
            yield* press("Block")
            yield* says("Blocked ")
            yield* looked("blocked days")

            // An expense is recorded.
            yield* go("Money")
            yield* looked("money")
            yield* follow("Add expense")
            yield* done(() => page.getByLabel("Amount").fill("35.50"))
            yield* done(() => page.getByLabel("Category").selectOption({ index: 1 }))
            yield* done(() => page.getByLabel("Note").fill(`Towels, ${name}`))
            yield* looked("an expense")
            yield* press("Save")
            yield* says("Expense of 35.50 EUR saved.")
            assert.include(yield* Effect.promise(() => page.locator("main").innerText()), `Towels, ${name}`)

            // The activity log has all of it.
            yield* go("Activity log")
            yield* looked("activity log")
            const log = yield* Effect.promise(() => page.locator("main").innerText())
            for (const text of [
              "Income or expense added",
              "Dates blocked or unblocked",
              "Message sent",
              "Booking request accepted"
            ])
              assert.include(log, text)
          }),
        EVERY_PAGE_MS
      )
    }
  })
})
