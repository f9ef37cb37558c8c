import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue, Ref } from "effect"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter } from "../../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { OutboundHttp } from "../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { hasValidSignature, parseSigningSecret } from "../../../../src/domain/webhooks/deliveries/signature.ts"
import { toSubscriptionViewer } from "../../../../src/domain/webhooks/deliveries/subscription-viewer.ts"
import { TestEvents } from "../../../../src/domain/webhooks/deliveries/TestEvents.ts"
import {
  WEBHOOK_SECRET_OVERLAP_MS,
  WEBHOOK_TESTS_A_MINUTE,
  WEBHOOK_TESTS_MAX,
  WEBHOOK_TESTS_OF_OPERATOR_MAX,
  WEBHOOK_TRY_MS
} from "../../../../src/platform/limits.ts"
import { toConsoleCaller } from "../../../support/console-caller.ts"
import {
  createSubscription,
  layerDeliveryService
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { neverRespond, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator, typedClient, withToken } from "../../../support/harness.ts"

const tested = ({ operator, id }: Effect.Success<ReturnType<typeof createSubscription>>) => ({
  ...toSubscriptionViewer(toConsoleCaller({ ...operator, role: "main" })),
  id
})

layer(Layer.provideMerge(TestEvents.layer, layerDeliveryService))("a test event", (it) => {
  it.effect("carries both signatures while a replaced secret still signs, and one afterwards", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const [tests, api] = [yield* TestEvents, yield* typedClient]
      const server = yield* startReceiver(respondWith(200))
      const subscription = yield* createSubscription(server.port)
      const as = withToken(subscription.operator.token)
      const { secret = "" } = yield* api.update_webhook({ id: subscription.id, rotate_secret: true }).pipe(as)
      const signers = Effect.gen(function* () {
        yield* tests.send(tested(subscription))
        const { headers, body } = yield* Queue.take(server.requests)
        const timestamp = Number(headers["webhook-timestamp"])
        const message = { id: String(headers["webhook-id"]), timestamp, body }
        const given = yield* Effect.forEach([subscription.secret, secret], (text) =>
          Effect.fromResult(parseSigningSecret(text))
        )
        return given.map((each) =>
          hasValidSignature(message, String(headers["webhook-signature"]), each, timestamp * 1000)
        )
      })
      assert.deepStrictEqual(yield* signers, [true, true])
      yield* TestClock.adjust(WEBHOOK_SECRET_OVERLAP_MS)
      assert.deepStrictEqual(yield* signers, [false, true])
    })
  )

  it.effect("of what is not there, or another operator's, is sent nowhere", () =>
    Effect.gen(function* () {
      const [tests, api] = [yield* TestEvents, yield* typedClient]
      const server = yield* startReceiver(respondWith(200))
      const [one, other] = [yield* createSubscription(server.port), yield* createSubscription(server.port)]
      const gone = { ...tested(one), id: other.id }
      assert.deepStrictEqual(yield* tests.send(gone), { _tag: "Gone" })
      yield* api.delete_webhook({ id: one.id }).pipe(withToken(one.operator.token))
      assert.deepStrictEqual(yield* tests.send(tested(one)), { _tag: "Gone" })
      assert.strictEqual(yield* Queue.size(server.requests), 0)
    })
  )

  it.effect("counts once there is room for it and somewhere to send it to", () =>
    Effect.gen(function* () {
      const tests = yield* TestEvents
      const server = yield* startReceiver(respondWith(200))
      const subscription = yield* createSubscription(server.port)
      assert.strictEqual((yield* tests.send({ ...tested(subscription), id: 2 ** 40 }))._tag, "Gone")
      for (let count = 0; count < WEBHOOK_TESTS_A_MINUTE; count += 1)
        assert.strictEqual((yield* tests.send(tested(subscription)))._tag, "Tried")
      assert.strictEqual((yield* tests.send(tested(subscription)))._tag, "TooMany")
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_TESTS_A_MINUTE)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* tests.send(tested(subscription)))._tag, "Tried")
    })
  )

  it.effect("holds no permit while a receiver is slow, so other calls run meanwhile", () =>
    Effect.gen(function* () {
      const [tests, limiter] = [yield* TestEvents, yield* ConcurrencyLimiter]
      const server = yield* startReceiver(neverRespond)
      const subscription = tested(yield* createSubscription(server.port))
      const sent = yield* Effect.forkChild(limiter.withPermit(subscription.operatorId, tests.send(subscription)))
      yield* Queue.take(server.requests)
      assert.strictEqual(yield* limiter.withPermit(1, Effect.succeed("worked")), "worked")
      assert.isUndefined(sent.pollUnsafe())
      yield* Fiber.interrupt(sent)
    }).pipe(Effect.provide(Layer.fresh(ConcurrencyLimiter.layer(1))))
  )

  it.effect("waits for its answer as long as a delivery does", () =>
    Effect.gen(function* () {
      const tests = yield* TestEvents
      const server = yield* startReceiver(neverRespond)
      const sent = yield* Effect.forkChild(tests.send(tested(yield* createSubscription(server.port))))
      yield* Queue.take(server.requests)
      yield* TestClock.adjust(WEBHOOK_TRY_MS - 1)
      assert.isUndefined(sent.pollUnsafe())
      yield* TestClock.adjust(1)
      const ended = yield* Fiber.join(sent)
      assert.deepInclude(ended._tag === "Tried" ? ended.result : {}, { outcome: "failed", reason: "timeout" })
    })
  )
})

