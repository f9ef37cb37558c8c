import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { checkAnswerLength, composeAnswer } from "../../../../src/domain/automation/answering/answer.ts"
import {
  type ConversationSituation,
  countAnswersInARow,
  SKIP_REASONS,
  selectApplicableRules,
  triageQuestions
} from "../../../../src/domain/automation/answering/rules.ts"
import { getMessageLimit } from "../../../../src/domain/channels/port/message-limits.ts"
import {
  AUTOMATIC_ANSWER_PAUSE_MS,
  AUTOMATIC_ANSWERS_IN_A_ROW,
  QUESTION_EXPIRY_MS
} from "../../../../src/platform/limits.ts"
import {
  ANSWER_RULE,
  GREETING_RULE,
  WIFI_ANSWER
} from "../../../support/domain/automation/answering/answering-service.ts"

const NOW = new Date("2027-04-20T10:00:00Z")
const earlier = (ms: number): Date => new Date(NOW.getTime() - ms)

const situation = (given: Partial<ConversationSituation> = {}): ConversationSituation => ({
  channel_type: "airbnb",
  questions: [{ plan_id: 1, message_id: 1, content: "Wi-Fi?", created_at: earlier(1_000) }],
  lastPersonMessage: null,
  answered_at: null,
  in_a_row: 0,
  first_id: 1,
  has_order: false,
  about: [{ property_id: null, nights: null }],
  rules: [{ id: 1, since: earlier(5_000), definition: ANSWER_RULE }],
  ...given
})

const ago = fc.integer({ min: -AUTOMATIC_ANSWER_PAUSE_MS * 2, max: QUESTION_EXPIRY_MS * 2 }).map(earlier)
const question = fc.record({
  plan_id: fc.nat(),
  message_id: fc.nat(9),
  content: fc.string({ unit: "grapheme" }),
  created_at: ago
})
const situations = fc
  .record({
    questions: fc.uniqueArray(question, { maxLength: 8, selector: ({ plan_id }) => plan_id }),
    spoken: fc.option(fc.record({ at: ago, id: fc.nat(9) })),
    answered_at: fc.option(ago),
    in_a_row: fc.nat(AUTOMATIC_ANSWERS_IN_A_ROW + 1)
  })
  .map(situation)

describe("questions of a conversation", () => {
  it("are each over, with a reason, or open, and never both", () =>
    fc.assert(
      fc.property(situations, (given) => {
        const { skipped: over, openQuestions: open } = triageQuestions(given, NOW)
        assert.sameMembers(
          [...over, ...open].map(({ plan_id }) => plan_id),
          given.questions.map(({ plan_id }) => plan_id)
        )
        for (const { reason } of over) assert.isNotEmpty(reason)
      })
    ))

  it("are answered at once only an hour after they were asked at most, a minute after the last answer, and after four others", () =>
    fc.assert(
      fc.property(situations, (given) => {
        const { openQuestions: open, waitUntil: until } = triageQuestions(given, NOW)
        if (open.length === 0) return assert.isUndefined(until)
        assert.isBelow(countAnswersInARow(given), AUTOMATIC_ANSWERS_IN_A_ROW)
        for (const { created_at } of open) assert.isAtMost(NOW.getTime() - created_at.getTime(), QUESTION_EXPIRY_MS)
        const since = given.answered_at === null ? undefined : NOW.getTime() - given.answered_at.getTime()
        if (until === undefined) assert.isTrue(since === undefined || Math.abs(since) >= AUTOMATIC_ANSWER_PAUSE_MS)
        else assert.isTrue(until > NOW && until.getTime() <= NOW.getTime() + 2 * AUTOMATIC_ANSWER_PAUSE_MS)
      })
    ))

  it("are settled by a person's word after them, and not by one before", () => {
    const reasons = (at: Date, id: number) =>
      triageQuestions(situation({ lastPersonMessage: { at, id } }), NOW).skipped.map(({ reason }) => reason)
    assert.deepStrictEqual(reasons(earlier(999), 0), [SKIP_REASONS.person])
    assert.deepStrictEqual(reasons(earlier(1_000), 2), [SKIP_REASONS.person])
    assert.deepStrictEqual(reasons(earlier(1_000), 0), [])
    assert.deepStrictEqual(reasons(earlier(1_001), 2), [])
  })

  it("are answered by the oldest rule of each kind that is for them and was there", () => {
    const rule = (id: number, definition: typeof ANSWER_RULE, ms = 5_000) => ({ id, since: earlier(ms), definition })
    const by = (given: Partial<ConversationSituation>) => {
      const { greeting, answer } = selectApplicableRules(situation(given), situation(given).questions)
      return [greeting?.id, answer?.id]
    }
    const rules = [
      rule(3, ANSWER_RULE, 0),
      rule(4, { ...ANSWER_RULE, property_ids: [7] }),
      rule(5, ANSWER_RULE),
      rule(6, GREETING_RULE)
    ]
    assert.deepStrictEqual(by({ rules }), [6, 5])
    assert.deepStrictEqual(by({ rules, about: [{ property_id: 7, nights: 2 }] }), [6, 4])
    assert.deepStrictEqual(by({ rules, has_order: true }), [undefined, 5])
    assert.deepStrictEqual(by({ rules, first_id: null }), [undefined, 5])
    assert.deepStrictEqual(by({ rules, first_id: 2 }), [undefined, 5])
  })

  it("are greeted by a rule that was there when the first was asked", () => {
    const later = { plan_id: 2, message_id: 2, content: "Hello?", created_at: earlier(0) }
    const asked = { ...situation(), questions: [...situation().questions, later] }
    const by = (ms: number) =>
      selectApplicableRules(
        { ...asked, rules: [{ id: 1, since: earlier(ms), definition: GREETING_RULE }] },
        asked.questions
      ).greeting?.id
    assert.deepStrictEqual([by(1_000), by(0)], [1, undefined])
  })
})

describe("an answer", () => {
  const other = { ...WIFI_ANSWER, text: "The router is in the hall.", fragment: "The router is in the hall." }
  const parking = { ...WIFI_ANSWER, knowledge_base_id: 8, title: "Parking", text: "Two streets away." }

  it("names each entry once, with the parts that were used", () => {
    const again = { ...WIFI_ANSWER, text: "The network is Harbour." }
    const answer = composeAnswer(undefined, [WIFI_ANSWER, parking, other, again], ["Wi-Fi? Parking?"])
    assert.strictEqual(answer?.text, `${WIFI_ANSWER.text} ${other.text} ${again.text}\n${parking.text}`)
    assert.deepStrictEqual(
      answer?.sources[0]?.docs.map(({ link_id, fragment }) => [link_id, fragment]),
      [
        [7, [WIFI_ANSWER.fragment, other.fragment]],
        [8, [parking.fragment]]
      ]
    )
  })

  it("is none where neither a rule nor an entry says anything", () =>
    assert.isUndefined(composeAnswer(undefined, [], ["Hello"])))

  it("is as long as its channel takes, and no longer", () => {
    const most = getMessageLimit("agoda")
    const of = (length: number) => checkAnswerLength("agoda", { text: "x".repeat(length), sources: [] })
    assert.isTrue(Result.isSuccess(of(most)))
    assert.isTrue(Result.isFailure(of(most + 1)))
  })
})
