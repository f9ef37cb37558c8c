import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { insertOrder, insertProperty } from "../../../support/harness.ts"
import { insertImportedCalendar, insertImportedDays } from "../../../support/imported-calendars.ts"
import {
  createSignedInHost,
  fillAndSend,
  fillAndSendTwice,
  fillForm,
  findAlert,
  findDoneAction,
  findFieldErrors,
  findForms,
  getPage,
  postForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PATH = "/console/reservations/new"
const NIGHTS = { check_in_date: "2027-05-04", check_out_date: "2027-05-07" }

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-04-20T10:00:00Z"))
  const host = yield* createSignedInHost()
  const sql = yield* SqlClient.SqlClient
  const property = yield* insertProperty(host.operatorId, "Harbour <1>")
  const orders = Effect.map(
    sql<{ count: number }>`SELECT count(*)::int AS count FROM orders WHERE operator_id = ${host.operatorId}`,
    ([row]) => row?.count
  )
  const address = (more: Readonly<Record<string, string>> = NIGHTS) =>
    `${PATH}?${new URLSearchParams({ property: String(property), ...more }).toString()}`
  const shown = (path = address()) => Effect.map(getPage(host.cookie, path), ({ text }) => text)
  return { ...host, sql, property, orders, address, shown }
})

const GUEST = { guest_name: "Ada <Lovelace>", rate_amount: "420.50" }

