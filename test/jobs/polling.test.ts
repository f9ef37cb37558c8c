import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Latch, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { repeatForever } from "../../src/jobs/loop.ts"
import { POLL_GAP_MS, pollWhenWoken } from "../../src/jobs/polling.ts"

const POLL_MS = 1_000

/** A worker whose looks are put into a queue; each ends as `look` says. */
const working = Effect.fnUntraced(function* (look: Effect.Effect<boolean>, gapMs?: number) {
  const woken = yield* Latch.make()
  const looks = yield* Queue.unbounded<void>()
  const looking = Effect.andThen(Queue.offer(looks, undefined), look)
  const polling = repeatForever("polling", pollWhenWoken(woken, looking, POLL_MS, gapMs))
  yield* Effect.forkScoped(polling, { startImmediately: true })
  return { woken, looks }
})

const nothingMore = Effect.succeed(false)

it.effect(`a worker that nobody wakes looks again after ${POLL_MS} ms, not before`, () =>
  Effect.gen(function* () {
    const { looks } = yield* working(nothingMore)
    yield* TestClock.adjust(POLL_MS - 1)
    assert.strictEqual(yield* Queue.size(looks), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Queue.size(looks), 2)
  })
)

it.effect(`a thousand wake-ups lead to one look after ${POLL_GAP_MS} ms, one wake-up later to another at once`, () =>
  Effect.gen(function* () {
    const { woken, looks } = yield* working(nothingMore)
    yield* Effect.replicateEffect(woken.open, 1_000)
    yield* TestClock.adjust(POLL_GAP_MS - 1)
    assert.strictEqual(yield* Queue.size(looks), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Queue.size(looks), 2)
    yield* TestClock.adjust(POLL_GAP_MS)
    assert.strictEqual(yield* Queue.size(looks), 2)
    yield* woken.open
    yield* TestClock.adjust(0)
    assert.strictEqual(yield* Queue.size(looks), 3)
  })
)

it.effect("a worker may have another gap, and looks as often as ever where nobody wakes it", () =>
  Effect.gen(function* () {
    const gapMs = 100
    const { woken, looks } = yield* working(nothingMore, gapMs)
    yield* woken.open
    yield* TestClock.adjust(gapMs - 1)
    assert.strictEqual(yield* Queue.size(looks), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Queue.size(looks), 2)
    yield* TestClock.adjust(POLL_MS - 1)
    assert.strictEqual(yield* Queue.size(looks), 2)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Queue.size(looks), 3)
  })
)

it.effect("a wake-up while a look runs leads to another look", () =>
  Effect.gen(function* () {
    const seen = yield* Deferred.make<void>()
    const { woken, looks } = yield* working(Effect.as(Deferred.await(seen), false))
    yield* Queue.take(looks)
    yield* woken.open
    yield* Deferred.succeed(seen, undefined)
    yield* TestClock.adjust(POLL_GAP_MS)
    assert.strictEqual(yield* Queue.size(looks), 1)
  })
)

it.effect("a look that left work behind is followed by another at once", () =>
  Effect.gen(function* () {
    let left = 3
    const { looks } = yield* working(Effect.sync(() => left-- > 0))
    yield* Queue.takeN(looks, 4)
    yield* TestClock.adjust(POLL_GAP_MS)
    assert.strictEqual(yield* Queue.size(looks), 0)
  })
)

it.effect("a look that fails is made again after a second, and nothing that came meanwhile is forgotten", () =>
  Effect.gen(function* () {
    let fails = true
    const { woken, looks } = yield* working(Effect.suspend(() => (fails ? Effect.die("away") : nothingMore)))
    yield* woken.open
    fails = false
    yield* TestClock.adjust(999)
    assert.strictEqual(yield* Queue.size(looks), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Queue.size(looks), 2)
  })
)

it.effect("a worker ends with its scope, however long it would still wait", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { woken, looks } = yield* Scope.provide(working(nothingMore), scope)
    yield* Scope.close(scope, Exit.void)
    yield* woken.open
    yield* TestClock.adjust(10 * POLL_MS)
    assert.strictEqual(yield* Queue.size(looks), 1)
  })
)
