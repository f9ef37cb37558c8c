import { assert, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  withChromiumNote
} from "../../../support/browser.ts"
import { createOperator, insertAccount, insertOrder, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { readRentalControlCalendar } from "../../../support/rental-control.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

const PATH = "/console/calendars"
const HEADING = "Calendar for locks and home automation"

const layerPages = Layer.provideMerge(layerSignedInPages, Layer.succeed(References.MinimumLogLevel, "Error"))

/** The page in the browser of an account of the operator. */
const openCalendarsPage = Effect.fnUntraced(function* (accountId: number) {
  const [base, cookie] = [yield* BaseUrl, yield* signIn(accountId)]
  const page = yield* openPage({ viewport: DESKTOP_VIEWPORT, baseURL: base })
  yield* Effect.promise(async () => {
    await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
    await page.goto(PATH)
  })
  return page
})

layer(Layer.merge(layerPages, Browser.layer), { excludeTestServices: true })("a calendar for locks", (it) => {
  it.effect.skipIf(!hasChromium)(
    withChromiumNote("is created in the browser, read by a lock, and deleted; a sub-account sees nothing of it"),
    () =>
      Effect.gen(function* () {
        const { operatorId, accountId } = yield* createOperator()
        const propertyId = yield* insertProperty(operatorId, "Harbour 1")
        const checkIn = addDays(new Date().toISOString().slice(0, 10), 7)
        yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut: addDays(checkIn, 3) }])
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          UPDATE stays SET guest_name = 'Ada Lovelace', guest_phone = '+351 912 345 678', lock_code = '4711'
          WHERE operator_id = ${operatorId}`
        const page = yield* openCalendarsPage(accountId)
        const section = page.locator("section", { hasText: HEADING })
        yield* Effect.promise(async () => {
          await section.getByLabel("Property").selectOption("Harbour 1")
          await section.getByLabel("Guest name").check()
          await section.getByRole("checkbox", { name: "Phone number" }).check()
          await section.getByRole("checkbox", { name: "Door code" }).check()
          await section.locator("select[name=door_code_source]").selectOption({ index: 1 })
          await section.getByRole("button", { name: "Create calendar" }).click()
        })
        const address = yield* Effect.promise(async () => {
          await page.getByRole("status").waitFor()
          return (await page.getByRole("status").locator("code").textContent()) ?? ""
        })
        assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        const base = yield* BaseUrl
        const read = Effect.promise(() => fetch(`${base}${new URL(address).pathname}`))
        const text = yield* Effect.flatMap(read, (response) => Effect.promise(() => response.text()))
        const [event] = readRentalControlCalendar(text)
        assert.deepInclude(event, { slotName: "Ada Lovelace", lastFour: "5678", start: checkIn })
        assert.isUndefined(event?.bookingId)
        assert.notInclude(text, "4711")

        yield* Effect.promise(() => page.goto(PATH))
        assert.notInclude(yield* Effect.promise(() => page.content()), new URL(address).pathname)
        const row = section.locator("table").getByRole("row").last()
        assert.include(
          yield* Effect.promise(() => row.textContent()),
          "Guest name, Phone number, Door code or last four digits of the phone number"
        )
        const subAccountPage = yield* openCalendarsPage(yield* insertAccount(operatorId, "sub", "Reception"))
        assert.notInclude(yield* Effect.promise(() => subAccountPage.content()), HEADING)

        yield* Effect.promise(async () => {
          await section.locator("summary", { hasText: "Delete" }).click()
          await section.getByRole("button", { name: "Delete calendar" }).click()
          await page.getByRole("status").waitFor()
        })
        assert.strictEqual((yield* read).status, 404)
      })
  )
})
