import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays } from "../../../../src/contract/time.ts"
import { Orders } from "../../../../src/domain/bookings/reservations/Orders.ts"
import { PAGE_MAX, SEARCH_DAYS } from "../../../../src/platform/limits.ts"
import { newChannelOrder, newChannelStay } from "../../../support/domain/bookings/reservations/channel-orders.ts"
import {
  layerWithoutRateWindows,
  MANUAL_RESERVATION,
  prepareOperator,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, call, insertOrder, insertProperty } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(layerWithoutRateWindows, { excludeTestServices: false })("finding reservations", (it) => {
  it.effect("narrows by every filter", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const create = (channel_id: string, property_id: number, check_in_date: string) =>
        api
          .create_reservation({
            ...MANUAL_RESERVATION,
            property_id,
            channel_id,
            check_in_date,
            check_out_date: addDays(check_in_date, 2)
          })
          .pipe(as)
      yield* create("A1", property, "2027-05-04")
      yield* create("B1", property, "2027-06-04")
      yield* create("C1", second, "2027-05-04")
      yield* api.cancel_reservation({ reservation_code: "5-B1" }).pipe(as)
      const request = yield* insertOrder(
        operatorId,
        [{ propertyId: second, checkIn: "2027-05-20", checkOut: "2027-05-22" }],
        {
          channelType: "airbnb",
          status: "wait_accept"
        }
      )
      const found = (filters: Parameters<typeof api.search_reservations>[0]) =>
        Effect.map(api.search_reservations(filters).pipe(as), ({ reservations }) =>
          reservations.map(({ stay_code }) => stay_code).sort()
        )
      const rooms = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2025-01-01", checkOut: "2025-01-02" },
        { propertyId: second, checkIn: "2025-01-01", checkOut: "2025-01-02" }
      ])
      for (const code of [rooms, `${rooms}_1`]) {
        assert.deepStrictEqual(yield* found({ reservation_code: code }), [rooms, `${rooms}_1`])
      }
      const all = ["5-A1", "5-B1", "5-C1", request].sort()
      assert.deepStrictEqual(yield* found({}), all)
      assert.deepStrictEqual(yield* found({ reservation_code: "5-A1" }), ["5-A1"])
      assert.deepStrictEqual(yield* found({ reservation_code: "5-NOBODY" }), [])
      assert.deepStrictEqual(yield* found({ channel_id: "C1" }), ["5-C1"])
      assert.deepStrictEqual(yield* found({ property_id: second }), ["5-C1", request, `${rooms}_1`].sort())
      assert.deepStrictEqual(yield* found({ status: "cancelled" }), ["5-B1"])
      assert.deepStrictEqual(yield* found({ channel_type: "airbnb" }), [request])
      assert.deepStrictEqual(
        yield* found({ channel_type: "direct", property_id: property }),
        ["5-A1", "5-B1", rooms].sort()
      )
      assert.deepStrictEqual(yield* found({ start_check_in_date: "2027-05-04", end_check_in_date: "2027-05-04" }), [
        "5-A1",
        "5-C1"
      ])
      assert.deepStrictEqual(
        yield* found({ start_check_in_date: "2027-05-05", end_check_in_date: "2027-06-04" }),
        ["5-B1", request].sort()
      )
      assert.deepStrictEqual(yield* found({ start_check_out_date: "2027-05-06", end_check_out_date: "2027-05-06" }), [
        "5-A1",
        "5-C1"
      ])
      assert.deepStrictEqual(
        yield* found({ start_check_out_date: "2026-01-01", end_check_out_date: "2028-01-01", status: "accepted" }),
        ["5-A1", "5-C1"]
      )
      const { reservations } = yield* api.search_reservations({ channel_id: "A1" }).pipe(as)
      assert.deepStrictEqual(yield* found({ id: reservations[0]?.id ?? 0 }), ["5-A1"])
      assert.deepStrictEqual(yield* found({ id: 9_999_999_999 }), [])
    })
  )

  it.effect("covers 180 days around today only when nothing else is asked for", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      const leaving = (checkOut: string) =>
        insertOrder(operatorId, [{ propertyId: property, checkIn: addDays(checkOut, -1), checkOut }])
      const first = yield* leaving(addDays(TODAY, -SEARCH_DAYS))
      const last = yield* leaving(addDays(TODAY, SEARCH_DAYS))
      const tooEarly = yield* leaving(addDays(TODAY, -SEARCH_DAYS - 1))
      const tooLate = yield* leaving(addDays(TODAY, SEARCH_DAYS + 1))
      const found = (filters: Parameters<typeof api.search_reservations>[0]) =>
        Effect.map(api.search_reservations(filters).pipe(as), ({ reservations }) =>
          reservations.map(({ stay_code }) => stay_code).sort()
        )
      assert.deepStrictEqual(yield* found({}), [first, last].sort())
      assert.deepStrictEqual(yield* found({ order_by: "check_in_date", limit: 50, offset: 0 }), [first, last].sort())
      assert.deepStrictEqual(yield* found({ status: "accepted" }), [first, last, tooEarly, tooLate].sort())
    })
  )

  it.effect("takes one bound of a pair of dates, open on the other side", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      // Four stays of two nights, further apart than a search by check-in may cover.
      const days = [0, 1, 2, 3].map((index) => addDays(TODAY, index * (SEARCH_DAYS + 1)))
      const codes = yield* Effect.forEach(days, (checkIn) =>
        insertOrder(operatorId, [{ propertyId: property, checkIn, checkOut: addDays(checkIn, 2) }])
      )
      const found = (filters: Parameters<typeof api.search_reservations>[0]) =>
        Effect.map(api.search_reservations({ ...filters, order_by: "check_in_date" }).pipe(as), (answer) => {
          assert.strictEqual(answer.total, answer.reservations.length)
          return answer.reservations.map(({ stay_code }) => codes.indexOf(stay_code)).join("")
        })
      const [, second = "", third = ""] = days
      assert.strictEqual(yield* found({ start_check_in_date: second }), "321")
      assert.strictEqual(yield* found({ start_check_in_date: addDays(second, 1) }), "32")
      assert.strictEqual(yield* found({ end_check_in_date: third }), "210")
      assert.strictEqual(yield* found({ end_check_in_date: addDays(third, -1) }), "10")
      assert.strictEqual(yield* found({ start_check_out_date: addDays(second, 2) }), "321")
      assert.strictEqual(yield* found({ start_check_out_date: addDays(second, 3) }), "32")
      assert.strictEqual(yield* found({ end_check_out_date: addDays(third, 2) }), "210")
      assert.strictEqual(yield* found({ end_check_out_date: addDays(third, 1) }), "10")
      assert.strictEqual(yield* found({ start_check_in_date: second, end_check_out_date: addDays(third, 2) }), "21")
    })
  )

  it.effect("says how many there are in all, on every page and on one behind the last", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      const stranger = yield* prepareOperator
      yield* insertOrder(stranger.operatorId, [{ propertyId: stranger.propertyId }])
      for (const status of ["accepted", "wait_accept", "denied"] as const) {
        yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: second }], {
          status,
          channelType: "vrbo"
        })
      }
      const total = (filters: Parameters<typeof api.search_reservations>[0]) =>
        Effect.map(api.search_reservations(filters).pipe(as), (answer) => [answer.reservations.length, answer.total])
      assert.deepStrictEqual(yield* total({}), [6, 6])
      assert.deepStrictEqual(yield* total({ limit: 4 }), [4, 6])
      assert.deepStrictEqual(yield* total({ limit: 4, offset: 4 }), [2, 6])
      assert.deepStrictEqual(yield* total({ offset: 6 }), [0, 6])
      assert.deepStrictEqual(yield* total({ status: "wait_accept", limit: 1 }), [1, 2])
      assert.deepStrictEqual(yield* total({ channel_type: "vrbo", property_id: second, limit: 1 }), [1, 3])
      assert.deepStrictEqual(yield* total({ status: "timeout" }), [0, 0])
    })
  )

  it.effect("finds the stays in the box as those of property 0, where they are shown", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId, propertyId: property, secondPropertyId: second } = yield* prepareOperator
      assert.strictEqual((yield* call(token, "search_reservations", { property_id: 0 })).error_code, 0)
      const code = yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: second }])
      yield* api.move_stay_to_box({ stay_code: code }).pipe(as)
      const boxed = yield* api.search_reservations({ property_id: 0 }).pipe(as)
      assert.deepStrictEqual(
        boxed.reservations.map(({ stay_code, property_id, in_reservation_box }) => [
          stay_code,
          property_id,
          in_reservation_box
        ]),
        [[code, 0, true]]
      )
      assert.strictEqual(boxed.total, 1)
    })
  )

  it.effect("lists the latest first by each order, page by page", () =>
    Effect.gen(function* () {
      const { api, as, propertyId: property } = yield* prepareOperator
      const create = Effect.fnUntraced(function* (
        channel_id: string,
        check_in_date: string,
        nights: number,
        minute: number
      ) {
        yield* TestClock.setTime(Date.parse(`${TODAY}T11:${minute}:00Z`))
        const check_out_date = addDays(check_in_date, nights)
        yield* api
          .create_reservation({
            ...MANUAL_RESERVATION,
            property_id: property,
            channel_id,
            check_in_date,
            check_out_date
          })
          .pipe(as)
      })
      yield* create("A", "2027-05-20", 1, 10)
      yield* create("B", "2027-05-01", 9, 11)
      yield* create("C", "2027-05-12", 2, 12)
      yield* create("D", "2027-05-25", 1, 13)
      for (const [code, minute] of [
        ["5-C", 30],
        ["5-A", 31]
      ] as const) {
        yield* TestClock.setTime(Date.parse(`${TODAY}T11:${minute}:00Z`))
        yield* api.cancel_reservation({ reservation_code: code }).pipe(as)
      }
      const listed = (query: Parameters<typeof api.search_reservations>[0]) =>
        Effect.map(api.search_reservations(query).pipe(as), ({ reservations }) =>
          reservations.map(({ channel_id }) => channel_id).join("")
        )
      assert.strictEqual(yield* listed({}), "DCBA")
      assert.strictEqual(yield* listed({ order_by: "booked_at" }), "DCBA")
      assert.strictEqual(yield* listed({ order_by: "created_at" }), "DCBA")
      assert.strictEqual(yield* listed({ order_by: "check_in_date" }), "DACB")
      assert.strictEqual(yield* listed({ order_by: "check_out_date" }), "DACB")
      assert.strictEqual(yield* listed({ order_by: "cancelled_at" }), "ACDB")
      assert.strictEqual(yield* listed({ limit: 2 }), "DC")
      assert.strictEqual(yield* listed({ limit: 2, offset: 1 }), "CB")
      assert.strictEqual(yield* listed({ offset: 4 }), "")
    })
  )

  it.effect("reads a page of whole records in one statement, whatever hangs on them", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* prepareOperator
      const sql = yield* SqlClient.SqlClient
      const orders = yield* Orders
      for (let number = 0; number < 5; number += 1) {
        const properties = yield* Effect.forEach([0, 1, 2], (room) =>
          insertProperty(operatorId, `House ${number}.${room}`)
        )
        const [first, ...others] = properties.map((property_id) => newChannelStay({ property_id }, 4))
        if (first === undefined) return
        yield* orders.createFromChannel(
          operatorId,
          newChannelOrder({ channel_id: `9000${number}`, stays: [first, ...others] }),
          new Date()
        )
      }
      yield* sql`
        INSERT INTO identity_images (operator_id, order_id, guest_id, large_url, extra_large_url, created_at)
        SELECT o.operator_id, o.id, CASE WHEN n = 2 THEN NULL ELSE (
            SELECT min(g.id) FROM guests g JOIN stays s ON s.id = g.stay_id WHERE s.order_id = o.id) END,
          'l' || n, 'xl' || n, now()
        FROM orders o, generate_series(1, 3) n WHERE o.operator_id = ${operatorId} ORDER BY o.id, n`
      const search = api.search_reservations({ order_by: "check_in_date" })
      const [{ reservations }, statements] = yield* countStatements(search.pipe(as))
      assert.isAtMost(statements, 2, "the token and the page")
      assert.lengthOf(reservations, 15)
      for (const row of reservations) {
        assert.lengthOf(row.guests, 4)
        const first = !row.stay_code.includes("_")
        const images = row.checkin_guide_images
        assert.deepStrictEqual(
          images.map(({ url }) => url),
          ["xl1", "xl2", "xl3"],
          "of the whole order"
        )
        assert.isNull(images[1]?.client_id)
        const own = row.guests.flatMap((guest) => guest.id_images.map(({ url }) => [guest.id, url]))
        assert.deepStrictEqual(
          own,
          first
            ? [
                [images[0]?.client_id, "l1"],
                [images[2]?.client_id, "l3"]
              ]
            : []
        )
      }
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("shows what only channels know", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, propertyId: property } = yield* prepareOperator
      const orders = yield* Orders
      const sold = newChannelOrder({
        channel_id: "48120375",
        cancellation_policy_category: "flexible",
        stays: [
          {
            ...newChannelStay({ property_id: property }),
            listing_id: "L-1",
            rate: "115",
            commission: null,
            accommodation_revenue: "100",
            rate_details: [
              { type: "ACCOMMODATION", description: "3 nights", amount: 100 },
              { type: "CLEANING_FEE", description: "Cleaning", amount: 15 },
              { type: "TAXES", description: "City", amount: 2.1 },
              { type: "TAXES", description: "State", amount: 1.2 }
            ],
            additional_fees: [{ name: "Parking", currency: "EUR", amount: 9 }],
            channel_remarks: "Parking 9 EUR"
          }
        ]
      })
      yield* orders.createFromChannel(operatorId, sold, new Date("2027-04-20T09:30:00.500Z"))
      const { reservations } = yield* api.search_reservations({ channel_id: "48120375" }).pipe(as)
      const [row] = reservations
      assert.deepInclude(row, {
        reservation_code: "0-48120375-XK2P",
        stay_code: "0-48120375-XK2P",
        channel_type: "airbnb",
        listing_id: "L-1",
        creator: "System",
        custom_channel: null,
        channel_remarks: "Parking 9 EUR",
        additional_fees: [{ name: "Parking", currency: "EUR", amount: 9 }],
        channel_details: { airbnb: { cancellation_policy_category: "flexible" } },
        created_at: "2027-04-20T09:30:00.500+00:00"
      })
      assert.deepInclude(row?.rates, {
        commission: null,
        total_commission: null,
        tax: { currency: "EUR", amount: 3.3 }
      })
      assert.deepStrictEqual(
        row?.rates.details.map(({ amount }) => amount),
        [100, 15, 2.1, 1.2]
      )
      const other = { ...sold, channel_type: "vrbo", reservation_code: "0-1-X", channel_id: "1" }
      yield* orders.createFromChannel(operatorId, other, new Date())
      const found = yield* api.search_reservations({ channel_id: "1" }).pipe(as)
      assert.isNull(found.reservations[0]?.channel_details)
    }).pipe(asSystemActor, Effect.provide(Orders.layer))
  )

  it.effect("refuses a range backwards and one too wide, and what is no filter", () =>
    Effect.gen(function* () {
      const { token, propertyId: property } = yield* prepareOperator
      const stranger = yield* prepareOperator
      const wrong: ReadonlyArray<readonly [object, number, string]> = [
        [{ start_check_in_date: addDays(TODAY, 1), end_check_in_date: TODAY }, 422, "start_check_in_date"],
        [{ start_check_out_date: addDays(TODAY, 1), end_check_out_date: TODAY }, 422, "start_check_out_date"],
        [{ start_check_in_date: TODAY, end_check_in_date: addDays(TODAY, SEARCH_DAYS + 1) }, 422, "end_check_in_date"],
        [{ start_check_in_date: "x", end_check_in_date: TODAY }, 400, "start_check_in_date"],
        [{ status: "sold" }, 422, "status"],
        [{ channel_type: "nowhere" }, 422, "channel_type"],
        [{ order_by: "price" }, 422, "order_by"],
        [{ id: "x" }, 400, "id"],
        [{ property_id: "x" }, 400, "property_id"],
        [{ property_id: -1 }, 422, "property_id"],
        [{ property_id: 9_999_999_999 }, 404, "property_id"],
        [{ property_id: stranger.propertyId }, 404, "property_id"],
        [{ limit: 0 }, 422, "limit"],
        [{ limit: PAGE_MAX + 1 }, 422, "limit"],
        [{ offset: -1 }, 422, "offset"]
      ]
      for (const [fields, code, field] of wrong) {
        const { error_code, error_msg } = yield* call(token, "search_reservations", fields)
        assert.deepStrictEqual([error_code, error_msg.split(":")[0]], [code, field], error_msg)
      }
      for (const right of [
        { property_id: property, limit: PAGE_MAX },
        { start_check_in_date: TODAY, end_check_in_date: addDays(TODAY, SEARCH_DAYS) },
        { start_check_out_date: TODAY, end_check_out_date: addDays(TODAY, 2_000) }
      ]) {
        assert.strictEqual((yield* call(token, "search_reservations", right)).error_code, 0)
      }
    })
  )
})
