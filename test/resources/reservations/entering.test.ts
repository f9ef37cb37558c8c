import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Orders } from "../../../src/resources/reservations/Orders.ts"
import { propertyOf } from "../../harness.ts"
import { soldOrder, soldStay, stayCodesOf } from "./channel-orders.ts"
import { available, booking, eventsOf, everything, layerUnhurried, nightsOf, ready, sorted } from "./ready.ts"

const AT = new Date("2027-04-20T10:00:00Z")

layer(layerUnhurried, { excludeTestServices: false })("an order a channel sold", (it) => {
  const rooms = Effect.gen(function* () {
    const ground = yield* ready
    const third = yield* propertyOf(ground.operatorId, "Harbour 3")
    const order = soldOrder({
      channelId: "48120375",
      stays: [
        soldStay({ propertyId: ground.property }),
        soldStay({ propertyId: ground.second }),
        soldStay({ propertyId: third })
      ]
    })
    return { ...ground, third, order, orders: yield* Orders }
  })

  it.effect("comes in with all its rooms, told once a stay, and once however often it is seen", () =>
    Effect.gen(function* () {
      const { operatorId, property, second, third, order, orders } = yield* rooms
      const entered = yield* orders.enterSold(operatorId, order, AT)
      assert.deepStrictEqual(entered, { code: "0-48120375-XK2P", status: "accepted", isNew: true })
      const nights = ["2027-05-04", "2027-05-05", "2027-05-06"]
      const [one = "", two = "", three = ""] = stayCodesOf(order)
      assert.deepStrictEqual([one, two, three], ["0-48120375-XK2P", "0-48120375_1-XK2P", "0-48120375_2-XK2P"])
      const created = { event: "reservation_created", reservation_code: one }
      const places = [
        [property, one],
        [second, two],
        [third, three]
      ] as const
      assert.deepStrictEqual(
        sorted(yield* eventsOf(operatorId)),
        sorted(
          places.flatMap(([property_id, stay_code]) => [
            { ...created, stay_code, property_id },
            available(property_id, ...nights.map((day) => [day, false] as const))
          ])
        )
      )
      const before = yield* everything(operatorId)
      const again = yield* Effect.forEach(Array.from({ length: 20 }), () => orders.enterSold(operatorId, order, AT), {
        concurrency: "unbounded"
      })
      for (const each of again) assert.deepStrictEqual(each, { ...entered, isNew: false })
      assert.deepStrictEqual(yield* everything(operatorId), before)
    }).pipe(Effect.provide(Orders.layer))
  )

  it.effect("is never refused: a room whose nights are held goes into the box, the others hold theirs", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, second, third, order, orders } = yield* rooms
      yield* api.create_reservation({ ...booking, property_id: second, channel_id: "A1" }).pipe(as)
      yield* orders.enterSold(operatorId, order, AT)
      const { reservations } = yield* api.search_reservations({ channel_id: "48120375" }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ property_id, in_reservation_box, status }) => [property_id, in_reservation_box, status]),
        [
          [property, false, "accepted"],
          [0, true, "accepted"],
          [third, false, "accepted"]
        ]
      )
      assert.lengthOf(yield* nightsOf(operatorId), 9)
    }).pipe(Effect.provide(Orders.layer))
  )

  it.effect("is not refused inside a transaction of whoever brings it either, which goes on", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, second, order, orders } = yield* rooms
      const sql = yield* SqlClient.SqlClient
      yield* api.create_reservation({ ...booking, property_id: second, channel_id: "A1" }).pipe(as)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* orders.enterSold(operatorId, order, AT)
          yield* orders.enterSold(operatorId, { ...order, channelId: "2", reservationCode: "0-2-X" }, AT)
        })
      )
      assert.lengthOf(yield* nightsOf(operatorId), 9)
      const { reservations } = yield* api.search_reservations({ channel_id: "2" }).pipe(as)
      assert.isTrue(reservations.every((each) => each.in_reservation_box))
    }).pipe(Effect.provide(Orders.layer))
  )

  it.effect("boxes the later of two rooms that want the same night", () =>
    Effect.gen(function* () {
      const { operatorId, property, orders } = yield* rooms
      const twice = [
        soldStay({ propertyId: property }),
        soldStay({ propertyId: property, checkIn: "2027-05-06", checkOut: "2027-05-08" })
      ] as const
      const order = soldOrder({ channelId: "7", stays: twice })
      yield* orders.enterSold(operatorId, order, AT)
      assert.deepStrictEqual(
        (yield* nightsOf(operatorId)).map((night) => night.split(" ")[2]),
        Array.from({ length: 3 }, () => "0-7-XK2P")
      )
      const refused = yield* Effect.flip(
        orders.enter(operatorId, { ...order, reservationCode: "0-8-X", channelId: "8" }, AT)
      )
      assert.strictEqual(refused._tag, "NightTaken")
    }).pipe(Effect.provide(Orders.layer))
  )

  it.effect("holds nothing while it is pending or when it comes cancelled", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, order, orders } = yield* rooms
      yield* orders.enterSold(operatorId, { ...order, status: "wait_accept" }, AT)
      yield* orders.enterSold(
        operatorId,
        { ...order, status: "cancelled", channelId: "9", reservationCode: "0-9-X" },
        AT
      )
      assert.deepStrictEqual(yield* nightsOf(operatorId), [])
      const { reservations } = yield* api.search_reservations({ channel_id: "9" }).pipe(as)
      assert.strictEqual(reservations[0]?.cancelled_at, "2027-04-20T10:00:00+00:00")
      assert.notInclude(
        (yield* eventsOf(operatorId)).map(({ event }) => event),
        "property_availability_updated"
      )
    }).pipe(Effect.provide(Orders.layer))
  )

  it.effect("splits the money that came with it by what each room brings", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property, second, orders } = yield* rooms
      const order = {
        ...soldOrder({
          channelId: "10",
          stays: [soldStay({ propertyId: property, rate: "100" }), soldStay({ propertyId: second, rate: "200" })]
        }),
        received: { amount: "100", itemId: 11, paymentMethodId: 197 }
      }
      yield* orders.enterSold(operatorId, order, AT)
      const { transactions } = yield* api
        .search_transactions({
          start_date: "2027-04-20",
          end_date: "2027-04-20",
          reservation_code: order.reservationCode
        })
        .pipe(as)
      assert.deepStrictEqual(transactions[0]?.shares, [
        { property_id: property, amount: 33.33 },
        { property_id: second, amount: 66.67 }
      ])
      const { reservations } = yield* api.search_reservations({ channel_id: "10" }).pipe(as)
      for (const each of reservations) {
        assert.deepInclude(each.payment, {
          total_amount: 300,
          received_amount: 100,
          balance_amount: 200,
          status: "partial"
        })
      }
    }).pipe(Effect.provide(Orders.layer))
  )

  it.effect("and others that want the same nights at once leave one holder, the rest in the box", () =>
    Effect.gen(function* () {
      const { operatorId, order, orders } = yield* rooms
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => ({
          ...order,
          channelId: `C${index}`,
          reservationCode: `0-C${index}-X`
        })),
        (each) => orders.enterSold(operatorId, each, AT),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(yield* nightsOf(operatorId), 9)
    }).pipe(Effect.provide(Orders.layer))
  )
})
