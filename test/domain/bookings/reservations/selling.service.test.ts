import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OrderState } from "../../../../src/domain/bookings/orders/order.ts"
import { NightTaken } from "../../../../src/domain/bookings/reservations/nights-taken.ts"
import {
  CHANNEL_ORDER_ATTEMPTS,
  changeFromChannel,
  createFromChannel,
  NIGHTS_TAKEN_ATTEMPTS,
  Orders,
  retryWhileNightsTaken
} from "../../../../src/domain/bookings/reservations/Orders.ts"
import {
  newChannelOrder,
  newChannelStay,
  stayCodesOf
} from "../../../support/domain/bookings/reservations/channel-orders.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  loadReservationRows,
  MANUAL_RESERVATION,
  makeAvailabilityEvent,
  prepareOperator,
  sortEvents
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, call, insertProperty } from "../../../support/harness.ts"

const AT = new Date("2027-04-20T10:00:00Z")

layer(layerWithoutRateWindows, { excludeTestServices: false })("an order a channel sold", (it) => {
  const rooms = Effect.gen(function* () {
    const ground = yield* prepareOperator
    const third = yield* insertProperty(ground.operatorId, "Harbour 3")
    const order = newChannelOrder({
      channel_id: "48120375",
      stays: [
        newChannelStay({ property_id: ground.propertyId }),
        newChannelStay({ property_id: ground.secondPropertyId }),
        newChannelStay({ property_id: third })
      ]
    })
    return { ...ground, third, order, orders: yield* Orders }
  })

  it.effect("comes in with all its rooms, told once a stay, and once however often it is seen", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, secondPropertyId: second, third, order, orders } = yield* rooms
      const created = yield* orders.createFromChannel(operatorId, order, AT)
      assert.deepStrictEqual(created, { reservation_code: "0-48120375-XK2P", status: "accepted", is_new: true })
      const nights = ["2027-05-04", "2027-05-05", "2027-05-06"]
      const [one = "", two = "", three = ""] = stayCodesOf(order)
      assert.deepStrictEqual([one, two, three], ["0-48120375-XK2P", "0-48120375_1-XK2P", "0-48120375_2-XK2P"])
      const told = { event: "reservation_created", reservation_code: one }
      const places = [
        [property, one],
        [second, two],
        [third, three]
      ] as const
      assert.deepStrictEqual(
        sortEvents(yield* loadEvents(operatorId)),
        sortEvents(
          places.flatMap(([property_id, stay_code]) => [
            { ...told, stay_code, property_id },
            makeAvailabilityEvent(property_id, ...nights.map((day) => [day, false] as const))
          ])
        )
      )
      const before = yield* loadReservationRows(operatorId)
      const again = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => orders.createFromChannel(operatorId, order, AT),
        {
          concurrency: "unbounded"
        }
      )
      for (const each of again) assert.deepStrictEqual(each, { ...created, is_new: false })
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("is never refused: a room whose nights are held goes into the box, the others hold theirs", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, third, order, orders } = yield* rooms
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: second, channel_id: "A1" }).pipe(as)
      yield* orders.createFromChannel(operatorId, order, AT)
      const { reservations } = yield* api.search_reservations({ channel_id: "48120375" }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ property_id, in_reservation_box, status }) => [property_id, in_reservation_box, status]),
        [
          [property, false, "accepted"],
          [0, true, "accepted"],
          [third, false, "accepted"]
        ]
      )
      assert.lengthOf(yield* loadNightHolders(operatorId), 9)
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("is not refused inside a transaction of whoever brings it either, which goes on", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, secondPropertyId: second, order, orders } = yield* rooms
      const sql = yield* SqlClient.SqlClient
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: second, channel_id: "A1" }).pipe(as)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* orders.createFromChannel(operatorId, order, AT)
          yield* orders.createFromChannel(operatorId, { ...order, channel_id: "2", reservation_code: "0-2-X" }, AT)
        })
      )
      assert.lengthOf(yield* loadNightHolders(operatorId), 9)
      const { reservations } = yield* api.search_reservations({ channel_id: "2" }).pipe(as)
      assert.isTrue(reservations.every((each) => each.in_reservation_box))
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("boxes the later of two rooms that want the same night", () =>
    Effect.gen(function* () {
      const { operatorId, propertyId: property, orders } = yield* rooms
      const twice = [
        newChannelStay({ property_id: property }),
        newChannelStay({ property_id: property, check_in_date: "2027-05-06", check_out_date: "2027-05-08" })
      ] as const
      const order = newChannelOrder({ channel_id: "7", stays: twice })
      yield* orders.createFromChannel(operatorId, order, AT)
      assert.deepStrictEqual(
        (yield* loadNightHolders(operatorId)).map((night) => night.split(" ")[2]),
        Array.from({ length: 3 }, () => "0-7-XK2P")
      )
      const refused = yield* Effect.flip(
        orders.create(operatorId, { ...order, reservation_code: "0-8-X", channel_id: "8" }, AT)
      )
      assert.strictEqual(refused._tag, "NightTaken")
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("holds nothing while it is pending or when it comes cancelled", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, order, orders } = yield* rooms
      yield* orders.createFromChannel(operatorId, { ...order, status: "wait_accept" }, AT)
      yield* orders.createFromChannel(
        operatorId,
        { ...order, status: "cancelled", channel_id: "9", reservation_code: "0-9-X" },
        AT
      )
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      const { reservations } = yield* api.search_reservations({ channel_id: "9" }).pipe(as)
      assert.strictEqual(reservations[0]?.cancelled_at, "2027-04-20T10:00:00+00:00")
      assert.notInclude(
        (yield* loadEvents(operatorId)).map(({ event }) => event),
        "property_availability_updated"
      )
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("splits the money that came with it by what each room brings", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second, orders } = yield* rooms
      const order = {
        ...newChannelOrder({
          channel_id: "10",
          stays: [
            newChannelStay({ property_id: property, rate: "100" }),
            newChannelStay({ property_id: second, rate: "200" })
          ]
        }),
        received: { amount: "100", item_id: 11, payment_method_id: 197 }
      }
      yield* orders.createFromChannel(operatorId, order, AT)
      const { transactions } = yield* api
        .search_transactions({
          start_date: "2027-04-20",
          end_date: "2027-04-20",
          reservation_code: order.reservation_code
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
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("and others that want the same nights at once leave one holder, the rest in the box", () =>
    Effect.gen(function* () {
      const { operatorId, order, orders } = yield* rooms
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => ({
          ...order,
          channel_id: `C${index}`,
          reservation_code: `0-C${index}-X`
        })),
        (each) => orders.createFromChannel(operatorId, each, AT),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(yield* loadNightHolders(operatorId), 9)
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("shows its sums with every digit, as its amounts add up", () =>
    Effect.gen(function* () {
      const { operatorId, token, orders } = yield* rooms
      const [first, ...others] = Array.from({ length: 11 }, () => newChannelStay({ rate: "999999999999.999" }))
      if (first === undefined) return
      const order = newChannelOrder({ channel_id: "11", currency: "KWD", stays: [first, ...others] })
      yield* orders.createFromChannel(operatorId, order, AT)
      const reservation_code = order.reservation_code
      for (const amount of [999_999_999_998.999, 999_999_999_999]) {
        const entry = { direction: "income", item_id: 11, payment_method_id: 197, amount, reservation_code }
        assert.strictEqual((yield* call(token, "create_transaction", entry)).error_code, 0)
      }
      const text = JSON.stringify(yield* call(token, "search_reservations", { reservation_code, limit: 1 }))
      assert.include(
        text,
        '"payment":{"currency":"KWD","total_amount":10999999999999.989,"received_amount":1999999999997.999,"balance_amount":9000000000001.99,"status":"partial"}'
      )
      assert.include(text, '"total_rate":{"currency":"KWD","amount":10999999999999.989}')
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )
})

describe("an order a channel sold", () => {
  /** Answers where its stay came to, when the night is taken anew as often as that before it is written. */
  const soldWhileTaken = (times: number) => {
    let tried = 0
    const properties: Array<number | null> = []
    return createFromChannel({
      findTakenNights: () => Effect.succeed([]),
      findByChannelId: () => Effect.succeed(undefined),
      create: (_, order) => {
        tried += 1
        properties.push(order.stays[0].property_id)
        return tried <= times
          ? Effect.fail(new NightTaken())
          : Effect.succeed({ reservation_code: order.reservation_code, status: order.status })
      }
    })(1, newChannelOrder({ channel_id: "1", stays: [newChannelStay({ property_id: 7 })] }), AT).pipe(
      Effect.map(() => properties.at(-1)),
      asSystemActor
    )
  }

  it.effect("goes into the box once its nights went to others too often", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* soldWhileTaken(CHANNEL_ORDER_ATTEMPTS - 1), 7)
      assert.isNull(yield* soldWhileTaken(CHANNEL_ORDER_ATTEMPTS))
    })
  )
})

describe("an order that its channel changes", () => {
  const stay = { ...newChannelStay({ property_id: 7 }), id: 1, stay_code: "0-1-XK2P" }
  const order: OrderState = {
    ...newChannelOrder({ channel_id: "1" }),
    id: 1,
    version: 0,
    created_at: AT,
    cancelled_at: null,
    stays: [stay],
    last_room: 0,
    entries: []
  }
  const later = { ...order, stays: [{ ...stay, check_out_date: "2027-05-09" }] }

  /** Answers where its stay came to, when the nights it becomes longer by are taken as often as that before it is written. */
  const changedWhileTaken = (times: number) => {
    const properties: Array<number | null | undefined> = []
    return changeFromChannel({
      loadForChange: () =>
        Effect.succeed({
          order,
          other_orders: [],
          property_known: true,
          property_let: true,
          kept: [],
          held_elsewhere: []
        }),
      findTakenNights: () => Effect.succeed([]),
      withOperatorOrderLock: (_, change) => change,
      applyChange: (_, { orders }) => {
        properties.push(orders[0]?.stays[0]?.property_id)
        return properties.length <= times ? Effect.fail(new NightTaken()) : Effect.succeed({ applied: true })
      }
    })(1, AT, { reservation_code: "0-1-XK2P" }, () => Effect.succeed([later])).pipe(
      Effect.map(() => properties.at(-1)),
      asSystemActor
    )
  }

  it.effect("goes into the box once its new nights went to others too often", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* changedWhileTaken(CHANNEL_ORDER_ATTEMPTS - 1), 7)
      assert.isNull(yield* changedWhileTaken(CHANNEL_ORDER_ATTEMPTS))
    })
  )
})

describe("a change whose nights go to others meanwhile", () => {
  const changedWhileTaken = (times: number) => {
    let tried = 0
    return retryWhileNightsTaken(
      Effect.suspend(() => {
        tried += 1
        return tried <= times ? Effect.fail(new NightTaken()) : Effect.succeed("changed")
      })
    ).pipe(Effect.catchTag("NightTaken", () => Effect.succeed("refused")))
  }

  it.effect("is worked out a bounded number of times", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* changedWhileTaken(NIGHTS_TAKEN_ATTEMPTS - 1), "changed")
      assert.strictEqual(yield* changedWhileTaken(NIGHTS_TAKEN_ATTEMPTS), "refused")
    })
  )
})
