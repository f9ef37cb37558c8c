import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  create_automation_rule,
  delete_automation_rule,
  list_automation_rules,
  pause_automation_rule,
  resume_automation_rule,
  test_automation_rule
} from "../../../../src/domain/automation/rules/contract.ts"
import { listActiveRules } from "../../../../src/domain/automation/rules/store.ts"
import { AUTOMATION_RULES_MAX } from "../../../../src/platform/limits.ts"
import type { OperationName } from "../../../../src/service/Api.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, createOperator, insertOrder, insertProperty, layerTest } from "../../../support/harness.ts"

const BEFORE = {
  name: "Before arrival",
  action: "send_message",
  trigger: { event: "check_in", when: "before", hours: 24 },
  text: "See you, {{guest.first_name}}. Door: {{stay.door_code}}"
}
const ANSWER = { name: "Answers", action: "answer" }
const INQUIRY = { name: "Welcome", action: "send_message", trigger: { event: "inquiry" }, text: "Hello" }

interface KeptRow {
  readonly id: number
  readonly state: string
  readonly since: Date
  readonly all: boolean
}

/** Calls an operation with a token. The effect fails with the envelope of an error. */
const callWith =
  (token: string) =>
  <A>(
    operation: { readonly _tag: OperationName; readonly successSchema: Schema.ConstraintCodec<A, unknown> },
    fields: unknown
  ) =>
    Effect.flatMap(call(token, operation._tag, fields), (envelope) =>
      envelope.error_code === 0
        ? Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(operation.successSchema))(envelope.data))
        : Effect.fail(envelope)
    )

/** An operator in Berlin, and its rows as they are kept. */
const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId, token } = yield* createOperator()
  const callRule = callWith(token)
  const rules = {
    list: (limit: number) => Effect.map(callRule(list_automation_rules, { limit }), (listed) => listed.rules),
    test: (id: number, stay_code: string) => callRule(test_automation_rule, { id, stay_code }),
    pause: (id: number) => callRule(pause_automation_rule, { id }),
    resume: (id: number) => callRule(resume_automation_rule, { id }),
    remove: (id: number) => callRule(delete_automation_rule, { id })
  }
  const kept = sql<KeptRow>`
    SELECT id, state, since, mark_before IS NOT DISTINCT FROM 9223372036854775807 AS all
    FROM automation_rules WHERE operator_id = ${operatorId} ORDER BY id`
  const allMarked = sql`UPDATE automation_rules SET mark_before = NULL WHERE operator_id = ${operatorId}`
  const trail = Effect.map(
    sql<{ record: string; fields: ReadonlyArray<string> }>`
      SELECT record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`,
    (rows) => rows.map(({ record, fields }) => [record, ...fields].join(" "))
  )
  const create = (written: unknown) => callRule(create_automation_rule, written)
  return { sql, rules, operatorId, kept, allMarked, trail, create }
})

const at = (text: string) => TestClock.setTime(Date.parse(text))

