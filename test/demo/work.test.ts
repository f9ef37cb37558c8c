import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { demoOrders } from "../../src/demo/orders.ts"
import { DEMO_PROPERTIES } from "../../src/demo/properties.ts"
import { writeOrders } from "../../src/demo/write-orders.ts"
import { writeWork } from "../../src/demo/write-work.ts"
import { isMobile } from "../../src/resources/staffs/rules.ts"
import { layerTest } from "../harness.ts"
import { hostOf } from "../resources/portfolio.ts"

layer(layerTest)("the demo's work", (it) => {
  it.effect("has people, tasks of both kinds on both sides of today, and shared calendars", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, accountId, rooms } = yield* hostOf(...DEMO_PROPERTIES.map(({ title }) => title))
      const today = "2027-05-10"
      const ground = {
        operatorId,
        accountId,
        accountName: "Demo",
        timeZone: "Europe/Lisbon",
        now: new Date("2027-05-10T10:00:00Z"),
        today,
        propertyIds: rooms,
        orders: demoOrders(today, "Europe/Lisbon")
      }
      yield* writeOrders(ground)
      yield* writeWork(ground)

      const { staffs } = yield* api.query_staffs({}).pipe(as)
      assert.isTrue(staffs.every(({ mobile }) => isMobile("international", mobile)))
      assert.isTrue(staffs.some(({ is_active }) => !is_active) && staffs.some(({ is_active }) => is_active))
      assert.isTrue(staffs.some(({ property_ids }) => property_ids.length === 4))

      const { tasks, total } = yield* api.search_tasks({ limit: 100 }).pipe(as)
      assert.strictEqual(tasks.length, total)
      for (const task of tasks) {
        assert.isNotNull(task.property_id)
        assert.isNotNull(task.staff_id)
        if (task.type === "cleaning") assert.isNotNull(task.stay_code)
      }
      const cleanings = tasks.filter(({ type }) => type === "cleaning")
      assert.isTrue(
        cleanings.some(({ status, expected_date }) => status === "completed" && (expected_date ?? "") < today)
      )
      assert.isTrue(
        cleanings.some(({ status, expected_date }) => status === "pending" && (expected_date ?? "") >= today)
      )
      assert.isTrue(tasks.some(({ type, status }) => type === "maintenance" && status === "in_progress"))

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
