import { AUTOMATIC_ANSWER_PAUSE_MS, AUTOMATIC_ANSWERS_IN_A_ROW, QUESTION_EXPIRY_MS } from "../../../platform/limits.ts"
import type { AnswerRule, MessageRule, Rule, RuleDefinition } from "../rules/rule.ts"
import { isInScope } from "../rules/scheduling.ts"

// When a guest is answered, and by which rule (docs/automation.md, "Answers to guests").

/** A message of a guest that waits. */
export interface Question {
  readonly plan_id: number
  readonly message_id: number
  readonly content: string
  readonly created_at: Date
}

/** What a conversation is about: a stay, or what its guest asks for. What is not known is null. */
interface ConversationSubject {
  readonly property_id: number | null
  readonly nights: number | null
}

/** A conversation as it is when its questions are looked at. */
export interface ConversationSituation {
  readonly channel_type: string
  /** Oldest first. */
  readonly questions: ReadonlyArray<Question>
  /** The last word of a person of the host's side; an automatic message is none. */
  readonly lastPersonMessage: { readonly at: Date; readonly id: number } | null
  readonly answered_at: Date | null
  /** Answers in a row up to that one, without a word of a person between them. */
  readonly in_a_row: number
  /** The first message of the conversation, as long as the host's side has not said anything. */
  readonly first_id: number | null
  readonly has_order: boolean
  /** What is asked for is always among it, if only as nothing that is known. */
  readonly about: ReadonlyArray<ConversationSubject>
  /** Those that are active and say something to guests who write; oldest first. */
  readonly rules: ReadonlyArray<Rule>
}

/** A question that is not answered, and why. */
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

/** What comes of questions: those that are over, and what becomes of the others. */
interface QuestionTriage {
  readonly skipped: ReadonlyArray<SkippedQuestion>
  readonly openQuestions: ReadonlyArray<Question>
  /** Until when the others wait, since an answer was given just now. */
  readonly waitUntil: Date | undefined
}

/** Whether one is over at once, and why. */
const findSkipReason = (
  question: Question,
  lastPersonMessage: ConversationSituation["lastPersonMessage"],
  now: Date
): string | undefined => {
  if (lastPersonMessage !== null && isSentAfter(lastPersonMessage, question)) return SKIP_REASONS.person
  return now.getTime() - question.created_at.getTime() > QUESTION_EXPIRY_MS ? SKIP_REASONS.late : undefined
}

/** Messages of one time are in the order in which they were written down. */
const isSentAfter = ({ at, id }: { readonly at: Date; readonly id: number }, { created_at, message_id }: Question) =>
  at.getTime() > created_at.getTime() || (at.getTime() === created_at.getTime() && id > message_id)

/** Answers in a row by now: a person who spoke since the last one begins anew. */
export const countAnswersInARow = ({
  lastPersonMessage,
  answered_at,
  in_a_row
}: Pick<ConversationSituation, "lastPersonMessage" | "answered_at" | "in_a_row">) =>
  answered_at === null || (lastPersonMessage !== null && lastPersonMessage.at.getTime() > answered_at.getTime())
    ? 0
    : in_a_row

/** The end of the pause after an answer. A clock that was set back since by more than a pause is not waited for. */
const findPauseEnd = (answeredAt: Date | null, now: Date): Date | undefined =>
  answeredAt !== null && Math.abs(now.getTime() - answeredAt.getTime()) < AUTOMATIC_ANSWER_PAUSE_MS
    ? computeNextAnswerTime(answeredAt)
    : undefined

/** When the next answer may follow one. */
export const computeNextAnswerTime = (answeredAt: Date): Date =>
  new Date(answeredAt.getTime() + AUTOMATIC_ANSWER_PAUSE_MS)

/** What of the questions is over, and whether it is time for the rest. */
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

/** A rule with what it is, which says what it does. */
interface ApplicableRule<Definition> extends Omit<Rule, "definition"> {
  readonly definition: Definition
}

/** What is said to a guest: a rule's own text, to the first message of somebody without an order; and what is known. */
export interface ApplicableRules {
  readonly greeting: ApplicableRule<typeof MessageRule.Type> | undefined
  readonly answer: ApplicableRule<typeof AnswerRule.Type> | undefined
}

/**
 * The rules by which open questions are answered: of each kind the oldest that is for one of what it is about, and was there when
 * one of the questions was asked, or the first of the conversation.
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

/** Those of some questions that were asked when a rule was there. */
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

/** Whether a rule is for one of what a conversation is about. What may be told to whom is not its to say (knowledge-bases/search). */
const appliesToConversation = (rule: RuleDefinition, { channel_type, about }: ConversationSituation): boolean =>
  about.some(({ property_id, nights }) => isInScope(rule, { property_id, channel_type, nights: nights ?? undefined }))
