import { hash } from "node:crypto"
import { assert, describe, it as itPure, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../src/contract/time.ts"
import { AVAILABILITY_END_DAYS, CALENDAR_ERROR } from "../../../src/limits.ts"
import { describeUnreadable } from "../../../src/resources/imported-calendars/applicable.ts"
import { ImportedCalendars } from "../../../src/resources/imported-calendars/ImportedCalendars.ts"
import { makeImporting } from "../../../src/resources/imported-calendars/importing.ts"
import { answering } from "../../deliveries/sending.ts"
import { byNobody, call } from "../../harness.ts"
import { booking } from "../reservations/ready.ts"
import {
  busy,
  busyInPart,
  daysOf,
  fetchedAll,
  followsOne,
  layerScene,
  MINUTE_MS,
  stateOf,
  TODAY,
  told,
  toldOf
} from "./scene.ts"

const NO_DAY_OPENED = /^1 part of the calendar could not be read, so no day was opened: /

/** A property that follows one calendar, which says what the test says and is then fetched. */
const following = Effect.gen(function* () {
  const one = yield* followsOne
  const importing = yield* makeImporting
  const fetched = Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchedAll(importing))
  const reads = (text: string, headers?: Record<string, string>) =>
    Effect.andThen(
      Effect.sync(() => one.says(text, headers)),
      fetched
    )
  const { accept } = yield* ImportedCalendars
  return { ...one, fetched, reads, accept: byNobody(accept(one.id)) }
})

