import { Cause, DateTime, Effect, Layer, Random, Result } from "effect"
import { Acting, byItself } from "../../../contract/acting.ts"
import { type Backoff, pauseOf } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { workWhenWoken } from "../../../jobs/woken-work.ts"
import { asRoot, record, recordFailure } from "../../../platform/telemetry/spans.ts"
import { spanNamed } from "../../../platform/telemetry/traceparent.ts"
import { KnowledgeAnswers } from "../../knowledge/search/KnowledgeAnswers.ts"
import { readOf } from "../../knowledge/search/rules/question.ts"
import { saidToInquiry } from "../rules/saying.ts"
import type { SaidByRule } from "../sources.ts"
import { type AnswerGiven, AnswerQueue, type LookedAt, type TakenQuestions } from "./AnswerQueue.ts"
import { answerOf, fitting, greetingAbove } from "./answer.ts"
import {
  type Applied,
  applied,
  askedSince,
  consider,
  inARow,
  type Over,
  overBecause,
  type Question,
  REASONS
} from "./rules.ts"
import { ANSWERING_ROOM } from "./statements.ts"

// The worker that answers guests: by a rule's own text, and out of the knowledge base.

/** Of questions that could not be answered: 5 s, doubling up to 5 min, each a quarter shorter or longer. */
export const ANSWER_BACKOFF: Backoff = { firstMs: 5_000, longestMs: 5 * 60 * 1000, jitter: 0.25 }

/** Milliseconds for looking for an answer: with writing it down less than the lease (AnswerQueue.ts). */
export const ANSWER_ATTEMPT_MS = 20_000

/** What becomes of a conversation that was taken. */
type Ended =
  /** Somebody else has it, or it is to be looked at again. */
  | { readonly end: "left" }
  /** Nothing is said now: some questions are over, and what else waits is looked at then. */
  | { readonly end: "silent"; readonly situation: LookedAt; readonly over: ReadonlyArray<Over>; readonly until: Date }
  | {
      readonly end: "answered"
      readonly situation: LookedAt
      readonly given: AnswerGiven
    }
  | { readonly end: "failed"; readonly why: unknown }

/** The rule's own text, filled in for who asks; fails with why it cannot be said. */
const greetingOf = Effect.fnUntraced(function* (
  { operator_id, conversation_id }: TakenQuestions,
  { id, definition }: NonNullable<Applied["greeting"]>
) {
  const queue = yield* AnswerQueue
  const inquiry = yield* queue.inquiry(operator_id, conversation_id)
  if (inquiry === undefined) return undefined
  const { title, property_id } = inquiry
  return yield* Effect.fromResult(
    Result.map(
      saidToInquiry(definition, inquiry),
      (filled): SaidByRule => ({ ...filled, rule_id: id, name: definition.name, title, property_id })
    )
  )
})

/** What is said to open questions, or why nothing is. */
const answerTo = Effect.fnUntraced(function* (
  taken: TakenQuestions,
  situation: LookedAt,
  open: ReadonlyArray<Question>
) {
  const { greeting, answer } = applied(situation, open)
  if (greeting === undefined && answer === undefined) return yield* Effect.fail(REASONS.noRule)
  const asked = answer === undefined ? open : askedSince(answer, open)
  const question = readOf(asked.map(({ content }) => content))
  const own = greeting === undefined ? undefined : yield* Effect.result(greetingOf(taken, greeting))
  const sentences =
    answer === undefined || question.length === 0
      ? []
      : yield* Effect.flatMap(KnowledgeAnswers, ({ ask }) =>
          ask(taken.operator_id, { conversation: situation.code }, question)
        )
  const filled = own !== undefined && Result.isSuccess(own) ? own.success : undefined
  const greets = greetingAbove(situation.channel_type, filled, sentences)
  const made = answerOf(greets, sentences, question)
  if (made === undefined) {
    return yield* Effect.fail(own !== undefined && Result.isFailure(own) ? own.failure : REASONS.unknown)
  }
  const ruleIds = [
    ...(greets === undefined ? [] : [greets.rule_id]),
    ...(answer === undefined || sentences.length === 0 ? [] : [answer.id])
  ]
  return { answer: yield* Effect.fromResult(fitting(situation.channel_type, made)), sentences, ruleIds }
})

