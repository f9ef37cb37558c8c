import { assert, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
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
import { insertConversation } from "../../../support/conversations.ts"
import { createOperator, insertOrder, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { conversationPath, insertMessages } from "../../../support/transports/console/host/host-conversation.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// A host looks at a conversation while its guest writes: in a real browser, whose clock is the test's.

const LOOK = 10_000
/** Looks in an hour. */
const HOUR = 360

const layerLooking = Layer.provideMerge(layerSignedInPages, Layer.succeed(References.MinimumLogLevel, "Error"))

/** A host's browser at the page of a conversation in which something was said. */
const atTheTalk = Effect.fnUntraced(function* (options: NonNullable<Parameters<typeof openPage>[0]>) {
  const { operatorId, accountId } = yield* createOperator()
  const account = yield* insertChannelAccount(operatorId)
  const { code } = yield* insertConversation({ operatorId, accountId: account, channelType: "airbnb" })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  yield* insertMessages(code, "Is it quiet?", { sentAt: minutesAgo(9) })
  yield* insertMessages(code, "Very", { sender: "host", name: "Owner", delivery: "queued", sentAt: minutesAgo(8) })
  const [base, cookie] = [yield* BaseUrl, yield* signIn(accountId)]
  const page = yield* openPage(options)
  yield* Effect.promise(async () => {
    await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
    // Before the page is loaded: its timers are the test's.
    await page.clock.install()
    await page.goto(`${base}${conversationPath(code)}`)
  })
  const sql = yield* SqlClient.SqlClient
  return {
    page,
    /** The guest writes again, and what the host wrote has arrived. */
    meanwhile: Effect.gen(function* () {
      yield* insertMessages(code, "At night, <i>too</i>?", { sentAt: minutesAgo(1) })
      yield* sql`UPDATE messages SET delivery = 'sent' WHERE operator_id = ${operatorId} AND content = 'Very'`
    })
  }
})

const wordsOn = (page: Page) => page.locator(".talk .words").allTextContents()

/** Looks of the script that have been answered, counted from now on. */
const looksOf = (page: Page) => {
  const all = { count: 0 }
  page.on("response", (response) => {
    if (response.request().resourceType() === "fetch") all.count += 1
  })
  return all
}

layer(layerLooking, { excludeTestServices: true })("a conversation while its guest writes", (it) => {
  it.effect.skipIf(!hasChromium)(
    withChromiumNote("shows by its script what has come, and leaves alone what the host reads and writes"),
    () =>
      Effect.gen(function* () {
        const { page, meanwhile } = yield* atTheTalk({ viewport: DESKTOP_VIEWPORT })
        const answer = page.locator("textarea[name=message]")
        yield* Effect.promise(async () => {
          await answer.fill("It is, at ")
          await page.evaluate("document.activeElement.setSelectionRange(2, 4)")
          // A property of the elements themselves: others in their place have none.
          await page.evaluate("for (const each of document.querySelectorAll('.talk li')) each.kept = true")
        })
        yield* meanwhile
        yield* Effect.promise(async () => {
          assert.deepStrictEqual(await wordsOn(page), ["Is it quiet?", "Very"])
          await page.clock.runFor(LOOK)
          await page.locator(".talk li").nth(2).waitFor()
        })
        const seen = yield* Effect.promise(async () => ({
          words: await wordsOn(page),
          states: await page.locator(".talk .badge").allTextContents(),
          kept: await page.evaluate("Array.from(document.querySelectorAll('.talk li'), (each) => each.kept === true)"),
          polite: await page.locator("[role=log] .talk").count(),
          written: await answer.inputValue(),
          at: await page.evaluate(
            "[document.activeElement.name, document.activeElement.selectionStart, document.activeElement.selectionEnd]"
          )
        }))
        assert.deepStrictEqual(seen, {
          words: ["Is it quiet?", "Very", "At night, <i>too</i>?"],
          states: ["Sent"],
          kept: [true, true, false],
          polite: 1,
          written: "It is, at ",
          at: ["message", 2, 4]
        })
        // Once more: nothing is new, and nothing is there twice.
        yield* Effect.promise(async () => {
          const answered = page.waitForResponse((response) => response.request().resourceType() === "fetch")
          await page.clock.runFor(LOOK)
          await answered
          assert.lengthOf(await wordsOn(page), 3)
        })
      }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("is asked for no more once nobody is signed in"), () =>
    Effect.gen(function* () {
      const { page } = yield* atTheTalk({ viewport: DESKTOP_VIEWPORT })
      const looks = looksOf(page)
      const next = Effect.promise(async () => {
        const answered = page.waitForResponse((response) => response.request().resourceType() === "fetch")
        await page.clock.runFor(LOOK)
        return (await answered).status()
      })
      assert.strictEqual(yield* next, 200)
      yield* Effect.promise(() => page.context().clearCookies())
      assert.strictEqual(yield* next, 303)
      yield* Effect.promise(() => page.clock.runFor(3 * LOOK))
      assert.strictEqual(looks.count, 2)
    }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("is asked for an hour long, also while there is much to do"), () =>
    Effect.gen(function* () {
      const { page } = yield* atTheTalk({ viewport: DESKTOP_VIEWPORT })
      const looks = yield* Effect.promise(async () => {
        await page.evaluate("looked = 0; fetch = async () => (looked += 1, new Response('', { status: 503 }))")
        for (let look = 0; look < HOUR + 20; look++) await page.clock.runFor(LOOK)
        return await page.evaluate("looked")
      })
      assert.strictEqual(looks, HOUR)
    }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(
    withChromiumNote("shows it by its link where there are no scripts, and is answered"),
    () =>
      Effect.gen(function* () {
        const { page, meanwhile } = yield* atTheTalk({ viewport: PHONE_VIEWPORT, javaScriptEnabled: false })
        yield* meanwhile
        const seen = yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Refresh" }).click()
          const words = await wordsOn(page)
          await page.locator("textarea[name=message]").fill("It is")
          await page.getByRole("button", { name: "Send to Ada Lovelace" }).click()
          await page.locator("[role=status]").waitFor()
          return [words, await wordsOn(page)]
        })
        const before = ["Is it quiet?", "Very", "At night, <i>too</i>?"]
        assert.deepStrictEqual(seen, [before, [...before, "It is"]])
      }).pipe(Effect.provide(Browser.layer))
  )

  it.effect.skipIf(!hasChromium)(
    withChromiumNote("is there for everybody, on a phone and at a desk, as its list and reviews are"),
    () =>
      Effect.gen(function* () {
        const { cookie, addresses } = yield* muchToSee
        const base = yield* BaseUrl
        for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
          const page = yield* openPage({ viewport })
          yield* Effect.promise(() => page.context().addCookies([{ name: "latchkey", value: cookie, url: base }]))
          for (const address of addresses) {
            yield* Effect.promise(async () => {
              await page.goto(`${base}${address}`)
              await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true")
            })
            assert.deepStrictEqual(yield* findAccessibilityViolations(page), [], address)
            const width = yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth"))
            assert.isAtMost(Number(width), viewport.width, address)
          }
        }
      }).pipe(Effect.provide(Browser.layer))
  )
})

/** A host with all that these pages can show, and where they are. */
const muchToSee = Effect.gen(function* () {
  const { operatorId, accountId } = yield* createOperator()
  const propertyId = yield* insertProperty(operatorId, "Harbour view with a name that is rather long")
  const account = yield* insertChannelAccount(operatorId)
  const listingId = yield* insertListing(operatorId, account, { propertyId })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const inquiry = { listingId, checkInDate: day(20), checkOutDate: day(23) }
  const { code } = yield* insertConversation({ operatorId, accountId: account, channelType: "airbnb", inquiry })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  yield* insertMessages(code, "No", {
    sender: "host",
    delivery: "refused",
    reason: "Too short.",
    sentAt: minutesAgo(2)
  })
  yield* insertMessages(code, "Is it quiet? ".repeat(30), { sentAt: minutesAgo(1), attachment: "https://a.test/1.jpg" })
  yield* insertOrder(operatorId, [{ propertyId, checkIn: day(-5), checkOut: day(-2) }], { channelType: "airbnb" })
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE orders SET conversation_id = ${code} WHERE operator_id = ${operatorId}`
  const written = {
    score: 4.5,
    sub_score: [{ category: "cleanliness", rating: 5, review_category_tags: ["neat"] }],
    content: "Nice",
    created_at: "2026-01-01T00:00:00+00:00"
  }
  yield* sql`
    INSERT INTO reviews (operator_id, order_id, channel_type, check_out_date, guest_review, created_at)
    SELECT operator_id, id, 'airbnb', ${day(-2)}, ${JSON.stringify(written)}::jsonb, now() FROM orders WHERE operator_id = ${operatorId}`
  yield* sql`
    INSERT INTO special_offers (operator_id, conversation_id, offer_id, offer_type, status, check_in_date, check_out_date,
      number_of_adults, number_of_children, number_of_infants, number_of_pets, price, currency, expires_at, created_at)
    SELECT operator_id, id, 'O-1', 'special_offer', 'active', ${day(20)}, ${day(22)}, 1, 0, 0, 0, 380, 'EUR', '2099-01-01', now()
    FROM conversations WHERE operator_id = ${operatorId}`
  return {
    cookie: yield* signIn(accountId),
    addresses: [
      conversationPath(code),
      "/console/messages",
      "/console/messages?show=waiting",
      "/console/reviews?show=waiting"
    ]
  }
})
