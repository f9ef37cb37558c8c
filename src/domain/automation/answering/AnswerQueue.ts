import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Conflict } from "../../../contract/errors.ts"
import { type AccountKey, type ClaimRequest, toBusyCounts } from "../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { changeUnderLock } from "../../../platform/database/locked-change.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { QUESTIONS_PER_ANSWER } from "../../../platform/limits.ts"
import { newPublicCode } from "../../guests/conversations/conversation-lookup.ts"
import { toQueueFullError } from "../../guests/conversations/message-queue.ts"
import type { AnswerSentence } from "../../knowledge/search/KnowledgeAnswers.ts"
import { RuleDefinition } from "../rules/rule.ts"
import { findInquiryFacts, type InquiryFacts } from "../template-facts.ts"
import type { Answer } from "./answer.ts"
import {
  type ClaimedAnswerPartition,
  type LoadSituationParameters,
  lockAnswerRowsSql,
  type PostponeAnswerParameters,
  postponeAnswerSql,
  type RecordAnswerParameters,
  recordAnswerChange,
  releaseAnswerPartitionSql,
  type SkipQuestionsParameters,
  settlingSilently,
  situationSql,
  takingDue
} from "./answer-statements.ts"
import { type ConversationSituation, computeNextAnswerTime, type SkippedQuestion } from "./rules.ts"

/** Milliseconds a worker has a conversation to itself: finding an answer and writing it down fit into it. */
export const ANSWER_LEASE_MS = 30_000

/** A conversation whose questions a worker has in hand. */
export const TakenQuestions = Schema.Struct({
  operator_id: Schema.Int,
  conversation_id: Schema.Int,
  account_id: Schema.Int,
  /** How often it was taken, this time included, and settled: no other worker has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this one. */
  failures: Schema.Int,
  /** The trace of the first question that waits. */
  traceparent: Schema.NullOr(Schema.String)
})
export type TakenQuestions = typeof TakenQuestions.Type

const SituationRow = Schema.Struct({
  code: Schema.String,
  channel_type: Schema.String,
  said_until: Schema.String,
  standing: Schema.String,
  waiting: Schema.Int,
  answered_at: Schema.NullOr(Schema.Date),
  in_a_row: Schema.Int,
  spoken_at: Schema.NullOr(Schema.Date),
  spoken_id: Schema.NullOr(Schema.Int),
  questions: Schema.Array(
    Schema.Struct({
      plan_id: Schema.Int,
      message_id: Schema.Int,
      content: Schema.String,
      created_at: Schema.DateFromString
    })
  ),
  first_id: Schema.NullOr(Schema.Int),
  has_order: Schema.Boolean,
  about: Schema.Array(Schema.Struct({ property_id: Schema.NullOr(Schema.Int), nights: Schema.NullOr(Schema.Int) })),
  rules: Schema.Array(Schema.Struct({ id: Schema.Int, since: Schema.DateFromString, definition: RuleDefinition }))
})

/** A conversation that was looked at, and by what a change of it since is known. */
export interface ConversationSnapshot extends ConversationSituation {
  /** What callers know it by. */
  readonly code: string
  readonly said_until: string
  /** How its orders stand. */
  readonly standing: string
  /** Questions that wait, as its lane counts them. */
  readonly waiting: number
}

const readTaken = makeRowsReader(TakenQuestions)
const readSituation = makeOptionalRowReader(SituationRow)
const readRecordedAnswer = makeRowReaderOrFail(Schema.Struct({ is_answered: Schema.Boolean }), toQueueFullError)

const toSnapshot = ({ spoken_at, spoken_id, ...row }: typeof SituationRow.Type): ConversationSnapshot => ({
  ...row,
  lastPersonMessage: spoken_at === null || spoken_id === null ? null : { at: spoken_at, id: spoken_id }
})

const toClaimedPartition = ({ operator_id, conversation_id, attempts }: TakenQuestions): ClaimedAnswerPartition => ({
  operator_id,
  conversation_id,
  attempts
})

/** What is said to the guest, and which questions that settles. */
export interface AnswerDraft {
  readonly answer: Answer
  /** What it is answered from. */
  readonly sentences: ReadonlyArray<AnswerSentence>
  readonly planIds: ReadonlyArray<number>
  readonly skippedQuestions: ReadonlyArray<SkippedQuestion>
  /** The rules by which it is answered; the first is written down for it. */
  readonly ruleIds: ReadonlyArray<number>
  /** Answers in a row with this one. */
  readonly inARow: number
}

/**
 * How many wait no more. Where all were looked at and fewer than the lane counts, the others were taken back meanwhile
 * (delete_automation_action) and are to be counted off too.
 */
const countSettledQuestions = ({ questions, waiting }: ConversationSnapshot, settledCount: number): number =>
  questions.length < QUESTIONS_PER_ANSWER ? Math.max(waiting - (questions.length - settledCount), 0) : settledCount

/** Locks what an answer changes, and then answers: what is committed while the locks are waited for counts. */
const makeRecordAnswer = (sql: SqlClient.SqlClient) => {
  const lockRows = inForms(sql, (input: Givens<RecordAnswerParameters>) => lockAnswerRowsSql(sql, input))
  const recordAnswer = prepareRecordedChange(sql, (input: Givens<RecordAnswerParameters>) =>
    recordAnswerChange(sql, input)
  )
  return (parameters: RecordAnswerParameters) =>
    changeUnderLock(sql)(
      lockRows(parameters),
      Effect.map(readRecordedAnswer(recordAnswer(parameters)), ({ is_answered }) => is_answered)
    )
}

