import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { HOUSE_FEED_STAYS_MAX, HOUSE_FEEDS_MAX } from "../../../../src/platform/limits.ts"
import { eraseGuestMatches } from "../../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../../src/tools/privacy/guest-search.ts"
import { connectClient } from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import {
  asSystemActor,
  call,
  callForResponse,
  createAccessToken,
  createOperator,
  insertAccount,
  insertOrder,
  insertProperty,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../../support/http-server.ts"
import { insertImportedCalendar, insertImportedDays } from "../../../support/imported-calendars.ts"
import { readRentalControlCalendar } from "../../../support/rental-control.ts"

/** The day before the check-in of most stays here, in Lisbon. */
const NOW = Date.parse("2027-06-09T12:00:00Z")
const CHECK_IN = "2027-06-10"
const CHECK_OUT = "2027-06-13"

const EVERY_FIELD = ["guest_name", "phone", "guests", "code", "door_code"] as const
const HIDDEN = "(shown only once: renew the feed)"
const mainOnly = (action: string) =>
  `403 Only an access token of the main account can ${action} a house calendar, and no token of a connected application.`

const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const operator = yield* createOperator({ timeZone: "Europe/Lisbon" })
  const { operatorId } = operator
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const as = withToken(operator.token)
  const api = yield* typedClient
  const create = (fields: ReadonlyArray<(typeof EVERY_FIELD)[number]> = EVERY_FIELD) =>
    api.create_property_feed({ property_id: propertyId, kind: "house", fields }).pipe(as)
  const list = (token = operator.token) =>
    Effect.map(
      withToken(token)(api.list_property_feeds({ property_id: propertyId })),
      ({ property_feeds }) => property_feeds
    )
  const subToken = yield* createAccessToken(
    { operatorId, accountId: yield* insertAccount(operatorId, "sub", "Reception") },
    "writable"
  )
  return { ...operator, propertyId, api, as, create, list, subToken }
})

const refusalOf = (...[token, operation, fields]: Parameters<typeof call>) =>
  Effect.map(call(token, operation, fields), ({ error_code, error_msg }) => `${error_code} ${error_msg}`)

