import { AUTOMATIC_ANSWER_PAUSE_MS, AUTOMATIC_ANSWERS_IN_A_ROW, QUESTION_EXPIRY_MS } from "../../../platform/limits.ts"
import type { AnswerRule, MessageRule, Rule, RuleDefinition } from "../rules/rule.ts"
import { isInScope } from "../rules/scheduling.ts"

export interface Question {
  readonly plan_id: number
  readonly message_id: number
  readonly content: string
  readonly created_at: Date
}

/** A stay, or the inquiry. Null means unknown. */
interface ConversationSubject {
  readonly property_id: number | null
  readonly nights: number | null
}

export interface ConversationSituation {
  readonly channel_type: string
  /** Oldest first. */
  readonly questions: ReadonlyArray<Question>
  /** Written by a person on the host's side. */
  readonly lastPersonMessage: { readonly at: Date; readonly id: number } | null
  readonly answered_at: Date | null
  /** Consecutive automatic answers up to `answered_at`. */
  readonly in_a_row: number
  /** Id of the first message. Null once the host's side has written. */
  readonly first_id: number | null
  readonly has_order: boolean
  /** Always includes the inquiry, even if its property and nights are unknown. */
  readonly about: ReadonlyArray<ConversationSubject>
  /** Only active rules, oldest first. */
  readonly rules: ReadonlyArray<Rule>
}

export interface SkippedQuestion {
  readonly plan_id: number
  readonly reason: string
}

export const SKIP_REASONS = {
  late: "the question is more than an hour old",
  person: "the host has written since",
  inARow: `the last ${AUTOMATIC_ANSWERS_IN_A_ROW} answers were automatic and the host has written none`,
  noRule: "no active rule covers the question",
  unknown: "the knowledge base does not answer the question"
} as const

export const skipQuestions = (questions: ReadonlyArray<Question>, reason: string): ReadonlyArray<SkippedQuestion> =>
  questions.map(({ plan_id }) => ({ plan_id, reason }))

interface QuestionTriage {
  readonly skipped: ReadonlyArray<SkippedQuestion>
  readonly openQuestions: ReadonlyArray<Question>
  readonly waitUntil: Date | undefined
}

const findSkipReason = (
  question: Question,
  lastPersonMessage: ConversationSituation["lastPersonMessage"],
  now: Date
): string | undefined => {
  if (lastPersonMessage !== null && isSentAfter(lastPersonMessage, question)) return SKIP_REASONS.person
  return now.getTime() - question.created_at.getTime() > QUESTION_EXPIRY_MS ? SKIP_REASONS.late : undefined
}

const isSentAfter = ({ at, id }: { readonly at: Date; readonly id: number }, { created_at, message_id }: Question) =>
  at.getTime() > created_at.getTime() || (at.getTime() === created_at.getTime() && id > message_id)

export const countAnswersInARow = ({
  lastPersonMessage,
  answered_at,
  in_a_row
}: Pick<ConversationSituation, "lastPersonMessage" | "answered_at" | "in_a_row">) =>
  answered_at === null || (lastPersonMessage !== null && lastPersonMessage.at.getTime() > answered_at.getTime())
    ? 0
    : in_a_row

/** If the clock was set back by more than the pause, there is no pause. */
const findPauseEnd = (answeredAt: Date | null, now: Date): Date | undefined =>
  answeredAt !== null && Math.abs(now.getTime() - answeredAt.getTime()) < AUTOMATIC_ANSWER_PAUSE_MS
    ? computeNextAnswerTime(answeredAt)
    : undefined

export const computeNextAnswerTime = (answeredAt: Date): Date =>
  new Date(answeredAt.getTime() + AUTOMATIC_ANSWER_PAUSE_MS)

export const triageQuestions = (situation: ConversationSituation, now: Date): QuestionTriage => {
  const verdicts = situation.questions.map((question) => ({
    question,
    reason: findSkipReason(question, situation.lastPersonMessage, now)
  }))
  const skipped = verdicts.flatMap(({ question, reason }) =>
    reason === undefined ? [] : [{ plan_id: question.plan_id, reason }]
  )
  const openQuestions = verdicts.flatMap(({ question, reason }) => (reason === undefined ? [question] : []))
  if (countAnswersInARow(situation) >= AUTOMATIC_ANSWERS_IN_A_ROW) {
    return {
      skipped: [...skipped, ...skipQuestions(openQuestions, SKIP_REASONS.inARow)],
      openQuestions: [],
      waitUntil: undefined
    }
  }
  return {
    skipped,
    openQuestions,
    waitUntil: openQuestions.length === 0 ? undefined : findPauseEnd(situation.answered_at, now)
  }
}

interface ApplicableRule<Definition> extends Omit<Rule, "definition"> {
  readonly definition: Definition
}

/** The greeting answers only the first message of a guest without an order. */
export interface ApplicableRules {
  readonly greeting: ApplicableRule<typeof MessageRule.Type> | undefined
  readonly answer: ApplicableRule<typeof AnswerRule.Type> | undefined
}

/**
 * Selects the oldest applicable rule of each kind. At least one of the questions must have been sent while the rule was
 * active.
 */
export const selectApplicableRules = (
  situation: ConversationSituation,
  openQuestions: ReadonlyArray<Question>
): ApplicableRules => {
  const { rules, first_id, has_order } = situation
  const listRulesActiveFor = (questions: ReadonlyArray<Question>) =>
    rules.filter((rule) => filterQuestionsSince(rule, questions).length > 0)
  const firstQuestions = has_order ? [] : openQuestions.filter(({ message_id }) => message_id === first_id)
  return {
    greeting: findFirstRule(listRulesActiveFor(firstQuestions), isGreetingRule, situation),
    answer: findFirstRule(listRulesActiveFor(openQuestions), isAnswerRule, situation)
  }
}

export const filterQuestionsSince = <Message extends Pick<Question, "created_at">>(
  { since }: Pick<Rule, "since">,
  questions: ReadonlyArray<Message>
): ReadonlyArray<Message> => questions.filter(({ created_at }) => created_at >= since)

const isGreetingRule = (definition: RuleDefinition): definition is typeof MessageRule.Type =>
  definition.action === "send_message" && definition.trigger.event === "inquiry"

const isAnswerRule = (definition: RuleDefinition): definition is typeof AnswerRule.Type =>
  definition.action === "answer"

const findFirstRule = <Definition extends RuleDefinition>(
  rules: ReadonlyArray<Rule>,
  isWanted: (definition: RuleDefinition) => definition is Definition,
  situation: ConversationSituation
): ApplicableRule<Definition> | undefined => {
  for (const { definition, ...rule } of rules) {
    if (isWanted(definition) && appliesToConversation(definition, situation)) return { ...rule, definition }
  }
  return undefined
}

/** One matching subject is enough, because the knowledge base later checks what the guest may read. */
const appliesToConversation = (rule: RuleDefinition, { channel_type, about }: ConversationSituation): boolean =>
  about.some(({ property_id, nights }) => isInScope(rule, { property_id, channel_type, nights: nights ?? undefined }))
