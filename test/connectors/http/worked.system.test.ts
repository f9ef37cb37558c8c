import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { type Connector, Connectors } from "../../../src/domain/channels/port/connector.ts"
import {
  layerConnectorEndpointWithReceiver,
  layerConnectorsOverHttp,
  serveConnectorEndpoint,
  startExampleConnector
} from "../../support/connectors/http/http-connectors.ts"
import { ReceivedEvents } from "../../support/connectors/sandbox/sandbox-accounts.ts"
import { defineConnectorSuite } from "../../support/domain/channels/port/connector-suite.ts"
import { createOperator } from "../../support/harness.ts"
import { insertChannelAccount } from "../../support/listings.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

// The worked connector of the documentation, over HTTP on loopback, passes what any connector does.

class Tiny extends Context.Service<Tiny, Effect.Success<ReturnType<typeof startExampleConnector>>>()(
  "latchkey/test/Tiny"
) {
  static readonly layer = Layer.effect(Tiny, Effect.flatMap(serveConnectorEndpoint, startExampleConnector))
}

const layerTiny = Tiny.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(layerConnectorsOverHttp, layerConnectorEndpointWithReceiver)),
  Layer.provideMerge(Layer.mergeAll(ReceivedEvents.layer, RateWindows.layerMemory, ConcurrencyLimiter.layer())),
  Layer.provideMerge(layerTestDatabase)
)

const connectorOf = Effect.gen(function* () {
  const { id } = yield* Tiny
  const connector: Connector | undefined = (yield* Connectors).find(toConnectorName(id))
  return connector ?? (yield* Effect.die(new Error("there is no connector elsewhere")))
})

const openAt = Effect.fnUntraced(function* (channelType: string) {
  const { id, open, told } = yield* Tiny
  const { operatorId } = yield* createOperator()
  const accountId = yield* insertChannelAccount(operatorId, { channelType, connector: toConnectorName(id) })
  const listingId = `loft-${accountId}`
  open({ channel_account_id: accountId, channel_type: channelType }, listingId)
  yield* Effect.promise(told)
  return { account: { operatorId, accountId, channelType, originAccountId: "harbour" }, listingId }
})

layer(layerTiny)("the worked connector", (it) => {
  it.effect("takes a reply before the review, and no other than the one there: all of it or nothing", () =>
    Effect.gen(function* () {
      const connector = yield* connectorOf
      const { account, listingId } = yield* openAt("airbnb")
      const { request } = yield* Tiny
      const asking = { channel_account_id: account.accountId, channel_type: "airbnb" }
      const channelId = request(asking, listingId, "2027-06-07", "2027-06-09")
      const review = { score: 5, content: "Come again!", categoryRatings: {} }
      const judged = (reply: string | null, reviewed: typeof review | null) =>
        connector.writeReview(account, { reservationCode: "0-1-AAAA", channelId, review: reviewed, reply })
      const refusalOf = (act: ReturnType<typeof judged>) => Effect.map(Effect.flip(act), ({ _tag }) => _tag)
      yield* judged("Thank you!", null)
      yield* judged("Thank you!", null)
      assert.strictEqual(yield* refusalOf(judged("No thanks", null)), "ChannelRefused")
      assert.strictEqual(yield* refusalOf(judged("No thanks", review)), "ChannelRefused")
      yield* judged(null, review)
      yield* judged("Thank you!", review)
      assert.strictEqual(yield* refusalOf(judged(null, { ...review, score: 1 })), "ChannelRefused")
    })
  )
})

defineConnectorSuite({
  name: "the worked one, over HTTP",
  layer: layerTiny,
  connector: connectorOf,
  openChannel: openAt,
  requestBooking: ({ account: { accountId, channelType }, listingId }, checkIn, checkOut) =>
    Tiny.use(({ request }) =>
      Effect.sync(() =>
        request({ channel_account_id: accountId, channel_type: channelType }, listingId, checkIn, checkOut)
      )
    ),
  changeCheckOut: (orderId, check_out_date) =>
    Tiny.use(({ change }) => Effect.sync(() => change(orderId, { check_out_date }))),
  hasGuests: true,
  cancelOrder: (orderId) => Tiny.use(({ change }) => Effect.sync(() => change(orderId, { status: "cancelled" }))),
  listEvents: ({ account: { accountId } }) =>
    Effect.gen(function* () {
      const { told } = yield* Tiny
      yield* TestClock.adjust("10 seconds")
      yield* Effect.promise(told)
      return yield* ReceivedEvents.use(({ listEvents: heardOf }) => heardOf(accountId))
    })
})
