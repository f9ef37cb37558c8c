import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../src/ingest/Ingest.ts"
import { ChannelMoneyStore } from "../../src/resources/transactions/channel-money.ts"
import { byNobody } from "../harness.ts"
import { layerUnhurried } from "../resources/reservations/ready.ts"
import { order, room, selling } from "./saying.ts"

layer(Layer.mergeAll(Ingest.layer, ChannelMoneyStore.layer).pipe(Layer.provideMerge(layerUnhurried)))(
  "money of an order that gets a room",
  (it) => {
    it.effect("is not split over the rooms there were when it was read", () =>
      Effect.gen(function* () {
        const { operatorId, accountId, listing, other, hear } = yield* selling
        const money = yield* ChannelMoneyStore
        yield* hear(order([room(listing)]))
        const told = {
          operatorId,
          accountId,
          channelType: "airbnb",
          paymentId: "P-1",
          channelId: "HM1",
          kind: "payment",
          amount: "100.00",
          currency: "EUR",
          paidAt: new Date("2027-04-20T09:00:00Z")
        } as const
        const asRead = (yield* money.find(told)).order
        yield* hear(order([room(listing), room(other, { room_id: "R2" })], { version: 2 }))
        if (asRead === null) return assert.fail("the order is not known")
        assert.deepStrictEqual(yield* byNobody(money.settle(told, asRead, new Date())), { as_read: false, id: null })
        const again = (yield* money.find(told)).order
        assert.lengthOf(again?.stays ?? [], 2)
        if (again !== null) assert.isTrue((yield* byNobody(money.settle(told, again, new Date()))).as_read)
        const sql = yield* SqlClient.SqlClient
        const shares = yield* sql<{ amount: string }>`
          SELECT amount::text FROM transaction_shares WHERE operator_id = ${operatorId} ORDER BY stay_id`
        assert.deepStrictEqual(
          shares.map(({ amount }) => Number(amount)),
          [50, 50]
        )
      })
    )
  }
)
