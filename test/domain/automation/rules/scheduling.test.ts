import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, formatWallClock } from "../../../../src/contract/time.ts"
import type { MessageRule, RuleDefinition, StayTrigger } from "../../../../src/domain/automation/rules/rule.ts"
import {
  appliesToStay,
  classifyTimeliness,
  computeScheduledAt,
  isInScope,
  type StayTimes
} from "../../../../src/domain/automation/rules/scheduling.ts"
import { PLAN_MAX_DELAY_MS, RULE_TRIGGER_DAYS, RULE_TRIGGER_HOURS } from "../../../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"
import { makeStayFacts } from "../../../support/stay-facts.ts"

const HOUR = 60 * 60 * 1000

const ZONES = [
  "Europe/Lisbon",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Pacific/Apia",
  "America/Santiago"
]

const hours = (event: "check_in" | "check_out", when: "before" | "after", hours: number): StayTrigger => ({
  event,
  when,
  hours
})
const days = (event: "check_in" | "check_out", when: "before" | "after", days: number, at: string): StayTrigger => ({
  event,
  when,
  days,
  at
})

const at = (text: string): Date => new Date(text)
const told = (trigger: StayTrigger, stay: Partial<StayTimes> = {}): string =>
  computeScheduledAt(trigger, makeStayFacts(stay)).toISOString()

