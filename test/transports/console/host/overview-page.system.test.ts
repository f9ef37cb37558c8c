import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, dataOf, insertOrder, type OrderOptions } from "../../../support/harness.ts"
import { createSignedInHost, getPage } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

layer(layerSignedInPages)("the overview", (it) => {
  it.effect("says that nothing waits where nothing does", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const { status, text } = yield* getPage(cookie, "/console/overview")
      assert.strictEqual(status, 200)
      assert.include(text, "Nobody today or tomorrow.")
      assert.strictEqual(text.match(/<p>Nothing\.<\/p>/g)?.length, 2)
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
      const { text } = yield* getPage(cookie, "/console/overview")
      assert.include(text, "Wed 5 May 2027")
      assert.include(text, "Ada &amp; Co")
      assert.include(text, "Harbour &lt;1&gt;")
      assert.include(text, "Grace")
      assert.notInclude(text, "Later")
      assert.include(
        text,
        `<a href="/console/reservations?payment=unpaid"><strong>1</strong> order not paid in full, of half a year before and after</a>`
      )
    })
  )

  it.effect("shows from check-out time on that a guest has left whom nobody marked", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      yield* insertOrder(operatorId, [{ propertyId: null, checkIn: "2027-05-02", checkOut: "2027-05-04" }])
      const departures = Effect.fnUntraced(function* (time: string) {
        yield* TestClock.setTime(Date.parse(`2027-05-04T${time}+02:00`))
        const { text } = yield* getPage(cookie, "/console/overview")
        return text.slice(text.indexOf("<h2>Departures"))
      })
      assert.include(yield* departures("10:59:59"), "not marked as arrived")
      const after = yield* departures("11:00:00")
      assert.notInclude(after, "not marked as arrived")
      assert.match(after, />left\b/)
    })
  )

  it.effect("counts stays in the box, and leads to them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
      const { cookie, operatorId } = yield* createSignedInHost()
      const boxed = (checkIn: string, checkOut: string, options: OrderOptions = {}) =>
        insertOrder(operatorId, [{ propertyId: null, checkIn, checkOut }], options)
      yield* boxed("2027-05-02", "2027-05-04")
      yield* boxed("2027-05-09", "2027-05-12")
      yield* boxed("2027-05-01", "2027-05-03")
      yield* boxed("2027-05-09", "2027-05-12", { status: "wait_accept" })
      const { text } = yield* getPage(cookie, "/console/overview")
      const address = /<a href="([^"]*)"><strong>2<\/strong> stays in the box/.exec(text)?.[1]?.replaceAll("&amp;", "&")
      assert.include((yield* getPage(cookie, address ?? "")).text, "<h2>2 stays</h2>")
    })
  )

  it.effect.each([
    ["Account banned", { status: "banned" }],
    ["Subscription expired", { subscriptionUntil: new Date("2020-01-01") }]
  ] as const)("shows nothing but why where the API refuses the account: %s", ([words, standing]) =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost(standing)
      const { status, text } = yield* getPage(cookie, "/console/overview")
      assert.strictEqual(status, 403)
      assert.include(text, words)
      assert.notInclude(text, "Arrivals")
    })
  )
})
