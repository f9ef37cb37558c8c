import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeDeliveryPolls } from "../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { webhookUrl } from "../../../src/transports/console/access/webhooks/webhook-parts.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { ACCESS_PATH } from "../../../src/transports/console/host/urls.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../support/browser.ts"
import {
  createSubscription,
  deliverAllDue,
  makeRepeatedEvents,
  recordEvents
} from "../../support/domain/webhooks/deliveries/delivery-service.ts"
import { makeSwitchableHandler, respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { BaseUrl } from "../../support/http-server.ts"
import { EVERY_PAGE_MS } from "../../support/time-limits.ts"
import { layerWebhookPages, signInVisitor } from "../../support/transports/console/webhook-pages.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

/** A host in a browser, with a webhook that failed, one that is fine, and what was sent to them. */
const hosted = Effect.fnUntraced(function* (options: Parameters<typeof openPage>[0]) {
  const [base, polls] = [yield* BaseUrl, yield* makeDeliveryPolls]
  const { behavior: mood, handler: answer } = makeSwitchableHandler()
  const server = yield* startReceiver(answer)
  const webhook = yield* createSubscription(server.port, { path: "/hooks" })
  yield* recordEvents(webhook.operator, makeRepeatedEvents(2))
  yield* deliverAllDue(polls)
  mood.respond = respondWith(500, "<h1>Internal Server Error</h1>".repeat(8))
  yield* recordEvents(webhook.operator, makeRepeatedEvents(1, "transaction:7"))
  yield* deliverAllDue(polls)
  const page = yield* openPage(options)
  const cookie = { name: "latchkey", value: signInVisitor(webhook.operator), url: base }
  yield* Effect.promise(() => page.context().addCookies([cookie]))
  return { page, base, webhook }
})

const looks = [
  ["a phone by day", { viewport: PHONE_VIEWPORT, colorScheme: "light" }],
  ["a desk in the dark", { viewport: DESKTOP_VIEWPORT, colorScheme: "dark" }]
] as const

describe.runIf(hasChromium)(withChromiumNote("the pages of webhooks in a browser"), () => {
  layer(Layer.merge(layerWebhookPages, Browser.layer), { excludeTestServices: true })((it) => {
    it.effect.each(looks)(
      "keep nobody out, on %s",
      ([name, options]) =>
        Effect.gen(function* () {
          const { page, base, webhook } = yield* hosted(options)
          for (const path of [ACCESS_PATH, webhookUrl(webhook.id)]) {
            yield* Effect.promise(() => page.goto(`${base}${path}`))
            // What is folded away is looked at, too.
            for (const summary of (yield* Effect.promise(() => page.locator("main summary").all())).toReversed()) {
              yield* Effect.promise(() => summary.click())
            }
            assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
            const isWide = yield* Effect.promise(() =>
              page.evaluate<boolean>("document.documentElement.scrollWidth > document.documentElement.clientWidth")
            )
            assert.isFalse(isWide, `${name}: ${path} scrolls sideways`)
            const times = yield* Effect.promise(() =>
              page.evaluate<ReadonlyArray<number>>(
                'Array.from(document.querySelectorAll("time")).filter((at) => at.checkVisibility()).map((at) => at.getClientRects().length)'
              )
            )
            assert.deepStrictEqual(new Set(times), new Set([1]), `${name}: ${path} breaks a time in two`)
          }
          yield* Effect.promise(() => page.getByRole("button", { name: WEBHOOK_TEXTS.test }).click())
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        }),
      EVERY_PAGE_MS
    )

    it.effect("are used by keyboard alone", () =>
      Effect.gen(function* () {
        const { page, base } = yield* hosted({ viewport: DESKTOP_VIEWPORT })
        const press = (...keys: ReadonlyArray<string>) =>
          Effect.promise(async () => {
            for (const key of keys) await page.keyboard.press(key)
          })
        const focused = Effect.promise(() =>
          page.evaluate<string>("(document.activeElement?.textContent ?? '').trim()")
        )
        const tabTo = (words: string) =>
          Effect.repeat(Effect.andThen(press("Tab"), focused), { until: (at) => at === words, times: 60 })
        yield* Effect.promise(() => page.goto(`${base}${ACCESS_PATH}`))
        yield* tabTo(WEBHOOK_TEXTS.add)
        yield* press("Enter", "Tab")
        yield* Effect.promise(() => page.keyboard.type("http://127.0.0.1:1/typed"))
        yield* press("Enter")
        yield* Effect.promise(() => page.locator(".secret").waitFor())
        yield* tabTo(WEBHOOK_TEXTS.continueLink)
        yield* press("Enter")
        yield* Effect.promise(() => page.locator(".secret").waitFor({ state: "detached" }))
        // What is loaded again now is the page, and not the form.
        yield* Effect.promise(() => page.reload())
        assert.strictEqual(yield* Effect.promise(() => page.getByText("http://127.0.0.1:1/typed").count()), 1)
        yield* tabTo("http://127.0.0.1:1/typed")
        yield* press("Enter")
        yield* Effect.promise(() => page.getByRole("button", { name: WEBHOOK_TEXTS.test }).waitFor())
        yield* tabTo(WEBHOOK_TEXTS.test)
        yield* press("Enter")
        yield* Effect.promise(() => page.getByText(WEBHOOK_TEXTS.failureReasons.connect).waitFor())
        yield* tabTo(WEBHOOK_TEXTS.pause)
        yield* press("Enter")
        yield* Effect.promise(() => page.getByText(TEXTS.access.done.webhook_paused).waitFor())
      })
    )
  })
})
