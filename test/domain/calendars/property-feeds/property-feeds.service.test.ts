import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PropertyFeeds } from "../../../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { PublicUrl } from "../../../../src/platform/installation.ts"
import { CALENDAR_FEEDS_MAX } from "../../../../src/platform/limits.ts"
import {
  getOrCreateFeedAddress,
  listCalendarFeeds,
  renewFeedAddress
} from "../../../support/domain/calendars/feed-addresses.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { createOperator, insertOrder, insertProperty } from "../../../support/harness.ts"
import { insertImportedCalendar, insertImportedDays } from "../../../support/imported-calendars.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { countStatements } from "../../../support/statement-count.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const NOW = Date.parse("2027-06-10T10:00:00Z")
const URL_OF_FEED = /^https:\/\/api\.example\.test\/feeds\/(lkfeed_[0-9a-z]{26})\.ics$/

const layerFeeds = PropertyFeeds.layer.pipe(
  Layer.provideMerge(Layer.succeed(PublicUrl, "https://api.example.test")),
  Layer.provideMerge(layerTestDatabase)
)

const tokenIn = (url: string): string => URL_OF_FEED.exec(url)?.[1] ?? ""

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const { operatorId } = yield* createOperator()
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const feeds = yield* PropertyFeeds
  const calendar = (name: string) => insertImportedCalendar(operatorId, property, `https://${name}.example.test/a.ics`)
  const addressFor = (calendarId?: number) => getOrCreateFeedAddress(operatorId, property, calendarId)
  const renew = (calendarId?: number) => renewFeedAddress(operatorId, property, calendarId)
  return { operatorId, property, feeds, calendar, addressFor, renew }
})

const trailOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ record: string; fields: ReadonlyArray<string> }>`
    SELECT record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
})

layer(layerFeeds)("the addresses of feeds", (it) => {
  it.effect("are made when they are first asked for, one for each reader, and the same from then on", () =>
    Effect.gen(function* () {
      const { addressFor, calendar, operatorId } = yield* ready
      const a = yield* calendar("a")
      const [own, forA] = [yield* addressFor(), yield* addressFor(a)]
      assert.match(own.url, URL_OF_FEED)
      assert.match(forA.url, URL_OF_FEED)
      assert.notStrictEqual(own.url, forA.url)
      assert.deepStrictEqual([yield* addressFor(), yield* addressFor(a)], [own, forA])
      const [, statements] = yield* countStatements(addressFor(a))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(yield* trailOf(operatorId), [
        { record: `property_feed:${own.feed_id}`, fields: [] },
        { record: `property_feed:${forA.feed_id}`, fields: [] }
      ])
    })
  )

  it.effect("are refused for a property or a calendar that is not there, or not of that property", () =>
    Effect.gen(function* () {
      const { operatorId, property, addressFor, renew } = yield* ready
      const stranger = yield* ready
      const theirs = yield* stranger.calendar("theirs")
      const other = yield* insertImportedCalendar(
        operatorId,
        yield* insertProperty(operatorId, "Garden"),
        "https://b.example.test/b.ics"
      )
      const refused = [
        [getOrCreateFeedAddress(operatorId, stranger.property), "property_id"],
        [renewFeedAddress(operatorId, stranger.property), "property_id"],
        [addressFor(theirs), "calendar_id"],
        [renew(theirs), "calendar_id"],
        [addressFor(other), "calendar_id"]
      ] as const
      for (const [asked, field] of refused) {
        const error = yield* Effect.flip(asked)
        assert.deepStrictEqual([error._tag, fieldOfError({ error_msg: error.message })], ["NotFound", field])
      }
      assert.deepStrictEqual(yield* listCalendarFeeds(operatorId, property), [])
      assert.deepStrictEqual(yield* trailOf(operatorId), [])
    })
  )

  it.effect("that are replaced open nothing any more, and what was told at them stays known", () =>
    Effect.gen(function* () {
      const { operatorId, property, feeds, addressFor, renew } = yield* ready
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-06-12", checkOut: "2027-06-14" }])
      const before = yield* addressFor()
      const feed = Option.getOrThrow(yield* feeds.open(tokenIn(before.url)))
      yield* feeds.recordRead(feed, Option.getOrThrow(yield* feeds.read(feed)))
      const after = yield* renew()
      assert.strictEqual(after.feed_id, before.feed_id)
      assert.isTrue(Option.isNone(yield* feeds.open(tokenIn(before.url))))
      assert.deepStrictEqual(yield* feeds.open(tokenIn(after.url)), Option.some(feed))
      assert.deepStrictEqual(yield* addressFor(), after)
      assert.isTrue(Option.isNone(Option.getOrThrow(yield* feeds.read(feed)).unrecordedBusyDays))
      assert.deepStrictEqual((yield* trailOf(operatorId)).at(-1)?.fields, ["token"])
    })
  )

  it.effect(
    `are ${CALENDAR_FEEDS_MAX} of a property beside its own; for one more the oldest goes whose calendar is imported no more`,
    () =>
      Effect.gen(function* () {
        const { operatorId, property, feeds, calendar, addressFor } = yield* ready
        const sql = yield* SqlClient.SqlClient
        const own = yield* addressFor()
        const others = yield* Effect.forEach(
          Array.from({ length: CALENDAR_FEEDS_MAX }, (_, at) => at),
          (at) => Effect.flatMap(calendar(`c${at}`), (id) => Effect.map(addressFor(id), (made) => ({ id, ...made })))
        )
        const one = yield* calendar("one-more")
        const error = yield* Effect.flip(addressFor(one))
        assert.deepStrictEqual(
          [error._tag, fieldOfError({ error_msg: error.message })],
          ["ValidationFailed", "calendar_id"]
        )
        assert.include(error.message, `${CALENDAR_FEEDS_MAX}`)
        // Those there are can still be asked for and replaced.
        assert.deepStrictEqual(yield* addressFor(), own)
        const gone = others.slice(3, 5).map(({ id }) => id)
        yield* sql`DELETE FROM imported_calendars WHERE operator_id = ${operatorId} AND id = ANY(${gone}::bigint[])`
        const made = yield* addressFor(one)
        const opened = yield* Effect.forEach([own, ...others, made], ({ url }) => feeds.open(tokenIn(url)))
        assert.deepStrictEqual(
          opened.flatMap((feed, at) => (Option.isNone(feed) ? [at - 1] : [])),
          [3]
        )
        assert.lengthOf(yield* listCalendarFeeds(operatorId, property), CALENDAR_FEEDS_MAX)
      })
  )

  it.effect("open nothing of an odd text, without a look into the database", () =>
    Effect.gen(function* () {
      const { feeds } = yield* ready
      const [, statements] = yield* countStatements(feeds.open("lkfeed_x"))
      assert.strictEqual(statements, 0)
    })
  )
})

layer(layerFeeds)("reading a feed", (it) => {
  it.effect("is three statements, and a fourth when it says what it did not say before", () =>
    Effect.gen(function* () {
      const { operatorId, property, feeds, calendar, addressFor } = yield* ready
      const a = yield* calendar("a")
      yield* insertImportedDays(operatorId, property, yield* calendar("b"), false, "2027-06-20")
      const { url } = yield* addressFor(a)
      const read = Effect.gen(function* () {
        const feed = Option.getOrThrow(yield* feeds.open(tokenIn(url)))
        yield* feeds.recordRead(feed, Option.getOrThrow(yield* feeds.read(feed)))
      })
      for (const expected of [4, 3, 3]) assert.strictEqual((yield* countStatements(read))[1], expected)
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-06-12", checkOut: "2027-06-14" }])
      for (const expected of [4, 3]) assert.strictEqual((yield* countStatements(read))[1], expected)
    })
  )

  it.effect("knows a feed that another took the place of meanwhile", () =>
    Effect.gen(function* () {
      const { operatorId, feeds, addressFor } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const feed = Option.getOrThrow(yield* feeds.open(tokenIn((yield* addressFor()).url)))
      yield* sql`DELETE FROM property_feeds WHERE operator_id = ${operatorId}`
      assert.isTrue(Option.isNone(yield* feeds.read(feed)))
    })
  )

  it.effect("tells of no other operator's days, whose calendars may have the same days", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* ready, yield* ready]
      for (const each of [mine, theirs]) {
        yield* insertImportedDays(each.operatorId, each.property, yield* each.calendar("b"), false, "2027-06-20")
      }
      yield* insertOrder(theirs.operatorId, [
        { propertyId: theirs.property, checkIn: "2027-06-12", checkOut: "2027-06-14" }
      ])
      const { url } = yield* mine.addressFor(yield* mine.calendar("a"))
      const feed = Option.getOrThrow(yield* mine.feeds.open(tokenIn(url)))
      assert.deepStrictEqual(Option.getOrThrow(yield* mine.feeds.read(feed)).busyPeriods, [
        { reason: "closed", start: "2027-06-20", end: "2027-06-21" }
      ])
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("the address of a feed that two ask for at once"), () => {
  layer(layerFeeds)((it) => {
    it.effect("is one address, and one change in the trail", () =>
      Effect.gen(function* () {
        const { addressFor, operatorId } = yield* ready
        const [one, two] = yield* runOverlapping(addressFor(), addressFor())
        assert.deepStrictEqual(one, two)
        assert.lengthOf(yield* trailOf(operatorId), 1)
      })
    )

    it.effect("is the last one, where it is replaced twice", () =>
      Effect.gen(function* () {
        const { addressFor, renew, feeds } = yield* ready
        yield* addressFor()
        const [one, two] = yield* runOverlapping(renew(), renew())
        assert.isTrue(Option.isNone(yield* feeds.open(tokenIn(one.url))))
        assert.isTrue(Option.isSome(yield* feeds.open(tokenIn(two.url))))
      })
    )
  })
})