layer(layerSignedInPages)("the page of a new reservation", (it) => {
  it.effect("enters what was filled in, and leads to the stay", () =>
    Effect.gen(function* () {
      const { cookie, sql, operatorId, property, address } = yield* ready
      const sent = yield* fillAndSend(cookie, address(), "create", {
        ...{
          ...GUEST,
          number_of_guests: "2",
          custom_channel_id: "31",
          commission_amount: "20",
          received_amount: "100"
        },
        ...{ income_method_id: "36", email: "ada@example.test", mobile: "+44 1", remarks: "By boat\r\nand late" }
      })
      assert.strictEqual(sent.status, 303, findAlert(sent))
      assert.match(sent.location, /^\/console\/stay\?code=5-\w+&done=entered$/)
      const [row] = yield* sql`
        SELECT s.property_id, s.guest_name, s.number_of_guests, s.rate::float8 AS rate, s.commission::float8 AS commission, s.guest_email,
          s.guest_phone, s.remarks, o.custom_channel_id, o.currency, t.amount::float8 AS received, t.payment_method_id
        FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
        JOIN transactions t ON t.operator_id = s.operator_id AND t.order_id = o.id WHERE s.operator_id = ${operatorId}`
      assert.deepStrictEqual(row, {
        ...{ property_id: property, guest_name: "Ada <Lovelace>", number_of_guests: 2, rate: 420.5, commission: 20 },
        ...{
          guest_email: "ada@example.test",
          guest_phone: "+44 1",
          remarks: "By boat\nand late",
          custom_channel_id: 31
        },
        ...{ currency: "EUR", received: 100, payment_method_id: 36 }
      })
      const stay = yield* getPage(cookie, sent.location)
      assert.strictEqual(findDoneAction(stay), "entered")
      assert.include(stay.text, "Ada &lt;Lovelace&gt;")
    })
  )

  it.effect("asks for little: channels and ways of payment are chosen by name", () =>
    Effect.gen(function* () {
      const { cookie, address, orders } = yield* ready
      const page = yield* getPage(cookie, address())
      const [form] = findForms(page, "create")
      assert.strictEqual(form?.form.get("check_in_date"), NIGHTS.check_in_date)
      assert.strictEqual(form?.form.get("currency"), "EUR")
      assert.include(page.text, '<option value="30" selected>Direct</option>')
      assert.include(page.text, '<option value="197" selected>Cash</option>')
      assert.strictEqual((yield* fillAndSend(cookie, address(), "create", GUEST)).status, 303)
      assert.strictEqual(yield* orders, 1)
    })
  )

  it.effect("shows before it is sent whether the nights are free, and who is in the way", () =>
    Effect.gen(function* () {
      const { cookie, sql, operatorId, property, address, shown } = yield* ready
      const second = yield* insertProperty(operatorId, "Second")
      const third = yield* insertProperty(operatorId, "Third")
      const fourth = yield* insertProperty(operatorId, "Fourth")
      const chooseDates = "Choose both dates to see which properties are free."
      assert.include(yield* shown(PATH), chooseDates)
      assert.include(yield* shown(`${PATH}?check_in_date=2027-05-04&check_out_date=2027-05-03`), chooseDates)
      assert.include(yield* shown(), "Harbour &lt;1&gt; is free on 4–7 May 2027.")
      const taken = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-06", checkOut: "2027-05-09" }
      ])
      yield* sql`UPDATE stays SET guest_name = 'Grace <Hopper>' WHERE operator_id = ${operatorId} AND stay_code = ${taken}`
      const calendarId = yield* insertImportedCalendar(operatorId, second, "https://airbnb.example/1.ics")
      yield* insertImportedDays(operatorId, second, calendarId, false, "2027-05-05")
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, closed) VALUES (${operatorId}, ${third}, '2027-05-04', true)`
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE id = ${fourth}`
      const text = yield* shown()
      assert.include(text, "Harbour &lt;1&gt; is not free on these nights: Grace &lt;Hopper&gt;, 6–9 May 2027.")
      for (const option of [
        // The chosen one stays selectable, so that its error is shown.
        `<option value="${property}" selected>Harbour &lt;1&gt; (Grace &lt;Hopper&gt;, 6–9 May 2027)</option>`,
        `<option value="${second}" disabled>Second (iCal: airbnb.example)</option>`,
        `<option value="${third}">Third (blocked)</option>`,
        `<option value="${fourth}" disabled>Fourth (inactive)</option>`
      ]) {
        assert.include(text, option)
      }
      const closed = yield* shown(address({ ...NIGHTS, property: String(third) }))
      assert.include(closed, "Third is free on 4–7 May 2027. You blocked 1 night; you can book anyway.")
      // As it says.
      const entered = yield* fillAndSend(cookie, address({ ...NIGHTS, property: String(third) }), "create", GUEST)
      assert.strictEqual(entered.status, 303)
    })
  )

  it.effect("checks the dates of the form, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property, orders } = yield* ready
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-06", checkOut: "2027-05-09" }])
      const [form] = findForms(yield* getPage(cookie, PATH), "create")
      const fields = { act: "check", ...NIGHTS, guest_name: "Ada", received_amount: "12" }
      const checked = yield* postForm(cookie, PATH, fillForm(form?.form ?? new URLSearchParams(), fields))
      assert.strictEqual(checked.status, 200)
      assert.include(checked.text, "Properties that are not free on 4–7 May 2027 cannot be chosen.")
      assert.include(checked.text, `<option value="${property}" disabled>`)
      const [kept] = findForms(checked, "create")
      assert.deepStrictEqual([kept?.form.get("guest_name"), kept?.form.get("received_amount")], ["Ada", "12"])
      assert.strictEqual(yield* orders, 1)
    })
  )

  it.effect("has the currency of the property, also if another property is chosen in the form", () =>
    Effect.gen(function* () {
      const { cookie, sql, operatorId, address } = yield* ready
      const swiss = yield* insertProperty(operatorId, "Zermatt")
      yield* sql`UPDATE properties SET currency = 'CHF' WHERE id = ${swiss}`
      const currencies = Effect.map(
        sql<{ currency: string }>`SELECT currency FROM orders WHERE operator_id = ${operatorId} ORDER BY id`,
        (rows) => rows.map(({ currency }) => currency)
      )
      const choose = (currency: Readonly<Record<string, string>>, check_in_date: string, check_out_date: string) =>
        fillAndSend(cookie, address(), "create", {
          ...{ ...GUEST, property_id: String(swiss), check_in_date, check_out_date, ...currency }
        })
      assert.strictEqual((yield* choose({}, "2027-05-04", "2027-05-05")).status, 303)
      assert.strictEqual((yield* choose({ currency: "USD" }, "2027-05-06", "2027-05-07")).status, 303)
      assert.deepStrictEqual(yield* currencies, ["CHF", "USD"])
    })
  )

  it.effect("names the guest in the way if it clashes, beside the dates, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property, orders } = yield* ready
      const guestCode = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-06", checkOut: "2027-05-09" }
      ])
      const sent = yield* fillAndSend(cookie, PATH, "create", {
        ...{ property_id: String(property), ...NIGHTS, ...GUEST, remarks: "<b>By boat</b>", received_amount: "12" }
      })
      assert.strictEqual(sent.status, 409)
      const conflict = `Harbour <1> is not free on these nights: ${guestCode}, 6–9 May 2027.`
      assert.strictEqual(findAlert(sent), conflict)
      assert.deepStrictEqual(findFieldErrors(sent), { check_in_date: conflict })
      const [form] = findForms(sent, "create")
      assert.deepStrictEqual(
        ["property_id", "check_in_date", "guest_name", "rate_amount", "remarks", "received_amount"].map((name) =>
          form?.form.get(name)
        ),
        [String(property), "2027-05-04", "Ada <Lovelace>", "420.50", "<b>By boat</b>", "12"]
      )
      assert.notInclude(sent.text, "<b>By boat")
      assert.strictEqual(yield* orders, 1)
    })
  )

  it.effect.each([
    ["rate_amount", "many", "Total price: enter a number."],
    ["guest_name", " ", "Enter the guest's name."],
    ["check_out_date", "2027-05-04", "Check-out must be after check-in."],
    ["currency", "euro", "Enter the code of a currency, such as EUR."],
    ["income_method_id", "999", "Payment method: this choice no longer exists. Choose another one."]
  ] as const)("is refused where %s is %s, beside the field, and nothing is entered", ([name, value, error]) =>
    Effect.gen(function* () {
      const { cookie, address, orders } = yield* ready
      const sent = yield* fillAndSend(cookie, address(), "create", { ...GUEST, [name]: value })
      assert.include([400, 422], sent.status)
      assert.deepStrictEqual(findFieldErrors(sent), { [name]: error })
      assert.strictEqual(yield* orders, 0)
    })
  )

  it.effect("is entered once by a form that is sent twice, and again by another look at the page", () =>
    Effect.gen(function* () {
      const { cookie, address, orders } = yield* ready
      const sent = yield* fillAndSendTwice(cookie, address(), "create", GUEST)
      // The second of them may be told that the first is not through; it is not another reservation.
      assert.include(
        sent.map(({ status }) => status),
        303
      )
      assert.strictEqual(yield* orders, 1)
      const again = yield* fillAndSend(cookie, address(), "create", GUEST)
      assert.strictEqual(again.status, 409)
      assert.strictEqual(yield* orders, 1)
    })
  )

  it.effect("takes no property of another operator's, and no form without its token", () =>
    Effect.gen(function* () {
      const one = yield* ready
      const other = yield* ready
      const sent = yield* fillAndSend(other.cookie, other.address(), "create", {
        ...GUEST,
        property_id: String(one.property)
      })
      assert.strictEqual(sent.status, 404)
      assert.deepStrictEqual(findFieldErrors(sent), { property_id: "This property no longer exists." })
      assert.strictEqual((yield* postWithoutToken(one.cookie, one.address(), "create")).status, 403)
      assert.strictEqual(yield* one.orders, 0)
      assert.strictEqual(yield* other.orders, 0)
      // Nor is it told whether that is free.
      assert.notInclude(yield* other.shown(one.address()), "Harbour &lt;1&gt; is free")
    })
  )
})
