import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { locatePage } from "../../../src/domain/calendars/calendar-share-links/rules.ts"
import {
  SHARED_FEEDS_A_MINUTE,
  SHARED_PAGE_PROPERTIES_MAX,
  SHARED_PAGES_A_MINUTE,
  SHARED_PART_PROPERTIES_MAX,
  SUBSCRIPTION_ROOMS_MAX
} from "../../../src/platform/limits.ts"
import {
  offeredPageNumbers,
  PAGES_MAX,
  PARTS_MAX,
  pagePosition,
  readNumberParam
} from "../../../src/transports/shared-calendar/pagination.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { createOperator, insertOrder, insertProperty, typedClient, withToken } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

const NOW = "2027-06-10T10:00:00Z"

/** A link to all of a new operator's properties: so many of them, called Room 1 and so on, the last of which is taken. */
const sharing = Effect.fnUntraced(function* (rooms: number) {
  yield* TestClock.setTime(Date.parse(NOW))
  const sql = yield* SqlClient.SqlClient
  const operator = yield* createOperator()
  yield* sql`UPDATE operators SET room_limit = ${SUBSCRIPTION_ROOMS_MAX} WHERE id = ${operator.operatorId}`
  // The trigger that counts rooms counts them for each anew.
  yield* sql.withTransaction(
    Effect.andThen(
      sql`SET LOCAL session_replication_role = replica`.unprepared,
      sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operator.operatorId}, 'Room ' || n, now() FROM generate_series(1, ${rooms - 1}::int) n`
    )
  )
  const last = yield* insertProperty(operator.operatorId, `Room ${rooms}`)
  yield* insertOrder(operator.operatorId, [{ propertyId: last, checkIn: "2027-06-29", checkOut: "2027-07-02" }])
  const api = yield* typedClient
  const link = yield* api.create_calendar_share_link({ scope: "entire" }).pipe(withToken(operator.token))
  const base = yield* BaseUrl
  return { ...operator, here: `${base}/calendar/${link.calendar_share_link.url.split("/").at(-1)}` }
})

const fetched = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    const text = await response.text()
    return { status: response.status, retryAfter: response.headers.get("retry-after"), text }
  })

const headlines = (page: string) => Array.from(page.matchAll(/<h2[^>]*>([^<]*)/g), ([, title]) => title)
const rooms = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `Room ${first + index}`)

layer(layerHttpServer(), { excludeTestServices: false })("a shared calendar of many properties", (it) => {
  it.effect("is one page as long as they fit, and has another for one more", () =>
    Effect.gen(function* () {
      const most = SHARED_PAGE_PROPERTIES_MAX
      const full = yield* sharing(most)
      const only = yield* fetched(full.here)
      assert.deepStrictEqual(headlines(only.text), rooms(1, most))
      assert.notInclude(only.text, "?page=")
      assert.strictEqual((yield* fetched(`${full.here}?page=2`)).status, 404)

      yield* insertProperty(full.operatorId, `Room ${most + 1}`)
      const first = yield* fetched(full.here)
      assert.deepStrictEqual(headlines(first.text), rooms(1, most))
      assert.include(first.text, `Properties 1 to ${most} of ${most + 1}.`)
      assert.include(first.text, '<a href="?page=2" rel="next">')
      assert.deepStrictEqual(yield* fetched(`${full.here}?page=1`), first)
      const second = yield* fetched(`${full.here}?page=2`)
      assert.deepStrictEqual(headlines(second.text), rooms(most + 1, most + 1))
      assert.include(second.text, `<title>Free and taken days – page 2 of 2</title>`)
      for (const number of ["3", "0", "-1", "x", "", "1e3", "99999999999999999999"]) {
        const none = yield* fetched(`${full.here}?page=${number}`)
        assert.strictEqual(none.status, 404, number)
        assert.include(none.text, '<a href="?page=1">')
      }
    })
  )

  it.effect("is one feed as long as they fit, and its pages name another for one more", () =>
    Effect.gen(function* () {
      const most = SHARED_PART_PROPERTIES_MAX
      const { here, operatorId } = yield* sharing(most)
      const last = most / SHARED_PAGE_PROPERTIES_MAX
      const feed = yield* fetched(`${here}.ics`)
      assert.strictEqual(feed.status, 200)
      assert.include(feed.text, `SUMMARY:Room ${most} – not available`)
      assert.isTrue(feed.text.endsWith("END:VCALENDAR\r\n"))
      assert.notInclude((yield* fetched(`${here}?page=${last}`)).text, "It has the properties")
      const none = yield* fetched(`${here}.ics?part=2`)
      assert.deepStrictEqual(
        [none.status, none.retryAfter, fieldOfError({ error_msg: none.text })],
        [404, null, "part"]
      )

      // By its title it would be the first.
      const added = yield* insertProperty(operatorId, "Annex")
      yield* insertOrder(operatorId, [{ propertyId: added, checkIn: "2027-06-29", checkOut: "2027-07-02" }])
      const events = (text: string) => text.replace(/^(NAME|X-WR-CALNAME):.*\r\n/gm, "")
      assert.strictEqual(events((yield* fetched(`${here}.ics`)).text), events(feed.text))
      const second = yield* fetched(`${here}.ics?part=2`)
      assert.deepStrictEqual(second.text.match(/SUMMARY:.*/g), ["SUMMARY:Annex – not available"])
      assert.include(second.text, "\r\nNAME:Free and taken days (part 2 of 2)\r\n")
      const before = yield* fetched(`${here}?page=${last}`)
      assert.include(before.text, "It has the properties 1 to 1,000 of 1,001.")
      assert.match(before.text, /href="[^"]+\.ics"/)
      const page = yield* fetched(`${here}?page=${last + 1}`)
      assert.deepStrictEqual(headlines(page.text), ["Annex"])
      assert.match(page.text, /href="[^"]+\.ics\?part=2"/)
      assert.include(page.text, "It has the properties 1,001 to 1,001 of 1,001.")
    })
  )

  it.effect("answers so many views of a link a minute, and then says when to come again", () =>
    Effect.gen(function* () {
      const { here } = yield* sharing(1)
      const other = yield* sharing(1)
      const views = (url: string, times: number) =>
        Effect.map(
          Effect.all(
            Array.from({ length: times }, () => fetched(url)),
            { concurrency: 5 }
          ),
          (answers) => answers.filter(({ status }) => status === 200).length
        )
      yield* TestClock.setTime(Date.parse("2027-06-10T10:01:20Z"))
      assert.strictEqual(yield* views(here, SHARED_PAGES_A_MINUTE), SHARED_PAGES_A_MINUTE)
      const page = yield* fetched(here)
      assert.deepInclude(page, { status: 429, retryAfter: "40" })
      assert.include(page.text, "40 seconds")
      assert.strictEqual((yield* fetched(here, { method: "HEAD" })).status, 429)

      assert.strictEqual(yield* views(`${here}.ics`, SHARED_FEEDS_A_MINUTE), SHARED_FEEDS_A_MINUTE)
      const feed = yield* fetched(`${here}.ics`)
      assert.deepInclude(feed, { status: 429, retryAfter: "40" })
      assert.notInclude(feed.text, "VCALENDAR")
      assert.strictEqual((yield* fetched(other.here)).status, 200)
      assert.strictEqual((yield* fetched(`${other.here}.ics`)).status, 200)

      yield* TestClock.setTime(Date.parse("2027-06-10T10:02:00Z"))
      assert.strictEqual((yield* fetched(here)).status, 200)
      assert.strictEqual((yield* fetched(`${here}.ics`)).status, 200)
    })
  )
})

describe("pages", () => {
  it("reach the last property of the largest subscription and no further", () => {
    assert.strictEqual(
      readNumberParam("page=2000", "page", PAGES_MAX),
      SUBSCRIPTION_ROOMS_MAX / SHARED_PAGE_PROPERTIES_MAX
    )
    assert.isUndefined(readNumberParam("page=2001", "page", PAGES_MAX))
    assert.strictEqual(
      readNumberParam("part=100", "part", PARTS_MAX),
      SUBSCRIPTION_ROOMS_MAX / SHARED_PART_PROPERTIES_MAX
    )
    assert.isUndefined(readNumberParam("part=101", "part", PARTS_MAX))
    assert.strictEqual(readNumberParam("from=mail", "page", PAGES_MAX), 1)
    assert.isTrue(Number.isInteger(SHARED_PART_PROPERTIES_MAX / SHARED_PAGE_PROPERTIES_MAX))
  })

  const places = fc
    .tuple(fc.integer({ min: 1, max: SUBSCRIPTION_ROOMS_MAX }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([total, share]) => {
      const { count: of } = pagePosition(1, total)
      return { total, place: pagePosition(1 + Math.floor(share * (of - 1)), total) }
    })

  it("follow one another through the parts without a gap", () => {
    fc.assert(
      fc.property(places, ({ place: { number } }) => {
        const { partNumber: part, offset } = locatePage(number)
        assert.strictEqual((part - 1) * SHARED_PART_PROPERTIES_MAX + offset, (number - 1) * SHARED_PAGE_PROPERTIES_MAX)
        assert.isAtMost(offset + SHARED_PAGE_PROPERTIES_MAX, SHARED_PART_PROPERTIES_MAX)
      })
    )
  })

  it("offer the first, the last and those around, in order, and never many", () => {
    fc.assert(
      fc.property(places, ({ place }) => {
        const offered = offeredPageNumbers(place)
        assert.deepStrictEqual(
          offered,
          Array.from(new Set(offered)).toSorted((one, other) => one - other)
        )
        assert.strictEqual(offered[0], 1)
        assert.strictEqual(offered.at(-1), place.count)
        assert.include(offered, place.number)
        assert.isAtMost(offered.length, 7)
      })
    )
  })
})