describe("when a rule acts", () => {
  // Lisbon is an hour ahead of UTC in May; check-in is at 15:00 on the 4th, check-out at 11:00 on the 7th.
  it.each([
    [hours("check_in", "before", 24), "2027-05-03T14:00:00.000Z"],
    [hours("check_in", "before", 0), "2027-05-04T14:00:00.000Z"],
    [hours("check_in", "after", 3), "2027-05-04T17:00:00.000Z"],
    [hours("check_out", "before", 2), "2027-05-07T08:00:00.000Z"],
    [hours("check_out", "after", 2), "2027-05-07T12:00:00.000Z"],
    [days("check_in", "before", 2, "10:00"), "2027-05-02T09:00:00.000Z"],
    [days("check_in", "before", 0, "09:00"), "2027-05-04T08:00:00.000Z"],
    [days("check_in", "after", 0, "09:00"), "2027-05-04T08:00:00.000Z"],
    [days("check_out", "after", 1, "23:59"), "2027-05-08T22:59:00.000Z"],
    [{ event: "booking", when: "after", hours: 0 }, "2027-04-04T12:00:00.000Z"],
    [{ event: "request", when: "after", hours: 1 }, "2027-04-04T13:00:00.000Z"],
    [{ event: "booking", when: "after", days: 1, at: "08:00" }, "2027-04-05T07:00:00.000Z"]
  ] satisfies ReadonlyArray<[StayTrigger, string]>)("%j is at %s", (trigger, instant) => {
    assert.strictEqual(told(trigger), instant)
  })

  it("says 09:00 of the day of check-in as the clock does, on days that change it too", () => {
    const nine = days("check_in", "after", 0, "09:00")
    assert.strictEqual(told(nine, { check_in_date: "2028-03-25" }), "2028-03-25T09:00:00.000Z")
    assert.strictEqual(told(nine, { check_in_date: "2028-03-26" }), "2028-03-26T08:00:00.000Z")
    assert.strictEqual(told(nine, { check_in_date: "2027-10-30" }), "2027-10-30T08:00:00.000Z")
    assert.strictEqual(told(nine, { check_in_date: "2027-10-31" }), "2027-10-31T09:00:00.000Z")
  })

  it("counts hours that pass, not those of the clock", () => {
    // Between 15:00 of the 30th and 15:00 of the 31st of October are 25 hours in Lisbon.
    const stay = { check_in_date: "2027-10-31" }
    assert.strictEqual(told(hours("check_in", "before", 24), stay), "2027-10-30T15:00:00.000Z")
    assert.strictEqual(told(days("check_in", "before", 1, "15:00"), stay), "2027-10-30T14:00:00.000Z")
  })

  it("is not before the stay was booked, unless what it counts from was over by then", () => {
    const week = hours("check_in", "before", 7 * 24)
    assert.strictEqual(told(week, { booked_at: at("2027-05-03T20:00:00Z") }), "2027-05-03T20:00:00.000Z")
    assert.strictEqual(told(week, { booked_at: at("2027-05-04T14:00:00Z") }), "2027-05-04T14:00:00.000Z")
    assert.strictEqual(told(week, { booked_at: at("2027-05-04T14:00:00.001Z") }), "2027-04-27T14:00:00.000Z")
    const nine: StayTrigger = { event: "booking", when: "after", days: 0, at: "09:00" }
    assert.strictEqual(told(nine), "2027-04-04T12:00:00.000Z")
  })

  it("is at the time of day that is said wherever the clock shows it, and hours are instants", () => {
    const zone = fc.constantFrom(...ZONES)
    const clock = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`)
    fc.assert(
      fc.property(
        zone,
        fc.integer({ min: 0, max: 800 }),
        fc.integer({ min: -RULE_TRIGGER_DAYS, max: RULE_TRIGGER_DAYS }),
        clock,
        fc.nat(RULE_TRIGGER_HOURS),
        (time_zone, day, distance, time, many) => {
          const check_in_date = addDays("2027-01-01", day)
          const stay = makeStayFacts({ time_zone, check_in_date, booked_at: at("2020-01-01T00:00:00Z") })
          const when = distance < 0 ? "before" : "after"
          const instant = computeScheduledAt(days("check_in", when, Math.abs(distance), time), stay)
          const wanted = `${addDays(check_in_date, distance)} ${time}:00`
          const isShown = formatWallClock(instant, time_zone) === wanted
          // Or it is skipped: then the instant before shows less and this one more.
          const isSkipped =
            formatWallClock(instant, time_zone) > wanted &&
            formatWallClock(new Date(instant.getTime() - 1), time_zone) < wanted
          assert.isTrue(isShown || isSkipped, `${time_zone} ${wanted} ${instant.toISOString()}`)
          const arrival = computeScheduledAt(hours("check_in", "before", 0), stay).getTime()
          assert.strictEqual(
            computeScheduledAt(hours("check_in", when, many), stay).getTime(),
            arrival + (distance < 0 ? -many : many) * HOUR
          )
        }
      )
    )
  })

  it("is an instant the database has, however far a stay is away", () => {
    for (const day of ["0001-01-01", "9999-12-31"]) {
      for (const when of ["before", "after"] as const) {
        for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
          const stay = makeStayFacts({ check_in_date: day, time_zone: zone, booked_at: at("0001-01-01T00:00:00Z") })
          const instants = [
            computeScheduledAt(hours("check_in", when, RULE_TRIGGER_HOURS), stay),
            computeScheduledAt(days("check_in", when, RULE_TRIGGER_DAYS, "12:00"), stay)
          ]
          for (const instant of instants) assert.match(instant.toISOString(), /^\d{4}-/)
        }
      }
    }
  })
})

const message = (given: Partial<typeof MessageRule.Type> = {}): RuleDefinition => ({
  name: "Before arrival",
  action: "send_message",
  trigger: hours("check_in", "before", 24),
  text: "See you.",
  ...given
})

describe("whom a rule is for", () => {
  it.each(["wait_accept", "wait_pay", "accepted", "cancelled", "denied", "timeout"] as const)(
    "is told by the status %s",
    (status) => {
      const stay = makeStayFacts({ status })
      assert.strictEqual(appliesToStay(message(), stay), status === "accepted")
      assert.isTrue(appliesToStay({ action: "answer" }, stay))
      assert.isFalse(appliesToStay({ action: "answer", property_ids: [9] }, stay))
      const request: StayTrigger = { event: "request", when: "after", hours: 0 }
      assert.strictEqual(appliesToStay(message({ trigger: request }), stay), status === "wait_accept")
      assert.isFalse(appliesToStay(message({ trigger: { event: "inquiry" } }), stay))
    }
  )

  it("is told by property, channel and nights", () => {
    const three = makeStayFacts()
    assert.isTrue(appliesToStay(message({ property_ids: [9, 3] }), three))
    assert.isFalse(appliesToStay(message({ property_ids: [9] }), three))
    assert.isTrue(appliesToStay(message({ channel_types: ["direct", "airbnb"] }), three))
    assert.isFalse(appliesToStay(message({ channel_types: ["direct"] }), three))
    assert.isTrue(appliesToStay(message({ nights: { min: 3, max: 3 } }), three))
    assert.isFalse(appliesToStay(message({ nights: { min: 4 } }), three))
    assert.isFalse(appliesToStay(message({ nights: { max: 2 } }), three))
    assert.isFalse(appliesToStay(message({ property_ids: [3], nights: { max: 2 } }), three))
  })

  it("is told of a stay in the reservation box where no property is asked for", () => {
    const boxed = makeStayFacts({ property_id: null })
    assert.isTrue(appliesToStay(message(), boxed))
    assert.isFalse(appliesToStay(message({ property_ids: [3] }), boxed))
  })

  it("is told of an inquiry without dates where no nights are asked for", () => {
    const asked = { property_id: 3, channel_type: "airbnb", nights: undefined }
    assert.isTrue(isInScope(message({ property_ids: [3], channel_types: ["airbnb"] }), asked))
    assert.isFalse(isInScope(message({ nights: { min: 1 } }), asked))
  })
})

describe("what is late", () => {
  const since = at("2027-04-01T00:00:00Z")
  const timely = (trigger: StayTrigger, now: string, given: { since?: string; stay?: Partial<StayTimes> } = {}) =>
    classifyTimeliness({
      trigger,
      stay: makeStayFacts(given.stay),
      since: given.since === undefined ? since : at(given.since),
      now: at(now)
    })
  const leaving = hours("check_out", "after", 2)

  it("is due from its time on, for a day, to the millisecond", () => {
    const due = at("2027-05-07T12:00:00Z").getTime()
    const around = [due - 1, due, due + PLAN_MAX_DELAY_MS, due + PLAN_MAX_DELAY_MS + 1]
    assert.deepStrictEqual(
      around.map((now) => timely(leaving, new Date(now).toISOString())),
      ["early", "due", "due", "late"]
    )
  })

  it("is not said ahead of what has come", () => {
    const hour = hours("check_in", "before", 1)
    assert.strictEqual(timely(hour, "2027-05-04T13:59:59.999Z"), "due")
    assert.strictEqual(timely(hour, "2027-05-04T14:00:00Z"), "late")
    const eve = days("check_in", "before", 1, "20:00")
    assert.strictEqual(timely(eve, "2027-05-04T13:59:59.999Z"), "due")
    assert.strictEqual(timely(eve, "2027-05-04T14:00:00Z"), "late")
  })

  it("is not ahead of anything at a distance of nothing", () => {
    assert.strictEqual(timely(hours("check_in", "before", 0), "2027-05-04T14:00:00Z"), "due")
    assert.strictEqual(timely(days("check_in", "before", 0, "18:00"), "2027-05-04T17:00:00Z"), "due")
  })

  it("is what was due before its rule was there, whatever the hour", () => {
    assert.strictEqual(timely(leaving, "2027-05-07T12:30:00Z", { since: "2027-05-07T12:00:00Z" }), "due")
    assert.strictEqual(timely(leaving, "2027-05-07T12:30:00Z", { since: "2027-05-07T12:00:00.001Z" }), "late")
    assert.strictEqual(timely(leaving, "2027-05-07T11:00:00Z", { since: "2027-05-07T12:00:00.001Z" }), "late")
  })

  it.each(["booking", "request"] as const)("is what is about a %s of before its rule", (event) => {
    const trigger: StayTrigger = { event, when: "after", hours: 48 }
    assert.strictEqual(timely(trigger, "2027-04-05T00:00:00Z", { since: "2027-04-04T12:00:00Z" }), "early")
    assert.strictEqual(timely(trigger, "2027-04-05T00:00:00Z", { since: "2027-04-04T12:00:00.001Z" }), "late")
  })

  it("is not what somebody booked at the last minute is to be told, and is what was entered afterwards", () => {
    const week = days("check_in", "before", 7, "10:00")
    const booked = (booked_at: string) => ({ stay: { booked_at: at(booked_at) } })
    assert.strictEqual(timely(week, "2027-05-04T08:00:00Z", booked("2027-05-04T08:00:00Z")), "due")
    assert.strictEqual(timely(week, "2027-05-04T14:00:00Z", booked("2027-05-04T08:00:00Z")), "late")
    assert.strictEqual(timely(leaving, "2027-06-01T08:00:00Z", booked("2027-06-01T08:00:00Z")), "late")
  })

  it("goes from early over due to late, and never back", () => {
    const ORDER = ["early", "due", "late"]
    const when = fc.constantFrom("before" as const, "after" as const)
    const event = fc.constantFrom("check_in" as const, "check_out" as const)
    const trigger: fc.Arbitrary<StayTrigger> = fc.oneof(
      fc.record({ event, when, hours: fc.nat(72) }),
      fc.record({ event, when, days: fc.nat(3), at: fc.constantFrom("00:00", "02:30", "09:00", "23:59") }),
      fc.record({ event: fc.constant("booking" as const), when: fc.constant("after" as const), hours: fc.nat(72) })
    )
    const instants = fc.date({ min: at("2027-03-20T00:00:00Z"), max: at("2027-04-10T00:00:00Z"), noInvalidDate: true })
    const stay = fc.record({
      time_zone: fc.constantFrom(...ZONES),
      day: fc.nat(15),
      nights: fc.integer({ min: 1, max: 5 }),
      booked_at: instants
    })
    fc.assert(
      fc.property(
        trigger,
        stay,
        instants,
        instants,
        instants,
        (trigger, { day, nights, ...stay }, since, one, other) => {
          const check_in_date = addDays("2027-03-22", day)
          const times = makeStayFacts({ ...stay, check_in_date, check_out_date: addDays(check_in_date, nights) })
          const [first = one, second = other] = [one, other].sort((a, b) => a.getTime() - b.getTime())
          const [before, after] = [first, second].map((now) => classifyTimeliness({ trigger, stay: times, since, now }))
          assert.isAtMost(ORDER.indexOf(before ?? ""), ORDER.indexOf(after ?? ""))
          if (before === "early") assert.isBelow(first.getTime(), computeScheduledAt(trigger, times).getTime())
          if (before === "due") assert.isAtLeast(first.getTime(), computeScheduledAt(trigger, times).getTime())
          if (computeScheduledAt(trigger, times) < since) assert.strictEqual(before, "late")
        }
      ),
      { numRuns: PROPERTY_RUNS }
    )
  })
})
