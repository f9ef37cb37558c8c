import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OVERVIEW_NAMES_MAX, OVERVIEW_REQUESTS_MAX } from "../../../../src/platform/limits.ts"
import { call, dataOf, insertOrder, type OrderOptions } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  findAlert,
  findForms,
  getPage,
  postForm,
  postInventedForm
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PAGE = "/console/overview"

layer(layerSignedInPages)("the overview", (it) => {
  it.effect("says that nothing waits where nothing does", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const { status, text } = yield* getPage(cookie, PAGE)
      assert.strictEqual(status, 200)
      assert.include(text, "No arrivals today or tomorrow.")
      assert.include(text, "No departures today or tomorrow.")
      assert.include(text, "All good.")
      assert.notInclude(text, "Needs attention")
      assert.include(text, `href="/console/start">Get started</a>`)
    })
  )

  it.effect("shows who comes and goes on the operator's own day, and what is not paid", () =>
    Effect.gen(function* () {
      // In Berlin it is the 5th already.
      yield* TestClock.setTime(Date.parse("2027-05-04T22:30:00Z"))
      const { cookie, token } = yield* createSignedInHost()
      const { property_id } = JSON.parse(
        JSON.stringify(yield* dataOf(yield* call(token, "create_property", { title: "Harbour <1>" })))
      )
      const booked = (guest_name: string, check_in_date: string, check_out_date: string, received_amount: number) =>
        Effect.flatMap(
          call(token, "create_reservation", {
            ...{ property_id, guest_name, check_in_date, check_out_date, received_amount },
            ...{ custom_channel_id: 30, currency: "EUR", rate_amount: 100, commission_amount: 0, income_method_id: 197 }
          }),
          dataOf
        )
      yield* booked("Ada & Co", "2027-05-05", "2027-05-06", 40)
      yield* booked("Grace", "2027-05-06", "2027-05-08", 100)
      yield* booked("Later", "2027-05-08", "2027-05-09", 100)
      const { text } = yield* getPage(cookie, PAGE)
      assert.include(text, "Wed 5 May 2027")
      assert.include(text, "Ada &amp; Co")
      assert.include(text, "Harbour &lt;1&gt;")
      assert.include(text, "Grace")
      assert.notInclude(text, "Later")
      assert.include(
        text,
        `<a href="/console/reservations?payment=unpaid"><strong>1</strong> unpaid reservation (±6 months)</a>`
      )
    })
  )

  it.effect(
    "shows a guest whom nobody checked in as not checked out, and as checked out from the check-out time on",
    () =>
      Effect.gen(function* () {
        const { cookie, operatorId } = yield* createSignedInHost()
        yield* insertOrder(operatorId, [{ propertyId: null, checkIn: "2027-05-02", checkOut: "2027-05-04" }])
        const departures = Effect.fnUntraced(function* (time: string) {
          yield* TestClock.setTime(Date.parse(`2027-05-04T${time}+02:00`))
          const { text } = yield* getPage(cookie, PAGE)
          return text.slice(text.indexOf("<h2>Departures"))
        })
        const before = yield* departures("10:59:59")
        assert.include(before, "Not checked out")
        assert.notInclude(before, "Not checked in")
        const after = yield* departures("11:00:00")
        assert.notInclude(after, "Not checked out")
        assert.include(after, ">Checked out</span>")
      })
  )

  it.effect("counts unassigned reservations, and leads to them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
      const { cookie, operatorId } = yield* createSignedInHost()
      const boxed = (checkIn: string, checkOut: string, options: OrderOptions = {}) =>
        insertOrder(operatorId, [{ propertyId: null, checkIn, checkOut }], options)
      yield* boxed("2027-05-02", "2027-05-04")
      yield* boxed("2027-05-09", "2027-05-12")
      yield* boxed("2027-05-01", "2027-05-03")
      yield* boxed("2027-05-09", "2027-05-12", { status: "wait_accept" })
      const { text } = yield* getPage(cookie, PAGE)
      const address = /<a href="([^"]*)"><strong>2<\/strong> unassigned reservations/
        .exec(text)?.[1]
        ?.replaceAll("&amp;", "&")
      assert.include((yield* getPage(cookie, address ?? "")).text, "<h2>2 reservations</h2>")
    })
  )

  it.effect("checks a guest in and out, and back by the undo of the notice", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-04T08:00:00Z"))
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      yield* insertOrder(operatorId, [{ propertyId: null, checkIn: "2027-05-04", checkOut: "2027-05-05" }])
      yield* sql`UPDATE stays SET guest_name = 'Ada <L>' WHERE operator_id = ${operatorId}`
      const status = Effect.map(
        sql<{ stay_status: string }>`SELECT stay_status FROM stays WHERE operator_id = ${operatorId}`,
        ([stay]) => stay?.stay_status
      )
      const arrived = yield* fillAndFollow(cookie, PAGE, "set_stay_status")
      assert.include(arrived.text, "Ada &lt;L&gt; checked in.")
      assert.strictEqual(yield* status, "in_house")
      const [undo] = findForms(arrived, "set_stay_status")
      const undone = yield* postForm(cookie, undo?.action ?? "", undo?.form ?? new URLSearchParams())
      assert.include((yield* getPage(cookie, undone.location)).text, "Check-in of Ada &lt;L&gt; undone.")
      assert.strictEqual(yield* status, "checkin_pending")
      yield* fillAndFollow(cookie, PAGE, "set_stay_status")
      const left = yield* fillAndFollow(cookie, PAGE, "set_stay_status")
      assert.include(left.text, "Ada &lt;L&gt; checked out.")
      assert.strictEqual(yield* status, "stay_completed")
      assert.lengthOf(findForms(yield* getPage(cookie, PAGE), "set_stay_status"), 0)
    })
  )

  it.effect("changes nothing if somebody else has changed the status, and nothing of another operator", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-04T08:00:00Z"))
      const [{ cookie, operatorId }, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      yield* insertOrder(operatorId, [{ propertyId: null, checkIn: "2027-05-04", checkOut: "2027-05-05" }])
      const [form] = findForms(yield* getPage(cookie, PAGE), "set_stay_status")
      const sql = yield* SqlClient.SqlClient
      const stay_code = form?.form.get("stay_code") ?? ""
      const fields = { stay_code, stay_status: "in_house", seen: "checkin_pending" }
      assert.strictEqual((yield* postInventedForm(other.cookie, PAGE, "set_stay_status", fields)).status, 404)
      yield* sql`UPDATE stays SET stay_status = 'stay_completed' WHERE operator_id = ${operatorId}`
      const stale = yield* postForm(cookie, PAGE, form?.form ?? new URLSearchParams())
      assert.strictEqual(stale.status, 409)
      assert.isDefined(findAlert(stale))
      const stays = yield* sql`SELECT stay_status FROM stays WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(stays, [{ stay_status: "stay_completed" }])
    })
  )

  it.effect("lists the latest booking requests, and leads to all of them", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const request = insertOrder(operatorId, [{ propertyId: null }], { channelType: "airbnb", status: "wait_accept" })
      const codes = yield* Effect.all(Array.from({ length: OVERVIEW_REQUESTS_MAX }, () => request))
      const full = yield* getPage(cookie, PAGE)
      for (const code of codes) assert.include(full.text, `aria-label="Answer ${code}"`)
      assert.notInclude(full.text, "All 1")
      yield* request
      const { text } = yield* getPage(cookie, PAGE)
      assert.lengthOf(text.match(/aria-label="Answer /g) ?? [], OVERVIEW_REQUESTS_MAX)
      assert.include(text, `All ${OVERVIEW_REQUESTS_MAX + 1} booking requests`)
    })
  )

  it.effect("says what is failing, and names some of it", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      const connect = (username: string) => sql`
        INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
        VALUES (${operatorId}, 'airbnb', ${username}, ${username}, 'disconnected', 'sandbox', now())`
      yield* connect("Ada <1>")
      assert.include((yield* getPage(cookie, PAGE)).text, "1 channel account is disconnected: Ada &lt;1&gt;</a>")
      for (let nth = 1; nth < OVERVIEW_NAMES_MAX; nth++) yield* connect(`Host ${nth}`)
      assert.notInclude((yield* getPage(cookie, PAGE)).text, "and others")
      yield* connect("Zoe")
      const { text } = yield* getPage(cookie, PAGE)
      assert.include(text, `${OVERVIEW_NAMES_MAX + 1} channel accounts are disconnected: Ada &lt;1&gt;, `)
      assert.include(text, ", and others</a>")
      assert.notInclude(text, "Zoe")
    })
  )

  it.effect.each([
    ["Account banned", { status: "banned" }],
    ["Subscription expired", { subscriptionUntil: new Date("2020-01-01") }]
  ] as const)("shows nothing but why where the API refuses the account: %s", ([words, standing]) =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost(standing)
      const { status, text } = yield* getPage(cookie, PAGE)
      assert.strictEqual(status, 403)
      assert.include(text, words)
      assert.notInclude(text, "Arrivals")
    })
  )
})