layer(layerDeliveryService)("test events", (it) => {
  it.effect(
    `are under way ${WEBHOOK_TESTS_OF_OPERATOR_MAX} at once of an operator, and ${WEBHOOK_TESTS_MAX} of all`,
    () =>
      Effect.gen(function* () {
        const answers = yield* Deferred.make<void>()
        const posted = yield* Ref.make(0)
        const slow = Layer.succeed(OutboundHttp, {
          post: () =>
            Ref.update(posted, (count) => count + 1).pipe(
              Effect.andThen(Deferred.await(answers)),
              Effect.as({ outcome: "answered", status: 200, firstBytes: "", durationMs: 1 } as const)
            ),
          request: () => Effect.die("nothing is asked")
        })
        yield* Effect.gen(function* () {
          const tests = yield* TestEvents
          const untilPosted = (count: number) =>
            Effect.repeat(Effect.andThen(Effect.yieldNow, Ref.get(posted)), { until: (now) => now === count })
          const send = (subscription: Effect.Success<ReturnType<typeof createSubscription>>) =>
            tests.send(tested(subscription))
          const subscriptions = yield* Effect.forEach(
            Array.from({ length: WEBHOOK_TESTS_MAX / WEBHOOK_TESTS_OF_OPERATOR_MAX }),
            () => createSubscription(1)
          )
          const fibers = yield* Effect.forEach(
            subscriptions.flatMap((each) => Array.from({ length: WEBHOOK_TESTS_OF_OPERATOR_MAX }, () => each)),
            (each) => Effect.forkChild(send(each))
          )
          yield* untilPosted(WEBHOOK_TESTS_MAX)
          const another = yield* createSubscription(1, { operator: yield* createOperator() })
          assert.deepStrictEqual(yield* send(another), { _tag: "Busy" })
          // Who goes away makes room, for an operator that has some left.
          const [first, second] = fibers
          if (first !== undefined) yield* Fiber.interrupt(first)
          const admitted = yield* Effect.forkChild(send(another))
          yield* untilPosted(WEBHOOK_TESTS_MAX + 1)
          if (second !== undefined) yield* Fiber.interrupt(second)
          const [, full] = subscriptions
          if (full !== undefined) assert.deepStrictEqual(yield* send(full), { _tag: "Busy" })
          yield* Deferred.succeed(answers, undefined)
          for (const fiber of [...fibers.slice(2), admitted]) {
            assert.strictEqual((yield* Fiber.join(fiber))._tag, "Tried")
          }
          assert.strictEqual((yield* send(another))._tag, "Tried")
        }).pipe(Effect.provide(Layer.provide(Layer.fresh(TestEvents.layer), slow)))
      })
  )
})
