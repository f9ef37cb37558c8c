import { Cause, DateTime, Effect, Layer, Random, Result } from "effect"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { type Backoff, backoffMs } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWorker } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { runWorkerWhenWoken } from "../../../jobs/woken-worker.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { KnowledgeAnswers } from "../../knowledge/search/KnowledgeAnswers.ts"
import { truncateMessages } from "../../knowledge/search/rules/question.ts"
import type { RenderedRuleText } from "../message-sources.ts"
import { renderInquiryText } from "../rules/rule-text.ts"
import { type AnswerDraft, AnswerQueue, type ConversationSnapshot, type TakenQuestions } from "./AnswerQueue.ts"
import { checkAnswerLength, composeAnswer, selectFittingGreeting } from "./answer.ts"
import { ANSWERING_ROOM } from "./answer-statements.ts"
import {
  type ApplicableRules,
  countAnswersInARow,
  filterQuestionsSince,
  type Question,
  SKIP_REASONS,
  type SkippedQuestion,
  selectApplicableRules,
  skipQuestions,
  triageQuestions
} from "./rules.ts"

// The worker that answers guests: by a rule's own text, and out of the knowledge base.

/** Of questions that could not be answered: 5 s, doubling up to 5 min, each a quarter shorter or longer. */
export const ANSWER_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 5 * 60 * 1000, jitter: 0.25 }

/** Milliseconds for looking for an answer: with writing it down less than the lease (AnswerQueue.ts). */
export const ANSWER_ATTEMPT_TIMEOUT_MS = 20_000

/** What becomes of a conversation that was taken. */
type AnswerOutcome =
  /** Somebody else has it, or it is to be looked at again. */
  | { readonly kind: "left" }
  /** Nothing is said now: some questions are over, and what else waits is looked at then. */
  | {
      readonly kind: "silent"
      readonly situation: ConversationSnapshot
      readonly skipped: ReadonlyArray<SkippedQuestion>
      readonly until: Date
    }
  | {
      readonly kind: "answered"
      readonly situation: ConversationSnapshot
      readonly draft: AnswerDraft
    }
  | { readonly kind: "failed"; readonly cause: unknown }

/** The rule's own text, filled in for who asks; fails with why it cannot be said. */
const renderGreeting = Effect.fnUntraced(function* (
  { operator_id, conversation_id }: TakenQuestions,
  { id, definition }: NonNullable<ApplicableRules["greeting"]>
) {
  const queue = yield* AnswerQueue
  const inquiry = yield* queue.findInquiry(operator_id, conversation_id)
  if (inquiry === undefined) return undefined
  const { title, property_id } = inquiry
  return yield* Effect.fromResult(
    Result.map(
      renderInquiryText(definition, inquiry),
      (filled): RenderedRuleText => ({ ...filled, rule_id: id, name: definition.name, title, property_id })
    )
  )
})

/** What is said to open questions, or why nothing is. */
const composeAnswerToQuestions = Effect.fnUntraced(function* (
  taken: TakenQuestions,
  situation: ConversationSnapshot,
  openQuestions: ReadonlyArray<Question>
) {
  const { greeting, answer } = selectApplicableRules(situation, openQuestions)
  if (greeting === undefined && answer === undefined) return yield* Effect.fail(SKIP_REASONS.noRule)
  const questionsToAnswer = answer === undefined ? openQuestions : filterQuestionsSince(answer, openQuestions)
  const questionTexts = truncateMessages(questionsToAnswer.map(({ content }) => content))
  const greetingResult = greeting === undefined ? undefined : yield* Effect.result(renderGreeting(taken, greeting))
  const sentences =
    answer === undefined || questionTexts.length === 0
      ? []
      : yield* Effect.flatMap(KnowledgeAnswers, ({ ask }) =>
          ask(taken.operator_id, { conversation: situation.code }, questionTexts)
        )
  const renderedGreeting =
    greetingResult !== undefined && Result.isSuccess(greetingResult) ? greetingResult.success : undefined
  const fittingGreeting = selectFittingGreeting(situation.channel_type, renderedGreeting, sentences)
  const composedAnswer = composeAnswer(fittingGreeting, sentences, questionTexts)
  if (composedAnswer === undefined) {
    return yield* Effect.fail(
      greetingResult !== undefined && Result.isFailure(greetingResult) ? greetingResult.failure : SKIP_REASONS.unknown
    )
  }
  const ruleIds = [
    ...(fittingGreeting === undefined ? [] : [fittingGreeting.rule_id]),
    ...(answer === undefined || sentences.length === 0 ? [] : [answer.id])
  ]
  return {
    answer: yield* Effect.fromResult(checkAnswerLength(situation.channel_type, composedAnswer)),
    sentences,
    ruleIds
  }
})