layer(layerTest)("a rule", (it) => {
  it.effect("is kept as it was written, acts from then on, and has every stay looked at that it may be for", () =>
    Effect.gen(function* () {
      const { sql, rules, operatorId, kept, trail, create } = yield* ready
      yield* at("2027-05-01T10:00:00.5Z")
      const before = yield* create(BEFORE)
      const answer = yield* create(ANSWER)
      const inquiry = yield* create(INQUIRY)
      // Of what is booked in that second nobody knows whether it came before.
      const since = new Date("2027-05-01T10:00:00Z")
      assert.deepStrictEqual(yield* kept, [
        { id: before.rule_id, state: "active", since, all: true },
        { id: answer.rule_id, state: "active", since, all: false },
        { id: inquiry.rule_id, state: "active", since, all: false }
      ])
      const listed = yield* rules.list(100)
      assert.deepStrictEqual(
        listed.map(({ id: _, state: __, version, manageable, active_since, created_at: ___, ...definition }) => {
          assert.deepStrictEqual([version, manageable, active_since], [1, true, "2027-05-01T10:00:00Z"])
          return definition
        }),
        [BEFORE, ANSWER, INQUIRY]
      )
      const { action, trigger } = BEFORE
      assert.deepStrictEqual<unknown>(yield* listActiveRules(sql)([operatorId]), [
        { operator_id: operatorId, id: before.rule_id, since, definition: { action, trigger }, assignee: null }
      ])
      assert.deepStrictEqual(yield* rules.list(1), listed.slice(0, 1))
      assert.deepStrictEqual(
        yield* trail,
        [before, answer, inquiry].map(({ rule_id }) => `automation_rule:${rule_id}`)
      )
    })
  )

  it.effect("is paused, resumed and removed; each time every stay is looked at again, and nothing is made up for", () =>
    Effect.gen(function* () {
      const { sql, rules, operatorId, kept, allMarked, trail, create } = yield* ready
      yield* at("2027-05-01T10:00:00Z")
      const { rule_id: id } = yield* create(BEFORE)
      const made = new Date("2027-05-01T10:00:00Z")
      const stands = Effect.map(kept, ([row]) => row)
      yield* allMarked
      yield* at("2027-05-02T10:00:00.5Z")
      yield* rules.resume(id)
      assert.deepStrictEqual(yield* stands, { id, state: "active", since: made, all: false })
      yield* rules.pause(id)
      assert.deepStrictEqual(yield* stands, { id, state: "paused", since: made, all: true })
      assert.deepStrictEqual(yield* listActiveRules(sql)([operatorId]), [])
      assert.lengthOf(yield* rules.list(100), 1)
      yield* allMarked
      yield* rules.pause(id)
      assert.deepStrictEqual(yield* stands, { id, state: "paused", since: made, all: false })
      yield* rules.resume(id)
      const resumed = new Date("2027-05-02T10:00:00Z")
      assert.deepStrictEqual(yield* stands, { id, state: "active", since: resumed, all: true })
      yield* allMarked
      yield* rules.remove(id)
      assert.deepStrictEqual(yield* stands, { id, state: "removed", since: resumed, all: true })
      assert.deepStrictEqual(yield* rules.list(100), [])
      for (const again of [rules.remove(id), rules.pause(id), rules.resume(id)]) {
        assert.deepInclude(yield* Effect.flip(again), { error_code: 404, error_msg: "id: no such rule." })
      }
      const record = `automation_rule:${id}`
      assert.deepStrictEqual(yield* trail, [record, `${record} state`, `${record} state`, record])
    })
  )

  it.effect("is refused, and nothing is kept, where it names properties of others", () =>
    Effect.gen(function* () {
      const { operatorId, kept, trail, create } = yield* ready
      const own = yield* insertProperty(operatorId, "Harbour 1")
      const stranger = yield* createOperator()
      const other = yield* insertProperty(stranger.operatorId, "Harbour 1")
      const refused = (written: unknown) => Effect.flip(create(written))
      const refusal = yield* refused({ ...ANSWER, property_ids: [own, other] })
      assert.deepStrictEqual([refusal.error_code, fieldOfError(refusal)], [404, "property_ids"])
      assert.include(refusal.error_msg, `${other}`)
      assert.deepInclude(yield* refused({ ...BEFORE, text: "{{cf.}}" }), { error_code: 422 })
      assert.deepStrictEqual([yield* kept, yield* trail], [[], []])
      yield* create({ ...ANSWER, property_ids: [own] })
      assert.lengthOf(yield* kept, 1)
    })
  )

  it.effect("is one of so many of an operator, however many are made at once, and a removed one makes room", () =>
    Effect.gen(function* () {
      const { sql, rules, operatorId, kept, create } = yield* ready
      yield* sql`
        INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
        SELECT ${operatorId}, 'answer', '{}', CASE n WHEN 1 THEN 'removed' WHEN 2 THEN 'paused' ELSE 'active' END, now(), now()
        FROM generate_series(1, ${AUTOMATION_RULES_MAX - 2 + 1}::integer) n`
      const made = yield* Effect.all(
        Array.from({ length: 6 }, () => Effect.result(create(ANSWER))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        made.filter(({ _tag }) => _tag === "Success"),
        2
      )
      const full = new RegExp(`^automation_rule_limit: .*${AUTOMATION_RULES_MAX}`)
      const refusal = yield* Effect.flip(create(ANSWER))
      assert.strictEqual(refusal.error_code, 422)
      assert.match(refusal.error_msg, full)
      const [, second] = yield* kept
      yield* rules.remove(second?.id ?? 0)
      yield* create(ANSWER)
      assert.match((yield* Effect.flip(create(ANSWER))).error_msg, full)
    })
  )

  it.effect("is tried on a stay: whether it is for it, when it acts, and what it says then", () =>
    Effect.gen(function* () {
      const { sql, rules, operatorId, kept, trail, create } = yield* ready
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const stay = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-10", checkOut: "2027-05-14" }
      ])
      yield* sql`
        UPDATE stays SET guest_name = 'Ada Lovelace', lock_code = '4711', lock_code_visible_after = '15:00'
        WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE orders SET booked_at = '2027-04-01' WHERE operator_id = ${operatorId}`
      yield* at("2027-05-01T10:00:00Z")
      const told = Effect.fnUntraced(function* (written: unknown) {
        const { rule_id } = yield* create(written)
        const { state, ...tested } = yield* rules.test(rule_id, stay)
        assert.deepStrictEqual([tested.rule_id, tested.stay_code, state], [rule_id, stay, "active"])
        const { applies_to_stay, scheduled_at, timeliness, text } = tested
        return { reason: tested.reason ?? "", found: [applies_to_stay, scheduled_at, timeliness, text] }
      })
      // In Berlin it is 15:00 at 13:00 UTC.
      const unseen = yield* told(BEFORE)
      assert.deepStrictEqual(unseen.found, [true, "2027-05-09T13:00:00Z", "early", null])
      assert.match(unseen.reason, /^\{\{stay\.door_code\}\}: /)
      const arrival = { ...BEFORE, trigger: { event: "check_in", when: "after", hours: 0 } }
      assert.deepStrictEqual(yield* told(arrival), {
        reason: "",
        found: [true, "2027-05-10T13:00:00Z", "early", "See you, Ada. Door: 4711"]
      })
      const booking = { ...BEFORE, trigger: { event: "booking", when: "after", hours: 1 }, text: "Thank you" }
      const request = { ...BEFORE, trigger: { event: "request", when: "after", hours: 0 } }
      const none = [false, null, null, null]
      for (const [written, found, pattern] of [
        [booking, [true, "2027-04-01T01:00:00Z", "late", "Thank you"], /time .*passed/],
        [request, none, /accepted/],
        [{ ...BEFORE, nights: { min: 5 } }, none, /property, channel or nights/],
        [ANSWER, [true, null, null, null], /questions/],
        [INQUIRY, none, /inquiries/]
      ] as const) {
        const tested = yield* told(written)
        assert.deepStrictEqual(tested.found, [...found])
        assert.match(tested.reason, pattern)
      }
      const rows = yield* kept
      const trailed = yield* trail
      const [first] = rows
      const id = first?.id ?? 0
      yield* rules.pause(id)
      const paused = yield* rules.test(id, stay)
      assert.strictEqual(paused.state, "paused")
      assert.include(paused.reason, "paused")
      const strange = yield* createOperator()
      const foreign = yield* insertOrder(strange.operatorId, [{ propertyId: null }])
      const missing = yield* Effect.flip(rules.test(id, foreign))
      assert.deepInclude(missing, { error_code: 404, error_msg: "stay_code: no such stay." })
      const unknown = yield* Effect.flip(rules.test(999_999_999, stay))
      assert.deepInclude(unknown, { error_code: 404, error_msg: "id: no such rule." })
      assert.deepStrictEqual(yield* trail, [...trailed, `automation_rule:${id} state`])
    })
  )

  it.effect("is tried on a stay of several of its order: the review is after the last of them", () =>
    Effect.gen(function* () {
      const { sql, rules, operatorId, create } = yield* ready
      yield* at("2027-05-01T10:00:00Z")
      const both = { propertyId: null, checkIn: "2027-05-10" }
      const order = yield* insertOrder(operatorId, [
        { ...both, checkOut: "2027-05-14" },
        { ...both, checkOut: "2027-05-12" }
      ])
      const codes = yield* sql<{ stay_code: string }>`
        SELECT stay_code FROM stays WHERE operator_id = ${operatorId} ORDER BY check_out_date DESC`
      const [last = "", first = ""] = codes.map(({ stay_code }) => stay_code)
      assert.strictEqual(last, order)
      const trigger = { event: "check_out", when: "after", hours: 2 }
      const review = yield* create({ name: "After", action: "review", trigger, score: 5, text: "Thank you" })
      const told = (code: string) => rules.test(review.rule_id, code)
      const passed = yield* told(first)
      assert.deepInclude(passed, { applies_to_stay: false, scheduled_at: null, text: null })
      assert.include(passed.reason, "last stay")
      assert.deepInclude(yield* told(last), {
        applies_to_stay: true,
        scheduled_at: "2027-05-14T11:00:00Z",
        reason: null
      })
      const message = yield* create({ ...BEFORE, trigger, text: "Thank you" })
      assert.deepInclude(yield* rules.test(message.rule_id, first), { applies_to_stay: true, text: "Thank you" })
    })
  )

  it.effect("that answers is for a stay whatever the status of its order", () =>
    Effect.gen(function* () {
      const { rules, operatorId, create } = yield* ready
      const stay = yield* insertOrder(operatorId, [{ propertyId: null }], { status: "wait_accept" })
      const { rule_id } = yield* create(ANSWER)
      const tested = yield* rules.test(rule_id, stay)
      assert.isTrue(tested.applies_to_stay)
      assert.include(tested.reason, "questions")
    })
  )
})
