import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Stopping } from "../../../src/background/Stopping.ts"
import { WakeUp } from "../../../src/background/WakeUp.ts"
import { makePolls } from "../../../src/deliveries/workers.ts"
import { NEW_EVENTS_POLL_MS, NewEvents } from "../../../src/events/NewEvents.ts"
import { FEED_WAIT_SECONDS, FEED_WAITS } from "../../../src/limits.ts"
import { Places } from "../../../src/places/Places.ts"
import { changes, happened, layerScene } from "../../deliveries/scene.ts"
import { answerTo, call, dataOf, propertyOf, type TestOperator, typedClient, withToken } from "../../harness.ts"
import { countStatements } from "../../statements.ts"
import { handedOut, idsOf, inFeed, readingOperator } from "./feed.ts"

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

layer(layerScene)("a call that waits for events", (it) => {
  it.effect("is answered as soon as there is one in the feed", () =>
    Effect.gen(function* () {
      const operator = yield* readingOperator
      const polls = yield* makePolls
      const fiber = yield* waiting(operator)
      const ids = yield* happened(operator, changes(2))
      yield* read
      assert.isTrue(isWaiting(fiber))
      while ((yield* polls.handOut).events > 0) {}
      const page = yield* Fiber.join(fiber)
      assert.deepStrictEqual(idsOf(page.events), ids)
    })
  )

  it.effect("is answered with nothing when its time is up, in the place where it was", () =>
    Effect.gen(function* () {
      const api = yield* typedClient
      const operator = yield* readingOperator
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
      const operator = yield* readingOperator
      const polls = yield* makePolls
      const property_id = yield* propertyOf(operator.operatorId, "Harbour 1")
      const fiber = yield* waiting(operator, { property_id })
      yield* happened(operator, changes(3))
      while ((yield* polls.handOut).events > 0) {}
      yield* read
      assert.isTrue(isWaiting(fiber))
      const [id = 0] = yield* happened(operator, [{ event: "review_created", payload: { property_id } }])
      while ((yield* polls.handOut).events > 0) {}
      assert.deepStrictEqual(idsOf((yield* Fiber.join(fiber)).events), [id])
    })
  )

  it.effect("does not wait when there is something, and asks the database once then", () =>
    Effect.gen(function* () {
      const operator = yield* readingOperator
      yield* inFeed(operator, changes(1))
      yield* call(operator.token, "list_events")
      const [{ error_code }, statements] = yield* countStatements(call(operator.token, "list_events", { wait: 20 }))
      assert.deepStrictEqual([error_code, statements], [0, 1])
    })
  )

  it.effect(`is one of ${FEED_WAITS} of its operator; one more is 429 and told when to come back`, () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* readingOperator, yield* readingOperator]
      const all = yield* Effect.forEach(Array.from({ length: FEED_WAITS }), () => waiting(operator))
      assert.isTrue(all.every(isWaiting))
      const { envelope, headers } = yield* answerTo(operator.token, "list_events", { wait: 1 })
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

  it.effect("holds no place meanwhile", () =>
    Effect.gen(function* () {
      const operator = yield* readingOperator
      const places = yield* Places
      const fibers = yield* Effect.forEach(Array.from({ length: FEED_WAITS }), () => waiting(operator))
      // As many as there are, by operators that hold none: each is in work before the first ends.
      const all = Array.from({ length: 6 }, (_, n) => places.within(1_000_000 + n, Effect.yieldNow))
      yield* Effect.all(all, { concurrency: "unbounded" })
      assert.isTrue(fibers.every(isWaiting))
    })
  )
})

/** Two processes on one database: what one hands out, who waits in the other is told of. */
const elsewhere = (scope: Scope.Scope) =>
  Effect.map(Layer.buildWithScope(NewEvents.layerServer.pipe(Layer.provide(WakeUp.layerProcess)), scope), (built) =>
    Context.get(built, NewEvents)
  )

layer(layerScene)("who waits in another process", (it) => {
  it.effect("is told of what this one hands out, within a second", () =>
    Effect.gen(function* () {
      const operator = yield* readingOperator
      const news = yield* elsewhere(yield* Effect.scope)
      const latch = yield* news.latch(operator.operatorId)
      // The first look tells in any case.
      yield* latch.await
      for (let round = 0; round < 2; round++) {
        yield* latch.close
        yield* Effect.sleep(1.2 * NEW_EVENTS_POLL_MS)
        assert.isFalse(latch.isOpen())
        yield* happened(operator, changes(1))
        yield* handedOut
        const before = yield* Clock.currentTimeMillis
        yield* latch.await
        assert.isAtMost((yield* Clock.currentTimeMillis) - before, 1.5 * NEW_EVENTS_POLL_MS)
      }
    }).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
  )
})

layer(layerScene)("a process that is asked to stop", (it) => {
  it.effect("answers all that wait at once, and lets nobody wait any more", () =>
    Effect.gen(function* () {
      const { begin } = yield* Stopping
      const operator = yield* readingOperator
      const fibers = yield* Effect.forEach(Array.from({ length: FEED_WAITS }), () => waiting(operator))
      yield* begin
      for (const fiber of fibers) assert.deepStrictEqual((yield* Fiber.join(fiber)).events, [])
      const data = yield* dataOf(yield* call(operator.token, "list_events", { wait: FEED_WAIT_SECONDS }))
      assert.deepInclude(data, { events: [], has_more: false })
    })
  )
})
