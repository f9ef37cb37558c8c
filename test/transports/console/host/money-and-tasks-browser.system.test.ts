import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { dateInZone } from "../../../../src/contract/time.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { createOperator, insertProperty, typedClient, withToken } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

const layerBrowserPages = Layer.merge(layerSignedInPages, Browser.layer)

/** The pixels that ten rows of a phone may use: the screen without the bar at its bottom. */
const ROW_HEIGHT_MAX = (PHONE_VIEWPORT.height - 56) / 10

/** A host in a browser, with two properties, a cleaner, tasks of today and transactions. */
const prepareHost = Effect.fnUntraced(function* (options: Parameters<typeof openPage>[0]) {
  const { operatorId, accountId, token } = yield* createOperator()
  const harbour = yield* insertProperty(operatorId, "Edinburgh, Leith Harbour 1")
  yield* insertProperty(operatorId, "Garden")
  const [api, as, today] = [yield* typedClient, withToken(token), dateInZone(Date.now(), "Europe/Berlin")]
  yield* api.create_staff({ name: "Marta Nunes", mobile: "+49 15112345678" }).pipe(as)
  const { task_id } = yield* api
    .create_task({ type: "cleaning", property_id: harbour, expected_date: today, expected_time: "11:30:00" })
    .pipe(as)
  const { transaction_id } = yield* api
    .create_transaction({
      ...{ direction: "income", amount: 1420.5, currency: "EUR", item_id: 11, payment_method_id: 197 },
      ...{ property_id: harbour, note: "Paid on arrival" }
    })
    .pipe(as)
  const [base, cookie, page] = [yield* BaseUrl, yield* signIn(accountId), yield* openPage(options)]
  yield* Effect.promise(() => page.context().addCookies([{ name: "latchkey", value: cookie, url: base }]))
  const visit = (path: string) => Effect.promise(() => page.goto(`${base}/console/${path}`))
  return { page, visit, api, as, today, harbour, task_id, transaction_id }
})

/** Uses a page with the mouse, and counts each click and each choice in a select. */
const countClicks = (page: Page) => {
  let clicks = 0
  return {
    press: (role: "link" | "button", name: string) =>
      Effect.promise(() => {
        clicks += 1
        return page.getByRole(role, { name, exact: true }).click()
      }),
    choose: (label: string, option: string) =>
      Effect.promise(() => {
        clicks += 1
        return page.getByRole("combobox", { name: label, exact: true }).selectOption({ label: option })
      }),
    total: () => clicks
  }
}

const toastOf = (page: Page) => Effect.promise(() => page.locator(".toast p").textContent())

describe.skipIf(!hasChromium)(withChromiumNote("money and tasks in the browser"), () => {
  layer(layerBrowserPages, { excludeTestServices: true })((it) => {
    it.effect.each([
      ["a phone", PHONE_VIEWPORT],
      ["a desk", DESKTOP_VIEWPORT]
    ] as const)("take an expense of a property in four clicks on %s", ([, viewport]) =>
      Effect.gen(function* () {
        const { page, visit, api, as, today, harbour } = yield* prepareHost({ viewport })
        const mouse = countClicks(page)
        yield* visit("money")
        yield* mouse.press("link", "Add expense")
        yield* Effect.promise(() => page.waitForURL("**/money?add=expense"))
        yield* Effect.promise(() => page.keyboard.type("35.5"))
        yield* mouse.choose("Category", "Laundry")
        yield* mouse.choose("Property", "Edinburgh, Leith Harbour 1")
        yield* mouse.press("button", "Save")
        assert.strictEqual(yield* toastOf(page), "Expense of 35.50 EUR saved.")
        assert.strictEqual(mouse.total(), 4)
        const { transactions } = yield* api
          .search_transactions({ start_date: today, end_date: today, direction: "expense" })
          .pipe(as)
        assert.deepInclude(transactions[0], { amount: 35.5, item_id: 52, property_id: harbour, status: "paid" })
      })
    )

    it.effect.each([
      ["a phone", PHONE_VIEWPORT],
      ["a desk", DESKTOP_VIEWPORT]
    ] as const)("assign a cleaner in two clicks on %s, and take it back by one", ([, viewport]) =>
      Effect.gen(function* () {
        const { page, visit, api, as, task_id } = yield* prepareHost({ viewport })
        const mouse = countClicks(page)
        const assignee = Effect.map(api.search_tasks({ id: task_id }).pipe(as), ({ tasks }) => tasks[0]?.staff_name)
        const task = "Cleaning, Edinburgh, Leith Harbour 1"
        yield* visit("tasks")
        yield* mouse.choose(`Assign ${task} to`, "Marta Nunes")
        yield* mouse.press("button", `Save ${task}`)
        assert.strictEqual(yield* toastOf(page), `${task}: assigned to Marta Nunes.`)
        assert.strictEqual(mouse.total(), 2)
        assert.strictEqual(yield* assignee, "Marta Nunes")
        yield* mouse.press("button", "Undo")
        assert.strictEqual(yield* toastOf(page), `${task}: unassigned.`)
        assert.isNull(yield* assignee)
      })
    )

    it.effect.each([
      ["a phone in the dark", { viewport: PHONE_VIEWPORT, colorScheme: "dark" }],
      ["a desk", { viewport: DESKTOP_VIEWPORT, colorScheme: "light" }],
      ["a narrow desk", { viewport: { width: 1024, height: 800 }, colorScheme: "light" }]
    ] as const)(
      "and the pages beside them keep nobody out, and fit %s",
      ([, options]) =>
        Effect.gen(function* () {
          const { page, visit, task_id, transaction_id } = yield* prepareHost(options)
          for (const path of [
            ...["money", "money?add=income", `money?change=${transaction_id}`],
            ...["tasks", "tasks?add=1", `tasks?change=${task_id}`, "year", "reviews", "access", "password"]
          ]) {
            yield* visit(path)
            assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], path)
            const overhanging = yield* Effect.promise(() =>
              page.evaluate<ReadonlyArray<string>>(
                `[document.documentElement, ...document.querySelectorAll("main section")]
                  .filter((each) => each.scrollWidth > each.clientWidth).map(({ localName }) => localName)`
              )
            )
            assert.deepStrictEqual(overhanging, [], path)
          }
        }),
      EVERY_PAGE_MS
    )

    it.effect("show ten rows on the screen of a phone", () =>
      Effect.gen(function* () {
        const { page, visit } = yield* prepareHost({ viewport: PHONE_VIEWPORT })
        for (const path of ["money", "tasks"]) {
          yield* visit(path)
          const box = yield* Effect.promise(() => page.locator(".cards tbody tr").first().boundingBox())
          assert.isAtMost(box?.height ?? ROW_HEIGHT_MAX + 1, ROW_HEIGHT_MAX, path)
        }
      })
    )
  })
})
