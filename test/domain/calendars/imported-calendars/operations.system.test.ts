import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  BUSY_RETRY_SECONDS,
  CONCURRENT_MANUAL_FETCHES_MAX,
  IMPORTED_CALENDAR_FETCHES_A_MINUTE,
  PROPERTY_CALENDARS_MAX,
  WEBHOOK_URL_LENGTH
} from "../../../../src/platform/limits.ts"
import {
  createPropertyOwner,
  layerImportService,
  loadCalendarDays,
  NOW,
  startCalendarSource,
  toBusyCalendar,
  toPartlyReadableCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { connectClient } from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import { call, callForResponse, insertProperty } from "../../../support/harness.ts"

const URL_ELSEWHERE = "https://calendars.example/ical/1.ics?s=abcd1234"

/** A host with a property, and a marketplace's calendar that the test serves. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createPropertyOwner
  const source = yield* startCalendarSource
  const add = (fields: { url: string; skip_unavailable?: boolean }) =>
    host.as(
      Effect.map(
        host.api.create_imported_calendar({ property_id: host.propertyId, ...fields }),
        ({ imported_calendar_id }) => imported_calendar_id
      )
    )
  const list = Effect.map(host.as(host.api.list_imported_calendars({})), ({ imported_calendars }) => imported_calendars)
  const fetch = (id: number) => host.as(host.api.fetch_imported_calendar({ id }))
  return { ...host, ...source, add, list, fetch }
})

/** The code and message of a call that is refused. */
const refusalOf = (...[token, operation, fields]: Parameters<typeof call>) =>
  Effect.map(call(token, operation, fields), ({ error_code, error_msg }) => `${error_code} ${error_msg}`)

const loadTrail = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ line: string }>`
    SELECT operation || ' ' || record || ' ' || array_to_string(fields, ',') AS line FROM trail
    WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ line }) => line)
}, Effect.orDie)

layer(layerImportService)("imported calendars over REST", (it) => {
  it.effect("are listed with their state, and without their address", () =>
    Effect.gen(function* () {
      const { add, list, propertyId, api, as, operatorId } = yield* prepare
      const other = yield* insertProperty(operatorId, "Harbour 2")
      const id = yield* add({ url: URL_ELSEWHERE, skip_unavailable: true })
      assert.deepStrictEqual(yield* list, [
        {
          id,
          property_id: propertyId,
          url_host: "calendars.example",
          url_ending: "1234",
          skip_unavailable: true,
          events: "block",
          channel_type: null,
          stay_problems: [],
          state: "new",
          error: null,
          unreadable_parts: null,
          digest: null,
          fetched_at: null,
          busy_days: 0,
          created_at: "2027-04-20T10:00:00Z"
        }
      ])
      assert.deepStrictEqual(yield* as(api.list_imported_calendars({ property_id: other })), {
        imported_calendars: [],
        total: 0
      })
      assert.strictEqual((yield* as(api.list_imported_calendars({ limit: 1, offset: 1 }))).total, 1)
    })
  )

  it.effect("are added once for each address, also under a key, and keep their settings unless others are sent", () =>
    Effect.gen(function* () {
      const { add, list, token, propertyId } = yield* prepare
      const id = yield* add({ url: "webcal://calendars.example/a.ics" })
      assert.strictEqual(yield* add({ url: "https://calendars.example/a.ics#today" }), id)
      assert.isFalse((yield* list)[0]?.skip_unavailable)
      assert.strictEqual(yield* add({ url: "https://calendars.example/a.ics", skip_unavailable: true }), id)
      yield* add({ url: "https://calendars.example/a.ics" })
      assert.isTrue((yield* list)[0]?.skip_unavailable)
      const fields = { property_id: propertyId, url: "https://calendars.example/b.ics?s=SECRET" }
      const answers = yield* Effect.forEach([1, 2], () =>
        callForResponse(token, "create_imported_calendar", fields, "calendar-b")
      )
      assert.deepStrictEqual(answers[0]?.envelope.data, answers[1]?.envelope.data)
      assert.strictEqual(answers[1]?.headers["idempotent-replayed"], "true")
      assert.lengthOf(yield* list, 2)
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql<{
        row: string
      }>`SELECT k::text AS row FROM idempotency_keys k WHERE k.outcome IS NOT NULL`
      assert.notInclude(JSON.stringify(kept), "SECRET")
    })
  )

  it.effect("are refused beyond the limits, and where they would block their own days", () =>
    Effect.gen(function* () {
      const { add, token, propertyId, api, as } = yield* prepare
      const create = (url: string) => refusalOf(token, "create_imported_calendar", { property_id: propertyId, url })
      assert.match(yield* create("http://calendars.example/a.ics"), /^422 url: must begin with https/)
      assert.match(
        yield* create(`https://example.com/${"x".repeat(WEBHOOK_URL_LENGTH)}`),
        new RegExp(`^422 url: .*\\b${WEBHOOK_URL_LENGTH}\\b`)
      )
      const { url } = yield* as(api.create_property_feed({ property_id: propertyId }))
      assert.strictEqual(
        yield* create(url.replace(/^https?:\/\/[^/]*/, "https://pms.example")),
        "422 url: must not be this property's own feed, which would keep its days blocked for ever."
      )
      for (let index = 0; index < PROPERTY_CALENDARS_MAX; index += 1)
        yield* add({ url: `https://calendars.example/${index}.ics` })
      assert.strictEqual(
        yield* create("https://calendars.example/one-more.ics"),
        `422 property_id: already imports ${PROPERTY_CALENDARS_MAX} calendars, the maximum; remove one first.`
      )
      assert.isNumber(yield* add({ url: "https://calendars.example/0.ics" }))
    })
  )

  it.effect("are fetched at once, and a calendar that cannot be read is reported as failing", () =>
    Effect.gen(function* () {
      const { add, list, fetch, makeUrl, serveCalendar, behavior, operatorId, propertyId, token } = yield* prepare
      const id = yield* add({ url: makeUrl() })
      serveCalendar(toBusyCalendar("2027-05-01/2027-05-03"))
      const report = { state: "ok", busy_days: 2, changed_days: 2, error: null, is_superseded: false } as const
      const answers = yield* Effect.forEach([1, 2], () =>
        callForResponse(token, "fetch_imported_calendar", { id }, "fetch")
      )
      for (const { envelope } of answers) assert.deepStrictEqual(envelope.data, report)
      assert.strictEqual(answers[1]?.headers["idempotent-replayed"], "true")
      behavior.respond = respondWith(500)
      const failure = {
        state: "failing",
        busy_days: null,
        changed_days: 0,
        error: "its host answered 500",
        is_superseded: false
      } as const
      for (const _ of [1, 2]) {
        const { envelope } = yield* callForResponse(token, "fetch_imported_calendar", { id }, "fetch-again")
        assert.deepStrictEqual(envelope.data, failure)
      }
      assert.deepInclude((yield* list)[0], {
        state: "failing",
        error: "its host answered 500",
        busy_days: 2,
        fetched_at: "2027-04-20T10:00:00Z"
      })
      assert.deepStrictEqual(yield* loadTrail(operatorId), [
        `create_imported_calendar imported_calendar:${id} `,
        `fetch_imported_calendar imported_calendar:${id} fetched_at`,
        `fetch_imported_calendar property:${propertyId} availabilities`,
        `fetch_imported_calendar imported_calendar:${id} error`
      ])
      serveCalendar(toBusyCalendar())
      assert.deepInclude(yield* fetch(id), { state: "ok", busy_days: 0, changed_days: 2 })
    })
  )

  it.effect("are fetched one at a time for an operator", () =>
    Effect.gen(function* () {
      const { add, fetch, token, makeUrl, behavior, requests } = yield* prepare
      const id = yield* add({ url: makeUrl() })
      let answer = () => {}
      behavior.respond = (response, received) => {
        answer = () => respondWith(200, toBusyCalendar())(response, received)
      }
      const first = yield* Effect.forkChild(fetch(id))
      yield* Queue.take(requests)
      const second = yield* callForResponse(token, "fetch_imported_calendar", { id })
      assert.strictEqual(
        second.envelope.error_msg,
        "id: a calendar of this operator is being fetched; try again afterwards."
      )
      assert.deepStrictEqual(
        [second.envelope.error_code, second.headers["retry-after"]],
        [409, String(BUSY_RETRY_SECONDS)]
      )
      answer()
      assert.deepInclude(yield* Fiber.join(first), { state: "ok", is_superseded: false })
    })
  )

  it.effect("are fetched once under a key", () =>
    Effect.gen(function* () {
      const { add, token, makeUrl, serveCalendar, requests } = yield* prepare
      const [id, other] = [yield* add({ url: makeUrl() }), yield* add({ url: `${makeUrl()}?other` })]
      serveCalendar(toBusyCalendar())
      const fetch = (calendarId: number) =>
        callForResponse(token, "fetch_imported_calendar", { id: calendarId }, "fetch-1")
      const first = yield* fetch(id)
      assert.strictEqual(first.envelope.error_code, 0)
      const again = yield* fetch(id)
      assert.deepStrictEqual(again.envelope.data, first.envelope.data)
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
      assert.strictEqual((yield* fetch(other)).envelope.error_code, 422)
      assert.strictEqual(yield* Queue.size(requests), 1)
    })
  )

  it.effect(`are fetched for ${CONCURRENT_MANUAL_FETCHES_MAX} operators at once in a process`, () =>
    Effect.gen(function* () {
      const hosts = yield* Effect.replicateEffect(prepare, CONCURRENT_MANUAL_FETCHES_MAX)
      const answers: Array<() => void> = []
      const fetches = yield* Effect.forEach(hosts, ({ add, fetch, makeUrl, behavior, requests }) =>
        Effect.gen(function* () {
          behavior.respond = (response, received) => {
            answers.push(() => respondWith(200, toBusyCalendar())(response, received))
          }
          const running = yield* Effect.forkChild(fetch(yield* add({ url: makeUrl() })))
          yield* Queue.take(requests)
          return running
        })
      )
      const another = yield* prepare
      const id = yield* another.add({ url: another.makeUrl() })
      another.serveCalendar(toBusyCalendar())
      assert.strictEqual(
        yield* refusalOf(another.token, "fetch_imported_calendar", { id }),
        "409 id: too many calendars are being fetched at once; try again later."
      )
      for (const answer of answers) answer()
      for (const running of fetches) assert.strictEqual((yield* Fiber.join(running)).state, "ok")
      assert.strictEqual((yield* another.fetch(id)).state, "ok")
    })
  )

  it.effect(`are fetched ${IMPORTED_CALENDAR_FETCHES_A_MINUTE} times a minute at most`, () =>
    Effect.gen(function* () {
      const { add, fetch, token, makeUrl, serveCalendar } = yield* prepare
      const id = yield* add({ url: makeUrl() })
      serveCalendar(toBusyCalendar())
      for (let count = 0; count < IMPORTED_CALENDAR_FETCHES_A_MINUTE; count += 1) yield* fetch(id)
      assert.strictEqual((yield* call(token, "fetch_imported_calendar", { id })).error_code, 429)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* fetch(id)).state, "ok")
    })
  )

  it.effect("are accepted as they were read, by the digest that the list shows", () =>
    Effect.gen(function* () {
      const { add, list, fetch, token, api, as, makeUrl, serveCalendar } = yield* prepare
      const id = yield* add({ url: makeUrl() })
      serveCalendar(toBusyCalendar("2027-05-01/2027-05-04"))
      yield* fetch(id)
      assert.strictEqual(
        yield* refusalOf(token, "accept_imported_calendar", { id, digest: "2:other" }),
        "409 id: the calendar was read completely, so there is nothing to accept."
      )
      serveCalendar(toPartlyReadableCalendar("2027-05-01/2027-05-02"))
      assert.match((yield* fetch(id)).error ?? "", /^1 part of the calendar could not be read/)
      const [shown] = yield* list
      assert.match(shown?.unreadable_parts ?? "", /^1 part /)
      assert.strictEqual(
        yield* refusalOf(token, "accept_imported_calendar", { id, digest: "2:other" }),
        "409 digest: is of an earlier feed, because the calendar was read again in the meantime; check it and accept it again."
      )
      const acceptance = { id, digest: shown?.digest ?? "" }
      for (const changed_days of [2, 0])
        assert.deepStrictEqual(yield* as(api.accept_imported_calendar(acceptance)), { changed_days })
      assert.deepInclude((yield* list)[0], { unreadable_parts: null, digest: null, error: null, busy_days: 1 })
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
    })
  )

  it.effect("change their settings, and are deleted with what only they blocked", () =>
    Effect.gen(function* () {
      const { add, list, fetch, api, as, token, makeUrl, serveCalendar, propertyId } = yield* prepare
      const id = yield* add({ url: makeUrl() })
      yield* as(api.update_imported_calendar({ id, skip_unavailable: true }))
      assert.isTrue((yield* list)[0]?.skip_unavailable)
      serveCalendar(toBusyCalendar("2027-05-01/2027-05-02"))
      yield* fetch(id)
      const isAvailable = Effect.map(
        as(
          api.get_property_availability({
            property_ids: [propertyId],
            start_date: "2027-05-01",
            end_date: "2027-05-01"
          })
        ),
        ({ properties }) => properties[0]?.availabilities[0]?.available
      )
      assert.isFalse(yield* isAvailable)
      yield* as(api.delete_imported_calendar({ id }))
      assert.isTrue(yield* isAvailable)
      assert.deepStrictEqual(yield* list, [])
      assert.strictEqual(yield* refusalOf(token, "delete_imported_calendar", { id }), "404 id: no such calendar.")
    })
  )

  it.effect("of another operator are as those that nobody has", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* prepare, yield* prepare]
      const id = yield* theirs.add({ url: URL_ELSEWHERE })
      const calls = [
        ["update_imported_calendar", { skip_unavailable: true }],
        ["delete_imported_calendar", {}],
        ["fetch_imported_calendar", {}],
        ["accept_imported_calendar", { digest: "2:any" }]
      ] as const
      for (const [operation, fields] of calls) {
        for (const each of [id, 999_999_999])
          assert.strictEqual(
            yield* refusalOf(mine.token, operation, { id: each, ...fields }),
            "404 id: no such calendar."
          )
      }
      const ofTheirs = { property_id: theirs.propertyId }
      assert.strictEqual(
        yield* refusalOf(mine.token, "create_imported_calendar", { ...ofTheirs, url: URL_ELSEWHERE }),
        "404 property_id: no such property."
      )
      assert.strictEqual(
        yield* refusalOf(mine.token, "list_imported_calendars", ofTheirs),
        "404 property_id: no such property."
      )
      assert.deepStrictEqual(yield* mine.list, [])
      assert.lengthOf(yield* theirs.list, 1)
    })
  )

  it.effect("stay when the connection of the application that added them ends", () =>
    Effect.gen(function* () {
      const { list, propertyId, operatorId, accountId } = yield* prepare
      const client = yield* connectClient({ operatorId, accountId })
      const fields = { property_id: propertyId, url: URL_ELSEWHERE }
      assert.strictEqual((yield* call(client.token, "create_imported_calendar", fields)).error_code, 0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT * FROM end_what_came_of(${operatorId}, ${client.grantId}, now())`
      assert.lengthOf(yield* list, 1)
    })
  )
})