const toSkipQuestionsParameters = (
  taken: TakenQuestions,
  situation: ConversationSnapshot,
  skipped: ReadonlyArray<SkippedQuestion>,
  answeredCount: number,
  now: Date
) => ({
  ...toClaimedPartition(taken),
  skippedPlanIds: skipped.map(({ plan_id }) => plan_id),
  skipReasons: skipped.map(({ reason }) => reason),
  settledCount: countSettledQuestions(situation, skipped.length + answeredCount),
  now
})

const makeAnswerQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const take = inForms(sql, (taking: Givens<ClaimRequest>) => takingDue(sql, taking))
  const loadSituation = inForms(sql, (input: Givens<LoadSituationParameters>) => situationSql(sql, input))
  const skipWithoutAnswer = inForms(sql, (input: Givens<SkipQuestionsParameters>) => settlingSilently(sql, input))
  const recordAnswer = makeRecordAnswer(sql)
  const postpone = inForms(sql, (input: Givens<PostponeAnswerParameters>) => postponeAnswerSql(sql, input))
  const release = inForms(sql, (input: Givens<LoadSituationParameters>) => releaseAnswerPartitionSql(sql, input))

  return {
    take: (now: Date, maxJobs: number, underWay: Iterable<AccountKey>) =>
      readTaken(take({ now, leaseEnd: computeLeaseEnd(now, ANSWER_LEASE_MS), maxJobs, ...toBusyCounts(underWay) })),
    loadSituation: (taken: TakenQuestions, now: Date) =>
      Effect.map(readSituation(loadSituation({ ...toClaimedPartition(taken), now })), (row) =>
        row === undefined ? undefined : toSnapshot(row)
      ),
    findInquiry: findInquiryFacts(sql),
    skipWithoutAnswer: (
      taken: TakenQuestions,
      situation: ConversationSnapshot,
      skipped: ReadonlyArray<SkippedQuestion>,
      until: Date,
      now: Date
    ) =>
      Effect.asVoid(
        Effect.orDie(
          skipWithoutAnswer({ ...toSkipQuestionsParameters(taken, situation, skipped, 0, now), nextDueAt: until })
        )
      ),
    recordAnswer: (taken: TakenQuestions, situation: ConversationSnapshot, draft: AnswerDraft, now: Date) => {
      const { answer, sentences, skippedQuestions: skipped, planIds, ruleIds, inARow } = draft
      return recordAnswer({
        ...toSkipQuestionsParameters(taken, situation, skipped, planIds.length, now),
        nextDueAt: computeNextAnswerTime(now),
        planIds,
        ruleIds,
        said_until: situation.said_until,
        standing: situation.standing,
        knowledgeBaseIds: sentences.map(({ knowledge_base_id }) => knowledge_base_id),
        knowledgeBaseRevisions: sentences.map(({ revision }) => revision),
        code: newPublicCode(),
        content: answer.text,
        sources: answer.sources,
        answersInARow: inARow
      })
    },
    postpone: (taken: TakenQuestions, nextTry: Date) =>
      Effect.asVoid(Effect.orDie(postpone({ ...toClaimedPartition(taken), nextTry }))),
    release: (taken: TakenQuestions, now: Date) =>
      Effect.asVoid(Effect.orDie(release({ ...toClaimedPartition(taken), now })))
  }
})

/** What guests asked and nobody has answered yet, in the database, for any worker of any process. */
export class AnswerQueue extends Context.Service<
  AnswerQueue,
  {
    /** Takes up to `maxJobs` conversations with due questions. `underWay` are those this process has already. */
    readonly take: (
      now: Date,
      maxJobs: number,
      underWay: Iterable<AccountKey>
    ) => Effect.Effect<ReadonlyArray<TakenQuestions>>
    /** Returns the conversation as it is, or undefined if another worker has it by now. */
    readonly loadSituation: (taken: TakenQuestions, now: Date) => Effect.Effect<ConversationSnapshot | undefined>
    /** Returns the facts that a template may use for a guest who inquires. */
    readonly findInquiry: (operatorId: number, conversationId: number) => Effect.Effect<InquiryFacts | undefined>
    /** Skips some questions. The others wait until `until`. */
    readonly skipWithoutAnswer: (
      taken: TakenQuestions,
      situation: ConversationSnapshot,
      skipped: ReadonlyArray<SkippedQuestion>,
      until: Date,
      now: Date
    ) => Effect.Effect<void>
    /** Answers all questions that are not skipped. False: they must be looked at again. Conflict: the queue of messages is full. */
    readonly recordAnswer: (
      taken: TakenQuestions,
      situation: ConversationSnapshot,
      draft: AnswerDraft,
      now: Date
    ) => Effect.Effect<boolean, Conflict, CurrentActor>
    readonly postpone: (taken: TakenQuestions, nextTry: Date) => Effect.Effect<void>
    readonly release: (taken: TakenQuestions, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/automation/answering/AnswerQueue") {
  static readonly layer = Layer.effect(AnswerQueue, makeAnswerQueue)
}
