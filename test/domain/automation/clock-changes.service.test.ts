import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  createAutomationHost,
  emptyAutomationTables,
  insertRule,
  insertStay,
  layerAutomationService,
  loadAutomaticMessages,
  makePlanRunner,
  planAllDue,
  runAllDue
} from "../../support/domain/automation/automation-service.ts"

// What is due at a time of day is due when the host's clock shows it, also on the days on which that is put on or back.

interface Case {
  readonly zone: string
  readonly checkIn: string
  readonly at: string
  /** As it is listed. */
  readonly listed: string
}

const CASES: ReadonlyArray<Case> = [
  { zone: "Europe/Lisbon", checkIn: "2027-10-30", at: "09:00", listed: "2027-10-30T09:00:00+01:00" },
  { zone: "Europe/Lisbon", checkIn: "2027-10-31", at: "09:00", listed: "2027-10-31T09:00:00+00:00" },
  { zone: "Europe/Lisbon", checkIn: "2028-03-25", at: "09:00", listed: "2028-03-25T09:00:00+00:00" },
  { zone: "Europe/Lisbon", checkIn: "2028-03-26", at: "09:00", listed: "2028-03-26T09:00:00+01:00" },
  { zone: "America/New_York", checkIn: "2027-11-06", at: "09:00", listed: "2027-11-06T09:00:00-04:00" },
  { zone: "America/New_York", checkIn: "2027-11-07", at: "09:00", listed: "2027-11-07T09:00:00-05:00" },
  { zone: "America/New_York", checkIn: "2028-03-11", at: "09:00", listed: "2028-03-11T09:00:00-05:00" },
  { zone: "America/New_York", checkIn: "2028-03-12", at: "09:00", listed: "2028-03-12T09:00:00-04:00" },
  // A time that comes twice: the first.
  { zone: "Europe/Lisbon", checkIn: "2027-10-31", at: "01:30", listed: "2027-10-31T01:30:00+01:00" },
  { zone: "America/New_York", checkIn: "2027-11-07", at: "01:30", listed: "2027-11-07T01:30:00-04:00" },
  // One that does not come: when the clock was put on.
  { zone: "Europe/Lisbon", checkIn: "2028-03-26", at: "01:30", listed: "2028-03-26T02:00:00+01:00" },
  { zone: "America/New_York", checkIn: "2028-03-12", at: "02:30", listed: "2028-03-12T03:00:00-04:00" }
]

const DAY = 24 * 60 * 60 * 1000

/** A host in a zone, with a rule for the day of check-in, and a stay that begins in ten days. */
const planned = Effect.fnUntraced(function* ({ zone, checkIn, at, listed }: Case) {
  const host = yield* createAutomationHost
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql`UPDATE operators SET time_zone = ${zone} WHERE id = ${host.operatorId}`)
  const due = Date.parse(listed)
  yield* TestClock.setTime(due - 10 * DAY)
  const checkOut = new Date(Date.parse(checkIn) + 3 * DAY).toISOString().slice(0, 10)
  const stay = yield* insertStay(host, { checkIn, checkOut, bookedAt: due - 11 * DAY })
  yield* insertRule(host.operatorId, {
    name: "Today",
    action: "send_message",
    trigger: { event: "check_in", when: "before", days: 0, at },
    text: "Today it is, {{guest.first_name}}."
  })
  yield* planAllDue
  return { ...host, ...stay, due }
})

layer(layerAutomationService)("on the day of check-in", (it) => {
  for (const each of CASES) {
    it.effect(
      `at ${each.at} in ${each.zone} on ${each.checkIn} is ${each.listed}, in the list and when it is said`,
      () =>
        Effect.gen(function* () {
          yield* emptyAutomationTables
          const { due, conversation, actions } = yield* planned(each)
          const listed = yield* actions("message")
          assert.deepStrictEqual(
            listed.map(({ scheduled_at }) => scheduled_at),
            [each.listed]
          )
          const running = yield* makePlanRunner
          yield* TestClock.setTime(due - 1)
          yield* runAllDue(running)
          assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), [])
          yield* TestClock.setTime(due)
          yield* runAllDue(running)
          // An hour later the clock may show the same time again.
          yield* TestClock.setTime(due + 60 * 60 * 1000)
          yield* runAllDue(running)
          assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), ["Today it is, Ada."])
          assert.deepStrictEqual(yield* actions("message"), [])
        })
    )
  }

  it.effect("is narrowed by times on the clock of that day", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [first] = CASES
      assert(first !== undefined)
      const { actions } = yield* planned(first)
      const at = (start_time: string, end_time: string) =>
        Effect.map(actions("message", { start_time, end_time }), (all) => all.length)
      assert.strictEqual(yield* at("2027-10-30 09:00:00", "2027-10-30 09:00:00"), 1)
      assert.strictEqual(yield* at("2027-10-30 08:00:00", "2027-10-30 08:59:59"), 0)
      assert.strictEqual(yield* at("2027-10-30T08:00:00Z", "2027-10-30T08:00:00Z"), 1)
    })
  )
})
