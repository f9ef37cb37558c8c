import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { CONCURRENT_CHANNEL_READS } from "../../../../src/domain/calendars/listing-calendars/calendar-reads.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../../src/domain/channels/port/errors.ts"
import {
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  BUSY_RETRY_SECONDS,
  CALENDAR_READ_MS,
  CALENDAR_READ_WAIT_MS,
  CONCURRENCY_PERMITS,
  CONCURRENT_CALENDAR_READS_MAX,
  LISTING_CALENDAR_DAYS,
  LISTING_CALENDARS_READ_MAX,
  QUEUED_CALENDAR_READS_MAX
} from "../../../../src/platform/limits.ts"
import {
  createListing,
  layerPushService,
  prepareListing,
  TODAY
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { call, callForResponse, createOperator, type TestOperator } from "../../../support/harness.ts"
import { insertListing } from "../../../support/listings.ts"
import { ScriptedChannel } from "../../../support/scripted-channel.ts"
import { countStatements } from "../../../support/statement-count.ts"

const MAY = { start_date: "2027-05-01", end_date: "2027-05-03" }

interface Named {
  readonly channel_type: string
  readonly listing_id: string
}

const named = ({ channel_type, listing_id }: Named): Named => ({ channel_type, listing_id })

const read = ({ token }: TestOperator, listings: ReadonlyArray<Named>, days: object = MAY) =>
  call(token, "search_listing_calendars", { ...days, listings: listings.map(named) })

const told = ({ error_code, error_msg }: { readonly error_code: number; readonly error_msg: string }) =>
  `${error_code} ${error_msg}`

/** The act of a channel that has not answered yet. */
const asked = (listingId: string) =>
  Effect.flatMap(ScriptedChannel, ({ requests: heard }) =>
    Effect.repeat(heard, { until: (all) => all.includes(`calendar ${listingId}`) })
  )

layer(layerPushService)("a read of calendars", (it) => {
  it.effect("tells each day in order, of the listings in the order asked, with one statement and no trace", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const other = yield* createListing(scene, { channelType: "vrbo" })
      const sql = yield* SqlClient.SqlClient
      const listings = [other, scene, other].map(named)
      yield* read(scene, listings)
      const asking = callForResponse(scene.token, "search_listing_calendars", { ...MAY, listings }, "a key")
      const [{ envelope, headers }, statements] = yield* countStatements(asking)
      assert.strictEqual(statements, 1)
      const calendar = ["2027-05-01", "2027-05-02", "2027-05-03"].map((date) => ({ date, price: 100, inventory: 1 }))
      assert.deepStrictEqual(envelope.data, { listings: listings.map((each) => ({ ...each, calendar })) })
      assert.notProperty(headers, "idempotent-replayed")
      const kept = yield* sql`
        SELECT operator_id FROM trail WHERE operator_id = ${scene.operatorId}
        UNION ALL SELECT operator_id FROM idempotency_keys WHERE operator_id = ${scene.operatorId}`
      assert.deepStrictEqual(kept, [])
    })
  )

  it.effect("is of listings of one's own: all of them, or none is asked for", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const theirs = yield* createListing(yield* createOperator())
      const heard = Effect.map((yield* ScriptedChannel).requests, (all) => all.length)
      const before = yield* heard
      for (const unknown of [theirs, { ...scene, listing_id: "none" }, { ...scene, channel_type: "agoda" }]) {
        assert.match(told(yield* read(scene, [scene, unknown])), /^404 listings\[1\]\.listing_id: /)
      }
      assert.match(
        told(yield* read(scene, [scene, { ...scene, channel_type: "direct" }])),
        /^422 listings\[1\]\.channel_type: /
      )
      assert.strictEqual(yield* heard, before)
    })
  )

  it.effect("starts within a year, ends within three, and covers so many days of so many listings", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const at = (days: number) => addDays(TODAY, days)
      const over = (first: number, last: number) =>
        Effect.map(read(scene, [scene], { start_date: at(first), end_date: at(last) }), told)
      const [year, three] = [AVAILABILITY_START_DAYS, AVAILABILITY_END_DAYS]
      assert.strictEqual(yield* over(-year, -year), "0 ")
      assert.strictEqual(yield* over(year, three), "0 ")
      assert.match(yield* over(-year - 1, 0), new RegExp(`^422 start_date: .*${year}`))
      assert.match(yield* over(year + 1, year + 1), new RegExp(`^422 start_date: .*${year}`))
      assert.match(yield* over(0, three + 1), new RegExp(`^422 end_date: .*${three}`))
      assert.match(yield* over(1, 0), /^422 start_date: .*end_date/)

      const many = Array.from({ length: LISTING_CALENDARS_READ_MAX }, () => scene)
      const days = LISTING_CALENDAR_DAYS / LISTING_CALENDARS_READ_MAX
      const through = (last: number) =>
        Effect.map(read(scene, many, { start_date: TODAY, end_date: at(last - 1) }), told)
      assert.strictEqual(yield* through(days), "0 ")
      assert.match(yield* through(days + 1), /^422 listings: 100 .*367 days /)
      assert.match(told(yield* read(scene, [...many, scene])), /^422 listings: /)
      assert.match(told(yield* read(scene, [])), /^422 listings: /)
    })
  )

  it.effect("is answered with what its channel said against it, naming the listing", () =>
    Effect.gen(function* () {
      const channel = yield* ScriptedChannel
      const scene = yield* prepareListing()
      const other = yield* createListing(scene)
      const type = { channelType: "airbnb" }
      const answers: ReadonlyArray<readonly [ChannelError, RegExp]> = [
        [new ChannelDisconnected(type), /^400 listings\[1\]\.listing_id: .*airbnb/],
        [new ChannelAccountMissing(type), /^404 listings\[1\]\.listing_id: .*airbnb/],
        [new ChannelRefused({ reason: "off" }), /^409 listings\[1\]\.listing_id: .*off\.$/],
        [new ChannelNotServed(type), /^501 .*airbnb/],
        [new ChannelUnavailable({ code: 502 }), /^502 listings\[1\]\.listing_id: /],
        [new ChannelUnavailable({ code: 503 }), /^503 listings\[1\]\.listing_id: /]
      ]
      for (const [error, answer] of answers) {
        yield* channel.setResponse(other.listing_id, Effect.fail(error))
        assert.match(told(yield* read(scene, [scene, other])), answer)
      }
    })
  )

  it.effect(
    `takes ${CALENDAR_READ_MS / 1000} seconds at most, and asks for ${CONCURRENT_CHANNEL_READS} listings at once`,
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const scene = yield* prepareListing()
        const ids = yield* Effect.forEach(Array.from({ length: 6 }), () =>
          insertListing(scene.operatorId, scene.account)
        )
        for (const id of ids) yield* channel.setResponse(id, Effect.never)
        const listings = ids.map((listing_id) => ({ ...scene, listing_id }))
        const reading = yield* Effect.forkChild(read(scene, listings), { startImmediately: true })
        yield* asked(ids[CONCURRENT_CHANNEL_READS - 1] ?? "")
        yield* TestClock.adjust(CALENDAR_READ_MS - 1)
        assert.isUndefined(reading.pollUnsafe())
        const heard = (yield* channel.requests).filter((act) => ids.some((id) => act === `calendar ${id}`))
        assert.lengthOf(heard, CONCURRENT_CHANNEL_READS)
        yield* TestClock.adjust(1)
        assert.match(told(yield* Fiber.join(reading)), /^504 listings: .*30/)
      })
  )

  it.effect(
    `waits for channels in no place; ${CONCURRENT_CALENDAR_READS_MAX} of an operator at once, and others are not held up`,
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const operators = yield* Effect.forEach(
          Array.from({ length: CONCURRENCY_PERMITS / CONCURRENT_CALENDAR_READS_MAX + 1 }),
          () => prepareListing()
        )
        const reading = yield* Effect.forEach(operators, (each) =>
          Effect.gen(function* () {
            yield* channel.setResponse(each.listing_id, Effect.never)
            const fibers = yield* Effect.forEach(Array.from({ length: CONCURRENT_CALENDAR_READS_MAX }), () =>
              Effect.forkChild(read(each, [each]), { startImmediately: true })
            )
            yield* Effect.repeat(channel.requests, {
              until: (all) =>
                all.filter((act) => act === `calendar ${each.listing_id}`).length === CONCURRENT_CALENDAR_READS_MAX
            })
            return fibers
          })
        )
        const [one] = operators
        assert(one !== undefined)
        const free = yield* createListing(one)
        const fifth = yield* Effect.forkChild(read(one, [free]), { startImmediately: true })
        // More calls wait than there are places.
        const other = yield* prepareListing()
        assert.strictEqual((yield* read(other, [other])).error_code, 0)
        assert.strictEqual((yield* call(one.token, "search_properties")).error_code, 0)
        assert.isUndefined(fifth.pollUnsafe())
        assert.notInclude(yield* channel.requests, `calendar ${free.listing_id}`)
        // A caller that hangs up leaves its seat to the next.
        yield* Fiber.interrupt(reading[0]?.[0] ?? (yield* Effect.die("nobody reads")))
        assert.strictEqual((yield* Fiber.join(fifth)).error_code, 0)
        yield* Fiber.interruptAll(reading.flat())
      })
  )

  it.effect(
    `waits while ${CONCURRENT_CALENDAR_READS_MAX} reads of its operator are served; ${QUEUED_CALENDAR_READS_MAX} may wait, and the next gets 500`,
    () =>
      Effect.gen(function* () {
        const channel = yield* ScriptedChannel
        const [scene, other] = [yield* prepareListing(), yield* prepareListing()]
        yield* channel.setResponse(scene.listing_id, Effect.never)
        const begin = Effect.forkChild(
          callForResponse(scene.token, "search_listing_calendars", { ...MAY, listings: [named(scene)] }),
          { startImmediately: true }
        )
        const reading = yield* Effect.replicateEffect(begin, CONCURRENT_CALENDAR_READS_MAX)
        yield* Effect.repeat(channel.requests, {
          until: (all) =>
            all.filter((act) => act === `calendar ${scene.listing_id}`).length === CONCURRENT_CALENDAR_READS_MAX
        })
        const further = yield* Effect.replicateEffect(begin, QUEUED_CALENDAR_READS_MAX + 1)
        const finishedReads = () => further.filter((fiber) => fiber.pollUnsafe() !== undefined)
        yield* Effect.repeat(Effect.yieldNow, { until: () => finishedReads().length > 0 })
        const [refusedRead, ...more] = finishedReads()
        assert(refusedRead !== undefined)
        assert.lengthOf(more, 0)
        const { envelope, headers } = yield* Fiber.join(refusedRead)
        assert.match(told(envelope), /^500 listings: .*4 .*32 queued/)
        assert.strictEqual(headers["retry-after"], String(BUSY_RETRY_SECONDS))
        // A refused read counts in no rate-limit window.
        assert.notProperty(headers, "RateLimit")
        const served = yield* callForResponse(other.token, "search_listing_calendars", {
          ...MAY,
          listings: [named(other)]
        })
        assert.strictEqual(served.envelope.error_code, 0)
        assert.property(served.headers, "RateLimit")
        yield* TestClock.adjust(CALENDAR_READ_WAIT_MS - 1)
        assert.lengthOf(finishedReads(), 1)
        yield* TestClock.adjust(1)
        for (const fiber of further.filter((each) => each !== refusedRead)) {
          const late = yield* Fiber.join(fiber)
          assert.match(told(late.envelope), /^500 listings: .*10 seconds/)
          assert.strictEqual(late.headers["retry-after"], String(BUSY_RETRY_SECONDS))
        }
        // The reads that are being served have no time limit here.
        assert.isTrue(reading.every((fiber) => fiber.pollUnsafe() === undefined))
        yield* Fiber.interruptAll(reading)
      })
  )
})
