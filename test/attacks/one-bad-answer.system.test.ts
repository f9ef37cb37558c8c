import { layer } from "@effect/vitest"
import { Clock, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { addDays, dateInZone } from "../../src/contract/time.ts"
import { makeDeliveryPolls } from "../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { WEBHOOK_TRY_MS } from "../../src/platform/limits.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries
} from "../support/domain/webhooks/deliveries/delivery-service.ts"
import { startReceiver } from "../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { call, createOperator, dataOf, insertProperty } from "../support/harness.ts"
import { REQUESTS_MS } from "../support/time-limits.ts"
import { assertHeld, onRunsDatabase, tally } from "./figures.ts"
import { layerQuiet } from "./grounds.ts"
import { type Mishap, oneBadAnswer } from "./one-bad-answer.ts"
import { WIDE_LIMITS } from "./worlds.ts"

vi.setConfig({ testTimeout: REQUESTS_MS })

// On the test clock: ten minutes are over at once.

const DAYS = 300
const STEPS = 120

layer(Layer.provideMerge(layerDeliveryService, layerQuiet))("one bad answer in a burst", (it) => {
  it.effect.each<Mishap>(["answers 500", "hangs"])(
    "a receiver that %s once gets the whole burst, in its order",
    (mishap) =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const count = tally(`a receiver ${mishap} once in a burst`, onRunsDatabase)
        const polls = yield* makeDeliveryPolls
        const server = yield* startReceiver(oneBadAnswer(mishap))
        const operator = yield* createOperator({ rateLimits: WIDE_LIMITS, timeZone: "UTC" })
        const subscription = yield* createSubscription(server.port, { operator })
        const property = yield* insertProperty(operator.operatorId, "Harbour 1")
        const today = dateInZone(yield* Clock.currentTimeMillis, "UTC")
        const close = (day: number) =>
          Effect.flatMap(
            call(operator.token, "update_availabilities", {
              property_ids: [property],
              available: false,
              dates: [addDays(today, day)]
            }),
            dataOf
          )

        yield* close(1)
        yield* polls.dispatchEvents
        yield* polls.claimDue
        yield* Queue.take(server.requests)
        if (mishap === "hangs") yield* TestClock.adjust(WEBHOOK_TRY_MS)
        yield* polls.awaitIdle
        yield* Effect.forEach(Array.from({ length: DAYS }), (_, nth) => close(nth + 2), { discard: true })

        const waiting = Effect.map(
          loadDeliveries(subscription),
          (all) => all.filter(({ state }) => state === "waiting").length
        )
        for (let step = 0; step < STEPS && (step === 0 || (yield* waiting) > 0); step++) {
          yield* TestClock.adjust("5 seconds")
          yield* deliverAllDue(polls)
        }
        const left = yield* waiting
        const arrived = yield* Queue.clear(server.requests)
        count.tried("events of one record", DAYS + 1)
        if (left > 0) count.fell("events of a healthy receiver wait for good", `${left} after ${STEPS * 5} s`)
        const dates = arrived.map(({ body }) => JSON.parse(body).availabilities[0].date)
        if (dates.join() !== dates.toSorted().join()) count.fell("the burst arrives out of order")
        const said = yield* dataOf(yield* call(operator.token, "list_webhooks"))
        if (!JSON.stringify(said).includes('"status":"active"'))
          count.fell("the subscription is not well", JSON.stringify(said))
        assertHeld(count.figures())
      })
  )
})
