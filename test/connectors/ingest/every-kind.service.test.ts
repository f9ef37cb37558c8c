import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders
} from "../../support/domain/bookings/reservations/reservation-operator.ts"

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "the one inward door",
  (it) => {
    it.effect(
      "hears of an account, of what it sells, of an order of that, and of its money, whichever comes first",
      () =>
        Effect.gen(function* () {
          const { api, as, operatorId, ingestEvent: hear, reservations: rows } = yield* createOperatorWithListings
          const account = { type: "account", version: 1, username: "harbour", auth_status: "exception" }
          assert.deepStrictEqual(yield* hear(account), { outcome: "applied" })
          assert.deepStrictEqual(yield* hear(account), { outcome: "known" })
          const listing = {
            type: "listing",
            version: 3,
            listing_id: "300-77",
            title: "Attic",
            currency: "EUR",
            inventory: 1,
            shelf_status: "on"
          }
          assert.deepStrictEqual(yield* hear(listing), { outcome: "applied" })
          assert.deepStrictEqual(yield* hear({ ...listing, version: 2 }), { outcome: "late" })
          const money = { channel_id: "HM1", currency: "EUR", paid_at: "2027-04-20T09:00:00Z" }
          const payment = { ...money, type: "payment", payment_id: "P1", amount: 420 }
          assert.deepStrictEqual(yield* hear(payment), { outcome: "waiting" })
          // Nobody has linked the listing to anything yet.
          yield* hear(makeOrderEvent([makeChannelRoom("300-77")], { status: "wait_pay" }))
          const [row] = yield* rows
          assert.deepInclude(row, { status: "accepted", in_reservation_box: true })
          assert.strictEqual(row?.payment.status, "received")
          assert.deepStrictEqual(yield* hear(payment), { outcome: "known" })
          yield* hear({ ...money, type: "refund", payment_id: "P2", amount: 20 })
          const { transactions } = yield* api
            .search_transactions({ start_date: "2027-04-20", end_date: "2027-04-20" })
            .pipe(as)
          assert.sameMembers(
            transactions.map(({ direction, amount }) => `${direction} ${amount}`),
            ["income 420", "expense 20"]
          )
          assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
          assert.lengthOf(
            (yield* loadEvents(operatorId)).filter(({ event }) => event === "transaction_created"),
            2
          )
        })
    )

    it.effect("refuses money that cannot be", () =>
      Effect.gen(function* () {
        const { listingId: listing, ingestEvent: hear } = yield* createOperatorWithListings
        yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
        const payment = { type: "payment", payment_id: "P1", channel_id: "HM1", paid_at: "2027-04-20T09:00:00Z" }
        for (const [amount, currency] of [
          [1.001, "EUR"],
          [10, "USD"]
        ]) {
          assert.strictEqual((yield* hear({ ...payment, amount, currency })).outcome, "refused")
        }
      })
    )
  }
)
