import { DateTime, Effect, Layer, Result } from "effect"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { fairBacklogSql } from "../../../jobs/fair-queue.ts"
import { type AttemptEnd, defineJobs, startJobs } from "../../../jobs/job-runner.ts"
import type { Backoff } from "../../../jobs/retries.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { annotateSpan, recordFailure } from "../../../platform/telemetry/spans.ts"
import { parseTraceparent } from "../../../platform/telemetry/traceparent.ts"
import { KnowledgeAnswers } from "../../knowledge/search/KnowledgeAnswers.ts"
import { truncateMessages } from "../../knowledge/search/rules/question.ts"
import type { RenderedRuleText } from "../message-sources.ts"
import { renderInquiryText } from "../rules/rule-text.ts"
import { type AnswerDraft, AnswerQueue, type ClaimedQuestions, type ConversationSnapshot } from "./AnswerQueue.ts"
import { checkAnswerLength, composeAnswer, selectFittingGreeting } from "./answer.ts"
import { ANSWER_TABLE, ANSWERING_ROOM } from "./answer-statements.ts"
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

export const ANSWER_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 5 * 60 * 1000, jitter: 0.25 }

const ANSWER_POLL_GAP_MS = 100

/** Shorter than ANSWER_LEASE_MS, which leaves time to record the answer. */
export const ANSWER_ATTEMPT_TIMEOUT_MS = 20_000

type AnswerOutcome =
  /** The claim is lost. */
  | { readonly kind: "left" }
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

const renderGreeting = Effect.fnUntraced(function* (
  { operator_id, conversation_id }: ClaimedQuestions,
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

const composeAnswerToQuestions = Effect.fnUntraced(function* (
  claimed: ClaimedQuestions,
  situation: ConversationSnapshot,
  openQuestions: ReadonlyArray<Question>
) {
  const { greeting, answer } = selectApplicableRules(situation, openQuestions)
  if (greeting === undefined && answer === undefined) return yield* Effect.fail(SKIP_REASONS.noRule)
  const questionsToAnswer = answer === undefined ? openQuestions : filterQuestionsSince(answer, openQuestions)
  const questionTexts = truncateMessages(questionsToAnswer.map(({ content }) => content))
  const greetingResult = greeting === undefined ? undefined : yield* Effect.result(renderGreeting(claimed, greeting))
  const sentences =
    answer === undefined || questionTexts.length === 0
      ? []
      : yield* Effect.flatMap(KnowledgeAnswers, ({ ask }) =>
          ask(claimed.operator_id, { conversation: situation.code }, questionTexts)
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
  claimed: ClaimedQuestions
): Effect.fn.Return<AnswerOutcome, never, AnswerQueue | KnowledgeAnswers> {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  const situation = yield* queue.loadSituation(claimed, now)
  if (situation === undefined) return { kind: "left" }
  const { skipped, openQuestions, waitUntil: until = now } = triageQuestions(situation, now)
  if (openQuestions.length === 0 || until > now) return { kind: "silent", situation, skipped, until }
  return yield* Effect.match(composeAnswerToQuestions(claimed, situation, openQuestions), {
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

const postpone = Effect.fnUntraced(function* (claimed: ClaimedQuestions, cause: unknown, { nextAttempt }: AttemptEnd) {
  const queue = yield* AnswerQueue
  yield* queue.postpone(claimed, nextAttempt())
  const { operator_id, conversation_id } = claimed
  yield* Effect.annotateLogs(Effect.logWarning("answering a guest failed and will be retried", cause), {
    operator_id,
    conversation_id
  })
})

const storeOutcome = Effect.fnUntraced(function* (claimed: ClaimedQuestions, outcome: AnswerOutcome, end: AttemptEnd) {
  const queue = yield* AnswerQueue
  const { now } = end
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  switch (outcome.kind) {
    case "left":
      return yield* queue.release(claimed, now)
    case "failed":
      yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
      return yield* postpone(claimed, outcome.cause, end)
    case "silent":
      return yield* queue.skipWithoutAnswer(claimed, outcome.situation, outcome.skipped, outcome.until, now)
    case "answered": {
      const isAnswered = yield* queue
        .recordAnswer(claimed, outcome.situation, outcome.draft, now)
        .pipe(Effect.provideService(CurrentActor, systemActor("automation", "answer guest")))
      if (!isAnswered) return yield* queue.release(claimed, now)
      const { wake } = yield* WakeUp
      return yield* wake
    }
  }
})

const attemptInTime = (claimed: ClaimedQuestions) =>
  Effect.timeoutOrElse(attemptAnswer(claimed), {
    duration: ANSWER_ATTEMPT_TIMEOUT_MS,
    orElse: () =>
      Effect.succeed<AnswerOutcome>({ kind: "failed", cause: `no answer within ${ANSWER_ATTEMPT_TIMEOUT_MS} ms` })
  })

export const answerJobs = defineJobs({
  name: "answering guests",
  maxInProgress: ANSWERING_ROOM,
  backoff: ANSWER_BACKOFF,
  queue: AnswerQueue,
  attempt: attemptInTime,
  onDefect: (cause) => Effect.succeed<AnswerOutcome>({ kind: "failed", cause }),
  complete: (claimed, outcome, end) =>
    Effect.catch(storeOutcome(claimed, outcome, end), (queueFull) => postpone(claimed, queueFull, end)),
  toRootSpan: ({ traceparent, conversation_id }) => ({
    name: "answer",
    kind: "consumer",
    parent: parseTraceparent(traceparent),
    attributes: () => ({ "latchkey.conversation": conversation_id })
  }),
  notStoredMessage: "the outcome of an automatic answer could not be saved",
  wakeUpLoop: { name: "waking the answering worker", gapMs: ANSWER_POLL_GAP_MS },
  backlog: [{ kind: "answers", statement: (sql, time) => fairBacklogSql(sql, ANSWER_TABLE, time) }]
})

export const layerAnswerJobs = Layer.effectDiscard(startJobs(answerJobs)).pipe(Layer.provide(AnswerQueue.layer))
