import { assert, layer } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Exit, Layer, Queue, Result, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AllowedReceivers, parseAllowedHosts } from "../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { EVENTS_POLL_MS } from "../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { layerDeliveries } from "../../src/domain/webhooks/deliveries/layer.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { createSubscription } from "../support/domain/webhooks/deliveries/delivery-service.ts"
import { layerLocalOutbound, respondWith } from "../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { call, createOperator, layerService, layerTest, type TestOperator } from "../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../support/http-server.ts"
import { canOverlap, withServerNote } from "../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../support/own-database.ts"

// A change leads to its delivery although nobody polls: here a wait as long as a poll never ends.

const real = Clock.Clock.defaultValue()
const patient: Clock.Clock = Object.assign(Object.create(real), {
  sleep: (duration: Duration.Duration) =>
    Duration.toMillis(duration) >= EVENTS_POLL_MS / 2 ? Effect.never : real.sleep(duration)
})
const layerNobodyPolls = Layer.succeed(Clock.Clock, patient)

const layerWakeUp = canOverlap
  ? WakeUp.layerServer.pipe(Layer.provide(layerOwnDatabase), Layer.provide(layerNobodyPolls))
  : WakeUp.layerProcess

const layerChanging = layerHttpServerOf(
  layerService(layerOwnDatabase, undefined, undefined, Layer.orDie(layerWakeUp)).pipe(
    Layer.provide(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1"))))
  ),
  {}
)

const ENTRY = { direction: "income", amount: 3, currency: "EUR", item_id: 11, payment_method_id: 197 }

const asked = (method: string, path: string, token: string, body: object) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(() =>
      fetch(`${base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream"
        },
        body: JSON.stringify(body)
      }).then((response) => response.text())
    )
  )

const overRest = ({ token }: TestOperator) => asked("POST", "/v3/transactions", token, ENTRY)
const overMcp = ({ token }: TestOperator) => {
  const params = { name: "create_transaction", arguments: ENTRY }
  return asked("POST", "/mcp", token, { jsonrpc: "2.0", id: 1, method: "tools/call", params })
}
const directly = ({ token }: TestOperator) => call(token, "create_transaction", ENTRY)

const CHANGES = [overRest, overMcp, directly]

/** Makes changes one by one, each of them after the one before it has arrived. */
const changed = Effect.gen(function* () {
  const server = yield* startReceiver(respondWith(200))
  const { operator } = yield* createSubscription(server.port)
  for (const change of [...CHANGES, ...CHANGES, ...CHANGES]) {
    yield* change(operator)
    assert.match((yield* Queue.take(server.requests)).body, /transaction_created/)
  }
})

layer(layerChanging)("with nobody polling", (it) => {
  it.effect("a change over REST, over MCP and through the Service reaches its receiver, again and again", () =>
    Effect.gen(function* () {
      yield* Layer.build(Layer.provide(layerDeliveries, layerLocalOutbound))
      yield* changed
    }).pipe(Effect.provide(layerNobodyPolls))
  )

  it.effect.skipIf(!canOverlap)(
    withServerNote("a change reaches its receiver when only another process delivers"),
    () =>
      Effect.gen(function* () {
        const other = Context.get(yield* Layer.build(Layer.fresh(WakeUp.layerServer)), WakeUp)
        const hearing = yield* other.latch
        yield* hearing.await
        yield* Layer.build(Layer.provide(layerDeliveries, [layerLocalOutbound, Layer.succeed(WakeUp, other)]))
        yield* changed
      }).pipe(Effect.provide(layerNobodyPolls))
  )

  it.effect("a subscription that is resumed gets at once what waited for its next try", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      let status = 500
      const server = yield* startReceiver((response, received) => respondWith(status)(response, received))
      const { operator, id } = yield* createSubscription(server.port)
      yield* Layer.build(Layer.provide(layerDeliveries, layerLocalOutbound))
      yield* overRest(operator)
      yield* Queue.take(server.requests)
      const failure = sql`SELECT FROM webhook_deliveries WHERE subscription_id = ${id} AND failures = 1`
      yield* Effect.repeat(failure, { until: ({ length }) => length === 1 })
      status = 200
      // Its worker finds no event, and looks for deliveries all the same.
      yield* asked("PATCH", `/v3/webhooks/${id}`, operator.token, {})
      yield* Queue.take(server.requests)
    }).pipe(Effect.provide(layerNobodyPolls))
  )

  it.effect("the workers end with their scope, however long they would still wait", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(Layer.provide(layerDeliveries, layerLocalOutbound), scope)
      yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.provide(layerNobodyPolls))
  )
})

layer(layerTest)("the Service", (it) => {
  it.effect("wakes the workers after a change and after nothing else", () =>
    Effect.gen(function* () {
      const { latch } = yield* WakeUp
      const woken = yield* latch
      const operator = yield* createOperator()
      yield* call(operator.token, "search_transactions")
      yield* call(operator.readOnlyToken, "create_transaction", ENTRY)
      yield* call(operator.token, "create_transaction", { ...ENTRY, amount: "much" })
      assert.isFalse(woken.isOpen())
      yield* directly(operator)
      assert.isTrue(woken.isOpen())
    })
  )
})
