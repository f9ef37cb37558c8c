import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import { layerWithoutRateWindows } from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { call } from "../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../support/overlapping-transactions.ts"

describe.skipIf(!canOverlap)(withServerNote("a room that its channel drops at the same moment"), () => {
  layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })((it) => {
    const sold = Effect.gen(function* () {
      const ground = yield* createOperatorWithListings
      const both = [
        makeChannelRoom(ground.listingId),
        makeChannelRoom(ground.otherListingId, { room_id: "R2" })
      ] as const
      yield* ground.ingestEvent(makeOrderEvent(both))
      const stay_code = (yield* ground.reservations)[1]?.stay_code ?? ""
      return { ...ground, both, stay_code, dropped: ground.ingestEvent(makeOrderEvent([both[0]], { version: 2 })) }
    })

    it.effect("is no stay a task can be made for", () =>
      Effect.gen(function* () {
        const { token, stay_code, dropped } = yield* sold
        const made = call(token, "create_task", { type: "cleaning", stay_code })
        const [heard, answer] = yield* runOverlapping(dropped, made)
        assert.deepStrictEqual(heard, { outcome: "applied" })
        assert.deepStrictEqual([answer.error_code, fieldOfError(answer)], [404, "stay_code"])
      })
    )

    it.effect("goes with the task that was made for it, which stays", () =>
      Effect.gen(function* () {
        const { token, api, as, stay_code, dropped } = yield* sold
        const made = call(token, "create_task", { type: "cleaning", stay_code })
        const [answer, heard] = yield* runOverlapping(made, dropped)
        assert.strictEqual(answer.error_code, 0)
        assert.deepStrictEqual(heard, { outcome: "applied" })
        const { tasks } = yield* api.search_tasks({}).pipe(as)
        assert.deepStrictEqual(
          tasks.map((task) => task.stay_code),
          [null]
        )
      })
    )

    it.effect("has no tag, no custom field, no lock code, no status and no place that is set then", () =>
      Effect.gen(function* () {
        for (const [name, fields] of [
          ["add_reservation_tag", { tag_name: "VIP" }],
          ["update_reservation_custom_fields", { custom_fields: { door: "4" } }],
          ["update_check_in_details", { lock_code: "1234" }],
          ["update_stay_status", { stay_status: "in_house" }],
          ["update_reservation_basic", { remarks: "late" }]
        ] as const) {
          const { token, stay_code, dropped } = yield* sold
          const [heard, answer] = yield* runOverlapping(dropped, call(token, name, { stay_code, ...fields }))
          assert.deepStrictEqual(heard, { outcome: "applied" }, name)
          assert.strictEqual(answer.error_code, 404, `${name}: ${JSON.stringify(answer)}`)
        }
      })
    )

    it.effect("gives its share of an entry that is made then to those that are left", () =>
      Effect.gen(function* () {
        const { token, api, as, stay_code, dropped, propertyId: property } = yield* sold
        const made = call(token, "create_transaction", {
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 100,
          reservation_code: stay_code.replace("_1", ""),
          action_at: "2027-04-20T09:00:00Z"
        })
        const [heard, answer] = yield* runOverlapping(dropped, made)
        assert.deepStrictEqual(heard, { outcome: "applied" })
        assert.strictEqual(answer.error_code, 0, JSON.stringify(answer))
        const { transactions } = yield* api
          .search_transactions({ start_date: "2027-04-01", end_date: "2027-04-30" })
          .pipe(as)
        assert.deepStrictEqual(transactions[0]?.shares, [{ property_id: property, amount: 100 }])
      })
    )

    it.effect("and one that comes has its share of an entry that is made then", () =>
      Effect.gen(function* () {
        const { token, api, as, ingestEvent: hear, both, stay_code } = yield* sold
        const made = call(token, "create_transaction", {
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 90,
          reservation_code: stay_code.replace("_1", ""),
          action_at: "2027-04-20T09:00:00Z"
        })
        const third = { room_id: "R3", check_in_date: "2027-06-04", check_out_date: "2027-06-07" }
        const came = hear(makeOrderEvent([...both, makeChannelRoom(both[0].listing_id, third)], { version: 2 }))
        const [heard, answer] = yield* runOverlapping(came, made)
        assert.deepStrictEqual(heard, { outcome: "applied" })
        assert.strictEqual(answer.error_code, 0, JSON.stringify(answer))
        const { transactions } = yield* api
          .search_transactions({ start_date: "2027-04-01", end_date: "2027-04-30" })
          .pipe(as)
        assert.deepStrictEqual(
          transactions[0]?.shares.map(({ amount }) => amount),
          [30, 30, 30]
        )
      })
    )
  })
})