const attemptAnswer = Effect.fnUntraced(function* (
  taken: TakenQuestions
): Effect.fn.Return<AnswerOutcome, never, AnswerQueue | KnowledgeAnswers> {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  const situation = yield* queue.loadSituation(taken, now)
  if (situation === undefined) return { kind: "left" }
  const { skipped, openQuestions, waitUntil: until = now } = triageQuestions(situation, now)
  if (openQuestions.length === 0 || until > now) return { kind: "silent", situation, skipped, until }
  return yield* Effect.match(composeAnswerToQuestions(taken, situation, openQuestions), {
    onFailure: (reason): AnswerOutcome => ({
      kind: "silent",
      situation,
      skipped: [...skipped, ...skipQuestions(openQuestions, reason)],
      until: now
    }),
    onSuccess: ({ answer, sentences, ruleIds }): AnswerOutcome => ({
      kind: "answered",
      situation,
      draft: {
        answer,
        sentences,
        skippedQuestions: skipped,
        planIds: openQuestions.map(({ plan_id }) => plan_id),
        ruleIds,
        inARow: countAnswersInARow(situation) + 1
      }
    })
  })
})

const annotateWithConversation = ({ operator_id, conversation_id }: TakenQuestions) =>
  Effect.annotateLogs({ operator_id, conversation_id })

/** Tried again later: what waits behind it waits with it, and is over an hour after it was asked. */
const postpone = Effect.fnUntraced(function* (taken: TakenQuestions, cause: unknown) {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  const pause = backoffMs(ANSWER_BACKOFF, taken.failures + 1, yield* Random.next)
  yield* queue.postpone(taken, new Date(now.getTime() + pause))
  yield* annotateWithConversation(taken)(Effect.logWarning("answering a guest failed and will be retried", cause))
})

const release = (taken: TakenQuestions) =>
  Effect.flatMap(AnswerQueue, (queue) => Effect.flatMap(DateTime.nowAsDate, (now) => queue.release(taken, now)))

/** Writes down how it ended: what is said now is said by that. */
const recordOutcome = Effect.fnUntraced(function* (taken: TakenQuestions, outcome: AnswerOutcome) {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  switch (outcome.kind) {
    case "left":
      return yield* release(taken)
    case "failed":
      yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
      return yield* postpone(taken, outcome.cause)
    case "silent":
      return yield* queue.skipWithoutAnswer(taken, outcome.situation, outcome.skipped, outcome.until, now)
    case "answered": {
      const isAnswered = yield* queue
        .recordAnswer(taken, outcome.situation, outcome.draft, now)
        .pipe(Effect.provideService(CurrentActor, systemActor("automation", "answer guest")))
      if (!isAnswered) return yield* release(taken)
      const { wake } = yield* WakeUp
      return yield* wake
    }
  }
})

const toRootSpan = ({ conversation_id, traceparent }: TakenQuestions) => ({
  name: "answer",
  kind: "consumer" as const,
  parent: parseTraceparent(traceparent),
  attributes: () => ({ "latchkey.conversation": conversation_id })
})

/** Answers the questions of a conversation that was taken, or says why not. */
export const answerQuestions = (
  taken: TakenQuestions
): Effect.Effect<void, never, AnswerQueue | KnowledgeAnswers | WakeUp> =>
  attemptOnce({
    attempt: attemptAnswer(taken).pipe(
      Effect.timeoutOrElse({
        duration: ANSWER_ATTEMPT_TIMEOUT_MS,
        orElse: () =>
          Effect.succeed<AnswerOutcome>({ kind: "failed", cause: `no answer within ${ANSWER_ATTEMPT_TIMEOUT_MS} ms` })
      }),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.succeed<AnswerOutcome>({ kind: "failed", cause })
      )
    ),
    complete: (outcome) => Effect.catch(recordOutcome(taken, outcome), (queueFull) => postpone(taken, queueFull)),
    release: release(taken)
  }).pipe(
    (attempt) => withRootSpan(toRootSpan(taken), attempt),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of an automatic answer could not be saved", cause))
  )

/** What takes questions that are due and answers them. */
export const makeGuestAnswerer = Effect.flatMap(AnswerQueue, (queue) =>
  makeTimedWorker({ name: "answering guests", maxInProgress: ANSWERING_ROOM, claim: queue.take, run: answerQuestions })
)

/** Milliseconds between two looks for questions, however often changes wake the worker. */
const ANSWER_POLL_GAP_MS = 100

/** Answers guests until the scope closes, in any number of processes on one database. */
export const layerGuestAnswerer = Layer.effectDiscard(
  Effect.flatMap(makeGuestAnswerer, (answerer) =>
    runWorkerWhenWoken("waking the answering worker", answerer, ANSWER_POLL_GAP_MS)
  )
).pipe(Layer.provide(AnswerQueue.layer))
