import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Latch, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter } from "../../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { TOKEN_TRUSTED_MS } from "../../../../src/admission/gate/Tokens.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { FEED_POLL_GAP_MS, LongPollPermits, longPoll } from "../../../../src/domain/webhooks/event-feed/long-poll.ts"
import { NEW_EVENTS_POLL_MS, NewEventNotifier } from "../../../../src/jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../../../../src/jobs/Shutdown.ts"
import { WakeUp } from "../../../../src/jobs/WakeUp.ts"
import { FEED_WAIT_SECONDS, FEED_WAITING_READS_MAX } from "../../../../src/platform/limits.ts"
import {
  layerDeliveryService,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import {
  createFeedReader,
  dispatchAllEvents,
  eventIdsOf,
  recordFeedEvents
} from "../../../support/domain/webhooks/event-feed/feed-events.ts"
import {
  call,
  callForResponse,
  dataOf,
  insertProperty,
  type TestOperator,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { makeShortWaitClock } from "../../../support/short-wait-clock.ts"
import { countStatements } from "../../../support/statement-count.ts"

/** A call that waits: what it asked is read, and there was nothing. */
const waiting = Effect.fnUntraced(function* (operator: TestOperator, fields: object = {}) {
  const api = yield* typedClient
  const fiber = yield* Effect.forkChild(
    api.list_events({ wait: FEED_WAIT_SECONDS, ...fields }).pipe(withToken(operator.token)),
    { startImmediately: true }
  )
  yield* read
  return fiber
})

/** Long enough for every statement that is under way: each of them is answered before one that is asked later. */
const read = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let turn = 0; turn < 5; turn++) yield* sql`SELECT pg_sleep(0.002)`
}).pipe(Effect.orDie)

const isWaiting = <A, E>(fiber: Fiber.Fiber<A, E>) => fiber.pollUnsafe() === undefined

layer(layerDeliveryService)("a call that waits for events", (it) => {
  it.effect("is answered as soon as there is one in the feed", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      const polls = yield* makeDeliveryPolls
      const fiber = yield* waiting(operator)
      const ids = yield* recordEvents(operator, makeRepeatedEvents(2))
      yield* read
      assert.isTrue(isWaiting(fiber))
      while ((yield* polls.dispatchEvents).events > 0) {}
      const page = yield* Fiber.join(fiber)
      assert.deepStrictEqual(eventIdsOf(page.events), ids)
    })
  )

  it.effect("is answered with nothing when its time is up, in the place where it was", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* createFeedReader
      const { next_cursor } = yield* api.list_events().pipe(withToken(operator.token))
      const fiber = yield* waiting(operator)
      yield* TestClock.adjust(FEED_WAIT_SECONDS * 1000 - 1)
      assert.isTrue(isWaiting(fiber))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { events: [], next_cursor, has_more: false })
    })
  )

  it.effect("waits on when what came is not what it asked for, and need not look at that again", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      const polls = yield* makeDeliveryPolls
      const property_id = yield* insertProperty(operator.operatorId, "Harbour 1")
      const fiber = yield* waiting(operator, { property_id })
      yield* recordEvents(operator, makeRepeatedEvents(3))
      while ((yield* polls.dispatchEvents).events > 0) {}
      yield* read
      assert.isTrue(isWaiting(fiber))
      const [id = 0] = yield* recordEvents(operator, [{ event: "review_created", payload: { property_id } }])
      while ((yield* polls.dispatchEvents).events > 0) {}
      yield* TestClock.adjust(FEED_POLL_GAP_MS)
      assert.deepStrictEqual(eventIdsOf((yield* Fiber.join(fiber)).events), [id])
    })
  )

  it.effect("does not wait when there is something, and asks the database once then", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      yield* recordFeedEvents(operator, makeRepeatedEvents(1))
      yield* call(operator.token, "list_events")
      const [{ error_code }, statements] = yield* countStatements(call(operator.token, "list_events", { wait: 20 }))
      assert.deepStrictEqual([error_code, statements], [0, 1])
    })
  )

  it.effect(`is one of ${FEED_WAITING_READS_MAX} of its operator; one more is 429 and told when to come back`, () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* createFeedReader, yield* createFeedReader]
      const all = yield* Effect.forEach(Array.from({ length: FEED_WAITING_READS_MAX }), () => waiting(operator))
      assert.isTrue(all.every(isWaiting))
      const { envelope, headers } = yield* callForResponse(operator.token, "list_events", { wait: 1 })
      assert.strictEqual(envelope.error_code, 429)
      assert.match(envelope.error_msg, /^wait: /)
      assert.strictEqual(headers["retry-after"], "1")
      // Without waiting it may read, and others may wait.
      assert.strictEqual((yield* call(operator.token, "list_events")).error_code, 0)
      assert.isTrue(isWaiting(yield* waiting(other)))
      const [first] = all
      if (first !== undefined) yield* Fiber.interrupt(first)
      assert.isTrue(isWaiting(yield* waiting(operator)))
      yield* TestClock.adjust(FEED_WAIT_SECONDS * 1000)
      assert.isTrue(isWaiting(yield* waiting(operator)))
    })
  )

  it.effect("holds no permit while it waits", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      const limiter = yield* ConcurrencyLimiter
      const fibers = yield* Effect.forEach(Array.from({ length: FEED_WAITING_READS_MAX }), () => waiting(operator))
      // As many as there are, by operators that hold none: each is in work before the first ends.
      const all = Array.from({ length: 6 }, (_, n) => limiter.withPermit(1_000_000 + n, Effect.yieldNow))
      yield* Effect.all(all, { concurrency: "unbounded" })
      assert.isTrue(fibers.every(isWaiting))
    })
  )
})

