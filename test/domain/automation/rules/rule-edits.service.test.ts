import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RULE_TRIAL_LISTED, RULE_TRIAL_STAYS } from "../../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import {
  BEFORE_ARRIVAL_RULE,
  createHostOnEmptyTables,
  insertStay,
  insertStays,
  layerAutomationService,
  loadAutomaticMessages,
  loadPlanLines,
  makePlanRunner,
  planAllDue,
  runAllDue
} from "../../../support/domain/automation/automation-service.ts"
import { CLEANING_RULE } from "../../../support/domain/automation/cleaned-host.ts"
import { connectClient, createPartner } from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import { createOperator, withToken } from "../../../support/harness.ts"

const MESSAGE = {
  ...BEFORE_ARRIVAL_RULE,
  action: "send_message",
  trigger: { event: "check_in", when: "before", hours: 24 }
} as const

const prepareRule = Effect.gen(function* () {
  const host = yield* createHostOnEmptyTables
  const { rule_id: id } = yield* host.api.create_automation_rule(MESSAGE).pipe(host.as)
  const loadRule = Effect.map(host.api.list_automation_rules({}).pipe(host.as), ({ rules }) => rules[0])
  return { ...host, id, loadRule }
})

layer(layerAutomationService)("editing a rule", (it) => {
  it.effect("gives it a new version, and plans again what is planned", () =>
    Effect.gen(function* () {
      const { api, as, id, loadRule, operatorId, ...host } = yield* prepareRule
      yield* insertStay({ ...host, operatorId })
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
      const trigger = { event: "check_in", when: "before", hours: 48 } as const
      assert.deepStrictEqual(yield* api.update_automation_rule({ id, trigger, nights: { min: 1 } }).pipe(as), {
        version: 2
      })
      yield* planAllDue
      assert.deepStrictEqual(yield* loadPlanLines(operatorId), ["send_message waiting 2027-04-23T14:00:00.000Z"])
      assert.deepStrictEqual(yield* api.update_automation_rule({ id, trigger }).pipe(as), { version: 2 })
      assert.deepStrictEqual(yield* api.update_automation_rule({ id, nights: null }).pipe(as), { version: 3 })
      const rule = yield* loadRule
      assert.deepInclude(rule, { id, trigger, version: 3, state: "active" })
      assert.notProperty(rule, "nights")
      const lines = yield* loadAuditLinesWithActor(operatorId)
      assert.lengthOf(
        lines.filter((line) => line.includes("update_automation_rule") && line.includes(`automation_rule:${id}`)),
        2
      )
      if (rule === undefined) return
      assert.deepStrictEqual(yield* api.update_automation_rule({ ...rule, name: "Renamed" }).pipe(as), { version: 4 })
    })
  )

  it.effect("does not send again what was sent, even at a later time", () =>
    Effect.gen(function* () {
      const { api, as, id, operatorId, ...host } = yield* prepareRule
      const { conversation } = yield* insertStay({ ...host, operatorId })
      yield* planAllDue
      const runner = yield* makePlanRunner
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      yield* runAllDue(runner)
      assert.lengthOf(yield* loadAutomaticMessages(conversation), 1)
      yield* api
        .update_automation_rule({ id, trigger: { event: "check_in", when: "before", hours: 1 }, text: "Soon." })
        .pipe(as)
      yield* planAllDue
      yield* TestClock.setTime(Date.parse("2027-04-25T13:30:00Z"))
      yield* runAllDue(runner)
      assert.lengthOf(yield* loadAutomaticMessages(conversation), 1)
    })
  )

  it.effect("names what cannot change, and what is wrong, and changes nothing then", () =>
    Effect.gen(function* () {
      const { api, as, id, loadRule, readOnlyToken } = yield* prepareRule
      const before = yield* loadRule
      const failure = (fields: object) =>
        Effect.map(
          Effect.flip(api.update_automation_rule({ id, ...fields }).pipe(as)),
          ({ _tag, message }) => `${_tag} ${message}`
        )
      assert.match(yield* failure({ action: "review" }), /^ValidationFailed action: /)
      assert.match(yield* failure({ state: "paused" }), /^ValidationFailed state: /)
      assert.match(yield* failure({ version: 7 }), /^ValidationFailed version: /)
      assert.match(yield* failure({ score: 5 }), /^BadRequest score: /)
      assert.match(yield* failure({ text: "{{stay.nope}}" }), /^ValidationFailed text: /)
      assert.match(yield* failure({ property_ids: [987_654] }), /^NotFound property_ids: /)
      assert.match(yield* failure({ id: 987_654 }), /^NotFound id: /)
      const other = yield* createOperator()
      assert.strictEqual(
        (yield* Effect.flip(api.update_automation_rule({ id, name: "x" }).pipe(withToken(other.token))))._tag,
        "NotFound"
      )
      assert.strictEqual(
        (yield* Effect.flip(api.update_automation_rule({ id, name: "x" }).pipe(withToken(readOnlyToken))))._tag,
        "Unauthenticated"
      )
      assert.deepStrictEqual(yield* loadRule, before)
    })
  )

  it.effect("is left to the connection that created the rule, and to the host", () =>
    Effect.gen(function* () {
      const host = yield* prepareRule
      const { api, as, id } = host
      const application = yield* connectClient(host, yield* createPartner())
      const asApplication = withToken(application.token)
      const error = yield* Effect.flip(api.update_automation_rule({ id, name: "x" }).pipe(asApplication))
      assert.strictEqual(error._tag, "Forbidden")
      const { rule_id } = yield* api.create_automation_rule(CLEANING_RULE).pipe(asApplication)
      assert.deepStrictEqual(yield* api.update_automation_rule({ id: rule_id, name: "x" }).pipe(asApplication), {
        version: 2
      })
      assert.deepStrictEqual(yield* api.update_automation_rule({ id: rule_id, name: "y" }).pipe(as), { version: 3 })
    })
  )
})

