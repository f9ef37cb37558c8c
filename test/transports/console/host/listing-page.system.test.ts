import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ChannelUnavailable } from "../../../../src/domain/channels/port/errors.ts"
import { LISTING_PUSHES_SHOWN } from "../../../../src/platform/limits.ts"
import { restrictionsText } from "../../../../src/transports/console/host/listing/listing-calendar.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { call, dataOf, insertProperty } from "../../../support/harness.ts"
import { type ChannelAccountOptions, insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlertField,
  findDoneAction,
  findForms,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { findListingRowId, insertPushes } from "../../../support/transports/console/host/listing-rows.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PATH = "/console/channels/listing"
const NOW = "2027-04-20T10:00:00Z"
const MARKUP = "<script>alert(1)</script>"
const ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"
const MAY = { start_date: "2027-05-01", end_date: "2027-05-03" }

/** A host with a property, and a listing that sells nothing yet. */
const ready = Effect.fnUntraced(function* (options: ChannelAccountOptions = {}) {
  yield* TestClock.setTime(Date.parse(NOW))
  const host = yield* createSignedInHost()
  const property = yield* insertProperty(host.operatorId, `Harbour ${MARKUP}`)
  const account = yield* insertChannelAccount(host.operatorId, options)
  const listing = yield* insertListing(host.operatorId, account, { channelType: options.channelType ?? "airbnb" })
  const id = yield* findListingRowId(host.operatorId, listing)
  return { ...host, property, listing, id, page: `${PATH}?id=${id}` }
})

/** What the tables have of an operator's listings and of what channels are to be told. */
const keptOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const listings = yield* sql<{
    property_id: number | null
    room_type_id: number | null
    ratio: number
    ratio_readonly: boolean
  }>`SELECT property_id, room_type_id, ratio, ratio_readonly FROM listings WHERE operator_id = ${operatorId} ORDER BY id`
  const pushes = yield* sql<{ kind: string; ranges: unknown }>`
    SELECT kind, ranges FROM listing_pushes WHERE operator_id = ${operatorId} ORDER BY id`
  return { listings, pushes }
}, Effect.orDie)

const roomTypeOf = (token: string, property: number) =>
  Effect.map(
    Effect.flatMap(call(token, "create_room_type", { title: "Double", property_ids: [property] }), dataOf),
    (data): { readonly room_type_id: number } => JSON.parse(JSON.stringify(data))
  )

