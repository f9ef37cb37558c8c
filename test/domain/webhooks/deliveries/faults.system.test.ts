import { setImmediate as nextTurn } from "node:timers/promises"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { layerDeliveries } from "../../../../src/domain/webhooks/deliveries/layer.ts"
import { layerPostgres } from "../../../../src/platform/database/postgres.ts"
import {
  createSubscription,
  type DeliveryPolls,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { layerLocalOutbound, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverHandler,
  startReceiver
} from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator, layerService } from "../../../support/harness.ts"
import { withServerNote } from "../../../support/overlapping-transactions.ts"
import { createScratchDatabase } from "../../../support/own-database.ts"
import { PROCESSES_MS } from "../../../support/time-limits.ts"

const MINUTE = 60_000

const eventOf = ({ headers }: ReceivedRequest): number => parseWebhookId(String(headers["webhook-id"]))?.event_id ?? 0

const tenth = (): (() => boolean) => {
  let requests = 0
  return () => requests++ % 10 === 0
}

/** Requests that are left without an answer now. */
const hanging = new Set<object>()
const hang: ReceiverHandler = (response) => {
  hanging.add(response)
  response.on("close", () => hanging.delete(response))
}

/** Ways to be a bad receiver; each is good in between. `isDown` tells whether the hour of absence is now. */
const RECEIVERS: ReadonlyArray<readonly [name: string, answer: (isDown: () => boolean) => ReceiverHandler]> = [
  ["answers well", () => respondWith(200)],
  [
    "answers every tenth with 500",
    () => {
      const bad = tenth()
      return (response, received) => respondWith(bad() ? 500 : 200)(response, received)
    }
  ],
  [
    "hangs on every tenth",
    () => {
      const bad = tenth()
      return (response, received) => (bad() ? hang : respondWith(200))(response, received)
    }
  ],
  [
    "closes in the middle of every tenth answer",
    () => {
      const bad = tenth()
      return (response) => {
        if (!bad()) return void response.end()
        response.writeHead(200, { "content-length": "10" }).write("half")
        response.socket?.end()
      }
    }
  ],
  ["is down for an hour", (isDown) => (response) => void (isDown() ? response.socket?.destroy() : response.end())]
]

/** Waits until only what hangs is under way. */
const answered = Effect.fnUntraced(function* ({ inProgress: underWay }: DeliveryPolls) {
  while (underWay.size > hanging.size) yield* Effect.promise(() => nextTurn())
})

/** Works for a minute of the clock. */
const minuteOf = Effect.fnUntraced(function* (polls: DeliveryPolls) {
  while ((yield* polls.dispatchEvents).events > 0) {}
  for (let round = 0; round < 3; round++) {
    yield* Effect.andThen(polls.claimDue, polls.endCooldowns)
    yield* answered(polls)
  }
  yield* TestClock.adjust(MINUTE)
  yield* polls.awaitIdle
})

layer(layerDeliveryService)("with receivers that fail in every way", (it) => {
  it.effect(
    "every committed event arrives at each of them",
    () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const polls = yield* makeDeliveryPolls
        const operator = yield* createOperator()
        let isDown = false
        const made = yield* Effect.forEach(RECEIVERS, ([name, answer]) =>
          Effect.gen(function* () {
            const server: Receiver = yield* startReceiver(answer(() => isDown))
            const subscription = yield* createSubscription(server.port, { operator })
            return { name, server, subscription }
          })
        )
        const ids: Array<number> = []
        // The last rest of the one that was down is at most half an hour.
        for (let minute = 0; minute < 130; minute++) {
          isDown = minute >= 10 && minute < 70
          if (minute < 60)
            ids.push(...(yield* recordEvents(operator, makeRepeatedEvents(2, `transaction:${minute % 7}`))))
          yield* minuteOf(polls)
        }
        for (const { name, server, subscription } of made) {
          const states = (yield* loadDeliveries(subscription)).map(({ state }) => state)
          assert.deepStrictEqual(new Set(states), new Set(["delivered"]), name)
          const arrivals = (yield* Queue.clear(server.requests)).map(eventOf)
          assert.sameMembers([...new Set(arrivals)], ids, name)
          console.log(`a receiver that ${name}: ${ids.length} events, ${arrivals.length - ids.length} tries more`)
        }
      }),
    PROCESSES_MS
  )
})

const server = process.env.DATABASE_URL ?? ""

it.live.skipIf(server === "")(
  withServerNote("when the database cuts every connection again and again, every committed event arrives"),
  () =>
    Effect.gen(function* () {
      const url = yield* createScratchDatabase(server)
      const database = (connections: number) =>
        layerPostgres({ url: Redacted.make(url), maxConnections: connections, synchronousCommit: "off" })
      const allowed = Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // Cut from outside, in the middle of whatever the workers do, each time ten more have arrived.
        const cut = sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`
        const receiving = yield* startReceiver(respondWith(200))
        const { operator } = yield* createSubscription(receiving.port)
        yield* Effect.forkScoped(Layer.launch(layerDeliveries.pipe(Layer.provide([layerLocalOutbound, database(3)]))))
        const ids: Array<number> = []
        const arrivals: Array<number> = []
        for (let round = 0; round < 12; round++) {
          ids.push(...(yield* recordEvents(operator, makeRepeatedEvents(10, `transaction:${round}`))))
          for (let taken = 0; taken < 5; taken++) arrivals.push(eventOf(yield* Queue.take(receiving.requests)))
          yield* cut
        }
        while (!ids.every((id) => arrivals.includes(id))) arrivals.push(eventOf(yield* Queue.take(receiving.requests)))
        console.log(`connections cut 12 times: ${ids.length} events, ${arrivals.length - ids.length} duplicates`)
      }).pipe(Effect.provide(layerService(database(1)).pipe(Layer.provide(allowed))))
    }),
  PROCESSES_MS
)
