import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { layerPushJobsWithPrices } from "../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { ChannelGateway } from "../../../src/domain/channels/port/ChannelGateway.ts"
import { WakeUp } from "../../../src/jobs/WakeUp.ts"
import {
  layerConnectorEndpointWithReceiver,
  layerConnectorsOverHttp,
  startExampleConnector
} from "../../support/connectors/http/http-connectors.ts"
import { createOperator, insertProperty, layerService, typedClient, withToken } from "../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../support/http-server.ts"
import { insertChannelAccount } from "../../support/listings.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"

// The service and a connector that runs elsewhere together, on the clock on the wall.

const layerBelow = Layer.merge(layerOwnDatabase, WakeUp.layerProcess)

const layerGateway = Layer.provide(ChannelGateway.layer, [
  Layer.provide(layerConnectorsOverHttp, layerOwnDatabase),
  layerOwnDatabase
]).pipe(Layer.orDie)

const layerWhole = layerHttpServerOf(
  Layer.mergeAll(
    Layer.provide(layerConnectorEndpointWithReceiver, Layer.provide(Ingest.layer, layerBelow)),
    Layer.provide(layerPushJobsWithPrices, [layerGateway, layerBelow])
  ).pipe(
    Layer.provideMerge(
      layerService(
        layerOwnDatabase,
        RateWindows.layerMemory,
        Layer.merge(ScriptedChannel.layer, layerGateway),
        WakeUp.layerProcess
      )
    )
  )
)

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

layer(layerWhole, { excludeTestServices: true })("the service and a connector elsewhere", (it) => {
  it.effect("see each other's work: an order comes in, is approved, moves and is cancelled; a calendar goes out", () =>
    Effect.gen(function* () {
      const tiny = yield* startExampleConnector(yield* BaseUrl)
      const { operatorId, token } = yield* createOperator()
      const account = yield* insertChannelAccount(operatorId, {
        channelType: "houfy",
        connector: toConnectorName(tiny.id)
      })
      const property = yield* insertProperty(operatorId, "Harbour view")
      const there = { channel_account_id: account, channel_type: "houfy" }
      tiny.open(there, "loft")
      yield* Effect.promise(tiny.told)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE listings SET property_id = ${property} WHERE operator_id = ${operatorId} AND listing_id = 'loft'`

      const api = yield* typedClient
      const found = (channel_id: string) =>
        Effect.map(
          api.search_reservations({ channel_id }).pipe(withToken(token)),
          ({ reservations }) => reservations[0]
        )
      const order = tiny.request(there, "loft", inDays(30), inDays(32))
      yield* Effect.promise(tiny.told)
      const pending = yield* found(order)
      assert.deepStrictEqual(
        [pending?.status, pending?.property_id, pending?.listing_id],
        ["wait_accept", property, "loft"]
      )
      yield* api.approve_reservation({ reservation_code: pending?.reservation_code ?? "" }).pipe(withToken(token))
      yield* Effect.promise(tiny.told)
      assert.strictEqual((yield* found(order))?.status, "accepted")
      tiny.change(order, { check_out_date: inDays(33) })
      yield* Effect.promise(tiny.told)
      assert.strictEqual((yield* found(order))?.check_out_date, inDays(33))

      const listing = { channel_type: "houfy", listing_id: "loft" } as const
      const days = { start_date: inDays(40), end_date: inDays(41) }
      yield* api.update_listing_prices({ ...listing, prices: [{ ...days, price: 170 }] }).pipe(withToken(token))
      const prices = Effect.map(
        api.search_listing_calendars({ ...days, listings: [listing] }).pipe(withToken(token)),
        ({ listings }) => listings[0]?.calendar.map(({ price }) => price)
      )
      const waiting = sql`SELECT 1 AS one FROM listing_pushes WHERE operator_id = ${operatorId} AND state = 'waiting'`
      while ((yield* waiting).length > 0) yield* Effect.yieldNow
      assert.deepStrictEqual(yield* prices, [170, 170])

      tiny.change(order, { status: "cancelled" })
      yield* Effect.promise(tiny.told)
      assert.strictEqual((yield* found(order))?.status, "cancelled")
    })
  )
})