layer(layerScene)("an imported calendar of which a part cannot be read", (it) => {
  it.effect("opens nothing and says why, and opens what is free once it can be read again", () =>
    Effect.gen(function* () {
      const { id, property, reads } = yield* following
      yield* reads(busy("2027-05-01/2027-05-04"))
      yield* reads(busyInPart("2027-05-03/2027-05-05"))
      const kept = ["2027-05-01", "2027-05-02", "2027-05-03", "2027-05-04"]
      assert.deepStrictEqual(yield* daysOf(id), kept)
      const state = yield* stateOf(id)
      assert.strictEqual(state?.state, "ok")
      assert.match(state?.error ?? "", NO_DAY_OPENED)
      // Read in part once more, it still knows the days of before.
      yield* reads(busyInPart())
      assert.deepStrictEqual(yield* daysOf(id), kept)
      yield* reads(busy("2027-05-03/2027-05-05"))
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-03", "2027-05-04"])
      assert.deepInclude(yield* stateOf(id), { state: "ok", error: null })
      assert.deepStrictEqual(yield* toldOf(property), [
        "-2027-05-01 -2027-05-02 -2027-05-03",
        "-2027-05-04",
        "+2027-05-01 +2027-05-02"
      ])
    })
  )

  it.effect("keeps the error through fetches that find nothing new or fail", () =>
    Effect.gen(function* () {
      const { id, mood, reads, fetched } = yield* following
      yield* reads(busy("2027-05-01/2027-05-02"))
      yield* reads(busyInPart(), { etag: '"one"' })
      const answers: ReadonlyArray<typeof mood.answer> = [answering(304), answering(500), answering(304)]
      for (const answer of answers) {
        mood.answer = answer
        yield* fetched
        assert.deepStrictEqual(yield* daysOf(id), ["2027-05-01"])
      }
      assert.strictEqual((yield* stateOf(id))?.state, "ok")
      assert.match((yield* stateOf(id))?.error ?? "", NO_DAY_OPENED)
    })
  )

  it.effect("takes no second booking of a night that it kept: 409", () =>
    Effect.gen(function* () {
      const { property, token, reads, accept } = yield* following
      yield* reads(busy("2027-05-01/2027-05-02"))
      yield* reads(busyInPart())
      const night = { property_id: property, check_in_date: "2027-05-01", check_out_date: "2027-05-02" }
      const refused = yield* call(token, "create_reservation", { ...booking, ...night })
      assert.strictEqual(refused.error_code, 409)
      assert.match(refused.error_msg, /night of 2027-05-01: Busy in the calendar of 127.0.0.1/)
      yield* accept
      assert.strictEqual((yield* call(token, "create_reservation", { ...booking, ...night })).error_code, 0)
    })
  )

  it.effect("is accepted as read by its host, once and for that feed alone", () =>
    Effect.gen(function* () {
      const { id, property, reads, fetched, accept } = yield* following
      yield* reads(busy("2027-05-01/2027-05-04"))
      const inPart = busyInPart("2027-05-03/2027-05-04").replaceAll("DTSTART;", "DTSTAMP:20270420T100000Z\r\nDTSTART;")
      yield* reads(inPart)
      assert.deepStrictEqual(yield* accept, { changed_days: 2 })
      assert.deepStrictEqual(yield* accept, { changed_days: 0 })
      const accepted = { state: "ok", error: null }
      assert.deepInclude(yield* stateOf(id), accepted)
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-03"])
      assert.deepStrictEqual(yield* toldOf(property), [
        "-2027-05-01 -2027-05-02 -2027-05-03",
        "+2027-05-01 +2027-05-02"
      ])
      // The same feed is not read again, is read whole the day after, and has the time of each request in it.
      yield* fetched
      assert.deepInclude(yield* stateOf(id), accepted)
      yield* TestClock.adjust(24 * 60 * MINUTE_MS)
      yield* fetched
      assert.deepInclude(yield* stateOf(id), accepted)
      yield* reads(inPart.replaceAll("20270420T100000Z", "20270421T110000Z"))
      assert.deepInclude(yield* stateOf(id), accepted)
      // Another feed with unreadable parts opens nothing again, and so does the accepted one after it.
      yield* reads(busyInPart("2027-05-04/2027-05-05"))
      assert.match((yield* stateOf(id))?.error ?? "", NO_DAY_OPENED)
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-03", "2027-05-04"])
      yield* reads(inPart)
      assert.match((yield* stateOf(id))?.error ?? "", NO_DAY_OPENED)
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-03", "2027-05-04"])
    })
  )

  it.effect("cannot be accepted where it was read whole, nor as another feed than the host saw", () =>
    Effect.gen(function* () {
      const { id, reads, accept } = yield* following
      const message = "The calendar was read without errors: there is nothing to accept."
      yield* reads(busy("2027-05-01/2027-05-02"))
      assert.deepInclude(yield* Effect.flip(accept), { _tag: "Conflict", message })
      yield* reads(busyInPart())
      const calendars = yield* ImportedCalendars
      const seen = yield* Effect.flip(byNobody(calendars.accept(id, "2:another")))
      assert.match(seen.message, /^The calendar was read again since\. Nothing was changed/)
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-01"])
      assert.deepInclude(yield* Effect.flip(byNobody(calendars.accept(999_999_999))), { _tag: "NotFound" })
      yield* reads(busy())
      assert.deepInclude(yield* Effect.flip(accept), { _tag: "Conflict", message })
    })
  )

  it.effect("accepted while it is fetched is not kept closed by that fetch, and is fetched again", () =>
    Effect.gen(function* () {
      const { id, mood, requests, reads, accept } = yield* following
      yield* reads(busy("2027-05-01/2027-05-02"))
      yield* reads(busyInPart())
      yield* Queue.clear(requests)
      let answer = () => {}
      mood.answer = (response, received) => {
        answer = () => answering(200, busyInPart("2027-05-05/2027-05-06"))(response, received)
      }
      const importing = yield* makeImporting
      yield* TestClock.adjust(17 * MINUTE_MS)
      yield* importing.takeDue
      yield* Queue.take(requests)
      assert.deepStrictEqual(yield* accept, { changed_days: 1 })
      answer()
      yield* importing.idle
      assert.deepStrictEqual(yield* daysOf(id), [])
      assert.deepInclude(yield* stateOf(id), { state: "ok", error: null })
      mood.answer = answering(200, busyInPart("2027-05-05/2027-05-06"))
      yield* fetchedAll(importing)
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-05"])
    })
  )

  it.effect("keeps days as the source's own once it was told them no more", () =>
    Effect.gen(function* () {
      const { id, reads } = yield* following
      yield* told(id, "2027-05-01")
      yield* reads(busy("2027-05-01/2027-05-03"))
      yield* reads(busyInPart())
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-01 echo", "2027-05-02"])
      // It may say the 1st still, and then by itself: a booking by hand must not take it.
      yield* told(id)
      yield* reads(busyInPart("2027-05-05/2027-05-06"))
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-01", "2027-05-02", "2027-05-05"])
      yield* reads(busy())
      assert.deepStrictEqual(yield* daysOf(id), [])
    })
  )

  it.effect("keeps days as the first and the last day that matter move on", () =>
    Effect.gen(function* () {
      const { id, reads, fetched, accept } = yield* following
      const last = addDays(TODAY, AVAILABILITY_END_DAYS)
      yield* reads(busy(`${TODAY}/2027-04-22`, `${last}/${addDays(last, 2)}`))
      assert.deepStrictEqual(yield* daysOf(id), [TODAY, "2027-04-21", last])
      yield* reads(busyInPart())
      yield* TestClock.adjust(24 * 60 * MINUTE_MS)
      yield* fetched
      assert.deepStrictEqual(yield* daysOf(id), [TODAY, "2027-04-21", last])
      yield* accept
      // What is past stays as it was.
      assert.deepStrictEqual(yield* daysOf(id), [TODAY])
    })
  )
})

