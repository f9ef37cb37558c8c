import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { makeResetListeners, ResetListeners } from "../../../src/platform/database/ResetListeners.ts"
import { RECEIVED_DELIVERIES_MAX, WebhookReceiver } from "../../../src/transports/test-endpoint/WebhookReceiver.ts"

const layerReceiver = WebhookReceiver.layer.pipe(Layer.provideMerge(Layer.effect(ResetListeners, makeResetListeners)))

const receive = (query: string, body: string) =>
  Effect.flatMap(WebhookReceiver, (receiver) =>
    receiver.receive(
      HttpServerRequest.fromWeb(
        new Request(`http://127.0.0.1/test/receiver${query}`, { method: "POST", headers: { "webhook-id": body } })
      ),
      body
    )
  )

const listBodies = Effect.flatMap(WebhookReceiver, ({ list }) =>
  Effect.map(list, (deliveries) => deliveries.map(({ body }) => body))
)

it.effect("a receiver responds with the status of its address and keeps what it got", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* receive("", "a")).status, 200)
    assert.strictEqual((yield* receive("?status=503", "b")).status, 503)
    for (const query of ["?status=", "?status=99", "?status=199", "?status=600", "?status=2000", "?status=ok"]) {
      const error = yield* Effect.flip(receive(query, "c"))
      assert.strictEqual(error.message, "status: must be a whole number from 200 to 599.")
    }
    const deliveries = yield* Effect.flatMap(WebhookReceiver, ({ list }) => list)
    assert.deepStrictEqual(
      deliveries.map(({ status, headers, body }) => [status, headers["webhook-id"], body]),
      [
        [200, "a", "a"],
        [503, "b", "b"]
      ]
    )
  }).pipe(Effect.provide(layerReceiver))
)

it.effect(`a receiver keeps the latest ${RECEIVED_DELIVERIES_MAX} deliveries until a reset`, () =>
  Effect.gen(function* () {
    for (let index = 0; index < RECEIVED_DELIVERIES_MAX; index++) yield* receive("", String(index))
    assert.strictEqual((yield* listBodies)[0], "0")
    yield* receive("", "last")
    const bodies = yield* listBodies
    assert.lengthOf(bodies, RECEIVED_DELIVERIES_MAX)
    assert.deepStrictEqual([bodies[0], bodies.at(-1)], ["1", "last"])
    yield* (yield* ResetListeners).notify
    assert.deepStrictEqual(yield* listBodies, [])
  }).pipe(Effect.provide(layerReceiver))
)
