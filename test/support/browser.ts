import { existsSync } from "node:fs"
import axe from "axe-core"
import { Context, Effect, Layer } from "effect"
import { type Browser as Chromium, chromium, type Page } from "playwright-core"
import { PAGE_ACTION_MS } from "./time-limits.ts"

export const CHROMIUM_PATH = "/usr/bin/chromium"

/** Whether this machine has the browser; the name of a suite says so when it has not. */
export const hasChromium = existsSync(CHROMIUM_PATH)
export const withChromiumNote = (name: string): string =>
  hasChromium ? name : `${name} (skipped: no Chromium at ${CHROMIUM_PATH})`

/** The browser that the test files of this worker share, started by the first of them. It ends with the worker. */
const sharedBrowser = Effect.runSync(
  Effect.cached(
    Effect.promise(() =>
      chromium.launch({
        executablePath: CHROMIUM_PATH,
        headless: true,
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          // Names of tests are nobody's: no resolver need be waited for to hear so.
          "--host-resolver-rules=MAP *.test ~NOTFOUND",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync"
        ]
      })
    )
  )
)

/** A headless Chromium. Each page has a profile of its own. */
export class Browser extends Context.Service<Browser, Chromium>()("latchkey/test/Browser") {
  static readonly layer = Layer.effect(Browser, sharedBrowser)
}

export const PHONE_VIEWPORT = { width: 390, height: 844 } as const
export const DESKTOP_VIEWPORT = { width: 1280, height: 900 } as const

/** A page in a profile of its own that is closed with the scope. */
export const openPage = Effect.fnUntraced(function* (options: Parameters<Chromium["newPage"]>[0] = {}) {
  const browser = yield* Browser
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const page = await browser.newPage(options)
      page.setDefaultTimeout(PAGE_ACTION_MS)
      return page
    }),
    (page) => Effect.promise(() => page.close())
  )
})

/** What keeps people who use the page otherwise than by eye and mouse from using it (WCAG 2.2 A and AA, and good practice). */
export const findAccessibilityViolations = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<{
      violations: ReadonlyArray<{ id: string; nodes: ReadonlyArray<{ html: string }> }>
    }>("axe.run()")
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
