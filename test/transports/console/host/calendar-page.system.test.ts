import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import {
  MONTH_PROPERTIES_MAX,
  MONTH_UNASSIGNED_STAYS_MAX,
  PAGE_MAX,
  SELECTED_DAYS
} from "../../../../src/platform/limits.ts"
import { call, dataOf } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findForms,
  getPage,
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

const daysOf = (property: number, from: string, to: string) =>
  `/console/calendar?property=${property}&from=${from}&to=${to}`

/** The rows of the month's table. */
const rowsIn = (text: string) =>
  /<table class="month">[\s\S]*<\/table>/.exec(text)?.[0].match(/<tr>[\s\S]*?<\/tr>/g) ?? []

layer(layerSignedInPages)("the calendar", (it) => {
  it.effect("shows stays, closings and what is busy elsewhere, each by a sign of its own", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const sql = yield* SqlClient.SqlClient
      const code = yield* booked(host, `<b>Ada "L"`, "2027-05-07", "2027-05-10")
      yield* booked(host, "From April", "2027-04-29", "2027-05-02")
      yield* booked(host, "To June", "2027-05-30", "2027-06-03")
      yield* call(host.token, "update_availabilities", {
        ...{ property_ids: [host.property], available: false, start_date: "2027-05-12", end_date: "2027-05-13" }
      })
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, imported) VALUES
          (${host.operatorId}, ${host.property}, '2027-05-20', 1), (${host.operatorId}, ${host.property}, '2027-05-21', 1),
          (${host.operatorId}, ${host.property}, '2027-05-23', 1)`
      const { status, text } = yield* getPage(host.cookie, "/console/calendar")
      assert.strictEqual(status, 200)
      assert.include(text, "Calendar, May 2027")
      assert.include(text, "Harbour &lt;1&gt;")
      assert.include(
        text,
        `<td class="stay" colspan="3"><a href="/console/stay?code=${code}" title="&lt;b&gt;Ada &quot;L&quot;">`
      )
      assert.match(text, /<td class="stay"><a [^>]*>◂ From April/)
      assert.match(text, /<td class="stay" colspan="2"><a [^>]*>To June ▸/)
      assert.include(text, '<td class="closed" colspan="2">×</td>')
      assert.include(text, '<td class="elsewhere" colspan="2">≡</td>')
      assert.include(text, '<td class="elsewhere">≡</td>')
      assert.lengthOf(rowsIn(text), 2)
      assert.include((yield* getPage(host.cookie, "/console/calendar?month=2027-06")).text, "◂ To June")
    })
  )

  it.effect("says what stands on days before anything is done with them, and closes and opens them", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const free = daysOf(host.property, "2027-05-12", "2027-05-13")
      const before = yield* getPage(host.cookie, free)
      assert.include(before.text, "All of them are open and free.")
      assert.include(before.text, "check_in_date=2027-05-12&amp;check_out_date=2027-05-14")
      assert.lengthOf(findForms(before, "open_days"), 0)
      const closed = yield* fillAndSend(host.cookie, free, "close_days")
      assert.strictEqual(closed.status, 303)
      const after = yield* getPage(host.cookie, closed.location)
      assert.strictEqual(findDoneAction(after), "close_days")
      assert.include(after.text, "2 of them are closed by you.")
      assert.lengthOf(findForms(after, "close_days"), 0)
      assert.deepStrictEqual(yield* closedDays(host.operatorId), ["2027-05-12", "2027-05-13"])
      yield* fillAndSend(host.cookie, free, "open_days")
      assert.deepStrictEqual(yield* closedDays(host.operatorId), [])
    })
  )

  it.effect("says who stays there, and that a booking would clash", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const code = yield* booked(host, "Ada", "2027-05-07", "2027-05-10")
      const { text } = yield* getPage(host.cookie, daysOf(host.property, "2027-05-09", "2027-05-12"))
      assert.include(text, `<a href="/console/stay?code=${code}">Ada</a> stays`)
      assert.include(text, "would clash")
      assert.notInclude(text, "Enter a reservation for these nights")
      // The day of leaving is free.
      assert.include(
        (yield* getPage(host.cookie, daysOf(host.property, "2027-05-10", "2027-05-12"))).text,
        "open and free"
      )
    })
  )

  it.effect("does nothing of another operator's, without the form's own token, or with days that are none", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* ready, yield* ready]
      const path = daysOf(other.property, "2027-05-12", "2027-05-13")
      const seen = yield* getPage(host.cookie, path)
      assert.lengthOf(findForms(seen, "close_days"), 0)
      const days = { property: String(other.property), from: "2027-05-12", to: "2027-05-13" }
      const refused = yield* postInventedForm(host.cookie, "/console/calendar", "close_days", days)
      assert.strictEqual(refused.status, 404)
      assert.include(findAlert(refused), "property")
      const own = { ...days, property: String(host.property) }
      for (const [fields, status] of [
        [{ ...own, from: "2027-05-14" }, 422],
        [{ ...own, from: "x" }, 400],
        [{ ...own, property: "" }, 400],
        [{ ...own, from: "2020-01-01", to: "2020-01-02" }, 422]
      ] as const) {
        assert.strictEqual(
          (yield* postInventedForm(host.cookie, "/console/calendar", "close_days", fields)).status,
          status
        )
      }
      for (const act of ["close_days", "open_days"]) {
        assert.strictEqual((yield* postWithoutToken(host.cookie, "/console/calendar", act)).status, 403)
      }
      assert.deepStrictEqual([yield* closedDays(host.operatorId), yield* closedDays(other.operatorId)], [[], []])
    })
  )

  it.effect("takes a form that is sent twice at once", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const path = daysOf(host.property, "2027-05-12", "2027-05-13")
      const sent = yield* fillAndSendTwice(host.cookie, path, "close_days")
      assert.isTrue(
        sent.every(({ status }) => status === 303 || status === 409),
        sent.map(({ status }) => status).join()
      )
      assert.deepStrictEqual(yield* closedDays(host.operatorId), ["2027-05-12", "2027-05-13"])
      const sql = yield* SqlClient.SqlClient
      const trail =
        yield* sql`SELECT FROM trail WHERE operator_id = ${host.operatorId} AND operation = 'update_availabilities'`
      assert.lengthOf(trail, 1)
    })
  )

  it.effect("looks at so many days of a property and no more, and says so", () =>
    Effect.gen(function* () {
      const { cookie, property } = yield* ready
      const daysFrom = (count: number) =>
        getPage(cookie, daysOf(property, "2027-05-10", addDays("2027-05-10", count - 1)))
      const most = yield* daysFrom(SELECTED_DAYS)
      assert.lengthOf(findForms(most, "close_days"), 1)
      assert.isUndefined(findAlert(most))
      for (const count of [SELECTED_DAYS + 1, 0]) {
        const none = yield* daysFrom(count)
        assert.lengthOf(findForms(none, "close_days"), 0)
        assert.strictEqual(findAlert(none)?.includes(`${SELECTED_DAYS} days`), count > 0)
      }
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
      yield* add(1, MONTH_PROPERTIES_MAX)
      const full = yield* getPage(cookie, "/console/calendar")
      assert.lengthOf(rowsIn(full.text), MONTH_PROPERTIES_MAX + 1)
      assert.notInclude(full.text, "Further in the list")
      yield* add(MONTH_PROPERTIES_MAX + 1, MONTH_PROPERTIES_MAX + 1)
      const first = yield* getPage(cookie, "/console/calendar")
      assert.lengthOf(rowsIn(first.text), MONTH_PROPERTIES_MAX + 1)
      assert.include(first.text, `href="/console/calendar?offset=${MONTH_PROPERTIES_MAX}">Further in the list`)
      const next = yield* getPage(cookie, `/console/calendar?offset=${MONTH_PROPERTIES_MAX}`)
      assert.lengthOf(rowsIn(next.text), 2)
    })
  )

  it.effect("offers the first hundred room types to set their prices, and says that there are more", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      const add = (from: number, to: number) => sql`
        INSERT INTO room_types (operator_id, title, created_at)
        SELECT ${operatorId}, 'Type ' || n, now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* sql`UPDATE operators SET room_type_limit = 1000 WHERE id = ${operatorId}`
      const note = "Only the first 100 room types are listed."
      yield* add(1, PAGE_MAX)
      assert.notInclude((yield* getPage(cookie, "/console/calendar")).text, note)
      yield* add(PAGE_MAX + 1, PAGE_MAX + 1)
      assert.include((yield* getPage(cookie, "/console/calendar")).text, note)
    })
  )

  it.effect("shows what is in the box, up to its bound, and says when there is more", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const sql = yield* SqlClient.SqlClient
      const boxed = (from: number, to: number) => sql`
        WITH made AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, created_at, booked_at)
          SELECT ${host.operatorId}, '5-BOX' || n, 'direct', 'BOX' || n, 'accepted', 'EUR', now(), now()
          FROM generate_series(${from}::int, ${to}::int) n RETURNING operator_id, id, reservation_code)
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
        SELECT operator_id, id, reservation_code, '2027-05-10', '2027-05-12' FROM made`
      const shown = Effect.map(getPage(host.cookie, "/console/calendar"), ({ text }) => [
        /id="box"[\s\S]*?<\/section>/.exec(text)?.[0].match(/code=5-BOX/g)?.length,
        text.includes("There are more stays")
      ])
      yield* boxed(1, MONTH_UNASSIGNED_STAYS_MAX)
      assert.deepStrictEqual(yield* shown, [MONTH_UNASSIGNED_STAYS_MAX, false])
      yield* boxed(MONTH_UNASSIGNED_STAYS_MAX + 1, MONTH_UNASSIGNED_STAYS_MAX + 1)
      assert.deepStrictEqual(yield* shown, [MONTH_UNASSIGNED_STAYS_MAX, true])
    })
  )
})
