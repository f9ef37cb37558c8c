import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MARKED_STAYS_PER_PAGE } from "../../../src/domain/automation/planning/changed-rule-marks.ts"
import {
  PLANNING_LEASE_MS,
  PLANNING_ROOM,
  PLANNING_SHARE,
  PlanningQueue
} from "../../../src/domain/automation/planning/PlanningQueue.ts"
import { PLANNING_BACKOFF, planDueStays, planOnce } from "../../../src/domain/automation/planning/planner.ts"
import { applyPlanRetention } from "../../../src/domain/automation/retention.ts"
import { PlanQueue } from "../../../src/domain/automation/running/PlanQueue.ts"
import { RUN_LEASE_MS, RUNNING_ROOM } from "../../../src/domain/automation/running/plan-statements.ts"
import {
  AFTER_LEAVING_RULE,
  BEFORE_ARRIVAL_RULE,
  createAutomationHost,
  createHostOnEmptyTables,
  dispatchAndPlan,
  emptyAutomationTables,
  insertRule,
  insertStay,
  insertStays,
  layerAutomationService,
  loadPlanLines,
  loadStayMarks,
  planAllDue,
  planMessage,
  setRuleState,
  TODAY
} from "../../support/domain/automation/automation-service.ts"
import { MANUAL_RESERVATION } from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { dispatchAllEvents } from "../../support/domain/calendars/listing-calendars/availability-push-service.ts"
import { canOverlap, withServerNote } from "../../support/overlapping-transactions.ts"