const attemptOf = Effect.fnUntraced(function* (
  taken: TakenQuestions
): Effect.fn.Return<Ended, never, AnswerQueue | KnowledgeAnswers> {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  const situation = yield* queue.look(taken, now)
  if (situation === undefined) return { end: "left" }
  const { over, open, until = now } = consider(situation, now)
  if (open.length === 0 || until > now) return { end: "silent", situation, over, until }
  return yield* Effect.match(answerTo(taken, situation, open), {
    onFailure: (reason): Ended => ({
      end: "silent",
      situation,
      over: [...over, ...overBecause(open, reason)],
      until: now
    }),
    onSuccess: ({ answer, sentences, ruleIds }): Ended => ({
      end: "answered",
      situation,
      given: {
        answer,
        sentences,
        over,
        planIds: open.map(({ plan_id }) => plan_id),
        ruleIds,
        inARow: inARow(situation) + 1
      }
    })
  })
})

const about = ({ operator_id, conversation_id }: TakenQuestions) =>
  Effect.annotateLogs({ operator_id, conversation_id })

/** Tried again later: what waits behind it waits with it, and is over an hour after it was asked. */
const postpone = Effect.fnUntraced(function* (taken: TakenQuestions, why: unknown) {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  const pause = pauseOf(ANSWER_BACKOFF, taken.failures + 1, yield* Random.next)
  yield* queue.failed(taken, new Date(now.getTime() + pause))
  yield* about(taken)(Effect.logWarning("answering a guest failed and will be retried", why))
})

const handBack = (taken: TakenQuestions) =>
  Effect.flatMap(AnswerQueue, (queue) => Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(taken, now)))

/** Writes down how it ended: what is said now is said by that. */
const settle = Effect.fnUntraced(function* (taken: TakenQuestions, ended: Ended) {
  const queue = yield* AnswerQueue
  const now = yield* DateTime.nowAsDate
  yield* record("latchkey.outcome", ended.end)
  switch (ended.end) {
    case "left":
      return yield* handBack(taken)
    case "failed":
      yield* recordFailure(ended.end, { "latchkey.outcome": ended.end })
      return yield* postpone(taken, ended.why)
    case "silent":
      return yield* queue.silently(taken, ended.situation, ended.over, ended.until, now)
    case "answered": {
      const isSaid = yield* queue
        .answer(taken, ended.situation, ended.given, now)
        .pipe(Effect.provideService(Acting, byItself("automation", "answer guest")))
      if (!isSaid) return yield* handBack(taken)
      const { wake } = yield* WakeUp
      return yield* wake
    }
  }
})

const rootOf = ({ conversation_id, traceparent }: TakenQuestions) => ({
  name: "answer",
  kind: "consumer" as const,
  parent: spanNamed(traceparent),
  attributes: () => ({ "latchkey.conversation": conversation_id })
})

/** Answers the questions of a conversation that was taken, or says why not. */
export const answer = (taken: TakenQuestions): Effect.Effect<void, never, AnswerQueue | KnowledgeAnswers | WakeUp> =>
  attemptOnce({
    attempt: attemptOf(taken).pipe(
      Effect.timeoutOrElse({
        duration: ANSWER_ATTEMPT_MS,
        orElse: () => Effect.succeed<Ended>({ end: "failed", why: `no answer within ${ANSWER_ATTEMPT_MS} ms` })
      }),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (why) => Effect.succeed<Ended>({ end: "failed", why })
      )
    ),
    settle: (ended) => Effect.catch(settle(taken, ended), (full) => postpone(taken, full)),
    handBack: handBack(taken)
  }).pipe(
    (tried) => asRoot(rootOf(taken), tried),
    Effect.catchCause((cause) => Effect.logWarning("the outcome of an automatic answer could not be saved", cause))
  )

/** What takes questions that are due and answers them. */
export const makeAnswering = Effect.flatMap(AnswerQueue, (queue) =>
  makeTimedWork({ what: "answering guests", room: ANSWERING_ROOM, take: queue.take, run: answer })
)

/** Milliseconds between two looks for questions, however often changes wake the worker. */
const ANSWER_GAP_MS = 100

/** Answers guests until the scope closes, in any number of processes on one database. */
export const layerAnswering = Layer.effectDiscard(
  Effect.flatMap(makeAnswering, (answering) => workWhenWoken("waking the answering worker", answering, ANSWER_GAP_MS))
).pipe(Layer.provide(AnswerQueue.layer))