layer(layerDeliveryService)("who waits for events and may not read them any more", (it) => {
  /** A call that waits, with a token that was looked up so many milliseconds before. */
  const knownFor = Effect.fnUntraced(function* (milliseconds: number) {
    const operator = yield* createFeedReader
    assert.strictEqual((yield* call(operator.token, "list_events")).error_code, 0)
    yield* TestClock.adjust(milliseconds)
    return { operator, fiber: yield* waiting(operator) }
  })

  /** An event comes into the feed, and who waits is told. */
  const comes = Effect.fnUntraced(function* (operator: TestOperator) {
    const polls = yield* makeDeliveryPolls
    const ids = yield* recordEvents(operator, makeRepeatedEvents(1))
    while ((yield* polls.dispatchEvents).events > 0) {}
    return ids
  })

  const revoked = Effect.fnUntraced(function* ({ operatorId }: TestOperator) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE access_tokens SET revoked_at = now() WHERE operator_id = ${operatorId}`
  })

  it.effect("gets none that come five seconds after the token was revoked, or later", () =>
    Effect.gen(function* () {
      const { operator, fiber } = yield* knownFor(0)
      yield* revoked(operator)
      yield* TestClock.adjust(5_000)
      assert.isTrue(isWaiting(fiber))
      yield* comes(operator)
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "Unauthenticated")
    })
  )

  it.effect("is told so when the time is up, also where there was nothing", () =>
    Effect.gen(function* () {
      const { operator, fiber } = yield* knownFor(0)
      yield* revoked(operator)
      yield* TestClock.adjust(FEED_WAIT_SECONDS * 1000)
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "Unauthenticated")
    })
  )

  it.effect("gets none either when the account was banned or closed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [status, told] of [
        ["banned", "SubscriptionRequired"],
        ["closed", "Unauthenticated"]
      ] as const) {
        const { operator, fiber } = yield* knownFor(0)
        yield* sql`UPDATE operators SET status = ${status} WHERE id = ${operator.operatorId}`
        yield* TestClock.adjust(5_000)
        yield* comes(operator)
        assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, told)
      }
    })
  )

  it.effect(`is looked at again after ${TOKEN_TRUSTED_MS} ms, and not before`, () =>
    Effect.gen(function* () {
      // The look-up is old enough to be made again by then.
      const soon = yield* knownFor(2_500)
      yield* revoked(soon.operator)
      yield* TestClock.adjust(TOKEN_TRUSTED_MS - 1)
      const ids = yield* comes(soon.operator)
      assert.deepStrictEqual(eventIdsOf((yield* Fiber.join(soon.fiber)).events), ids)

      const late = yield* knownFor(2_500)
      yield* revoked(late.operator)
      yield* TestClock.adjust(TOKEN_TRUSTED_MS)
      yield* comes(late.operator)
      assert.strictEqual((yield* Effect.flip(Fiber.join(late.fiber)))._tag, "Unauthenticated")
    })
  )
})

describe("a wait that is told of much and finds nothing", () => {
  /** A wait that never finds anything, how often it has looked, and how it is told. */
  const told = Effect.gen(function* () {
    const latch = Latch.makeUnsafe()
    const stopping = Context.get(yield* Layer.build(Shutdown.layer), Shutdown)
    const news = { notify: () => Effect.void, latch: () => Effect.succeed(latch) }
    let looks = 0
    const look = () => Effect.sync(() => ({ page: ++looks, isReady: false }))
    const fiber = yield* Effect.forkChild(
      longPoll({ newEvents: news, shutdown: stopping, permits: new LongPollPermits() }, 1, FEED_WAIT_SECONDS, look),
      {
        startImmediately: true
      }
    )
    const word = Effect.andThen(
      Effect.sync(() => latch.openUnsafe()),
      TestClock.adjust(0)
    )
    return { fiber, stopping, word, looks: () => looks }
  })

  it.effect(`looks at the first word at once, and at others ${FEED_POLL_GAP_MS} ms after the last look`, () =>
    Effect.gen(function* () {
      const { word, looks } = yield* told
      assert.strictEqual(looks(), 1)
      yield* word
      assert.strictEqual(looks(), 2)
      yield* word
      yield* TestClock.adjust(FEED_POLL_GAP_MS - 1)
      assert.strictEqual(looks(), 2)
      yield* TestClock.adjust(1)
      assert.strictEqual(looks(), 3)
      // Nothing was said for longer than that: at once again.
      yield* TestClock.adjust(FEED_POLL_GAP_MS)
      yield* word
      assert.strictEqual(looks(), 4)
    })
  )

  it.effect("asks no more however much it is told, and ends in time", () =>
    Effect.gen(function* () {
      const { fiber, word, looks } = yield* told
      const EVERY_MS = 10
      for (let ms = 0; ms < FEED_WAIT_SECONDS * 1000; ms += EVERY_MS) {
        yield* word
        yield* TestClock.adjust(EVERY_MS)
      }
      const all = looks()
      assert.strictEqual(yield* Fiber.join(fiber), all)
      assert.isAtMost(all, 2 + (FEED_WAIT_SECONDS * 1000) / FEED_POLL_GAP_MS)
      assert.isAbove(all, (FEED_WAIT_SECONDS * 1000) / FEED_POLL_GAP_MS / 2)
    })
  )

  it.effect("ends at once when the process stops, also between two looks", () =>
    Effect.gen(function* () {
      const { fiber, stopping, word, looks } = yield* told
      yield* word
      yield* word
      yield* stopping.begin
      assert.strictEqual(yield* Fiber.join(fiber), looks())
    })
  )
})

/** Another process on this database, which nobody wakes, and which never waits longer than until its next look. */
const layerElsewhere = NewEventNotifier.layerServer.pipe(
  Layer.provide(WakeUp.layerProcess),
  Layer.provide(Layer.succeed(Clock.Clock, makeShortWaitClock(NEW_EVENTS_POLL_MS)))
)
const elsewhere = (scope: Scope.Scope) =>
  Effect.map(Layer.buildWithScope(layerElsewhere, scope), (built) => Context.get(built, NewEventNotifier))

layer(layerDeliveryService)("who waits in another process", (it) => {
  it.effect("is told of what this one hands out at its next look, before its wait would end by itself", () =>
    Effect.gen(function* () {
      const operator = yield* createFeedReader
      const news = yield* elsewhere(yield* Effect.scope)
      const latch = yield* news.latch(operator.operatorId)
      // The first look tells in any case.
      yield* latch.await
      for (let round = 0; round < 2; round++) {
        yield* latch.close
        yield* Effect.sleep(1.2 * NEW_EVENTS_POLL_MS)
        assert.isFalse(latch.isOpen())
        yield* recordEvents(operator, makeRepeatedEvents(1))
        yield* dispatchAllEvents
        yield* Effect.timeout(latch.await, FEED_WAIT_SECONDS * 1000)
      }
    }).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
  )
})

layer(layerDeliveryService)("a process that is asked to stop", (it) => {
  it.effect("answers all that wait at once, and lets nobody wait any more", () =>
    Effect.gen(function* () {
      const { begin } = yield* Shutdown
      const operator = yield* createFeedReader
      const fibers = yield* Effect.forEach(Array.from({ length: FEED_WAITING_READS_MAX }), () => waiting(operator))
      yield* begin
      for (const fiber of fibers) assert.deepStrictEqual((yield* Fiber.join(fiber)).events, [])
      const data = yield* dataOf(yield* call(operator.token, "list_events", { wait: FEED_WAIT_SECONDS }))
      assert.deepInclude(data, { events: [], has_more: false })
    })
  )
})
