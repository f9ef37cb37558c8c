import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ImportedCalendars } from "../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { UNREADABLE_URL } from "../../../src/domain/secret-urls.ts"
import { CalendarsElsewhere } from "../../../src/transports/console/queries/CalendarsElsewhere.ts"
import { asCaller } from "../../support/console-caller.ts"
import {
  getOrCreateFeedAddress,
  listCalendarFeeds,
  renewFeedAddress
} from "../../support/domain/calendars/feed-addresses.ts"
import {
  addImportedCalendar,
  fetchAllDue,
  loadCalendarState,
  makeCalendarImportWorker,
  startCalendarSource
} from "../../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor, callForResponse, createOperator, dataOf, insertProperty } from "../../support/harness.ts"
import { FIRST_KEY, layerSealedService, parseKeys } from "../../support/platform/sealing/sealed-service.ts"

// One row that does not open, as after a restore of which one row was sealed with a key that is lost: the others are shown.

const LOST = `sealed:1:${"0".repeat(12)}:${"A".repeat(16)}:${"A".repeat(30)}`

/** The warnings that are logged. */
const warned = <A, E, R>(work: Effect.Effect<A, E, R>) => {
  const lines: Array<unknown> = []
  const logger = Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") lines.push(...[message].flat())
    })
  ])
  return Effect.map(Effect.provide(work, logger), (answer) => [answer, lines] as const)
}

const host = Effect.gen(function* () {
  yield* TestClock.setTime(Date.now())
  const { operatorId, token } = yield* createOperator()
  return { operatorId, token, property: yield* insertProperty(operatorId, "Harbour 1") }
})

layer(layerSealedService(parseKeys(FIRST_KEY)))("a secret that does not open", (it) => {
  it.effect("of a calendar is in the way of no other: the lists have both, and fetching says why it fails", () =>
    Effect.gen(function* () {
      const { operatorId, property } = yield* host
      const [calendars, desk, sql] = [yield* ImportedCalendars, yield* CalendarsElsewhere, yield* SqlClient.SqlClient]
      const elsewhere = yield* startCalendarSource
      const broken = yield* addImportedCalendar(property, elsewhere.makeUrl("/broken.ics"))
      const whole = yield* addImportedCalendar(property, elsewhere.makeUrl("/whole.ics?s=1234"))
      for (const id of [broken, whole]) yield* getOrCreateFeedAddress(operatorId, property, id)
      yield* sql`UPDATE imported_calendars SET url = ${LOST} WHERE id = ${broken}`
      yield* sql`UPDATE property_feeds SET token = ${LOST} WHERE calendar_id = ${broken}`

      const [listed, lines] = yield* warned(calendars.list({ operatorId, propertyId: undefined }, 10))
      assert.deepStrictEqual(
        listed.map(({ calendar_id, url }) => [calendar_id, url]),
        [
          [broken, null],
          [whole, elsewhere.makeUrl("/whole.ics?s=1234")]
        ]
      )
      assert.deepStrictEqual(listed[0]?.feed, { token: undefined })
      assert.match(listed[1]?.feed?.token ?? "", /^lkfeed_/)
      assert.lengthOf(lines, 2)
      assert.match(String(lines[0]), /^SECRET_KEY: .*\b000000000000\b.*\bcalendar$/)
      assert.match(String(lines[1]), /^SECRET_KEY: .*\b000000000000\b.*\bfeed$/)

      const shown = yield* desk.of("2027-04-20", 0).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual(
        shown.calendars.map(({ id, ending }) => [id, ending]),
        [
          [broken, null],
          [whole, "1234"]
        ]
      )
      yield* fetchAllDue(yield* makeCalendarImportWorker)
      const state = yield* loadCalendarState(broken)
      assert.strictEqual(state?.state, "failing")
      assert.match(String(state?.error), /\baddress\b/)
      yield* calendars.remove(operatorId, broken).pipe(asSystemActor)
    })
  )

  it.effect("of a feed is in the way of no other, and is replaced", () =>
    Effect.gen(function* () {
      const { operatorId, property } = yield* host
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [
        yield* addImportedCalendar(property, "https://a.example/1"),
        yield* addImportedCalendar(property, "https://b.example/2")
      ]
      yield* getOrCreateFeedAddress(operatorId, property)
      for (const id of [one, other]) yield* getOrCreateFeedAddress(operatorId, property, id)
      yield* sql`UPDATE property_feeds SET token = ${LOST} || id WHERE operator_id = ${operatorId} AND calendar_id IS DISTINCT FROM ${other}`
      const listed = yield* listCalendarFeeds(operatorId, property)
      assert.deepStrictEqual(
        listed.map(({ url }) => url === UNREADABLE_URL),
        [true, false]
      )
      assert.strictEqual((yield* getOrCreateFeedAddress(operatorId, property)).url, UNREADABLE_URL)
      const renewed = yield* renewFeedAddress(operatorId, property, one)
      assert.match(renewed.url, /lkfeed_/)
    })
  )

  it.effect("of a shared calendar is in the way of no other, says so, and goes", () =>
    Effect.gen(function* () {
      const { operatorId, token, property } = yield* host
      const sql = yield* SqlClient.SqlClient
      const call = (name: Parameters<typeof callForResponse>[1], fields = {}) =>
        Effect.map(callForResponse(token, name, fields), ({ envelope }) => dataOf(envelope))
      yield* call("create_calendar_share_link", { scope: "entire" })
      yield* call("create_calendar_share_link", { scope: "partial", property_ids: [property] })
      yield* sql`UPDATE calendar_share_links SET token = ${LOST} WHERE operator_id = ${operatorId} AND scope = 'entire'`
      const found = JSON.stringify(yield* call("search_calendar_share_links"))
      assert.include(found, `"url":"${UNREADABLE_URL}"`)
      assert.match(found, /"url":"http[^"]+lkcal_/)
      const again = JSON.stringify(yield* call("create_calendar_share_link", { scope: "entire" }))
      assert.include(again, UNREADABLE_URL)
      const id = Number(/"id":(\d+)/.exec(again)?.[1])
      yield* call("delete_calendar_share_link", { id })
      assert.match(JSON.stringify(yield* call("create_calendar_share_link", { scope: "entire" })), /lkcal_/)
    })
  )
})
