import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { Availability } from "../../../../src/domain/calendars/availability/Availability.ts"
import {
  AVAILABILITY_ANSWER_DAYS,
  AVAILABILITY_CHANGE_DAYS,
  AVAILABILITY_DATES_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  IDS_MAX
} from "../../../../src/platform/limits.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import {
  call,
  createOperator,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const TODAY = "2027-04-20"

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse(`${TODAY}T10:00:00Z`))
  const operator = yield* createOperator()
  const property = yield* insertProperty(operator.operatorId, "Harbour 1")
  const api = yield* typedClient
  return { ...operator, property, api, as: withToken(operator.token) }
})

const eventsOf = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ event: string; record: string; payload: unknown }>`
      SELECT event, record, payload FROM events WHERE operator_id = ${operatorId} ORDER BY id`
  )

const calendarOf = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ day: string; closed: boolean; held: boolean }>`
      SELECT day, closed, stay_id IS NOT NULL AS held FROM calendar_days WHERE operator_id = ${operatorId} ORDER BY property_id, day`
  )

const closing = (start_date: string, end_date: string) => ({ available: false, start_date, end_date })
const opening = (start_date: string, end_date: string) => ({ available: true, start_date, end_date })

layer(layerTest, { excludeTestServices: false })("daily availability", (it) => {
  it.effect("lists every day in order: free, closed by the host, held by a stay", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-02", checkOut: "2027-05-04" }])
      yield* api.update_availabilities({ property_ids: [property], ...closing("2027-05-04", "2027-05-05") }).pipe(as)
      const read = api.get_property_availability({
        property_ids: [second, property, second],
        start_date: "2027-05-01",
        end_date: "2027-05-06"
      })
      const [{ properties }, statements] = yield* countStatements(read.pipe(as))
      assert.isAtMost(statements, 2, "the token and the days")
      assert.deepStrictEqual(
        properties.map(({ id }) => id),
        [second, property]
      )
      assert.isTrue(properties[0]?.availabilities.every(({ available }) => available))
      assert.deepStrictEqual(properties[1]?.availabilities, [
        { date: "2027-05-01", available: true, remarks: "" },
        { date: "2027-05-02", available: false, remarks: "" },
        { date: "2027-05-03", available: false, remarks: "" },
        { date: "2027-05-04", available: false, remarks: "" },
        { date: "2027-05-05", available: false, remarks: "" },
        { date: "2027-05-06", available: true, remarks: "" }
      ])
    })
  )

  it.effect("closes and opens, and tells only what changed", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const close = api.update_availabilities({ property_ids: [property], ...closing("2027-05-01", "2027-05-03") })
      const [, statements] = yield* countStatements(close.pipe(as))
      assert.isAtMost(statements, 2, "the token and the change")
      yield* api.update_availabilities({ property_ids: [property], ...closing("2027-05-02", "2027-05-04") }).pipe(as)
      yield* api.update_availabilities({ property_ids: [property], ...closing("2027-05-01", "2027-05-04") }).pipe(as)
      yield* api
        .update_availabilities({
          property_ids: [property],
          available: true,
          dates: ["2027-05-04", "2027-05-02", "2027-05-02", "2027-06-01"]
        })
        .pipe(as)
      const told = (...days: ReadonlyArray<readonly [string, boolean]>) => ({
        event: "property_availability_updated",
        record: `property:${property}`,
        payload: { property_id: property, availabilities: days.map(([date, available]) => ({ date, available })) }
      })
      assert.deepStrictEqual(yield* eventsOf(operatorId), [
        told(["2027-05-01", false], ["2027-05-02", false], ["2027-05-03", false]),
        told(["2027-05-04", false]),
        told(["2027-05-02", true], ["2027-05-04", true])
      ])
    })
  )

  it.effect("looks at no dates when a range is given, not even at an empty list", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      for (const dates of [[], ["2020-01-01"], ["2027-06-01"]]) {
        const range = closing("2027-05-01", "2027-05-01")
        yield* api.update_availabilities({ property_ids: [property], ...range, dates }).pipe(as)
      }
      assert.deepStrictEqual(yield* calendarOf(operatorId), [{ day: "2027-05-01", closed: true, held: false }])
    })
  )

  it.effect("never frees a sold night by opening it, and keeps it closed when the stay goes", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-01", checkOut: "2027-05-03" }])
      yield* api.update_availabilities({ property_ids: [property], ...closing("2027-05-01", "2027-05-02") }).pipe(as)
      assert.deepStrictEqual(yield* eventsOf(operatorId), [], "held nights were not available before")
      yield* api.update_availabilities({ property_ids: [property], ...opening("2027-05-01", "2027-05-01") }).pipe(as)
      assert.deepStrictEqual(yield* eventsOf(operatorId), [])
      assert.deepStrictEqual(yield* calendarOf(operatorId), [
        { day: "2027-05-01", closed: false, held: true },
        { day: "2027-05-02", closed: true, held: true }
      ])
    })
  )

  it.effect("takes one event a property, and none when a property is unknown", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, token } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      const stranger = yield* createOperator()
      const foreign = yield* insertProperty(stranger.operatorId, "Elsewhere")
      for (const property_ids of [
        [property, foreign],
        [property, second, 9_999_999_999]
      ]) {
        const refused = yield* call(token, "update_availabilities", {
          property_ids,
          ...closing("2027-05-01", "2027-05-02")
        })
        assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [404, "property_ids"])
        const unread = yield* call(token, "get_property_availability", {
          property_ids: property_ids.join(","),
          start_date: "2027-05-01",
          end_date: "2027-05-02"
        })
        assert.strictEqual(unread.error_code, 404)
      }
      assert.deepStrictEqual(yield* calendarOf(operatorId), [])
      assert.deepStrictEqual(yield* calendarOf(stranger.operatorId), [])
      yield* api
        .update_availabilities({ property_ids: [second, property, property], ...closing("2027-05-01", "2027-05-01") })
        .pipe(as)
      const events = yield* eventsOf(operatorId)
      assert.deepStrictEqual(
        events.map(({ record }) => record).sort(),
        [`property:${property}`, `property:${second}`].sort()
      )
    })
  )

  it.effect("refuses what it cannot read and what breaks a rule, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId, property, token } = yield* ready
      const change = { property_ids: [property], available: false }
      const last = addDays(TODAY, AVAILABILITY_END_DAYS)
      const changes: ReadonlyArray<readonly [object, number, string]> = [
        [{ available: false, dates: [TODAY] }, 400, "property_ids"],
        [{ property_ids: [property], dates: [TODAY] }, 400, "available"],
        [{ ...change, property_ids: "1", dates: [TODAY] }, 400, "property_ids"],
        [{ ...change, property_ids: [0], dates: [TODAY] }, 422, "property_ids"],
        [{ ...change, property_ids: [], dates: [TODAY] }, 422, "property_ids"],
        [
          { ...change, property_ids: Array.from({ length: IDS_MAX + 1 }, () => property), dates: [TODAY] },
          422,
          "property_ids"
        ],
        [{ ...change, available: "no", dates: [TODAY] }, 400, "available"],
        [change, 400, "start_date"],
        [{ ...change, start_date: TODAY }, 400, "end_date"],
        [{ ...change, end_date: TODAY }, 400, "start_date"],
        [{ ...change, start_date: "2027-02-30", end_date: TODAY }, 400, "start_date"],
        [{ ...change, ...closing("2027-05-02", "2027-05-01") }, 422, "start_date"],
        [{ ...change, ...closing(addDays(TODAY, -1), TODAY) }, 422, "start_date"],
        [{ ...change, ...closing(TODAY, addDays(last, 1)) }, 422, "end_date"],
        [{ ...change, dates: [] }, 422, "dates"],
        [{ ...change, dates: [addDays(TODAY, -1)] }, 422, "dates"],
        [{ ...change, dates: [addDays(last, 1)] }, 422, "dates"],
        [{ ...change, dates: ["soon"] }, 400, "dates"],
        [{ ...change, dates: Array.from({ length: AVAILABILITY_DATES_MAX + 1 }, () => TODAY) }, 422, "dates"]
      ]
      for (const [fields, code, field] of changes) {
        const { error_code, error_msg } = yield* call(token, "update_availabilities", fields)
        assert.deepStrictEqual([error_code, error_msg.split(/[:[]/)[0]], [code, field], error_msg)
      }
      const read = { property_ids: String(property), start_date: TODAY, end_date: TODAY }
      const reads: ReadonlyArray<readonly [object, number, string]> = [
        [{ start_date: TODAY, end_date: TODAY }, 400, "property_ids"],
        [{ property_ids: String(property), end_date: TODAY }, 400, "start_date"],
        [{ property_ids: String(property), start_date: TODAY }, 400, "end_date"],
        [{ ...read, property_ids: "1;2" }, 400, "property_ids"],
        [{ ...read, property_ids: Array.from({ length: IDS_MAX + 1 }, () => property).join(",") }, 422, "property_ids"],
        [{ ...read, start_date: addDays(TODAY, 1) }, 422, "start_date"],
        [{ ...read, start_date: addDays(TODAY, -AVAILABILITY_START_DAYS - 1) }, 422, "start_date"],
        [{ ...read, start_date: addDays(TODAY, AVAILABILITY_START_DAYS + 1), end_date: last }, 422, "start_date"],
        [{ ...read, end_date: addDays(last, 1) }, 422, "end_date"]
      ]
      for (const [fields, code, field] of reads) {
        const { error_code, error_msg } = yield* call(token, "get_property_availability", fields)
        assert.deepStrictEqual([error_code, error_msg.split(/[:[]/)[0]], [code, field], error_msg)
      }
      assert.deepStrictEqual(yield* calendarOf(operatorId), [])
      assert.deepStrictEqual(yield* eventsOf(operatorId), [])
    })
  )

  it.effect("accepts each limit exactly", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const last = addDays(TODAY, AVAILABILITY_END_DAYS)
      yield* api
        .update_availabilities({
          property_ids: Array.from({ length: IDS_MAX }, () => property),
          available: false,
          dates: Array.from({ length: AVAILABILITY_DATES_MAX }, (_, index) => addDays(TODAY, index))
        })
        .pipe(as)
      assert.lengthOf(yield* calendarOf(operatorId), AVAILABILITY_DATES_MAX)
      yield* api.update_availabilities({ property_ids: [property], ...opening(TODAY, last) }).pipe(as)
      const start_date = addDays(TODAY, -AVAILABILITY_START_DAYS)
      const { properties } = yield* api
        .get_property_availability({ property_ids: [property], start_date, end_date: last })
        .pipe(as)
      const days = properties[0]?.availabilities ?? []
      assert.lengthOf(days, AVAILABILITY_START_DAYS + AVAILABILITY_END_DAYS + 1)
      assert.isTrue(days.every(({ available }) => available))
    })
  )

  it.effect("covers so many days of properties in one answer and not one more", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, token } = yield* ready
      const others = yield* Effect.forEach(Array.from({ length: 99 }), (_, n) =>
        insertProperty(operatorId, `Room ${n}`)
      )
      const property_ids = [property, ...others]
      const days = AVAILABILITY_ANSWER_DAYS / property_ids.length
      const end_date = addDays(TODAY, days - 1)
      const { properties } = yield* api
        .get_property_availability({ property_ids, start_date: TODAY, end_date })
        .pipe(as)
      assert.strictEqual(properties.flatMap(({ availabilities }) => availabilities).length, AVAILABILITY_ANSWER_DAYS)
      const ask = (ids: ReadonlyArray<number>, last: string) =>
        call(token, "get_property_availability", { property_ids: ids.join(","), start_date: TODAY, end_date: last })
      const invalid = yield* ask(property_ids, addDays(end_date, 1))
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "property_ids"])
      assert.match(
        invalid.error_msg,
        new RegExp(`100 .* ${days + 1} .* ${100 * (days + 1)}, .* ${AVAILABILITY_ANSWER_DAYS};`)
      )
      // A property named twice is told of once.
      assert.strictEqual((yield* ask([...others, ...others.slice(0, 1)], end_date)).error_code, 0)
    })
  )

  it.effect("changes so many days of properties at once and not one more", () =>
    Effect.gen(function* () {
      const { operatorId, property, token } = yield* ready
      const others = yield* Effect.forEach(Array.from({ length: 99 }), (_, n) =>
        insertProperty(operatorId, `Room ${n}`)
      )
      const property_ids = [property, ...others]
      const days = AVAILABILITY_CHANGE_DAYS / property_ids.length
      const close = (length: number) =>
        call(token, "update_availabilities", {
          property_ids,
          available: false,
          dates: Array.from({ length }, (_, index) => addDays(TODAY, index))
        })
      const refused = yield* close(days + 1)
      assert.strictEqual(refused.error_code, 422)
      assert.match(refused.error_msg, /^property_ids: 100 .*367 days .*36700, .*36600/)
      assert.deepStrictEqual(yield* calendarOf(operatorId), [])
      assert.strictEqual((yield* close(days)).error_code, 0)
      assert.lengthOf(yield* calendarOf(operatorId), AVAILABILITY_CHANGE_DAYS)
    })
  )

  it.effect("means the host's day by today", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator({ timeZone: "Pacific/Kiritimati" })
      const property = yield* insertProperty(operatorId, "Atoll")
      yield* TestClock.setTime(Date.parse("2027-04-20T10:00:00Z"))
      const close = (date: string) =>
        Effect.map(
          call(token, "update_availabilities", { property_ids: [property], available: false, dates: [date] }),
          (envelope) => envelope.error_code
        )
      assert.strictEqual(yield* close("2027-04-20"), 422, "on Kiritimati it is the 21st already")
      assert.strictEqual(yield* close("2027-04-21"), 0)
    })
  )

  it.effect("is read by other families as a service, in which unknown properties are simply missing", () =>
    Effect.gen(function* () {
      const { operatorId, property } = yield* ready
      const availability = yield* Availability
      const days = yield* availability.listDays(operatorId, [property, 9_999_999_999], {
        start: "2027-05-01",
        end: "2027-05-02"
      })
      assert.deepStrictEqual(days, [
        {
          id: property,
          availabilities: [
            { date: "2027-05-01", available: true, remarks: "" },
            { date: "2027-05-02", available: true, remarks: "" }
          ]
        }
      ])
    }).pipe(Effect.provide(Availability.layer))
  )
})
