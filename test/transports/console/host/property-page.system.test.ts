import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { PROPERTY_PAGE_ROWS_MAX } from "../../../../src/platform/limits.ts"
import { propertyUrl } from "../../../../src/transports/console/host/urls.ts"
import {
  Browser,
  DESKTOP_VIEWPORT,
  findAccessibilityViolations,
  hasChromium,
  openPage,
  PHONE_VIEWPORT,
  withChromiumNote
} from "../../../support/browser.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { call, dataOf, insertProperty } from "../../../support/harness.ts"
import { BaseUrl } from "../../../support/http-server.ts"
import { insertImportedCalendar } from "../../../support/imported-calendars.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findForms,
  getPage,
  type HostPageResponse,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const fieldErrors = ({ text }: HostPageResponse): ReadonlyArray<string | undefined> =>
  Array.from(text.matchAll(/<span class="field-error">([^<]*)</g), ([, error]) => error)

const propertyOf = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    SELECT title, address, capacity, currency, to_char(checkin_time, 'HH24:MI') AS check_in, deactivated_at IS NULL AS is_active
    FROM properties WHERE id = ${id}`
  return row
}, Effect.orDie)

const BROWSER_LAYER = Layer.merge(layerSignedInPages, Browser.layer)

layer(BROWSER_LAYER, { excludeTestServices: false })("the page of a property", (it) => {
  it.effect("saves only the fields that were touched, and undoes that", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const id = yield* insertProperty(operatorId, "Harbour")
      const [form] = findForms(yield* getPage(cookie, propertyUrl(id)), "save_property")
      yield* dataOf(yield* call(token, "update_property", { id, address: "Quay 1" }))
      form?.form.set("title", "Harbour 1")
      form?.form.set("default_checkin_time", "16:00")
      form?.form.set("capacity", "4")
      const { location } = yield* postForm(cookie, form?.action ?? "", form?.form ?? new URLSearchParams())
      const [before, after] = [
        { title: "Harbour", address: "Quay 1", capacity: null, currency: null, check_in: "15:00", is_active: true },
        { title: "Harbour 1", address: "Quay 1", capacity: 4, currency: null, check_in: "16:00", is_active: true }
      ]
      assert.deepStrictEqual(yield* propertyOf(id), after)
      const saved = yield* getPage(cookie, location)
      assert.include(saved.text, "Property saved.")
      const undo = findForms(saved, "save_property").find(({ form: each }) => each.get("title") === "Harbour")
      yield* postForm(cookie, undo?.action ?? "", undo?.form ?? new URLSearchParams())
      assert.deepStrictEqual(yield* propertyOf(id), before)
    })
  )

  it.effect("shows errors beside their fields in the host's words", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const id = yield* insertProperty(operatorId, "Harbour")
      yield* insertProperty(operatorId, "Attic")
      const errorsOf = (fields: Readonly<Record<string, string>>) =>
        Effect.map(fillAndSend(cookie, propertyUrl(id), "save_property", fields), fieldErrors)
      assert.deepStrictEqual(yield* errorsOf({ title: "Attic" }), ["You already have a property with this name."])
      assert.deepStrictEqual(yield* errorsOf({ fees: "Cleaning: 40.005 per stay" }), [
        "Line 1 has more decimals than EUR has."
      ])
      assert.deepStrictEqual(yield* errorsOf({ taxes: "City tax: 2 per guest\nVAT" }), [
        "Line 2 needs a name and an amount, such as “Cleaning: 40 per stay”."
      ])
      const wrong = yield* fillAndSend(cookie, propertyUrl(id), "save_property", { latitude: "north" })
      assert.lengthOf(fieldErrors(wrong), 1)
      assert.include(wrong.text, "<details open><summary>Map position</summary>")
      assert.deepInclude(yield* propertyOf(id), { title: "Harbour" })
    })
  )

  it.effect("deactivates a property once and offers to undo it", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId, accountId } = yield* createSignedInHost()
      const id = yield* insertProperty(operatorId, "Harbour")
      const sent = yield* fillAndSendTwice(cookie, propertyUrl(id), "stop_letting")
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `${accountId} console: update_property property:${id} (deactivated_at)`
      ])
      const page = yield* getPage(cookie, propertyUrl(id))
      assert.include(page.text, "Inactive</span>")
      assert.lengthOf(findForms(page, "stop_letting"), 0)
      const day = { property_ids: [id], start_date: "1970-02-01", end_date: "1970-02-01" }
      assert.include(JSON.stringify(yield* call(token, "get_property_availability", day)), '"available":false')
      const activated = yield* fillAndFollow(cookie, propertyUrl(id), "let_again")
      assert.lengthOf(findForms(activated, "stop_letting"), 2)
      assert.include(JSON.stringify(yield* call(token, "get_property_availability", day)), '"available":true')
    })
  )

  it.effect("names listings, calendars and staff, and no more listings than fit", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const [id, other] = [yield* insertProperty(operatorId, "Harbour"), yield* insertProperty(operatorId, "Attic")]
      const account = yield* insertChannelAccount(operatorId)
      yield* insertImportedCalendar(operatorId, id, "https://calendars.example/secret-path.ics")
      const addStaff = (name: string, propertyIds: ReadonlyArray<number>) =>
        call(token, "create_staff", { name, mobile: "+351 912345678", property_ids: propertyIds })
      yield* addStaff("Marta", [id])
      yield* addStaff("Ines", [])
      yield* addStaff("Rui", [other])
      for (let count = 0; count < PROPERTY_PAGE_ROWS_MAX; count += 1)
        yield* insertListing(operatorId, account, { propertyId: id, title: `Listing ${count}`, ratio: 115 })
      const full = yield* getPage(cookie, propertyUrl(id))
      for (const text of ["Marta", "Ines", "calendars.example", "+15 %"]) assert.include(full.text, text)
      for (const text of ["Rui", "secret-path", "These are the first"]) assert.notInclude(full.text, text)
      yield* insertListing(operatorId, account, { propertyId: id, title: "One more" })
      const cut = yield* getPage(cookie, propertyUrl(id))
      assert.lengthOf(cut.text.match(/>Listing \d+</g) ?? [], PROPERTY_PAGE_ROWS_MAX)
      assert.include(cut.text, `These are the first ${PROPERTY_PAGE_ROWS_MAX}.`)
    })
  )

  it.effect("shows and changes nothing of another operator", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      const theirs = yield* insertProperty(other.operatorId, "Theirs")
      const before = yield* propertyOf(theirs)
      for (const path of [propertyUrl(theirs), "/console/properties/property", "/console/properties/property?id=x"]) {
        const page = yield* getPage(host.cookie, path)
        assert.strictEqual(page.status, 404, path)
        assert.notInclude(page.text, "Theirs")
      }
      for (const act of ["save_property", "stop_letting", "let_again"]) {
        for (const id of [String(theirs), "x"])
          assert.strictEqual(
            (yield* postInventedForm(host.cookie, propertyUrl(theirs), act, { id, title: "Mine" })).status,
            404,
            act
          )
        assert.strictEqual((yield* postWithoutToken(host.cookie, propertyUrl(theirs), act)).status, 403, act)
      }
      assert.deepStrictEqual(yield* propertyOf(theirs), before)
    })
  )

  it.effect.skipIf(!hasChromium)(withChromiumNote("is edited and undone in a browser, and is accessible"), () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const id = yield* insertProperty(operatorId, "Harbour")
      yield* insertProperty(operatorId, "Attic")
      const base = yield* BaseUrl
      const open = Effect.fnUntraced(function* (viewport: typeof PHONE_VIEWPORT | typeof DESKTOP_VIEWPORT) {
        const page = yield* openPage({ viewport, baseURL: base })
        yield* Effect.promise(async () => {
          await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
          await page.goto("/console/properties")
        })
        return page
      })
      const save = async (page: Page) => {
        await page.getByRole("button", { name: "Save", exact: true }).click()
        await page.waitForLoadState()
      }
      const page = yield* open(DESKTOP_VIEWPORT)
      assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Harbour", exact: true }).click()
        await page.getByLabel("Check-in from").fill("16:30")
        await page.getByLabel("Name Names must be unique.").fill("Attic")
        await save(page)
        assert.strictEqual(
          await page.locator("label:has([name=title]) .field-error").textContent(),
          "You already have a property with this name."
        )
      })
      assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      yield* Effect.promise(async () => {
        await page.locator("[name=title]").fill("Harbour 1")
        await save(page)
      })
      assert.deepInclude(yield* propertyOf(id), { title: "Harbour 1", check_in: "16:30" })
      assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Undo" }).click()
        await page.waitForLoadState()
      })
      assert.deepInclude(yield* propertyOf(id), { title: "Harbour", check_in: "15:00" })
      const phone = yield* open(PHONE_VIEWPORT)
      for (const path of ["/console/properties", propertyUrl(id)]) {
        yield* Effect.promise(() => phone.goto(path))
        assert.deepStrictEqual(yield* findAccessibilityViolations(phone), [], path)
        const overhang = yield* Effect.promise(() =>
          phone.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
        )
        assert.isAtMost(overhang, 0, path)
      }
    })
  )
})
