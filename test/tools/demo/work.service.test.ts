import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { addDays } from "../../../src/contract/time.ts"
import { parseMobile } from "../../../src/domain/work/staffs/rules.ts"
import { loadOrdersWithAssignedCodes } from "../../../src/tools/demo/assigned-codes.ts"
import { makeDemoOrders } from "../../../src/tools/demo/orders.ts"
import { DEMO_PROPERTIES } from "../../../src/tools/demo/properties.ts"
import { writeChannels } from "../../../src/tools/demo/write-channels.ts"
import { writeDirectOrders } from "../../../src/tools/demo/write-direct-orders.ts"
import { writePortfolio } from "../../../src/tools/demo/write-portfolio.ts"
import { writeStaffAndTasks } from "../../../src/tools/demo/write-staff-and-tasks.ts"
import { createHostWithProperties } from "../../support/domain/host-client.ts"
import { asSystemActor, layerTest } from "../../support/harness.ts"

layer(layerTest)("the demo's work", (it) => {
  it.effect("has people, tasks of both kinds on both sides of today, and shared calendars", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        accountId,
        propertyIds: rooms
      } = yield* createHostWithProperties(...DEMO_PROPERTIES.map(({ title }) => title))
      const today = "2027-05-10"
      const begun = {
        operatorId,
        accountId,
        accountName: "Demo",
        timeZone: "Europe/Lisbon",
        now: new Date("2027-05-10T10:00:00Z"),
        today,
        propertyIds: rooms,
        orders: makeDemoOrders(today, "Europe/Lisbon")
      }
      yield* writePortfolio(begun).pipe(asSystemActor)
      yield* writeChannels(begun).pipe(asSystemActor)
      yield* writeDirectOrders(begun).pipe(asSystemActor)
      const operator = { ...begun, orders: yield* loadOrdersWithAssignedCodes(begun) }
      yield* writeStaffAndTasks(operator).pipe(asSystemActor)

      const { staffs } = yield* api.query_staffs({}).pipe(as)
      assert.lengthOf(staffs, 4)
      assert.isTrue(staffs.every(({ mobile }) => parseMobile("international", mobile) === mobile))
      assert.lengthOf(
        staffs.filter(({ is_active }) => !is_active),
        1
      )

      // A cleaning after every departure around today, by the cleaner of its city, done when it is past.
      const { tasks, total } = yield* api.search_tasks({ limit: 100 }).pipe(as)
      assert.strictEqual(tasks.length, total)
      const cleanings = tasks.filter(({ type }) => type === "cleaning")
      const departures = operator.orders
        .filter(({ status }) => status === "accepted")
        .flatMap(({ stays }) => stays)
        .filter(({ checkOut }) => checkOut >= addDays(today, -4) && checkOut <= addDays(today, 6))
      assert.sameDeepMembers(
        cleanings.map((task) => [task.stay_code, task.property_id, task.expected_date, task.status]),
        departures.map(({ code, propertyIndex, checkOut }) => [
          code,
          rooms[propertyIndex] ?? null,
          checkOut,
          checkOut < today ? "completed" : "pending"
        ])
      )
      assert.includeMembers(
        cleanings.map(({ status }) => status),
        ["completed", "pending"]
      )
      for (const { staff_id, property_id } of cleanings) {
        const cleaner = staffs.find(({ id }) => id === staff_id)
        assert.isTrue(cleaner?.is_active)
        assert.lengthOf(cleaner?.property_ids ?? [], 4)
        assert.include(cleaner?.property_ids, property_id)
      }

      const repairs = tasks.filter(({ type }) => type === "maintenance")
      assert.sameDeepMembers(
        repairs.map(({ status, expected_date, property_id }) => [status, expected_date, property_id]),
        [
          ["completed", addDays(today, -2), rooms[7] ?? null],
          ["in_progress", today, rooms[4] ?? null],
          ["pending", addDays(today, 1), rooms[2] ?? null]
        ]
      )
      assert.isTrue(repairs.every(({ staff_id }) => staffs.some(({ id, is_active }) => id === staff_id && is_active)))

      const { calendar_share_links } = yield* api.search_calendar_share_links({}).pipe(as)
      assert.deepStrictEqual(
        calendar_share_links.map(({ scope, property_ids }) => [scope, property_ids]),
        [
          ["entire", []],
          ["partial", rooms.slice(5, 7)]
        ]
      )
    })
  )
})