layer(layerAutomationService)("the trial of a rule", (it) => {
  it.effect("lists what would be sent, and what never and why, and stores nothing", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, ...host } = yield* createHostOnEmptyTables
      const scope = { ...host, operatorId }
      const early = yield* insertStay(scope)
      const late = yield* insertStay(scope, { checkIn: "2027-04-19", checkOut: "2027-04-22" })
      const nameless = yield* insertStay(scope, { guestName: null })
      const silent = yield* insertStay(scope, { hasConversation: false })
      yield* insertStay(scope, { status: "wait_accept" })
      const trial = yield* api.try_automation_rule(MESSAGE).pipe(as)
      assert.deepStrictEqual(
        trial.planned.map(({ stay_code, text, scheduled_at, reason }) => [stay_code, text, scheduled_at, reason]),
        [[early.code, "See you tomorrow, Ada.", "2027-04-24T14:00:00Z", null]]
      )
      const reasons = new Map(trial.never.map(({ stay_code, reason }) => [stay_code, reason]))
      assert.strictEqual(reasons.size, 3)
      assert.strictEqual(reasons.get(late.code), "The time of the rule has passed for this stay.")
      assert.match(reasons.get(nameless.code) ?? "", /\{\{guest\.first_name\}\}/)
      assert.strictEqual(reasons.get(silent.code), "There is no conversation with the guest.")
      assert.deepInclude(trial, { more_planned: 0, more_never: 0, more_stays: 0, note: null })
      assert.strictEqual((yield* api.list_automation_rules({}).pipe(as)).total, 0)
      const cleaning = yield* api.try_automation_rule(CLEANING_RULE).pipe(as)
      assert.deepStrictEqual(cleaning.planned[0]?.task, {
        type: "cleaning",
        level: "standard",
        property_id: null,
        staff_id: null,
        expected_date: "2027-04-22",
        expected_time: "12:00:00"
      })
    })
  )

  it.effect("says if a rule acts on messages, and how many stays it leaves out", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostOnEmptyTables
      const answers = yield* api.try_automation_rule({ name: "Answers", action: "answer" }).pipe(as)
      assert.deepInclude(answers, { planned: [], never: [], more_stays: 0 })
      assert.isString(answers.note)
      yield* insertStays(operatorId, RULE_TRIAL_LISTED)
      const full = yield* api.try_automation_rule(CLEANING_RULE).pipe(as)
      assert.lengthOf(full.planned, RULE_TRIAL_LISTED)
      assert.deepInclude(full, { more_planned: 0, more_stays: 0 })
      yield* (yield* SqlClient.SqlClient)`DELETE FROM stays WHERE operator_id = ${operatorId}`.pipe(Effect.orDie)
      yield* (yield* SqlClient.SqlClient)`DELETE FROM orders WHERE operator_id = ${operatorId}`.pipe(Effect.orDie)
      yield* insertStays(operatorId, RULE_TRIAL_STAYS + 1)
      const more = yield* api.try_automation_rule(CLEANING_RULE).pipe(as)
      assert.lengthOf(more.planned, RULE_TRIAL_LISTED)
      assert.deepInclude(more, { more_planned: RULE_TRIAL_STAYS - RULE_TRIAL_LISTED, more_stays: 1 })
    })
  )
})
