import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { addDays } from "../../../../src/contract/time.ts"
import type { ChannelType } from "../../../../src/domain/channels/port/channel-type.ts"
import {
  makeOpenReviews,
  REVIEW_OPENING_OPERATORS,
  REVIEW_OPENING_STAYS
} from "../../../../src/domain/guests/reviews/review-opening.ts"
import { EMPTY_REVIEW_DAYS } from "../../../../src/platform/limits.ts"
import { loadEvents, NOW_ISO, TODAY } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { makeReviewSide, prepareReviewOperator } from "../../../support/domain/guests/reviews/review-operator.ts"
import { createOperator, insertOrder, layerService } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"
import { countStatements } from "../../../support/statement-count.ts"

// All looks are of the whole database, so this file has one of its own.

const layerAlone = layerService(layerOwnDatabase, RateWindows.layerUnbounded)

const REVIEWED = ["airbnb", "booking.com", "agoda", "expedia", "vrbo", "trip.com", "booking_site", "ctrip"] as const

/** Looks once, as a process does every few minutes. */
const look = Effect.flatten(makeOpenReviews)

const createdFor = (operatorId: number) =>
  Effect.map(loadEvents(operatorId), (all) => all.filter(({ event }) => event === "review_created"))

/** An order of a new operator that checks out on a day, in no property. */
const checkingOut = Effect.fnUntraced(function* (
  checkOut: string,
  { timeZone = "Europe/Berlin", ...more }: { readonly timeZone?: string } & Parameters<typeof insertOrder>[2] = {}
) {
  const { operatorId } = yield* createOperator({ timeZone })
  const stay = { propertyId: null, checkIn: addDays(checkOut, -3), checkOut }
  return { operatorId, code: yield* insertOrder(operatorId, [stay], { channelType: "airbnb", ...more }) }
})

