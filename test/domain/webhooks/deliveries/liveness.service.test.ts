import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { DeliveryLog } from "../../../../src/domain/webhooks/deliveries/DeliveryLog.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import {
  createSubscription,
  emptyDeliveryTables,
  layerDeliveryService
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import {
  applyStep,
  arbitraryStep,
  claimDue,
  completeAllClaimed,
  dispatchEvents,
  killWorker,
  type LivenessStep,
  type ModelWorker,
  makeModelWorker,
  resumeSubscription,
  runRetention,
  SUBSCRIPTION_COUNT
} from "../../../support/domain/webhooks/deliveries/liveness-model.ts"
import { createOperator } from "../../../support/harness.ts"

/** Lanes that do not say which delivery is their head and when it is due, or that are there for nothing. */
const outOfReach = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT coalesce(l.lane, d.lane) AS lane, d.event_id AS head, d.due_at AS due, l.event_id AS said, l.due_at AS "saidDue"
    FROM webhook_lanes l FULL JOIN (
      SELECT DISTINCT ON (subscription_id, lane) subscription_id, lane, event_id, due_at FROM webhook_deliveries
      WHERE state = 'waiting' ORDER BY subscription_id, lane, event_id
    ) d ON d.subscription_id = l.subscription_id AND d.lane = l.lane
    WHERE d.event_id IS DISTINCT FROM l.event_id OR d.due_at IS DISTINCT FROM l.due_at`
}).pipe(Effect.orDie)

const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rows: number }>`SELECT count(*) AS rows FROM webhook_deliveries WHERE state = 'waiting'`
  return row?.rows ?? 0
}).pipe(Effect.orDie)

/** Pauses between looks that take nothing: together longer than any rest or retry. */
const PAUSES = Array.from({ length: 13 }, (_, index) => LEASE_MS * 2 ** index)

/** From now on every receiver answers well, and nobody changes anything. */
const worksOff = Effect.fnUntraced(function* (worker: ModelWorker) {
  killWorker(worker)
  for (const subscription of worker.subscriptions) yield* resumeSubscription(worker, subscription)
  yield* runRetention
  yield* dispatchEvents
  for (const pause of PAUSES) {
    while ((yield* claimDue(worker)) > 0) yield* completeAllClaimed(worker, true)
    if ((yield* waiting) === 0) return
    yield* TestClock.adjust(pause)
  }
})

const holds = Effect.fnUntraced(function* (steps: ReadonlyArray<LivenessStep>) {
  yield* emptyDeliveryTables
  const operator = yield* createOperator()
  const paths = Array.from({ length: SUBSCRIPTION_COUNT }, (_, index) => `/${index}`)
  const worker = makeModelWorker(yield* Effect.forEach(paths, (path) => createSubscription(1, { operator, path })))
  for (const each of steps) {
    yield* applyStep(worker, each)
    assert.deepStrictEqual(yield* outOfReach, [], each.step)
  }
  yield* worksOff(worker)
  assert.deepStrictEqual(yield* outOfReach, [])
  assert.strictEqual(yield* waiting, 0, "what waits for receivers that answer well")
})

const steps = fc.array(arbitraryStep, { minLength: 5, maxLength: 40, size: "max" })

/** As many events of one record as no look for what is due may be asked to read, somewhere in between. */
const burst = fc.record({ step: fc.constant("happen"), record: fc.nat(2), count: fc.constant(260) })
const withBurst = fc
  .tuple(steps, burst, steps)
  .map(
    ([before, events, after]): ReadonlyArray<LivenessStep> => [
      ...before.slice(0, 10),
      events,
      { step: "look" },
      ...after.slice(0, 20)
    ]
  )

const seed = Date.now() % 2 ** 31

layer(DeliveryLog.layer.pipe(Layer.provideMerge(layerDeliveryService)))(
  `whatever befalls the queue (seed ${seed})`,
  (it) => {
    const check = (arbitrary: fc.Arbitrary<ReadonlyArray<LivenessStep>>, numRuns: number) =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof holds>>>()
        const run = Effect.runPromiseWith(context)
        const property = fc.asyncProperty(arbitrary, (each) => run(Random.withSeed(Effect.scoped(holds(each)), seed)))
        yield* Effect.promise(() => fc.assert(property, { numRuns, seed, endOnFailure: true }))
      })

    it.effect("nothing that waits is ever out of reach, and in the end all of it arrives", () => check(steps, 12))

    it.effect("nor with a long queue behind one event", () => check(withBurst, 2), 120_000)
  }
)
