import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { WEBHOOK_SIGNATURE_SECONDS } from "../../../src/platform/limits.ts"
import { startExampleConnector } from "../../support/connectors/http/http-connectors.ts"
import { sendConnectorMessage } from "../../support/connectors/http/signed-messages.ts"
import { respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

layer(layerTestDatabase)("the worked connector", (it) => {
  it.effect("does what is signed, once, and nothing else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-01T09:00:00Z"))
      const { port } = yield* startReceiver(respondWith(200, "{}"))
      const { secret, url, open, told } = yield* startExampleConnector(`http://127.0.0.1:${port}`)
      const account = { channel_account_id: 12, channel_type: "houfy" }
      open(account, "loft")
      yield* Effect.promise(told)
      const days = { start_date: "2027-06-01", end_date: "2027-06-01" }
      const pushing = (price: number) =>
        JSON.stringify({ type: "push_prices", account, listing_id: "loft", prices: [{ ...days, price }] })
      const reading = JSON.stringify({ type: "read_calendar", account, listing_id: "loft", ...days })
      const price = Effect.map(
        sendConnectorMessage(url, { secrets: [secret], body: reading }),
        ({ body }) => body["days"]
      )
      const costs = (price: number) => [{ date: "2027-06-01", price, inventory: 1 }]

      const first = { secrets: [secret], id: "first", body: pushing(110) } as const
      assert.deepInclude(yield* sendConnectorMessage(url, first), { status: 200, body: {} })
      assert.strictEqual((yield* sendConnectorMessage(url, { secrets: [secret], body: pushing(120) })).status, 200)
      // Somebody's copy of the first: answered as it was, and nothing is done.
      assert.deepInclude(yield* sendConnectorMessage(url, first), { status: 200, body: {} })
      assert.deepStrictEqual(yield* price, costs(120))

      const wrong = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
      for (const [sent, status] of [
        [{ secrets: [wrong], body: pushing(1) }, 401],
        [{ secrets: [secret], body: pushing(1), off: WEBHOOK_SIGNATURE_SECONDS + 1 }, 401],
        [{ secrets: [secret], body: pushing(1), off: -WEBHOOK_SIGNATURE_SECONDS - 1 }, 401],
        [{ secrets: [secret], body: pushing(1), headers: { "webhook-id": "other" } }, 401],
        [{ secrets: [secret], body: pushing(1).padEnd(5 * 1024 * 1024, " ") }, 401],
        [{ secrets: [secret], body: JSON.stringify({ type: "weather", account }) }, 500]
      ] as const) {
        assert.strictEqual((yield* sendConnectorMessage(url, sent)).status, status)
      }
      assert.deepStrictEqual(yield* price, costs(120))
      // The service signs by both secrets while one is replaced.
      assert.strictEqual(
        (yield* sendConnectorMessage(url, { secrets: [wrong, secret], body: pushing(130) })).status,
        200
      )
      assert.deepStrictEqual(yield* price, costs(130))

      // Nobody ends its process by hanging up in the middle of a body.
      yield* hungUpOn(url)
      assert.deepStrictEqual(yield* price, costs(130))
    })
  )
})

/** Begins a message at an address, and ends the connection before all of it is there. */
const hungUpOn = (url: string) =>
  Effect.callback<void>((resume) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () =>
      socket.write("POST / HTTP/1.1\r\nhost: there\r\ncontent-length: 100\r\n\r\n{", () => socket.end())
    )
    // The other side closes once it has seen that nothing more comes.
    socket.on("close", () => resume(Effect.void)).resume()
  })