/** As whoever changes dates does, by the API. */
const movedTo = (host: Effect.Success<typeof createAutomationHost>, code: string, checkIn: string, checkOut: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      WITH moved AS (
        UPDATE stays SET check_in_date = ${checkIn}, check_out_date = ${checkOut}
        WHERE operator_id = ${host.operatorId} AND stay_code = ${code} RETURNING stay_code)
      INSERT INTO events (operator_id, event, record, payload, queued_at)
      SELECT ${host.operatorId}, 'reservation_updated', 'stay:' || stay_code, jsonb_build_object('stay_code', stay_code), now()
      FROM moved`
  ).pipe(Effect.orDie)

/** What is not remembered any more by now is gone. */
const forgotten = Effect.flatMap(DateTime.nowAsDate, applyPlanRetention)

layer(layerAutomationService)("planning", (it) => {
  it.effect("a new rule plans what it does of the stays there are, and of those that come", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
      assert.deepStrictEqual(yield* loadStayMarks(host.operatorId), { marks: 0, due: undefined })

      yield* host.api.create_reservation({ ...MANUAL_RESERVATION, property_id: host.property }).pipe(host.as)
      assert.isAbove(yield* dispatchAllEvents, 0)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [
        "send_message waiting 2027-04-24T14:00:00.000Z",
        "send_message waiting 2027-05-03T14:00:00.000Z"
      ])
    })
  )

  it.effect("nobody's stays are looked at who has no rules", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE, { state: "removed", hasUnmarkedStays: false })
      yield* host.api.create_reservation({ ...MANUAL_RESERVATION, property_id: host.property }).pipe(host.as)
      assert.strictEqual(yield* dispatchAllEvents, 0)
      assert.deepStrictEqual(yield* loadStayMarks(host.operatorId), { marks: 0, due: undefined })
    })
  )

  it.effect("changed dates move a plan, a cancelled order takes it away, and what is settled stays as it is", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { operatorId, api, as } = host
      yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE)
      const { reservation_code } = yield* api
        .create_reservation({ ...MANUAL_RESERVATION, property_id: host.property })
        .pipe(as)
      yield* dispatchAndPlan
      const [first] = yield* host.actions("message")
      assert.strictEqual(first?.scheduled_at, "2027-05-03T15:00:00+01:00")

      yield* api
        .update_reservation_basic({
          stay_code: reservation_code,
          check_in_date: "2027-05-10",
          check_out_date: "2027-05-12"
        })
        .pipe(as)
      yield* dispatchAndPlan
      const [second] = yield* host.actions("message")
      assert.deepStrictEqual(second, { ...first, scheduled_at: "2027-05-09T15:00:00+01:00" })

      yield* api.cancel_reservation({ reservation_code }).pipe(as)
      assert.deepStrictEqual(yield* host.actions("message"), [], "before anybody looked at the stay")
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), [])

      // Deleted is settled: whatever changes, the rule does nothing more of that stay.
      const other = yield* insertStay(host)
      yield* movedTo(host, other.code, "2027-04-26", "2027-04-28")
      yield* dispatchAndPlan
      const [third] = yield* host.actions("message")
      yield* api.delete_automation_action({ plan_id: third?.id ?? 0 }).pipe(as)
      yield* movedTo(host, other.code, "2027-05-01", "2027-05-03")
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message deleted 2027-04-25T14:00:00.000Z"])
      assert.deepStrictEqual(yield* host.actions("message"), [])
    })
  )

  it.effect("what was taken away of a stay does not come back, however far the stay is moved", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { operatorId } = host
      const { code } = yield* insertStay(host)
      const trigger = { event: "check_out", when: "after", days: 70, at: "10:00" }
      yield* insertRule(operatorId, { ...BEFORE_ARRIVAL_RULE, trigger })
      yield* TestClock.setTime(Date.parse("2027-06-20T12:00:00Z"))
      yield* planAllDue
      const [action] = yield* host.actions("message")
      yield* host.api.delete_automation_action({ plan_id: action?.id ?? 0 }).pipe(host.as)
      const taken = ["send_message deleted 2027-07-07T09:00:00.000Z"]
      // Its guest has been gone for longer than is remembered, and its time is yet to come.
      yield* forgotten
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), taken)
      yield* movedTo(host, code, "2027-06-29", "2027-07-02")
      yield* dispatchAndPlan
      // A month after its old time and after its guest has left, and before the 10th of September.
      yield* TestClock.setTime(Date.parse("2027-09-01T12:00:00Z"))
      yield* forgotten
      yield* movedTo(host, code, "2027-06-29", "2027-07-02")
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), taken)
    })
  )

  it.effect("what was taken away of a stay that was moved while the rule was paused does not come back", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { operatorId } = host
      const { code } = yield* insertStay(host)
      const rule = yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const [action] = yield* host.actions("message")
      yield* host.api.delete_automation_action({ plan_id: action?.id ?? 0 }).pipe(host.as)
      yield* setRuleState(rule, "paused")
      yield* planAllDue
      yield* movedTo(host, code, "2027-06-25", "2027-06-28")
      yield* dispatchAndPlan
      yield* TestClock.setTime(Date.parse("2027-06-01T12:00:00Z"))
      yield* forgotten
      yield* setRuleState(rule, "active")
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message deleted 2027-04-24T14:00:00.000Z"])
    })
  )

  it.effect("a plan that somebody has in hand stays his where all but its time changes", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const sql = yield* SqlClient.SqlClient
      const { code } = yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      const queue = yield* PlanQueue
      const now = yield* DateTime.nowAsDate
      assert.lengthOf(yield* queue.claim(now, RUNNING_ROOM, []), 1)
      yield* sql`UPDATE orders SET channel_account_id = NULL WHERE operator_id = ${host.operatorId}`
      yield* movedTo(host, code, "2027-04-25", "2027-06-28")
      yield* dispatchAndPlan
      const kept =
        yield* sql`SELECT account_id::int, kept_until FROM automation_plans WHERE operator_id = ${host.operatorId}`
      assert.deepStrictEqual(kept, [{ account_id: 0, kept_until: new Date("2027-07-27T23:00:00Z") }])
      assert.deepStrictEqual(yield* queue.claim(now, RUNNING_ROOM, []), [])
      assert.lengthOf(yield* queue.claim(new Date(now.getTime() + RUN_LEASE_MS), RUNNING_ROOM, []), 1)
    })
  )

  it.effect("what waited for something at its old time waits at its new one as if it had not been tried", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { code } = yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const queue = yield* PlanQueue
      const takenAt = Effect.fnUntraced(function* (at: string) {
        yield* TestClock.setTime(Date.parse(at))
        const [taken] = yield* queue.claim(yield* DateTime.nowAsDate, RUNNING_ROOM, [])
        assert(taken !== undefined)
        return taken
      })
      const waits = yield* takenAt("2027-04-24T14:00:00Z")
      yield* queue.postpone(waits, "no room", new Date("2027-04-24T15:00:00Z"))
      // All but its time: it is as it was.
      yield* movedTo(host, code, "2027-04-25", "2027-06-28")
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [
        "send_message waiting 2027-04-24T14:00:00.000Z: no room"
      ])
      assert.strictEqual((yield* takenAt("2027-04-24T15:00:00Z")).failures, 1)
      yield* movedTo(host, code, "2027-04-27", "2027-06-28")
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-26T14:00:00.000Z"])
      assert.strictEqual((yield* takenAt("2027-04-26T14:00:00Z")).failures, 0)
    })
  )

  it.effect("a paused rule has no plans; resumed it does not make up for what was due meanwhile", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { operatorId } = host
      const soon = yield* insertStay(host, { checkIn: "2027-04-22", checkOut: "2027-04-23" })
      yield* insertStay(host, { checkIn: "2027-05-04", checkOut: "2027-05-05" })
      const rule = yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      assert.lengthOf(yield* host.actions("message"), 2)

      yield* setRuleState(rule, "paused")
      assert.deepStrictEqual(yield* host.actions("message"), [], "at once, before anybody looked")
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), [])

      yield* TestClock.adjust("30 hours")
      yield* setRuleState(rule, "active")
      yield* planAllDue
      const actions = yield* host.actions("message")
      assert.deepStrictEqual(
        actions.map(({ scheduled_at }) => scheduled_at),
        ["2027-05-03T15:00:00+01:00"]
      )
      assert.isFalse(actions.some(({ stay_code }) => stay_code === soon.code))
    })
  )

  it.effect("a host who is in another time zone has what is planned on the clock there", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const sql = yield* SqlClient.SqlClient
      yield* insertStay(host)
      const trigger = { event: "check_in", when: "before", days: 0, at: "09:00" }
      yield* insertRule(host.operatorId, { ...BEFORE_ARRIVAL_RULE, trigger })
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-25T08:00:00.000Z"])
      yield* sql`UPDATE operators SET time_zone = 'Asia/Tokyo' WHERE id = ${host.operatorId}`
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-25T00:00:00.000Z"])
    })
  )

  it.effect("what is further away than is planned is looked at again when it comes near", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStay(host, { checkIn: "2027-06-25", checkOut: "2027-06-28" })
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [])
      // 31 days before the 24th of June, 14:00 UTC.
      assert.deepStrictEqual(yield* loadStayMarks(host.operatorId), { marks: 1, due: "2027-05-24T14:00:00.000Z" })
      yield* TestClock.setTime(Date.parse("2027-05-24T14:00:00Z"))
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-06-24T14:00:00.000Z"])
      assert.deepStrictEqual(yield* loadStayMarks(host.operatorId), { marks: 0, due: undefined })
    })
  )

  it.effect("an order has one review, of its last stay, whichever that becomes", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { operatorId } = host
      const sql = yield* SqlClient.SqlClient
      const { code } = yield* insertStay(host)
      yield* sql`
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
        SELECT operator_id, order_id, stay_code || '_1', '2027-04-25', '2027-04-30' FROM stays
        WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      yield* insertRule(operatorId, AFTER_LEAVING_RULE)
      yield* planAllDue
      const listed = Effect.map(host.actions("review"), (all) =>
        all.map(({ stay_code, scheduled_at }) => `${stay_code} ${scheduled_at}`)
      )
      assert.deepStrictEqual(yield* listed, [`${code}_1 2027-04-30T13:00:00+01:00`])
      yield* movedTo(host, code, "2027-04-25", "2027-05-02")
      yield* dispatchAndPlan
      assert.deepStrictEqual(yield* listed, [`${code} 2027-05-02T13:00:00+01:00`])
    })
  )

  it.effect.each([
    ["nothing follows of it", null],
    ["something follows later", new Date("2027-06-01T14:00:00Z")]
  ] as const)("a mark that is made while its stay is looked at is not lost where %s", ([, lookAgain]) =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { operatorId } = host
      const { code } = yield* insertStay(host)
      const rule = yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE, { hasUnmarkedStays: false })
      const marks = yield* PlanningQueue
      yield* movedTo(host, code, "2027-05-01", "2027-05-04")
      yield* dispatchAllEvents
      const now = yield* DateTime.nowAsDate
      const [taken] = yield* marks.claim(now, 10)
      assert(taken !== undefined)
      assert.deepStrictEqual(yield* marks.claim(now, 10), [])

      yield* TestClock.adjust(1)
      yield* movedTo(host, code, "2027-05-11", "2027-05-14")
      yield* dispatchAllEvents
      const looked = {
        operator_id: operatorId,
        stay_id: taken.stay_id,
        attempts: taken.attempts,
        account_id: taken.account_id,
        kept_until: now,
        look_again: lookAgain
      }
      const plan = {
        operator_id: operatorId,
        stay_id: taken.stay_id,
        rule_id: rule,
        kind: "send_message" as const,
        scheduled_at: new Date("2027-04-30T14:00:00Z"),
        kept_until: now,
        traceparent: null
      }
      yield* marks.savePlans({ stays: [looked], plans: [plan], tasks: [], claimedAt: now, now })
      assert.strictEqual((yield* loadStayMarks(operatorId)).marks, 1)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message waiting 2027-05-10T14:00:00.000Z"])
      assert.strictEqual((yield* loadStayMarks(operatorId)).marks, 0)

      // Whoever comes back once another had it changes nothing.
      yield* marks.savePlans({ stays: [looked], plans: [plan], tasks: [], claimedAt: now, now })
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message waiting 2027-05-10T14:00:00.000Z"])
    })
  )

  it.effect.skipIf(!canOverlap)(
    withServerNote("a mark that is made again while one that is due is just being taken is not lost"),
    () =>
      Effect.gen(function* () {
        const host = yield* createHostOnEmptyTables
        const { operatorId } = host
        const sql = yield* SqlClient.SqlClient
        const { code } = yield* insertStay(host)
        yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE, { hasUnmarkedStays: false })
        yield* movedTo(host, code, "2027-05-01", "2027-05-04")
        yield* dispatchAllEvents
        const [began, changed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        // Sees everything as it was when it began, as a statement does whose marks are marked anew before it comes to them.
        const slow = Effect.gen(function* () {
          yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
          yield* sql`SELECT FROM stays LIMIT 1`
          yield* Deferred.succeed(began, undefined)
          yield* Deferred.await(changed)
          return yield* planDueStays
        })
        const taking = yield* Effect.forkChild(Effect.exit(sql.withTransaction(slow)))
        yield* Deferred.await(began)
        yield* movedTo(host, code, "2027-05-11", "2027-05-14")
        yield* dispatchAllEvents
        yield* Deferred.succeed(changed, undefined)
        yield* Fiber.join(taking)
        yield* planAllDue
        assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message waiting 2027-05-10T14:00:00.000Z"])
      })
  )

  it.effect("what a dead planner had is worked out when its lease ends", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      const marks = yield* PlanningQueue
      const now = yield* DateTime.nowAsDate
      yield* marks.markStaysOfChangedRules(0, now)
      assert.lengthOf(yield* marks.claim(now, 10), 1)
      yield* TestClock.adjust(PLANNING_LEASE_MS - 1)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [])
      yield* TestClock.adjust(1)
      yield* planAllDue
      assert.lengthOf(yield* loadPlanLines(host.operatorId), 1)
    })
  )

  it.effect("a rule's stays are marked in pages, all of them, and those long over are not", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const sql = yield* SqlClient.SqlClient
      yield* insertStays(host.operatorId, MARKED_STAYS_PER_PAGE + 1)
      yield* sql`
        UPDATE stays SET check_in_date = '2026-04-15',
          check_out_date = CASE stay_code WHEN '0-MANY7' THEN date '2026-04-16' ELSE '2026-04-17' END
        WHERE operator_id = ${host.operatorId} AND stay_code IN ('0-MANY7', '0-MANY8')`
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      const marks = yield* PlanningQueue
      const now = yield* DateTime.nowAsDate
      const page = Effect.map(marks.markStaysOfChangedRules(0, now), (all) => all.map(({ operator_id }) => operator_id))
      assert.deepStrictEqual(yield* page, [host.operatorId])
      // One of the first page was over for too long.
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, MARKED_STAYS_PER_PAGE - 1)
      assert.deepStrictEqual(yield* page, [host.operatorId])
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, MARKED_STAYS_PER_PAGE)
      assert.deepStrictEqual(yield* page, [])
      yield* planAllDue
      assert.lengthOf(yield* loadPlanLines(host.operatorId), MARKED_STAYS_PER_PAGE - 1)
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, 0)
    })
  )

  it.effect("a host with very many stays keeps no other waiting", () =>
    Effect.gen(function* () {
      const greedy = yield* createHostOnEmptyTables
      yield* insertStays(greedy.operatorId, PLANNING_ROOM * 3)
      yield* insertRule(greedy.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planOnce
      const quiet = yield* createAutomationHost
      yield* insertStay(quiet)
      yield* insertRule(quiet.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planOnce
      assert.lengthOf(yield* loadPlanLines(quiet.operatorId), 1)
      assert.lengthOf(yield* loadPlanLines(greedy.operatorId), 2 * PLANNING_SHARE)
    })
  )

  it.effect("what is booked while a new rule looks at very many stays does not wait for them", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStays(host.operatorId, PLANNING_ROOM * 3)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planOnce
      yield* TestClock.adjust("5 seconds")
      yield* host.api.create_reservation({ ...MANUAL_RESERVATION, property_id: host.property }).pipe(host.as)
      yield* dispatchAllEvents
      yield* planOnce
      assert.include(yield* loadPlanLines(host.operatorId), "send_message waiting 2027-05-03T14:00:00.000Z")
    })
  )

  it.effect("what cannot be worked out is tried again later, and holds up nothing", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [broken, host] = [yield* createAutomationHost, yield* createAutomationHost]
      yield* insertStay(broken)
      yield* insertStay(host)
      const rule = yield* insertRule(broken.operatorId, { ...BEFORE_ARRIVAL_RULE, nights: "many" })
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planOnce
      assert.lengthOf(yield* loadPlanLines(host.operatorId), 1)
      assert.strictEqual((yield* loadStayMarks(broken.operatorId)).marks, 1)
      assert.strictEqual(yield* planDueStays, 0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE automation_rules SET definition = ${JSON.stringify(BEFORE_ARRIVAL_RULE)}::jsonb WHERE id = ${rule}`
      yield* TestClock.adjust(PLANNING_BACKOFF.firstMs * (1 + PLANNING_BACKOFF.jitter))
      yield* planAllDue
      assert.lengthOf(yield* loadPlanLines(broken.operatorId), 1)
    })
  )

  it.effect("a stay of the last days that can be written down is planned as any other", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStay(host, { checkIn: "9999-12-28", checkOut: "9999-12-31" })
      const thanks = { ...BEFORE_ARRIVAL_RULE, trigger: { event: "booking", when: "after", hours: 48 } }
      yield* insertRule(host.operatorId, thanks)
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-21T10:00:00.000Z"])
      assert.strictEqual((yield* loadStayMarks(host.operatorId)).marks, 0)
    })
  )

  it.effect("what was missed by more than is remembered is not planned at all", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const leaving = { ...BEFORE_ARRIVAL_RULE, trigger: { event: "check_out", when: "after", hours: 1 } }
      yield* insertRule(host.operatorId, leaving)
      // 12:00 UTC, thirty days before this time of the clock, and two hours later.
      yield* insertStay(host, { checkIn: "2027-03-20", checkOut: "2027-03-21", bookedAt: 0 })
      yield* TestClock.setTime(Date.parse(`${TODAY}T12:00:00Z`))
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), [])
      yield* insertStay(host, { checkIn: "2027-03-20", checkOut: "2027-03-22", bookedAt: 0 })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE automation_rules SET mark_before = 9223372036854775807 WHERE operator_id = ${host.operatorId}`
      yield* planAllDue
      assert.lengthOf(yield* loadPlanLines(host.operatorId), 1)
    })
  )
})
