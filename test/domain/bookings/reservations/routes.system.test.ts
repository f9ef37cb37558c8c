import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  MANUAL_RESERVATION,
  NOW_ISO,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { createOperator, insertProperty } from "../../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../../support/http-server.ts"

// The routes of reservations as clients call them, over a real socket: two of one shape may name their code
// differently, and a DELETE may carry its field in a body or in the query.

layer(layerHttpServer())("the routes of reservations", (it) => {
  it.effect("lead to their operations", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW_ISO))
      const url = yield* BaseUrl
      const { operatorId, token } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const send = (method: string, path: string, body?: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/v3${path}`, {
            method,
            headers: {
              "service-access-token": token,
              ...(body === undefined ? {} : { "content-type": "application/json" })
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          assert.strictEqual(response.status, 200)
          const { error_code, error_msg, data } = JSON.parse(await response.text())
          return { code: error_code, message: error_msg, data }
        })
      const ok = (method: string, path: string, body?: object) =>
        Effect.map(send(method, path, body), ({ code, message, data }) => {
          assert.strictEqual(code, 0, `${method} ${path}: ${message}`)
          return data
        })
      const created = yield* ok("POST", "/reservations", {
        ...MANUAL_RESERVATION,
        property_id: property,
        channel_id: "A1",
        unknown: "ignored"
      })
      assert.strictEqual(created.reservation.reservation_code, "5-A1")
      yield* ok("PATCH", "/reservations/5-A1", { remarks: "dog" })
      yield* ok("POST", "/reservations/5-A1/tags", { tag_name: "VIP" })
      yield* ok("POST", "/reservations/5-A1/tags", { tag_name: "Blue door" })
      yield* ok("POST", "/reservations/5-A1/tags", { tag_name: "Quiet" })
      yield* ok("DELETE", "/reservations/5-A1/tags", { tag_name: "VIP" })
      yield* ok("DELETE", "/reservations/5-A1/tags?tag_name=Blue%20door")
      yield* ok("PATCH", "/reservations/5-A1/check_in_details", {
        lock_code: "4711",
        arrival_at: { hour: 16, minute: 30 }
      })
      yield* ok("PATCH", "/reservations/5-A1/custom_fields", { custom_fields: { door: "blue" } })
      assert.deepStrictEqual(yield* ok("GET", "/reservations/5-A1/custom_fields"), { custom_fields: { door: "blue" } })
      yield* ok("PUT", "/reservations/5-A1/stay_status", { stay_status: "in_house" })
      yield* ok("POST", "/reservations/5-A1/move_to_box")
      yield* ok("POST", "/reservations/5-A1/allocate", { property_id: property })
      const { reservations } = yield* ok(
        "GET",
        `/reservations?property_id=${property}&status=accepted&start_check_in_date=2027-05-04&end_check_in_date=2027-05-04&order_by=check_in_date&limit=5&offset=0`
      )
      assert.deepInclude(reservations[0], {
        stay_code: "5-A1",
        remarks: "dog",
        tags: ["Quiet"],
        stay_status: "in_house"
      })
      assert.deepStrictEqual((yield* ok("GET", `/reservations?id=${reservations[0].id}`)).reservations, reservations)
      yield* ok("POST", "/availabilities", { property_ids: [property], available: false, dates: [TODAY] })
      const { properties } = yield* ok(
        "GET",
        `/availabilities?property_ids=${property},%20${property}&start_date=${TODAY}&end_date=${TODAY}`
      )
      assert.deepStrictEqual(properties, [
        { id: property, availabilities: [{ date: TODAY, available: false, remarks: "" }] }
      ])
      assert.strictEqual((yield* send("POST", "/reservations/5-A1/approve")).code, 400)
      assert.strictEqual((yield* send("POST", "/reservations/5-A1/decline")).code, 400)
      yield* ok("DELETE", "/reservations/5-A1")
      const gone = yield* send("DELETE", "/reservations/5-NOBODY")
      assert.deepStrictEqual(gone, { code: 404, message: "This resource is no longer available.", data: {} })
      assert.strictEqual((yield* send("GET", "/reservations/5-A1")).code, 404, "there is no such route")
    })
  )
})
