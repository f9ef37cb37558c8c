import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PROPERTIES_OFFERED_MAX, STAY_SEARCH_ROWS_MAX } from "../../../../src/platform/limits.ts"
import { insertOrder, insertProperty, type OrderOptions } from "../../../support/harness.ts"
import { createSignedInHost, getPage } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

/** A host on 4 May, with a property. */
const ready = Effect.gen(function* () {
  // In Berlin it is the 4th already.
  yield* TestClock.setTime(Date.parse("2027-05-03T22:30:00Z"))
  const host = yield* createSignedInHost()
  const sql = yield* SqlClient.SqlClient
  const property = yield* insertProperty(host.operatorId, "Harbour <1>")
  const guest = Effect.fnUntraced(function* (
    name: string | null,
    checkIn: string,
    checkOut: string,
    { propertyId = property, ...options }: OrderOptions & { readonly propertyId?: number | null } = {}
  ) {
    const code = yield* insertOrder(host.operatorId, [{ propertyId, checkIn, checkOut, revenue: "1420.5" }], options)
    yield* sql`UPDATE stays SET guest_name = ${name} WHERE operator_id = ${host.operatorId} AND stay_code = ${code}`
    return code
  })
  const shown = (query = "") => Effect.map(getPage(host.cookie, `/console/reservations${query}`), ({ text }) => text)
  return { ...host, sql, property, guest, shown }
})

