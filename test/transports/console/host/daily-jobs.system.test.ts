import { assert, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { addDays, dateInZone } from "../../../../src/contract/time.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { insertConversation } from "../../../support/conversations.ts"
import { BEFORE_ARRIVAL_RULE, insertRule } from "../../../support/domain/automation/automation-service.ts"
import { createOperator, insertOrder, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import { insertMessages } from "../../../support/transports/console/host/host-conversation.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// The jobs of a host's day, in a real browser, with the clicks that they take. Typing does not count.

const layerDay = Layer.provideMerge(layerSignedInPages, Layer.succeed(References.MinimumLogLevel, "Error"))

/** A host with a guest who arrives today and has asked something, a booking request and a rule. */
const prepareDay = Effect.gen(function* () {
  const { operatorId, accountId } = yield* createOperator({ timeZone: "UTC" })
  const propertyId = yield* insertProperty(operatorId, "Harbour view with a name that is rather long")
  const account = yield* insertChannelAccount(operatorId)
  const { code } = yield* insertConversation({ operatorId, accountId: account, channelType: "airbnb" })
  yield* insertMessages(code, "Word. ".repeat(40), { sentAt: new Date(Date.now() - 600_000).toISOString(), count: 30 })
  const today = dateInZone(Date.now(), "UTC")
  yield* insertOrder(operatorId, [{ propertyId, checkIn: today, checkOut: addDays(today, 3) }], {
    channelType: "airbnb"
  })
  yield* insertOrder(operatorId, [{ propertyId, checkIn: addDays(today, 9), checkOut: addDays(today, 11) }], {
    channelType: "airbnb",
    status: "wait_accept"
  })
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE stays SET guest_name = 'Ada Lovelace' WHERE operator_id = ${operatorId}`
  yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE)
  yield* insertRule(operatorId, { ...BEFORE_ARRIVAL_RULE, name: "For Vrbo", channel_types: ["vrbo"] })
  return { operatorId, cookie: yield* signIn(accountId) }
})

const openSignedIn = Effect.fnUntraced(function* (
  cookie: string,
  viewport: { readonly width: number; readonly height: number }
) {
  const [base, page] = [yield* BaseUrl, yield* openPage({ viewport })]
  yield* Effect.promise(() => page.context().addCookies([{ name: "latchkey", value: cookie, url: base }]))
  return { page, open: (path: string) => Effect.promise(() => page.goto(`${base}/console/${path}`)) }
})

/** Counts the clicks of the host, over all pages. */
const countClicks = (page: Page) => {
  const clicks = { count: 0 }
  return {
    clicks,
    click: async (role: "link" | "button", name: string) => {
      clicks.count += 1
      await page.getByRole(role, { name, exact: true }).first().click()
    }
  }
}

layer(layerDay, { excludeTestServices: true })("a host's day in the browser", (it) => {
  it.effect.skipIf(!hasChromium)(withChromiumNote("answers a guest with two clicks on a phone"), () =>
    Effect.gen(function* () {
      const { cookie } = yield* prepareDay
      const { page, open } = yield* openSignedIn(cookie, PHONE_VIEWPORT)
      yield* open("messages")
      const { clicks, click } = countClicks(page)
      yield* Effect.promise(async () => {
        assert.isTrue(await page.getByText("Unanswered", { exact: true }).last().isVisible())
        await click("link", "Ada Lovelace")
        const reply = page.getByLabel("Reply")
        await reply.waitFor()
        // The field is in the window, without scrolling.
        assert.isAtMost((await reply.boundingBox())?.y ?? Number.POSITIVE_INFINITY, PHONE_VIEWPORT.height)
        await reply.fill("Very quiet.")
        await click("button", "Send to Ada Lovelace")
        await page.getByText("Very quiet.").waitFor()
        assert.isTrue(await page.getByText("Sending…").isVisible())
      })
      assert.strictEqual(clicks.count, 2)
    }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("checks a guest in with one click, and undoes it"), () =>
    Effect.gen(function* () {
      const { cookie } = yield* prepareDay
      const { page, open } = yield* openSignedIn(cookie, DESKTOP_VIEWPORT)
      yield* open("overview")
      const { clicks, click } = countClicks(page)
      yield* Effect.promise(async () => {
        await click("button", "Check in Ada Lovelace")
        await page.getByText("Ada Lovelace checked in.").waitFor()
      })
      assert.strictEqual(clicks.count, 1)
      yield* Effect.promise(async () => {
        await click("button", "Undo")
        await page.getByText("Check-in of Ada Lovelace undone.").waitFor()
        assert.isTrue(await page.getByText("Not checked in").isVisible())
      })
    }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("sees the Accept button of a request after one click"), () =>
    Effect.gen(function* () {
      const { cookie } = yield* prepareDay
      const { page, open } = yield* openSignedIn(cookie, PHONE_VIEWPORT)
      yield* open("overview")
      const { click } = countClicks(page)
      yield* Effect.promise(async () => {
        await click("link", "Answer Ada Lovelace")
        await page.getByRole("button", { name: "Accept" }).waitFor()
      })
    }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("edits a rule, and sees which one would send nothing"), () =>
    Effect.gen(function* () {
      const { cookie } = yield* prepareDay
      const { page, open } = yield* openSignedIn(cookie, DESKTOP_VIEWPORT)
      yield* open("automation")
      const { click } = countClicks(page)
      yield* Effect.promise(async () => {
        const silentRule = page.getByRole("row", { name: "For Vrbo" })
        assert.include((await silentRule.textContent()) ?? "", "Would not be sent Vrbo: not connected.")
        await click("link", "Edit Before arrival")
        await page.getByLabel("Name", { exact: true }).fill("The day before")
        await click("button", "Preview")
        await page.getByRole("heading", { name: "Would not be sent" }).waitFor()
        assert.strictEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "The day before")
        await click("button", "Save")
        await page.getByText("Rule saved.").waitFor()
        assert.isTrue(await page.getByText("The day before").first().isVisible())
      })
    }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("has pages for everybody that fit a phone and a desk"), () =>
    Effect.gen(function* () {
      const { cookie } = yield* prepareDay
      for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
        const { page, open } = yield* openSignedIn(cookie, viewport)
        for (const path of ["overview", "start", "automation", "automation?new=booking", "history", "notifications"]) {
          yield* open(path)
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], path)
          const width = yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth"))
          assert.isAtMost(Number(width), viewport.width, path)
        }
      }
    }).pipe(Effect.provide(Browser.layer))
  )
})