layer(layerSignedInPages)("the page of a listing", (it) => {
  it.effect("links it to a property, to a room type and to nothing, and says so in the trail", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, cookie, token, property, id, page } = yield* ready()
      const { room_type_id } = yield* roomTypeOf(token, property)
      assert.include((yield* getPage(cookie, page)).text, "Unmapped")
      const linked = yield* fillAndFollow(cookie, page, "link", { sells: `property:${property}` })
      assert.strictEqual(findDoneAction(linked), "link")
      assert.include(linked.text, `<option value="property:${property}" selected>Harbour ${ESCAPED}</option>`)
      assert.notInclude(linked.text, "<script")
      assert.strictEqual((yield* keptOf(operatorId)).listings[0]?.property_id, property)
      const rooms = yield* fillAndFollow(cookie, page, "link", { sells: `room_type:${room_type_id}` })
      assert.include(rooms.text, "Room type Double")
      assert.deepInclude((yield* keptOf(operatorId)).listings[0], { property_id: null, room_type_id })
      const unlinked = yield* fillAndFollow(cookie, page, "unlink")
      assert.strictEqual(findDoneAction(unlinked), "unlink")
      assert.deepInclude((yield* keptOf(operatorId)).listings[0], { property_id: null, room_type_id: null })
      const trail = (yield* loadAuditLinesWithActor(operatorId)).filter((line) => line.includes("listing:"))
      assert.deepStrictEqual(trail, [
        `${accountId} console: set_listing_mapping listing:${id} (property_id)`,
        `${accountId} console: set_listing_mapping listing:${id} (property_id, room_type_id)`,
        `${accountId} console: set_listing_mapping listing:${id} (room_type_id)`
      ])
    })
  )

  it.effect("sets its share of the price, and brings back one that is none", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, page } = yield* ready()
      const set = yield* fillAndFollow(cookie, page, "ratio", { markup: "15" })
      assert.include(set.text, "+15 %")
      const refused = yield* fillAndSend(cookie, page, "ratio", { markup: "901" })
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, "Price markup: a whole number from -99 to 900.")
      assert.include(refused.text, 'value="901"')
      assert.strictEqual(yield* Effect.map(keptOf(operatorId), ({ listings: [only] }) => only?.ratio), 115)
      const kept = yield* fillAndFollow(cookie, page, "ratio", { readonly: "yes" })
      assert.include(kept.text, "Set on the channel")
      assert.strictEqual(findForms(kept, "price").length, 0)
      assert.deepInclude((yield* keptOf(operatorId)).listings[0], { ratio: 115, ratio_readonly: true })
      // A window of before touches only the markup.
      const stale = findForms(set, "ratio")[0]?.form ?? new URLSearchParams()
      stale.set("markup", "20")
      assert.strictEqual((yield* postForm(cookie, page, stale)).status, 303)
      assert.deepInclude((yield* keptOf(operatorId)).listings[0], { ratio: 120, ratio_readonly: true })
      assert.strictEqual(findForms(yield* fillAndFollow(cookie, page, "ratio", { readonly: "no" }), "price").length, 1)
      assert.deepInclude((yield* keptOf(operatorId)).listings[0], { ratio: 120, ratio_readonly: false })
    })
  )

  it.effect("shows a month as its channel sells it, and the months beside it", () =>
    Effect.gen(function* () {
      const { cookie, listing, id, page } = yield* ready()
      yield* (yield* ScriptedChannel).setInventory(listing, { ...MAY, inventory: 0 })
      const april = yield* getPage(cookie, page)
      assert.include(april.text, "Availability and prices on Airbnb, Apr 2027")
      assert.strictEqual(april.text.match(/100\.00 EUR/g)?.length, 30)
      assert.include(april.text, `href="${PATH}?id=${id}&amp;month=2027-05#days"`)
      const may = yield* getPage(cookie, `${page}&month=2027-05`)
      assert.strictEqual(may.text.match(/100\.00 EUR/g)?.length, 31)
      assert.strictEqual(may.text.match(/>none</g)?.length, 3)
      assert.include(
        (yield* getPage(cookie, `${page}&month=2027-13`)).text,
        "Availability and prices on Airbnb, Apr 2027"
      )
    })
  )

  it.effect("says why the month cannot be read, and shows all else", () =>
    Effect.gen(function* () {
      const { cookie, listing, page } = yield* ready()
      yield* (yield* ScriptedChannel).setResponse(listing, Effect.fail(new ChannelUnavailable({ code: 503 })))
      const { status, text } = yield* getPage(cookie, page)
      assert.strictEqual(status, 200)
      assert.notInclude(text, "100.00 EUR")
      assert.include(text, "<h2>Property</h2>")
    })
  )

  it.effect("offers nothing that cannot be told: of an account that is away, of a channel that is not told", () =>
    Effect.gen(function* () {
      const away = yield* ready({ authStatus: "disconnected" })
      const { text } = yield* getPage(away.cookie, away.page)
      assert.include(text, "The account on Airbnb is disconnected")
      assert.strictEqual(findForms(yield* getPage(away.cookie, away.page), "price").length, 0)
      const untold = yield* ready({ channelType: "fliggy" })
      assert.include((yield* getPage(untold.cookie, untold.page)).text, "Fliggy takes no updates from here")
      const vrbo = yield* ready({ channelType: "vrbo" })
      const shown = yield* getPage(vrbo.cookie, vrbo.page)
      assert.include(shown.text, "Vrbo takes no restrictions from here")
      assert.deepStrictEqual([findForms(shown, "price").length, findForms(shown, "rules").length], [1, 0])
    })
  )

  it.effect("tells its channel of a price, of how many there are and of rules of stay, and shows that it waits", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, page } = yield* ready()
      const priced = yield* fillAndFollow(cookie, page, "price", { ...MAY, price: "140" })
      assert.strictEqual(findDoneAction(priced), "price")
      assert.include(priced.text, "Sending")
      yield* fillAndFollow(cookie, page, "stock", { ...MAY, inventory: "0" })
      yield* fillAndFollow(cookie, page, "rules", { ...MAY, min_stay_on_arrival: "3", closed_on_arrival: "no" })
      const { pushes } = yield* keptOf(operatorId)
      assert.deepStrictEqual(pushes, [
        { kind: "prices", ranges: [{ ...MAY, price: 140 }] },
        { kind: "inventories", ranges: [{ ...MAY, inventory: 0 }] },
        { kind: "restrictions", ranges: [{ ...MAY, min_stay_on_arrival: 3, closed_on_arrival: false }] }
      ])
    })
  )

  it.effect.each([
    ["price", { start_date: "2027-05-03", end_date: "2027-05-01", price: "140" }, "end_date"],
    ["stock", { ...MAY, inventory: "-1" }, "inventory"],
    ["rules", MAY, "start_date"]
  ] as const)("brings back what is refused: %s", ([act, fields, field]) =>
    Effect.gen(function* () {
      const { operatorId, cookie, page } = yield* ready()
      const refused = yield* fillAndSend(cookie, page, act, fields)
      assert.oneOf(refused.status, [400, 422])
      assert.match(refused.text, new RegExp(`name="${field}"[^>]*aria-invalid="true"`))
      assert.include(refused.text, `value="${fields.start_date}"`)
      // The form is behind a summary, which is open now.
      assert.match(
        refused.text,
        new RegExp(
          `<details open><summary>[^<]*</summary>\\s*(?:<p[^<]*</p>\\s*)?<form(?:(?!</form>)[\\s\\S])*value="${act}"`
        )
      )
      assert.deepStrictEqual((yield* keptOf(operatorId)).pushes, [])
    })
  )

  it.effect("knows nothing of another's: their listing, their property, their room type", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* ready(), yield* ready()]
      const { room_type_id } = yield* roomTypeOf(theirs.token, theirs.property)
      yield* fillAndFollow(theirs.cookie, theirs.page, "link", { sells: `property:${theirs.property}` })
      const before = [yield* keptOf(mine.operatorId), yield* keptOf(theirs.operatorId)]
      for (const id of [theirs.id, 999_999_999]) {
        const page = `${PATH}?id=${id}`
        const shown = yield* getPage(mine.cookie, page)
        assert.strictEqual(shown.status, 404)
        for (const [act, fields] of [
          ["link", { sells: `property:${mine.property}` }],
          ["unlink", {}],
          ["ratio", { markup: "-50" }],
          ["price", { ...MAY, price: "1" }],
          ["stock", { ...MAY, inventory: "0" }],
          ["rules", { ...MAY, closed_on_arrival: "yes" }]
        ] as const) {
          const sent = yield* postInventedForm(mine.cookie, page, act, fields)
          assert.deepStrictEqual([act, sent.status, findAlertField(sent)], [act, 404, ""])
        }
      }
      for (const [sells, status, field] of [
        [`property:${theirs.property}`, 404, ""],
        [`room_type:${room_type_id}`, 404, ""],
        ["", 422, ""],
        ["group:1", 422, ""]
      ] as const) {
        const sent = yield* fillAndSend(mine.cookie, mine.page, "link", { sells })
        assert.deepStrictEqual([sent.status, findAlertField(sent)], [status, field])
      }
      assert.deepStrictEqual([yield* keptOf(mine.operatorId), yield* keptOf(theirs.operatorId)], before)
    })
  )

  it.effect("takes no form of another site, and each of its own once", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property, page } = yield* ready()
      for (const act of ["link", "unlink", "ratio", "price", "stock", "rules"]) {
        assert.strictEqual((yield* postWithoutToken(cookie, page, act)).status, 403)
      }
      assert.deepStrictEqual((yield* loadAuditLinesWithActor(operatorId)).length, 0)
      for (const [act, fields] of [
        ["link", { sells: `property:${property}` }],
        ["ratio", { markup: "-10" }],
        ["price", { ...MAY, price: "140" }],
        ["stock", { ...MAY, inventory: "0" }],
        ["rules", { ...MAY, closed_on_arrival: "yes" }],
        ["unlink", {}]
      ] as const) {
        const both = yield* fillAndSendTwice(cookie, page, act, fields)
        assert.deepStrictEqual([act, ...both.map(({ status }) => status)], [act, 303, 303])
      }
      assert.strictEqual((yield* keptOf(operatorId)).pushes.length, 3)
      // What the second finds done already changes no field.
      const changes = (yield* loadAuditLinesWithActor(operatorId)).filter((line) => line.endsWith(")"))
      assert.strictEqual(changes.length, 6)
    })
  )

  it.effect("says what its channel was told, why it was not, and whether the two are in step", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property, id, page } = yield* ready()
      const sql = yield* SqlClient.SqlClient
      yield* insertPushes(operatorId, id, { state: "refused", reason: `no ${MARKUP}`, settledAt: NOW })
      const { text } = yield* getPage(cookie, page)
      assert.include(text, `no ${ESCAPED}`)
      assert.include(text, "Map the listing to a property first.")
      yield* fillAndFollow(cookie, page, "link", { sells: `property:${property}` })
      assert.include((yield* getPage(cookie, page)).text, "Not checked yet")
      const compared = (failures: number, suspected: string) => sql`
        INSERT INTO listing_comparisons AS c (operator_id, listing_row, account_id, property_id, due_at, failures, suspected, compared_at)
        SELECT operator_id, id, account_id, property_id, ${NOW}, ${failures}, ${suspected}::datemultirange, ${NOW} FROM listings
        WHERE operator_id = ${operatorId} AND id = ${id}
        ON CONFLICT (operator_id, listing_row) DO UPDATE SET failures = excluded.failures, suspected = excluded.suspected`
      yield* compared(0, "{}")
      assert.match(
        (yield* getPage(cookie, page)).text,
        /In sync<\/span> Last checked <time[^>]*>Tue 20 Apr 2027, 12:00</
      )
      yield* insertPushes(operatorId, id, { state: "dead", settledAt: "2027-04-20T10:00:01Z" })
      assert.match((yield* getPage(cookie, page)).text, /Not accepted<\/span> Prices, 1–2 May 2027/)
      // Until the same days are taken.
      yield* insertPushes(operatorId, id, { state: "pushed", settledAt: "2027-04-20T10:00:02Z" })
      assert.include((yield* getPage(cookie, page)).text, "In sync</span>")
      yield* sql`DELETE FROM listing_pushes WHERE operator_id = ${operatorId} AND settled_at > ${NOW}`
      yield* compared(2, "{}")
      assert.include((yield* getPage(cookie, page)).text, "2 checks in a row")
      yield* compared(0, "{[2027-05-01,2027-05-03),[2027-05-09,2027-05-10)}")
      assert.include((yield* getPage(cookie, page)).text, "less than is available on 3 days")
      yield* fillAndFollow(cookie, page, "price", { ...MAY, price: "140" })
      assert.include((yield* getPage(cookie, page)).text, "1 update on the way")

      yield* insertPushes(operatorId, id, { state: "pushed", settledAt: NOW }, LISTING_PUSHES_SHOWN - 3)
      assert.notInclude((yield* getPage(cookie, page)).text, "These are the latest")
      yield* insertPushes(operatorId, id, { state: "pushed", settledAt: NOW })
      const full = yield* getPage(cookie, page)
      assert.include(full.text, `no ${ESCAPED}`)
      yield* insertPushes(operatorId, id, { state: "pushed", settledAt: NOW })
      const more = yield* getPage(cookie, page)
      assert.include(more.text, `These are the latest ${LISTING_PUSHES_SHOWN}.`)
      assert.notInclude(more.text, `no ${ESCAPED}`)
    }).pipe(Effect.orDie)
  )
})

describe("rules of stay in words", () => {
  it.effect("says what is asked, and nothing of what is not", () =>
    Effect.sync(() => {
      assert.strictEqual(restrictionsText({}), "")
      assert.strictEqual(
        restrictionsText({ closed_on_arrival: true, closed_on_departure: false, min_stay_on_arrival: 3 }),
        "no check-in, min. stay 3"
      )
    })
  )
})
