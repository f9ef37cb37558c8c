import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
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
import {
  EVERY_PAGE,
  findOverhang,
  openConsolePage,
  signInToConsole
} from "../../../support/transports/console/every-page.ts"

/** Texts that only engineers understand: names of fields, and values that a template has not filled in. */
const ENGINEERS_TEXT = /\b[a-z]+_[a-z]+(?:_[a-z]+)*\b|undefined|\[object Object\]|NaN/

/** The page that hosts open for engineers, and one whose placeholders are names of fields. */
const PAGES_WITH_NAMES = ["access", "automation"]

const LOOKS = [
  { viewport: PHONE_VIEWPORT, colorScheme: "dark" },
  { viewport: DESKTOP_VIEWPORT, colorScheme: "light" }
] as const

describe.skipIf(!hasChromium)(withChromiumNote("every page of the console"), () => {
  layer(Layer.merge(FirstStart.layer, Browser.layer), { excludeTestServices: false })((it) => {
    for (const { viewport, colorScheme } of LOOKS)
      it.effect(
        `is accessible, fits ${viewport.width} pixels and has one primary action at most (${colorScheme})`,
        () =>
          Effect.gen(function* () {
            const { baseUrl, email, password } = yield* FirstStart
            const page = yield* openPage({ viewport, colorScheme })
            yield* Effect.promise(() => signInToConsole(page, baseUrl, { email, password }))
            const findings: Array<string> = []
            for (const each of EVERY_PAGE) {
              yield* Effect.promise(() => openConsolePage(page, baseUrl, each))
              const violations = yield* findAccessibilityViolations(page)
              const overhang = yield* Effect.promise(() => findOverhang(page))
              const headings = yield* Effect.promise(() => page.locator("h1").count())
              const primary = yield* Effect.promise(() => page.locator(".page-head .primary").count())
              const text = yield* Effect.promise(() => page.locator("main").innerText())
              const engineersText = PAGES_WITH_NAMES.includes(each.name) ? null : ENGINEERS_TEXT.exec(text)
              findings.push(
                ...violations.map((violation) => `${each.name}: ${violation}`),
                ...(overhang > 0 ? [`${each.name}: ${overhang} pixels too wide`] : []),
                ...(headings === 1 ? [] : [`${each.name}: ${headings} main headings`]),
                ...(primary <= 1 ? [] : [`${each.name}: ${primary} primary actions`]),
                ...(engineersText === null ? [] : [`${each.name}: the text "${engineersText[0]}"`])
              )
            }
            assert.deepStrictEqual(findings, [])
          }),
        EVERY_PAGE_MS
      )
  })
})