layer(layerScene)("after the upgrade an imported calendar", (it) => {
  it.effect("is read again though its feed is unchanged, also where the release before fetched it since", () =>
    Effect.gen(function* () {
      const { id, mood, requests, says, fetched } = yield* following
      const sql = yield* SqlClient.SqlClient
      const feed = busy("2027-05-01/2027-05-03")
      says(feed, { etag: '"one"' })
      // As the release before wrote it down, with the days that it read.
      const readByOldRelease = sql`
        WITH days AS (DELETE FROM imported_days WHERE calendar_id = ${id})
        UPDATE imported_calendars
        SET state = 'ok', digest = ${hash("sha256", feed, "base64")}, etag = '"one"', applied_to = '2099-01-01'
        WHERE id = ${id}`
      for (const _ of ["before the upgrade", "beside this release"]) {
        yield* readByOldRelease
        yield* Queue.clear(requests)
        yield* fetched
        const [request] = yield* Queue.clear(requests)
        assert.isUndefined(request?.headers["if-none-match"])
        assert.deepStrictEqual(yield* daysOf(id), ["2027-05-01", "2027-05-02"])
      }
      mood.answer = answering(304)
      yield* fetched
      const [request] = yield* Queue.clear(requests)
      assert.strictEqual(request?.headers["if-none-match"], '"one"')
    })
  )
})

describe("what of a feed could not be read", () => {
  const clause = "DTSTART in line 8 is unreadable"
  const unread = " of the calendar could not be read, so no day was opened: "

  itPure("is one sentence", () => {
    assert.isNull(describeUnreadable([]))
    assert.strictEqual(describeUnreadable([clause]), `1 part${unread}${clause}`)
    assert.strictEqual(describeUnreadable([clause, clause]), `2 parts${unread}${clause}; ${clause}`)
    assert.match(describeUnreadable(Array(5).fill("x")) ?? "", /^5 parts of/)
    assert.match(
      describeUnreadable([...Array(5).fill("x"), "and 2 more"]) ?? "",
      /^More than 5 parts of .*; and 2 more$/
    )
  })

  itPure("is as long as an error may be", () => {
    const room = CALENDAR_ERROR - `1 part${unread}`.length
    assert.strictEqual(describeUnreadable(["x".repeat(room)]), `1 part${unread}${"x".repeat(room)}`)
    assert.strictEqual(describeUnreadable(["x".repeat(room + 1)]), `1 part${unread}${"x".repeat(room - 1)}…`)
  })
})