/** So many orders of an operator that check out on a day. */
const many = Effect.fnUntraced(function* (operatorId: number, count: number, checkOut: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH entered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
      SELECT ${operatorId}, '0-' || ${operatorId}::text || '-' || n, 'agoda', n::text, 'accepted', 'EUR', now(), now()
      FROM generate_series(1, ${count}) n RETURNING operator_id, id, reservation_code
    )
    INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue)
    SELECT operator_id, id, reservation_code, ${checkOut}::date - 3, ${checkOut}::date, 1, 1 FROM entered`
})

layer(Layer.provideMerge(Ingest.layer, layerAlone), { excludeTestServices: false })("the empty record", (it) => {
  for (const [timeZone, first] of [
    ["Pacific/Kiritimati", "2027-04-19T10:00:00Z"],
    ["Europe/Berlin", "2027-04-19T22:00:00Z"],
    ["Etc/GMT+12", "2027-04-20T12:00:00Z"]
  ] as const) {
    it.effect(`appears once, on the day of check-out in ${timeZone} and not an instant before`, () =>
      Effect.gen(function* () {
        const { operatorId, code } = yield* checkingOut(TODAY, { timeZone })
        yield* TestClock.setTime(Date.parse(first) - 1)
        yield* look
        assert.deepStrictEqual(yield* createdFor(operatorId), [])
        yield* TestClock.setTime(Date.parse(first))
        yield* look
        yield* look
        assert.deepStrictEqual(yield* loadEvents(operatorId), [
          { event: "review_created", reservation_code: code, stay_code: code, property_id: 0 }
        ])
      })
    )
  }

  it.effect("of an order says nothing yet, and awaits both sides", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property, insertEndedOrder: stayed } = yield* prepareReviewOperator
      const code = yield* stayed(TODAY)
      yield* look
      for (const review_status of ["pending_guest_review", "pending_host_review"] as const) {
        assert.deepStrictEqual((yield* api.search_reviews({ review_status }).pipe(as)).reviews, [
          {
            reservation_code: code,
            property_id: property,
            channel_type: "airbnb",
            listing_id: String(property),
            check_in_date: "2027-04-17",
            check_out_date: TODAY,
            host_review: null,
            guest_review: null,
            host_reply: null
          }
        ])
      }
      assert.strictEqual((yield* api.search_reviews({}).pipe(as)).total, 0)
    })
  )

  it.effect(`appears up to ${EMPTY_REVIEW_DAYS} days late; an older order waits for its channel's word`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW_ISO))
      const late = yield* checkingOut(addDays(TODAY, -EMPTY_REVIEW_DAYS))
      const tooLate = yield* checkingOut(addDays(TODAY, -EMPTY_REVIEW_DAYS - 1))
      yield* look
      assert.lengthOf(yield* createdFor(late.operatorId), 1)
      assert.lengthOf(yield* createdFor(tooLate.operatorId), 0)
    })
  )

  it.effect("appears for orders that took place, on channels that have reviews", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW_ISO))
      const ofChannel = (channelType: ChannelType) => checkingOut(TODAY, { channelType })
      const reviewed = yield* Effect.forEach(REVIEWED, ofChannel)
      const sql = yield* SqlClient.SqlClient
      const cancelled = yield* checkingOut(TODAY)
      yield* sql`UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE operator_id = ${cancelled.operatorId}`
      const none = [
        cancelled,
        yield* ofChannel("direct"),
        yield* ofChannel("tiktok"),
        yield* checkingOut(TODAY, { status: "wait_accept" }),
        yield* checkingOut(TODAY, { status: "denied" })
      ]
      yield* look
      for (const { operatorId } of reviewed) assert.lengthOf(yield* createdFor(operatorId), 1)
      for (const { operatorId } of none) assert.deepStrictEqual(yield* loadEvents(operatorId), [])
    })
  )

  it.effect("waits for the last of several stays, and is told of the first", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        propertyId: property,
        secondPropertyId: second,
        insertEndedOrder: stayed
      } = yield* prepareReviewOperator
      const other = { propertyId: second, checkIn: "2027-04-18", checkOut: addDays(TODAY, 1) }
      const code = yield* stayed(TODAY, "airbnb", property, other)
      yield* look
      assert.deepStrictEqual(yield* createdFor(operatorId), [])
      yield* TestClock.adjust("1 day")
      yield* look
      assert.deepStrictEqual(yield* createdFor(operatorId), [
        { event: "review_created", reservation_code: code, stay_code: code, property_id: property }
      ])
    })
  )

  it.effect("does not come a second time where its channel, or the host, was faster", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, insertEndedOrder: stayed, ingestReview: says } = yield* prepareReviewOperator
      yield* says(yield* stayed(TODAY, "airbnb", null), 1, { guest_review: makeReviewSide("Nice") })
      const reservation_code = yield* stayed(TODAY, "airbnb", null)
      yield* api.create_review({ reservation_code, host_review_score: 5 }).pipe(as)
      const before = yield* loadEvents(operatorId)
      yield* look
      assert.deepStrictEqual(yield* loadEvents(operatorId), before)
      assert.lengthOf(yield* createdFor(operatorId), 2)
    })
  )

  it.effect(
    "comes for however many orders and operators, once each, whoever looks; a quiet one waits for no greedy one",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse(NOW_ISO))
        const greedy = yield* createOperator()
        yield* many(greedy.operatorId, 2 * REVIEW_OPENING_STAYS + 1, TODAY)
        const quiet = yield* Effect.forEach(Array.from({ length: REVIEW_OPENING_OPERATORS + 1 }), () =>
          checkingOut(TODAY)
        )
        yield* Effect.all([look, look, look], { concurrency: "unbounded" })
        assert.lengthOf(yield* createdFor(greedy.operatorId), 2 * REVIEW_OPENING_STAYS + 1)
        const sql = yield* SqlClient.SqlClient
        const [order] = yield* sql<{ quiet: number; last: number }>`
        SELECT max(id) FILTER (WHERE operator_id > ${greedy.operatorId})::int AS quiet,
          max(id) FILTER (WHERE operator_id = ${greedy.operatorId})::int AS last
        FROM events WHERE event = 'review_created' AND operator_id >= ${greedy.operatorId}`
        assert.isBelow(order?.quiet ?? 0, order?.last ?? 0)
        for (const { operatorId } of quiet) assert.lengthOf(yield* createdFor(operatorId), 1)
      })
  )

  it.effect("that cannot be made is told in the log, holds up nobody else's, and comes with the next look", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW_ISO))
      yield* look
      const orders = yield* Effect.forEach(Array.from({ length: 2 * REVIEW_OPENING_OPERATORS }), () =>
        checkingOut(TODAY)
      )
      const sql = yield* SqlClient.SqlClient
      const log: Array<unknown> = []
      const logger = Logger.make(({ message }) => {
        log.push(message)
      })
      // Whatever would make one of these.
      const first = Effect.provideService(look, Statement.CurrentTransformer, (statement) => {
        const [text, values] = statement.compile()
        const isBroken =
          text.includes("INSERT INTO reviews") &&
          JSON.stringify(values).includes(`"operator_id\\":${orders[0]?.operatorId},`)
        return Effect.succeed(isBroken ? sql`SELECT 1 / 0` : statement)
      })
      yield* first.pipe(Effect.provide(Logger.layer([logger])))
      const without = Effect.map(
        Effect.filter(orders, ({ operatorId }) => Effect.map(createdFor(operatorId), ({ length }) => length === 0)),
        ({ length }) => length
      )
      assert.lengthOf(log, 1)
      assert.strictEqual(yield* without, 1, "the one whose statement fails")
      yield* look
      assert.strictEqual(yield* without, 0)
    })
  )

  it.effect("costs a look that finds nothing to do two statements for a page of operators", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW_ISO))
      yield* look
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ operators: number; busy: number }>`
        SELECT (SELECT count(*)::int FROM operators) AS operators,
          (SELECT coalesce(sum(count / ${REVIEW_OPENING_STAYS}), 0)::int FROM (
            SELECT count(*) FROM stays WHERE check_out_date BETWEEN ${TODAY}::date - ${EMPTY_REVIEW_DAYS}::int AND ${TODAY}
            GROUP BY operator_id) counted) AS busy`
      const pages = Math.ceil((row?.operators ?? 0) / REVIEW_OPENING_OPERATORS)
      const [, statements] = yield* countStatements(look)
      assert.isAtMost(statements, 2 * pages + 1 + (row?.busy ?? 0))
    })
  )
})