const readFeed = Effect.fnUntraced(function* (url: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}${new URL(url).pathname}`, init)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  })
})

const readEvents = (url: string) => Effect.map(readFeed(url), ({ text }) => readRentalControlCalendar(text))

layer(layerHttpServer(), { excludeTestServices: false })("house calendars over REST", (it) => {
  it.effect("show a stay to Rental Control, its door code when it is time, and nothing of an erased guest", () =>
    Effect.gen(function* () {
      const { operatorId, token, propertyId, api, as, create } = yield* prepare
      const { reservation_code } = yield* api
        .create_reservation({
          property_id: propertyId,
          custom_channel_id: 30,
          check_in_date: CHECK_IN,
          check_out_date: CHECK_OUT,
          guest_name: "Ada\nDoor code: 0000",
          mobile: "+351 912 345 678",
          number_of_guests: 2,
          currency: "EUR",
          rate_amount: 300,
          commission_amount: 0,
          received_amount: 0,
          income_method_id: 197
        })
        .pipe(as)
      yield* api
        .update_check_in_details({
          stay_code: reservation_code,
          lock_code: "4711",
          lock_code_visible_after: "15:00"
        })
        .pipe(as)
      const { url } = yield* create()
      const before = yield* readFeed(url)
      const commonLines = [`Booking ID: ${reservation_code}`, "Guests: 2", "Phone: +351912345678"]
      const [event] = readRentalControlCalendar(before.text)
      assert.deepInclude(event, { start: CHECK_IN, end: CHECK_OUT, slotName: "Ada Door code: 0000", lastFour: "5678" })
      assert.deepStrictEqual(event?.lines.slice(2), commonLines)
      assert.strictEqual(before.headers.get("cache-control"), "private, no-store")
      assert.strictEqual(before.headers.get("x-robots-tag"), "noindex, nofollow")

      yield* TestClock.setTime(Date.parse(`${CHECK_IN}T13:59:59Z`))
      const etag = (yield* readFeed(url)).headers.get("etag") ?? ""
      assert.strictEqual((yield* readFeed(url, { headers: { "if-none-match": etag } })).status, 304)
      yield* TestClock.setTime(Date.parse(`${CHECK_IN}T14:00:00Z`))
      const during = yield* readFeed(url, { headers: { "if-none-match": etag } })
      assert.strictEqual(during.status, 200)
      const [eventWithCode] = readRentalControlCalendar(during.text)
      assert.deepStrictEqual(eventWithCode?.lines.slice(2), [...commonLines, "Door code: 4711", "Last 4 Digits: 4711"])
      assert.deepInclude(eventWithCode, { doorCode: "4711", lastFour: "4711" })
      assert.strictEqual(eventWithCode?.uid, event?.uid)

      const matches = yield* findGuest(operatorId, { by: "order", value: reservation_code }, yield* DateTime.nowAsDate)
      yield* asSystemActor(eraseGuestMatches(matches))
      const erased = yield* readFeed(url, { headers: { "if-none-match": during.headers.get("etag") ?? "" } })
      assert.strictEqual(erased.status, 200)
      const [erasedEvent] = readRentalControlCalendar(erased.text)
      assert.deepInclude(erasedEvent, { summary: "Reserved", start: CHECK_IN, end: CHECK_OUT })
      assert.lengthOf(erasedEvent?.lines ?? [], 2)
      for (const detail of ["Ada", "912345678", "4711", reservation_code]) assert.notInclude(erased.text, detail)

      const [feed] = (yield* api.list_property_feeds({ property_id: propertyId }).pipe(as)).property_feeds
      assert.deepStrictEqual((yield* call(token, "delete_property_feed", { id: feed?.id })).error_code, 0)
      assert.strictEqual((yield* readFeed(url)).status, 404)
    })
  )

  it.effect("are new with every call, and show their address only then", () =>
    Effect.gen(function* () {
      const { token, propertyId, create, list, api, as } = yield* prepare
      const own = yield* api.create_property_feed({ property_id: propertyId }).pipe(as)
      assert.deepInclude(own, { kind: "availability", fields: null, door_code_source: null, calendar_id: null })
      const [first, second] = [yield* create(["door_code", "phone"]), yield* create([])]
      assert.deepInclude(first, {
        kind: "house",
        fields: ["phone", "door_code"],
        door_code_source: "reservation",
        calendar_id: null
      })
      assert.deepInclude(second, { fields: [] })
      assert.match(first.url, /\/feeds\/lkfeed_[0-9a-z]{26}\.ics$/)
      assert.notStrictEqual(first.url, second.url)
      const hidden = [first, second].map((feed) => ({ ...feed, url: HIDDEN }))
      assert.deepStrictEqual(yield* list(), [own, ...hidden])
      // The property's own feed stays the one for marketplaces.
      assert.deepStrictEqual(yield* api.create_property_feed({ property_id: propertyId }).pipe(as), own)
      const fields = { property_id: propertyId, kind: "house", fields: ["code"], door_code_source: null }
      const responses = yield* Effect.forEach([1, 2], () =>
        callForResponse(token, "create_property_feed", fields, "house")
      )
      assert.deepStrictEqual(responses[0]?.envelope.data, responses[1]?.envelope.data)
      assert.lengthOf(yield* list(), 4)
    })
  )

  it.effect("belong to the main account: sub-accounts and applications neither make, renew nor delete one", () =>
    Effect.gen(function* () {
      const host = yield* prepare
      const { propertyId, create, list, subToken } = host
      const client = yield* connectClient(host)
      const feed = yield* create()
      for (const token of [subToken, client.token]) {
        const fields = { property_id: propertyId, kind: "house" }
        assert.strictEqual(yield* refusalOf(token, "create_property_feed", fields), mainOnly("create"))
        assert.strictEqual(yield* refusalOf(token, "renew_property_feed", { id: feed.id }), mainOnly("renew"))
        assert.strictEqual(yield* refusalOf(token, "delete_property_feed", { id: feed.id }), mainOnly("delete"))
      }
      assert.deepStrictEqual(yield* list(subToken), [{ ...feed, url: HIDDEN }])
      assert.deepStrictEqual(yield* list(client.token), [])
      assert.lengthOf(yield* list(), 1)
      assert.strictEqual((yield* readFeed(feed.url)).status, 200)
    })
  )

  it.effect("hide the address from a sub-account that repeats an idempotency key of the main account", () =>
    Effect.gen(function* () {
      const { token, subToken, propertyId } = yield* prepare
      const fields = { property_id: propertyId, kind: "house" }
      yield* callForResponse(token, "create_property_feed", fields, "same")
      const { envelope } = yield* callForResponse(subToken, "create_property_feed", fields, "same")
      assert.notInclude(JSON.stringify(envelope), "lkfeed_")
    })
  )

  it.effect("get another address when they are renewed, and none when they are deleted", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, api, as, create, list } = yield* prepare
      const before = yield* create()
      const after = yield* api.renew_property_feed({ id: before.id }).pipe(as)
      assert.deepStrictEqual({ ...after, url: before.url }, before)
      assert.notStrictEqual(after.url, before.url)
      assert.deepStrictEqual([(yield* readFeed(before.url)).status, (yield* readFeed(after.url)).status], [404, 200])
      yield* api.delete_property_feed({ id: before.id }).pipe(as)
      assert.strictEqual((yield* readFeed(after.url)).status, 404)
      assert.deepStrictEqual(yield* list(), [])
      const sql = yield* SqlClient.SqlClient
      const entries = yield* sql<{ operation: string; account_id: number }>`
        SELECT operation, account_id FROM trail
        WHERE operator_id = ${operatorId} AND record = ${`property_feed:${before.id}`} ORDER BY id`
      assert.deepStrictEqual(
        entries.map(({ operation, account_id }) => [operation, account_id]),
        ["create_property_feed", "renew_property_feed", "delete_property_feed"].map((name) => [name, accountId])
      )
    })
  )

  it.effect("alone can be deleted, and only by their operator", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* prepare, yield* prepare]
      const own = yield* mine.api.create_property_feed({ property_id: mine.propertyId }).pipe(mine.as)
      assert.strictEqual(
        yield* refusalOf(mine.token, "delete_property_feed", { id: own.id }),
        "422 id: must be the id of a house calendar. Renew another kind of feed to end its address."
      )
      const feed = yield* theirs.create()
      for (const id of [feed.id, 999_999_999]) {
        assert.strictEqual(yield* refusalOf(mine.token, "delete_property_feed", { id }), "404 id: no such feed.")
        assert.strictEqual(yield* refusalOf(mine.token, "renew_property_feed", { id }), "404 id: no such feed.")
      }
      assert.strictEqual(
        yield* refusalOf(mine.token, "create_property_feed", { property_id: theirs.propertyId, kind: "house" }),
        "404 property_id: no such property."
      )
      assert.strictEqual((yield* readFeed(feed.url)).status, 200)
      assert.deepStrictEqual(yield* mine.list(), [own])
    })
  )

  it.effect("reject contradictory and unknown fields by name", () =>
    Effect.gen(function* () {
      const { operatorId, token, propertyId, list } = yield* prepare
      const calendar_id = yield* insertImportedCalendar(operatorId, propertyId, "https://calendars.example/a.ics")
      const refusal = (fields: Record<string, unknown>) =>
        Effect.map(
          refusalOf(token, "create_property_feed", { property_id: propertyId, ...fields }),
          (text) => text.split(":")[0]
        )
      assert.strictEqual(yield* refusal({ fields: ["phone"] }), "422 fields")
      assert.strictEqual(yield* refusal({ kind: "availability", fields: [] }), "422 fields")
      assert.strictEqual(yield* refusal({ door_code_source: "reservation" }), "422 door_code_source")
      assert.strictEqual(yield* refusal({ kind: "house", calendar_id }), "422 calendar_id")
      assert.strictEqual(yield* refusal({ kind: "house", door_code_source: "reservation" }), "422 door_code_source")
      assert.strictEqual(yield* refusal({ kind: "house", fields: ["phone", "phone"] }), "422 fields")
      for (const fields of [{ kind: "homes" }, { kind: "house", fields: ["email"] }, { kind: "house", fields: "x" }]) {
        assert.match((yield* refusal(fields)) ?? "", /^4(00|22) (kind|fields)/)
      }
      assert.deepStrictEqual(yield* list(), [])
    })
  )

  it.effect(`are at most ${HOUSE_FEEDS_MAX} for a property, also when they are made at once`, () =>
    Effect.gen(function* () {
      const { token, propertyId, list } = yield* prepare
      const create = call(token, "create_property_feed", { property_id: propertyId, kind: "house" })
      const responses = yield* Effect.all(
        Array.from({ length: HOUSE_FEEDS_MAX + 1 }, () => create),
        { concurrency: 4 }
      )
      const failures = responses.filter(({ error_code }) => error_code !== 0)
      assert.deepStrictEqual(
        failures.map(({ error_msg }) => error_msg),
        [`property_id: the property already has ${HOUSE_FEEDS_MAX} house calendars, the maximum.`]
      )
      assert.lengthOf(yield* list(), HOUSE_FEEDS_MAX)
    })
  )

  it.effect("have the accepted stays of their property alone, without blocked and imported days", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, api, as, create } = yield* prepare
      const otherProperty = yield* insertProperty(operatorId, "Harbour 2")
      const insert = (checkIn: string, checkOut: string, property = propertyId) =>
        insertOrder(operatorId, [{ propertyId: property, checkIn, checkOut }])
      yield* insert("2027-04-01", "2027-04-28")
      yield* insert("2027-04-28", "2027-05-02")
      yield* insert(CHECK_IN, CHECK_OUT)
      yield* insert(CHECK_IN, CHECK_OUT, otherProperty)
      const cancelled = yield* insert("2027-07-01", "2027-07-03")
      const sql = yield* SqlClient.SqlClient
      yield* api.cancel_reservation({ reservation_code: cancelled }).pipe(as)
      yield* api.update_availabilities({ property_ids: [propertyId], available: false, dates: ["2027-06-20"] }).pipe(as)
      const calendar = yield* insertImportedCalendar(operatorId, propertyId, "https://calendars.example/a.ics")
      yield* insertImportedDays(operatorId, propertyId, calendar, false, "2027-06-25")
      const { url } = yield* create()
      const expected = [
        ["2027-04-28", "2027-05-02"],
        [CHECK_IN, CHECK_OUT]
      ]
      assert.deepStrictEqual(
        (yield* readEvents(url)).map(({ start, end }) => [start, end]),
        expected
      )
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE operator_id = ${operatorId} AND id = ${propertyId}`
      assert.lengthOf(yield* readEvents(url), 2)
      yield* sql`UPDATE operators SET status = 'banned' WHERE id = ${operatorId}`
      assert.strictEqual((yield* readFeed(url)).status, 404)
    })
  )

  it.effect("use the last digits of the phone number as door code if the host chose so", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, api, as } = yield* prepare
      yield* insertOrder(operatorId, [{ propertyId, checkIn: CHECK_IN, checkOut: CHECK_OUT }])
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE stays SET guest_phone = '+44 20 7946 0018' WHERE operator_id = ${operatorId}`
      const { url } = yield* api
        .create_property_feed({
          property_id: propertyId,
          kind: "house",
          fields: ["door_code"],
          door_code_source: "phone_last_four"
        })
        .pipe(as)
      const readCodes = Effect.map(readEvents(url), ([event]) => [event?.doorCode, event?.lastFour])
      assert.deepStrictEqual(yield* readCodes, [undefined, undefined])
      yield* TestClock.setTime(Date.parse(`${CHECK_IN}T11:00:00Z`))
      assert.deepStrictEqual(yield* readCodes, ["0018", "0018"])
      yield* sql`UPDATE stays SET guest_phone = '112' WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* readCodes, [undefined, undefined])
    })
  )

  it.effect(`have at most ${HOUSE_FEED_STAYS_MAX} stays, the earliest`, () =>
    Effect.gen(function* () {
      const { operatorId, propertyId, create } = yield* prepare
      const toStay = (offset: number) => ({
        propertyId,
        checkIn: addDays(CHECK_IN, offset),
        checkOut: addDays(CHECK_IN, offset + 1)
      })
      const lastCheckIn = addDays(CHECK_IN, HOUSE_FEED_STAYS_MAX - 1)
      yield* insertOrder(
        operatorId,
        Array.from({ length: HOUSE_FEED_STAYS_MAX }, (_, offset) => toStay(offset))
      )
      const { url } = yield* create()
      const readLast = Effect.map(readEvents(url), (events) => [events.length, events.at(-1)?.start])
      assert.deepStrictEqual(yield* readLast, [HOUSE_FEED_STAYS_MAX, lastCheckIn])
      yield* insertOrder(operatorId, [toStay(HOUSE_FEED_STAYS_MAX)])
      assert.deepStrictEqual(yield* readLast, [HOUSE_FEED_STAYS_MAX, lastCheckIn])
    })
  )
})
