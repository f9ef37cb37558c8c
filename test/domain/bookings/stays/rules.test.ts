import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { computeShownStayStatus, toClockText } from "../../../../src/domain/bookings/stays/rules.ts"

describe("the status of a stay", () => {
  const pending = {
    status: "accepted",
    stay_status: "checkin_pending",
    check_out_date: "2027-05-07",
    check_out_time: "11:00"
  } as const

  it("reads stay_completed from check-out time on where nobody marked an arrival", () => {
    for (const [clock, status] of [
      ["2027-05-06 23:59:59", "checkin_pending"],
      ["2027-05-07 10:59:59", "checkin_pending"],
      ["2027-05-07 11:00:00", "stay_completed"],
      ["2027-05-08 00:00:00", "stay_completed"],
      ["2028-01-01 00:00:00", "stay_completed"]
    ] as const) {
      assert.strictEqual(computeShownStayStatus(pending, clock), status, clock)
    }
  })

  it("reads as it was marked, and as it is stored where the order is not accepted", () => {
    const after = "2027-06-01 12:00:00"
    for (const stay_status of ["in_house", "stay_completed"] as const) {
      assert.strictEqual(computeShownStayStatus({ ...pending, stay_status }, after), stay_status)
    }
    for (const status of ["wait_accept", "wait_pay", "cancelled", "denied", "timeout"]) {
      assert.strictEqual(computeShownStayStatus({ ...pending, status }, after), "checkin_pending", status)
    }
  })
})

describe("a time of day", () => {
  it("is written with two digits each, whatever the hour and the minute", () => {
    fc.assert(
      fc.property(fc.nat(23), fc.nat(59), (hour, minute) => {
        const text = toClockText({ hour, minute }) ?? ""
        assert.match(text, /^\d\d:\d\d$/)
        assert.deepStrictEqual(text.split(":").map(Number), [hour, minute])
      })
    )
  })

  it("that removes one, or was not sent, stays what it is", () => {
    assert.isNull(toClockText(null))
    assert.isUndefined(toClockText(undefined))
  })
})