/** Who is in the list, in its order. */
const namesIn = (text: string) =>
  Array.from(text.matchAll(/data-label="Guest"[^>]*><a href="[^"]*">([^<]*)<\/a>/g), ([, name]) => name)

layer(layerSignedInPages)("the page of reservations", (it) => {
  it.effect("shows who is here and comes, with what is due, and leads to each", () =>
    Effect.gen(function* () {
      const { sql, operatorId, guest, shown } = yield* ready
      yield* guest("Gone", "2027-05-01", "2027-05-03")
      const code = yield* guest("<script>Ada</script>", "2027-05-03", "2027-05-06")
      const nameless = yield* guest(null, "2027-05-09", "2027-05-12", { propertyId: null, channelType: "airbnb" })
      yield* sql`
        INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, status,
          operator_name, order_id, created_at, updated_at)
        SELECT operator_id, 'income', 420, 'EUR', 11, 197, now(), 'paid', 'Owner', id, now(), now()
        FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
      const text = yield* shown()
      assert.deepStrictEqual(namesIn(text), ["&lt;script&gt;Ada&lt;/script&gt;", nameless])
      assert.notInclude(text, "<script>Ada")
      for (const words of [
        `<a href="/console/stay?code=${code}">`,
        "<h2>2 reservations</h2>",
        "Check-outs from Tue 4 May 2027 to Sun 31 Oct 2027, by check-in. Pick dates to see others.",
        "Harbour &lt;1&gt;",
        "Unassigned",
        "3–6 May 2027",
        "3 nights, 1 guest",
        "1,420.50 EUR",
        'Balance due</span><span class="phone">Due</span> <span class="number whole">1,000.50 EUR</span>',
        '<span class="badge info">Confirmed</span>',
        "Direct",
        "Airbnb",
        '<a class="button primary" href="/console/reservations/new">New reservation</a>',
        '<a href="/console/reservations.csv">Export CSV</a>'
      ]) {
        assert.include(text, words)
      }
    })
  )

  it.effect("is narrowed by its form, which keeps what was asked", () =>
    Effect.gen(function* () {
      const { property, guest, shown } = yield* ready
      yield* guest("Ada Lovelace", "2027-02-01", "2027-02-03")
      yield* guest("Grace Hopper", "2027-05-09", "2027-05-12")
      yield* guest("Ida Rhodes", "2027-05-20", "2027-05-22", { propertyId: null })
      yield* guest("Mary Ross", "2027-05-25", "2027-05-27", { status: "wait_accept" })
      const found = (query: string) => Effect.map(shown(query), namesIn)
      assert.deepStrictEqual(yield* found("?q=+lovelace+"), ["Ada Lovelace"])
      assert.deepStrictEqual(yield* found(`?property=${property}`), ["Grace Hopper", "Mary Ross"])
      assert.deepStrictEqual(yield* found("?property=0"), ["Ida Rhodes"])
      assert.deepStrictEqual(yield* found("?status=wait_accept"), ["Mary Ross"])
      assert.deepStrictEqual(yield* found("?from=2027-05-20&to=2027-05-24"), ["Ida Rhodes"])
      assert.deepStrictEqual(yield* found("?leaves_from=2027-02-03&leaves_to=2027-05-12"), [
        "Ada Lovelace",
        "Grace Hopper"
      ])
      assert.deepStrictEqual(yield* found("?payment=paid"), [])
      const text = yield* shown("?q=%22nobody&property=0&status=accepted&from=2027-05-20&payment=unpaid")
      for (const words of [
        'name="q" value="&quot;nobody"',
        '<option value="0" selected>Unassigned</option>',
        '<option value="accepted" selected>',
        '<option value="unpaid" selected>',
        'name="from" value="2027-05-20"',
        "<summary>More filters (3)</summary>",
        "<h2>No reservations</h2>",
        'No reservations match. <a href="/console/reservations">Clear filters</a>',
        "By check-in."
      ]) {
        assert.include(text, words)
      }
      assert.include(yield* shown("?status=wait_accept"), "On any date, by check-in.")
      assert.include(yield* shown("?q=a"), "A complete code is found on any date.")
      assert.include(yield* shown(), "<summary>More filters</summary>")
    })
  )

  it.effect("shows whether a guest has checked in or out, and what is paid", () =>
    Effect.gen(function* () {
      const { sql, operatorId, guest, shown } = yield* ready
      yield* guest("Ada", "2027-05-03", "2027-05-06")
      yield* guest("Grace", "2027-05-09", "2027-05-12", { status: "wait_accept" })
      const cellsOf = (text: string, label: string) =>
        Array.from(text.matchAll(new RegExp(`data-label="${label}"[^>]*>(.*?)</td>`, "g")), ([, cell = ""]) => cell)
      const [ada = "", grace = ""] = cellsOf(yield* shown(), "Status")
      assert.include(ada, ">Confirmed<")
      assert.include(grace, '<span class="badge wait">Request<')
      assert.include(cellsOf(yield* shown(), "Payment")[1], "—")
      yield* sql`UPDATE stays SET stay_status = 'in_house', rate = 0 WHERE operator_id = ${operatorId} AND guest_name = 'Ada'`
      const text = yield* shown("?status=in_house")
      assert.deepStrictEqual(namesIn(text), ["Ada"])
      assert.include(cellsOf(text, "Status")[0], '<span class="badge good">Checked in<')
      assert.include(cellsOf(text, "Payment")[0], "—")
      assert.deepStrictEqual(namesIn(yield* shown("?status=stay_completed")), [])
    })
  )

  it.effect("says of how many orders the stays are", () =>
    Effect.gen(function* () {
      const { operatorId, property, guest, shown } = yield* ready
      const days = { checkIn: "2027-05-09", checkOut: "2027-05-12" }
      yield* insertOrder(operatorId, [
        { propertyId: property, ...days },
        { propertyId: null, ...days }
      ])
      assert.include(yield* shown("?payment=unpaid"), "<h2>2 stays of 1 reservation</h2>")
      yield* guest("Grace Hopper", "2027-05-20", "2027-05-22")
      assert.include(yield* shown("?payment=unpaid"), "<h2>3 stays of 2 reservations</h2>")
    })
  )

  it.effect("takes what is no day, no property and no state for nothing", () =>
    Effect.gen(function* () {
      const { guest, shown } = yield* ready
      yield* guest("Grace Hopper", "2027-05-09", "2027-05-12")
      for (const query of [
        "?from=2027-02-30",
        "?property=x",
        "?property=-1",
        "?status=gone",
        "?payment=1",
        "?offset=x"
      ]) {
        assert.deepStrictEqual(namesIn(yield* shown(query)), ["Grace Hopper"], query)
      }
      assert.deepStrictEqual(namesIn(yield* shown(`?q=${"a".repeat(5_000)}`)), [])
    })
  )

  it.effect("has pages, and shows no more than one", () =>
    Effect.gen(function* () {
      const { guest, shown } = yield* ready
      for (let at = 1; at < STAY_SEARCH_ROWS_MAX; at += 1)
        yield* guest(`G${at}`, "2027-05-09", "2027-05-12", { propertyId: null })
      yield* guest("Last", "2027-05-10", "2027-05-12", { propertyId: null })
      const full = yield* shown("?q=")
      assert.lengthOf(namesIn(full), STAY_SEARCH_ROWS_MAX)
      assert.notInclude(full, 'class="pages"')
      yield* guest("One more", "2027-05-11", "2027-05-12", { propertyId: null })
      const first = yield* shown("?q=")
      assert.lengthOf(namesIn(first), STAY_SEARCH_ROWS_MAX)
      assert.include(first, `<h2>${STAY_SEARCH_ROWS_MAX + 1} reservations</h2>`)
      assert.include(first, `?q=&amp;offset=${STAY_SEARCH_ROWS_MAX}">Next page`)
      assert.deepStrictEqual(namesIn(yield* shown(`?offset=${STAY_SEARCH_ROWS_MAX}`)), ["One more"])
    })
  )

  it.effect("says where not all properties can be chosen", () =>
    Effect.gen(function* () {
      const { sql, operatorId, shown } = yield* ready
      yield* sql`UPDATE operators SET room_limit = ${2 * PROPERTIES_OFFERED_MAX} WHERE id = ${operatorId}`
      yield* sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'House ' || at, now() FROM generate_series(2, ${PROPERTIES_OFFERED_MAX}) at`
      const more = `Only the first ${PROPERTIES_OFFERED_MAX.toLocaleString("en")} properties can be chosen here.`
      assert.notInclude(yield* shown(), more)
      yield* insertProperty(operatorId, "Z")
      const text = yield* shown()
      assert.include(text, more)
      assert.notInclude(text, ">Z</option>")
      assert.isBelow(Buffer.byteLength(text), 300_000)
    })
  )

  it.effect("shows nothing of another operator's", () =>
    Effect.gen(function* () {
      const one = yield* ready
      const code = yield* one.guest("Ada", "2027-05-09", "2027-05-12")
      const other = yield* ready
      const text = yield* other.shown(`?q=${code}&property=${one.property}`)
      assert.deepStrictEqual(namesIn(text), [])
      assert.notInclude(text, `<option value="${one.property}"`)
    })
  )
})
