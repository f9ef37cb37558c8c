import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import {
  MONTH_PROPERTIES_MAX,
  MONTH_UNASSIGNED_STAYS_MAX,
  PRICED_PROPERTIES_MAX,
  SELECTED_DAYS
} from "../../../../src/platform/limits.ts"
import { call, dataOf, insertOrder, insertProperty } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findForms,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const NOW = Date.parse("2027-05-04T10:00:00Z")

/** A host with a property. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createSignedInHost()
  const data = yield* dataOf(yield* call(host.token, "create_property", { title: "Harbour <1>" }))
  const { property_id } = JSON.parse(JSON.stringify(data))
  return { ...host, property: Number(property_id) }
})

const booked = (
  { token, property }: { readonly token: string; readonly property: number },
  guest_name: string,
  check_in_date: string,
  check_out_date: string
) =>
  Effect.map(
    Effect.flatMap(
      call(token, "create_reservation", {
        ...{ property_id: property, guest_name, check_in_date, check_out_date, received_amount: 0 },
        ...{ custom_channel_id: 30, currency: "EUR", rate_amount: 100, commission_amount: 0, income_method_id: 197 }
      }),
      dataOf
    ),
    (data): string => JSON.parse(JSON.stringify(data)).reservation_code
  )

const closedDays = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ day: string }>`
    SELECT day::text FROM calendar_days WHERE operator_id = ${operatorId} AND closed ORDER BY day`
  return rows.map(({ day }) => day)
})

const rowOf = (text: string, property: number): string =>
  new RegExp(`<tr data-property="${property}"[\\s\\S]*?</tr>`).exec(text)?.[0] ?? assert.fail(`no row of ${property}`)

/** The content of each day's cell. */
const cellsOf = (text: string, property: number): ReadonlyArray<string> =>
  rowOf(text, property)
    .split("<td")
    .slice(1)
    .map((cell) =>
      cell
        .replace(/^[^>]*>/, "")
        .replace(/<a [\s\S]*/, "")
        .replace(/<\/tr>$/, "")
    )

const countProperties = (text: string): number => text.match(/<tr data-property/g)?.length ?? 0

const CALENDAR = "/console/calendar"

