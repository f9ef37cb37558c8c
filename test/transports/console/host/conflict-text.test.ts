import { assert, describe, it } from "@effect/vitest"
import { CONFLICTING_STAYS_MAX } from "../../../../src/platform/limits.ts"
import { describeConflict, type PropertyConflict } from "../../../../src/transports/console/host/conflict-text.ts"

const makeStay = (guest_name: string | null, stay_code = "5-ABC") => ({
  ...{ stay_code, guest_name },
  ...{ check_in_date: "2026-12-26", check_out_date: "2026-12-28" }
})

const describeWith = (conflict: Partial<PropertyConflict>) =>
  describeConflict({ title: "Lisbon, Belém", stays: [], ...conflict })

describe("what keeps a property from a stay", () => {
  it("names the guests with their dates", () => {
    assert.strictEqual(
      describeWith({ stays: [makeStay("Chloé Martin")] }),
      "Lisbon, Belém is not free on these nights: Chloé Martin, 26–28 Dec 2026."
    )
    assert.strictEqual(
      describeWith({ stays: [makeStay(null), makeStay("Bea Costa")] }),
      "Lisbon, Belém is not free on these nights: 5-ABC, 26–28 Dec 2026; Bea Costa, 26–28 Dec 2026."
    )
  })

  it("names at most so many guests", () => {
    const stays = (count: number) => Array.from({ length: count }, (_, index) => makeStay(`Guest ${index}`))
    assert.notInclude(describeWith({ stays: stays(CONFLICTING_STAYS_MAX) }), "others")
    const text = describeWith({ stays: stays(CONFLICTING_STAYS_MAX + 1) })
    assert.include(text, "; and others.")
    assert.notInclude(text, `Guest ${CONFLICTING_STAYS_MAX}`)
  })

  it("names imported calendars, and a property that is inactive", () => {
    assert.strictEqual(
      describeWith({ stays: [makeStay("Bea")], elsewhere: ["airbnb.com", "vrbo.com"] }),
      "Lisbon, Belém is not free on these nights: Bea, 26–28 Dec 2026; iCal: airbnb.com, vrbo.com."
    )
    assert.strictEqual(
      describeWith({ deactivated: true }),
      "Lisbon, Belém is inactive. Activate it, or choose another property."
    )
  })

  it("is nothing if the property is free", () => {
    assert.isUndefined(describeWith({}))
    assert.isUndefined(describeWith({ elsewhere: [], deactivated: false }))
  })
})
