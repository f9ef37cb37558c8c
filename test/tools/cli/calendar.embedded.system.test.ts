import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Queue, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { newShareLinkToken as newLinkToken } from "../../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { newFeedToken } from "../../../src/domain/calendars/property-feeds/feed-url.ts"
import {
  CALENDAR_LIST_MAX,
  IMPORTED_CALENDARS_MAX,
  PROPERTY_CALENDARS_MAX,
  WEBHOOK_URL_LENGTH
} from "../../../src/platform/limits.ts"
import {
  toBusyCalendar,
  toPartlyReadableCalendar
} from "../../support/domain/calendars/imported-calendars/import-service.ts"
import { makeSwitchableHandler, respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey calendar …` answers in JSON. */
const calendar = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["calendar", ...args, "--json"], {
    WEBHOOK_ALLOWED_HOSTS: "127.0.0.1"
  })
  return { code, stderr, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

const refusal = (...args: ReadonlyArray<string>) =>
  Effect.map(calendar(...args), ({ code, answer }) => {
    assert.strictEqual(code, 1)
    return String(answer["error"])
  })

/** A day that is never past. */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

layer(layerRunningService, { excludeTestServices: true })("latchkey calendar", (it) => {
  it.effect("adds, fetches, lists and removes one", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const { port } = yield* startReceiver(answer)
      const url = `http://127.0.0.1:${port}/cal.ics?s=SECRET`
      const added = yield* calendar("add", "--property", `${property}`, "--url", url)
      const id = Number(added.answer["calendar_id"])
      assert.deepInclude(added, { code: 0, stderr: "" })
      const again = yield* calendar("add", "--property", `${property}`, "--url", `${url}#today`)
      assert.strictEqual(again.answer["calendar_id"], id)
      mood.respond = respondWith(200, toBusyCalendar(`${inDays(10)}/${inDays(12)}`))
      const fetched = { calendar_id: id, state: "ok", busy_days: 2, changed_days: 2, error: null }
      assert.deepStrictEqual((yield* calendar("fetch", `${id}`)).answer, fetched)
      mood.respond = respondWith(404)
      assert.match(yield* refusal("fetch", `${id}`), new RegExp(`\\b${id}\\b.*\\b404\\b`))
      const listed = yield* calendar("list", "--property", `${property}`)
      const [row] = yield* Schema.decodeUnknownEffect(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))(
        listed.answer["calendars"]
      )
      assert.deepInclude(row, {
        calendar_id: id,
        property_id: property,
        url,
        state: "failing"
      })
      assert.match(String(row?.["error"]), /\b404\b/)
      assert.isString(row?.["fetched_at"])
      assert.deepStrictEqual((yield* calendar("remove", `${id}`)).answer, { calendar_id: id })
      assert.deepStrictEqual((yield* calendar("list", "--operator", `${operatorId}`)).answer, { calendars: [] })
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ operation: string; record: string }>`
        SELECT operation, record FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
      const [feed] = yield* sql<{ id: number }>`SELECT id FROM property_feeds WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(
        trail.map(({ operation, record }) => `${operation} ${record}`),
        [
          `calendar add imported_calendar:${id}`,
          `calendar add property_feed:${feed?.id}`,
          `calendar fetch imported_calendar:${id}`,
          `calendar fetch property:${property}`,
          `calendar fetch imported_calendar:${id}`,
          `calendar remove imported_calendar:${id}`,
          `calendar remove property:${property}`
        ]
      )
    })
  )

  it.effect("accepts a calendar that was read in part, and unblocks the days that it kept", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const { port } = yield* startReceiver(answer)
      const added = yield* calendar("add", "--property", `${property}`, "--url", `http://127.0.0.1:${port}/cal.ics`)
      const id = Number(added.answer["calendar_id"])
      mood.respond = respondWith(200, toBusyCalendar(`${inDays(10)}/${inDays(12)}`))
      yield* calendar("fetch", `${id}`)
      assert.strictEqual(yield* refusal("accept", `${id}`), "calendar: there is nothing to accept.")
      mood.respond = respondWith(200, toPartlyReadableCalendar(`${inDays(10)}/${inDays(11)}`))
      const { answer: fetchInPart } = yield* calendar("fetch", `${id}`)
      assert.deepInclude(fetchInPart, { calendar_id: id, state: "ok", busy_days: 2, changed_days: 0 })
      assert.match(String(fetchInPart["error"]), /^1 .*\bread\b/)
      assert.deepStrictEqual((yield* calendar("accept", `${id}`)).answer, { calendar_id: id, changed_days: 1 })
      assert.strictEqual(yield* refusal("accept", `${id}`), "calendar: there is nothing to accept.")
      const fetched = { calendar_id: id, state: "ok", busy_days: 1, changed_days: 0, error: null }
      assert.deepStrictEqual((yield* calendar("fetch", `${id}`)).answer, fetched)
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ record: string; fields: ReadonlyArray<string> }>`
        SELECT record, fields FROM trail WHERE operator_id = ${operatorId} AND operation = 'calendar accept' ORDER BY record`
      assert.deepStrictEqual(trail, [
        { record: `imported_calendar:${id}`, fields: ["accepted"] },
        { record: `property:${property}`, fields: ["availabilities"] }
      ])
    })
  )

  it.effect("sets whether a calendar ignores the booking window, in add and in update", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const add = (...flags: ReadonlyArray<string>) =>
        Effect.map(
          calendar("add", "--property", `${property}`, "--url", "https://example.com/x.ics", ...flags),
          ({ answer }) => Number(answer["calendar_id"])
        )
      const Settings = Schema.Array(Schema.Struct({ skip_unavailable: Schema.Boolean }))
      const listSettings = Effect.gen(function* () {
        const { answer } = yield* calendar("list", "--property", `${property}`)
        const listed = yield* Schema.decodeUnknownEffect(Settings)(answer["calendars"])
        return listed.map(({ skip_unavailable }) => skip_unavailable)
      })
      const id = yield* add()
      assert.deepStrictEqual(yield* listSettings, [false])
      assert.strictEqual(yield* add("--skip-unavailable"), id)
      assert.deepStrictEqual(yield* listSettings, [true])
      // Adding the calendar again without the flag keeps the setting.
      yield* add()
      assert.deepStrictEqual(yield* listSettings, [true])
      const update = (flag: string) => Effect.map(calendar("update", `${id}`, flag), ({ answer }) => answer)
      for (const skip_unavailable of [false, true, true]) {
        const flag = skip_unavailable ? "--skip-unavailable" : "--no-skip-unavailable"
        assert.deepStrictEqual(yield* update(flag), { calendar_id: id, skip_unavailable })
        assert.deepStrictEqual(yield* listSettings, [skip_unavailable])
      }
      yield* calendar("remove", `${id}`)
      yield* add("--skip-unavailable")
      assert.deepStrictEqual(yield* listSettings, [true])
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ operation: string }>`
        SELECT operation FROM trail WHERE operator_id = ${operatorId} AND fields = '{skip_unavailable}' ORDER BY id`
      assert.deepStrictEqual(
        trail.map(({ operation }) => operation),
        ["calendar add", "calendar update", "calendar update"]
      )
    })
  )

  it.effect("says how one stands where another fetch of it was begun meanwhile", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const { port, requests } = yield* startReceiver(answer)
      const url = `http://127.0.0.1:${port}/cal.ics`
      const id = Number((yield* calendar("add", "--property", `${property}`, "--url", url)).answer["calendar_id"])
      const says = respondWith(200, toBusyCalendar(`${inDays(10)}/${inDays(12)}`))
      const since = yield* Latch.make()
      mood.respond = (response, received) =>
        void Effect.runFork(
          Effect.andThen(
            since.await,
            Effect.sync(() => says(response, received))
          )
        )
      const overtaken = yield* Effect.forkChild(calendar("fetch", `${id}`))
      yield* Queue.take(requests)
      mood.respond = says
      const fetched = { calendar_id: id, state: "ok", busy_days: 2, changed_days: 2, error: null }
      assert.deepStrictEqual((yield* calendar("fetch", `${id}`)).answer, fetched)
      yield* since.open
      assert.deepStrictEqual(yield* Fiber.join(overtaken), {
        code: 0,
        stderr: "",
        answer: { ...fetched, changed_days: 0, overtaken: true }
      })
    })
  )

  it.effect("says what is wrong with what it is given, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const add = (url: string) => refusal("add", "--property", `${property}`, "--url", url)
      assert.match(yield* add("http://example.com/x.ics"), /^--url: .*\bhttps\b/)
      assert.match(yield* add("https://10.0.0.1/x.ics"), /^--url: .*\bprivate\b/)
      assert.match(yield* add("file:///etc/passwd"), /^--url: .*\babsolute\b/)
      assert.match(yield* add("https://u:p@example.com/x.ics"), /^--url: .*\buser name\b/)
      assert.match(
        yield* add(`https://example.com/${"x".repeat(WEBHOOK_URL_LENGTH)}`),
        new RegExp(`^--url: .*\\b${WEBHOOK_URL_LENGTH}\\b`)
      )
      assert.match(
        yield* refusal("add", "--property", "999999999", "--url", "https://example.com/"),
        /no property 999999999/
      )
      assert.strictEqual(yield* refusal("fetch", "999999999"), "calendar: there is no calendar 999999999.")
      assert.match(yield* refusal("remove", "999999999"), /no calendar 999999999/)
      assert.match(yield* refusal("accept", "999999999"), /no calendar 999999999/)
      assert.match(yield* refusal("update", "999999999", "--skip-unavailable"), /no calendar 999999999/)
      assert.match(yield* refusal("update", "999999999"), /^--skip-unavailable: .*--no-skip-unavailable\b/)
      assert.match(yield* refusal("list", "--limit", "0"), new RegExp(`^--limit: .*\\b${CALENDAR_LIST_MAX}\\b`))
      assert.match(yield* refusal("list", "--limit", `${CALENDAR_LIST_MAX + 1}`), /^--limit/)
      assert.strictEqual((yield* calendar("list", "--limit", `${CALENDAR_LIST_MAX}`)).code, 0)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT FROM imported_calendars WHERE operator_id = ${operatorId}`, [])
    })
  )

  it.effect("follows so many calendars of a property, webcal among them, and never its own feed", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const sql = yield* SqlClient.SqlClient
      const [feed, link] = [newFeedToken(), newLinkToken()]
      yield* sql`
        INSERT INTO property_feeds (operator_id, property_id, token, created_at)
        VALUES (${operatorId}, ${property}, ${feed}, now())`
      yield* sql`
        INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
        VALUES (${operatorId}, 'entire', ${link}, now())`
      const add = (url: string) => calendar("add", "--property", `${property}`, "--url", url)
      assert.match(String((yield* add(`https://pms.example/feeds/${feed}.ics`)).answer["error"]), /own feed/)
      assert.match(String((yield* add(`https://pms.example/calendar/${link}`)).answer["error"]), /own feed/)
      const { answer: webcal } = yield* add("webcal://example.com/0.ics")
      assert.strictEqual((yield* add("https://example.com/0.ics")).answer["calendar_id"], webcal["calendar_id"])
      yield* sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
        SELECT ${operatorId}, ${property}, 'https://example.com/' || n || '.ics', 'example.com', now(), now()
        FROM generate_series(1, ${PROPERTY_CALENDARS_MAX - 2}::integer) n`
      assert.strictEqual((yield* add("https://example.com/last.ics")).code, 0)
      assert.match(String((yield* add("https://example.com/more.ics")).answer["error"]), /20 calendars/)
      assert.strictEqual((yield* add("https://example.com/last.ics")).code, 0)
    })
  )

  it.effect("follows so many of an operator", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const full = yield* insertProperty(operatorId, "Harbour 1")
      const property = yield* insertProperty(operatorId, "Harbour 2")
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
        SELECT ${operatorId}, ${full}, 'https://example.com/' || n || '.ics', 'example.com', 'infinity', now()
        FROM generate_series(1, ${IMPORTED_CALENDARS_MAX - 1}::integer) n`
      const add = (url: string) => calendar("add", "--property", `${property}`, "--url", url)
      assert.strictEqual((yield* add("https://example.com/last.ics")).code, 0)
      assert.match(String((yield* add("https://example.com/more.ics")).answer["error"]), /10000 calendars/)
    })
  )
})