layer(layerSignedInPages)("the calendar", (it) => {
  it.effect("begins today and shows bookings by channel, blocked days, iCal days and prices", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const sql = yield* SqlClient.SqlClient
      const code = yield* booked(host, `<b>Ada "L"`, "2027-05-07", "2027-05-10")
      yield* booked(host, "Leaves today", "2027-04-29", "2027-05-04")
      yield* booked(host, "To July", "2027-05-30", "2027-06-06")
      yield* call(host.token, "update_availabilities", {
        ...{ property_ids: [host.property], available: false, start_date: "2027-05-12", end_date: "2027-05-13" }
      })
      yield* call(host.token, "set_base_prices", {
        property_id: host.property,
        ranges: [{ start_date: "2027-05-04", end_date: "2027-05-12", price: 120, minimum_stay: 2 }]
      })
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, imported)
        VALUES (${host.operatorId}, ${host.property}, '2027-05-20', 1)`
      const { status, text } = yield* getPage(host.cookie, CALENDAR)
      assert.strictEqual(status, 200)
      assert.include(text, "Harbour &lt;1&gt;")
      const cells = cellsOf(text, host.property)
      assert.lengthOf(cells, 30)
      assert.deepStrictEqual(cells.slice(0, 10), [
        ...["120<i>2n</i>", "120<i>2n</i>", "120<i>2n</i>", "", "", "", "120<i>2n</i>", "120<i>2n</i>"],
        ...["Blocked", "Blocked"]
      ])
      assert.strictEqual(cells[16], "iCal")
      const row = rowOf(text, host.property)
      assert.include(
        row,
        `<a class="stay by-direct half-days-6 from-noon" href="/console/stay?code=${code}" title="&lt;b&gt;Ada &quot;L&quot;, Direct, 7–10 May 2027"`
      )
      assert.match(row, /half-days-1 starts-earlier"[^>]*>Leaves today/)
      assert.match(row, /half-days-7 from-noon ends-later"[^>]*>To July/)
      assert.include(text, '<col class="today"><col><col><col><col class="weekend"><col class="weekend">')
      assert.match(text, /aria-current="date">Tu<b>4<\/b>/)
      assert.include(text, "<span>May 2027</span>")
      assert.include(text, "<span>Jun 2027</span>")
      assert.include(text, "from=2027-04-04")
      assert.include(text, "from=2027-06-03")
      const later = yield* getPage(host.cookie, `${CALENDAR}?from=2027-06-03&days=7`)
      assert.lengthOf(cellsOf(later.text, host.property), 7)
      assert.match(rowOf(later.text, host.property), /half-days-7 starts-earlier"[^>]*>To July/)
    })
  )

  it.effect("shows a request above no booking, and an inactive property", () =>
    Effect.gen(function* () {
      const host = yield* ready
      yield* insertOrder(
        host.operatorId,
        [{ propertyId: host.property, checkIn: "2027-05-06", checkOut: "2027-05-08" }],
        { channelType: "airbnb", status: "wait_accept" }
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE operator_id = ${host.operatorId}`
      const row = rowOf((yield* getPage(host.cookie, CALENDAR)).text, host.property)
      assert.match(row, /<a class="stay request half-days-4[^>]*data-fixed-dates>Request: /)
      assert.include(row, "Inactive")
    })
  )

  it.effect("blocks and unblocks days, and undoes either", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property } = yield* ready
      const days = { property: String(property), from: "2027-05-12", to: "2027-05-13" }
      const blocked = yield* fillAndFollow(cookie, CALENDAR, "close_days", days)
      assert.include(blocked.text, "Blocked 12–13 May 2027 in Harbour &lt;1&gt;. Existing bookings are unaffected.")
      assert.deepStrictEqual(yield* closedDays(operatorId), ["2027-05-12", "2027-05-13"])
      yield* fillAndFollow(cookie, CALENDAR, "open_days", { ...days, from: "2027-05-13" })
      const blockedAgain = yield* fillAndFollow(cookie, CALENDAR, "close_days", days)
      const [undo] = findForms(blockedAgain, "restore_days")
      yield* postForm(cookie, undo?.action ?? "", undo?.form ?? new URLSearchParams())
      assert.deepStrictEqual(yield* closedDays(operatorId), ["2027-05-12"])
    })
  )

  it.effect("sets prices, and an undo restores the former ones", () =>
    Effect.gen(function* () {
      const { cookie, property, token } = yield* ready
      const days = { property: String(property), from: "2027-05-12", to: "2027-05-13" }
      yield* fillAndFollow(cookie, CALENDAR, "set_prices", { ...days, to: days.from, price: "90" })
      const saved = yield* fillAndFollow(cookie, CALENDAR, "set_prices", { ...days, price: "120", minimum_stay: "3" })
      assert.include(saved.text, "Prices saved for 12–13 May 2027 in Harbour &lt;1&gt;.")
      assert.deepStrictEqual(cellsOf(saved.text, property).slice(8, 10), ["120<i>3n</i>", "120<i>3n</i>"])
      const [undo] = findForms(saved, "restore_prices")
      yield* postForm(cookie, undo?.action ?? "", undo?.form ?? new URLSearchParams())
      const prices = yield* dataOf(
        yield* call(token, "get_base_prices", { property_id: property, start_date: days.from, end_date: days.to })
      )
      assert.deepStrictEqual(
        JSON.parse(JSON.stringify(prices)).days.map((day: { price: number | null; minimum_stay: number | null }) => [
          day.price,
          day.minimum_stay
        ]),
        [
          [90, null],
          [null, null]
        ]
      )
      const failed = yield* fillAndSend(cookie, CALENDAR, "set_prices", days)
      assert.strictEqual(failed.status, 422)
      assert.strictEqual(findAlert(failed), "Enter a price.")
    })
  )

  it.effect("limits the days of a selection and the properties that get prices", () =>
    Effect.gen(function* () {
      const { cookie, property } = yield* ready
      const block = (count: number) =>
        postInventedForm(cookie, CALENDAR, "close_days", {
          ...{ property: String(property), from: "2027-05-10", to: addDays("2027-05-10", count - 1) }
        })
      assert.strictEqual((yield* block(SELECTED_DAYS)).status, 303)
      assert.strictEqual(findAlert(yield* block(SELECTED_DAYS + 1)), `Select at most ${SELECTED_DAYS} days.`)
      const price = (count: number) =>
        postInventedForm(cookie, CALENDAR, "set_prices", {
          ...{ property: Array.from({ length: count }, () => String(property)), price: "100" },
          ...{ from: "2027-05-10", to: "2027-05-10" }
        })
      assert.strictEqual((yield* price(PRICED_PROPERTIES_MAX)).status, 303)
      assert.strictEqual(
        findAlert(yield* price(PRICED_PROPERTIES_MAX + 1)),
        `Select at most ${PRICED_PROPERTIES_MAX} properties.`
      )
    })
  )

  it.effect("changes nothing of another operator, without the form's token, or with days that are none", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* ready, yield* ready]
      const code = yield* booked(other, "Ada", "2027-05-07", "2027-05-10")
      const days = { property: String(other.property), from: "2027-05-12", to: "2027-05-13" }
      const own = { ...days, property: String(host.property) }
      const move = { stay: code, property_id: String(host.property) }
      for (const [act, fields, status] of [
        ["close_days", days, 404],
        ["set_prices", { ...days, price: "100" }, 404],
        ["move_stay", { ...move, check_in_date: "2027-05-07", check_out_date: "2027-05-10" }, 404],
        ["move_stay", { stay: code }, 400],
        ["close_days", { ...own, from: "2027-05-14" }, 422],
        ["close_days", { ...own, from: "x" }, 400],
        ["close_days", { ...own, property: "" }, 400],
        ["close_days", { ...own, from: "2020-01-01", to: "2020-01-02" }, 422],
        ["restore_days", { before: "x" }, 400],
        ["restore_prices", {}, 400]
      ] as const) {
        assert.strictEqual((yield* postInventedForm(host.cookie, CALENDAR, act, fields)).status, status, act)
      }
      for (const act of ["close_days", "set_prices", "move_stay", "restore_days", "restore_prices"]) {
        assert.strictEqual((yield* postWithoutToken(host.cookie, CALENDAR, act)).status, 403)
      }
      assert.deepStrictEqual([yield* closedDays(host.operatorId), yield* closedDays(other.operatorId)], [[], []])
    })
  )

  it.effect("blocks once if the form is sent twice at once", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property } = yield* ready
      const days = { property: String(property), from: "2027-05-12", to: "2027-05-13" }
      const sent = yield* fillAndSendTwice(cookie, CALENDAR, "close_days", days)
      assert.isTrue(sent.every(({ status }) => status === 303 || status === 409))
      const sql = yield* SqlClient.SqlClient
      const trail =
        yield* sql`SELECT FROM trail WHERE operator_id = ${operatorId} AND operation = 'update_availabilities'`
      assert.lengthOf(trail, 1)
    })
  )

  it.effect("names the guest in the way of other dates, and leaves a channel's dates to the channel", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const code = yield* booked(host, "Ada", "2027-05-07", "2027-05-10")
      yield* booked(host, "Bea", "2027-05-12", "2027-05-14")
      const move = { property_id: String(host.property), check_in_date: "2027-05-10", check_out_date: "2027-05-13" }
      const clash = yield* fillAndSend(host.cookie, CALENDAR, "move_stay", { ...move, stay: code })
      assert.strictEqual(clash.status, 409)
      assert.strictEqual(findAlert(clash), "Harbour <1> is not free on these nights: Bea, 12–14 May 2027.")
      const stay = { propertyId: host.property, checkIn: "2027-05-20", checkOut: "2027-05-22" }
      const channelCode = yield* insertOrder(host.operatorId, [stay], { channelType: "airbnb" })
      const fixed = yield* fillAndSend(host.cookie, CALENDAR, "move_stay", { ...move, stay: channelCode })
      assert.strictEqual(findAlert(fixed), "Change the dates of Airbnb reservations on Airbnb. They follow here.")
    })
  )

  it.effect("filters properties by name, group and tag", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const attic = yield* insertProperty(host.operatorId, "Attic")
      yield* call(host.token, "create_property_group", { name: "City", property_ids: [attic] })
      const sql = yield* SqlClient.SqlClient
      const [group] = yield* sql<{ id: number }>`SELECT id FROM property_groups WHERE operator_id = ${host.operatorId}`
      for (const [query, count] of [
        ["", 2],
        ["?q=att", 1],
        [`?group=${group?.id}`, 1],
        ["?tag=1", 0]
      ] as const) {
        assert.strictEqual(countProperties((yield* getPage(host.cookie, `${CALENDAR}${query}`)).text), count, query)
      }
      assert.include((yield* getPage(host.cookie, `${CALENDAR}?q=none`)).text, "No properties match.")
    })
  )

  it.effect("has a hundred properties a page, and the others on the next", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      const add = (from: number, to: number) => sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'Room ' || lpad(n::text, 4, '0'), now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* sql`UPDATE operators SET room_limit = 1000 WHERE id = ${operatorId}`
      assert.include((yield* getPage(cookie, CALENDAR)).text, "Get started")
      yield* add(1, MONTH_PROPERTIES_MAX)
      const full = yield* getPage(cookie, CALENDAR)
      assert.strictEqual(countProperties(full.text), MONTH_PROPERTIES_MAX)
      assert.notInclude(full.text, "Next page")
      yield* add(MONTH_PROPERTIES_MAX + 1, MONTH_PROPERTIES_MAX + 1)
      const first = yield* getPage(cookie, CALENDAR)
      assert.include(first.text, `href="/console/calendar?offset=${MONTH_PROPERTIES_MAX}">Next page`)
      const next = yield* getPage(cookie, `${CALENDAR}?offset=${MONTH_PROPERTIES_MAX}`)
      assert.strictEqual(countProperties(next.text), 1)
    })
  )

  it.effect("shows unassigned reservations up to a limit, and says when there are more", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const sql = yield* SqlClient.SqlClient
      const unassigned = (from: number, to: number) => sql`
        WITH made AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, created_at, booked_at)
          SELECT ${host.operatorId}, '5-BOX' || n, 'direct', 'BOX' || n, 'accepted', 'EUR', now(), now()
          FROM generate_series(${from}::int, ${to}::int) n RETURNING operator_id, id, reservation_code)
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
        SELECT operator_id, id, reservation_code, '2027-05-10', '2027-05-12' FROM made`
      const shown = Effect.map(getPage(host.cookie, CALENDAR), ({ text }) => [
        /<tr id="unassigned"[\s\S]*?<\/tr>/.exec(text)?.[0].match(/data-stay="5-BOX/g)?.length,
        text.includes("More reservations exist")
      ])
      yield* unassigned(1, MONTH_UNASSIGNED_STAYS_MAX)
      assert.deepStrictEqual(yield* shown, [MONTH_UNASSIGNED_STAYS_MAX, false])
      yield* unassigned(MONTH_UNASSIGNED_STAYS_MAX + 1, MONTH_UNASSIGNED_STAYS_MAX + 1)
      assert.deepStrictEqual(yield* shown, [MONTH_UNASSIGNED_STAYS_MAX, true])
    })
  )
})
