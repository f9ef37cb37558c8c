import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import { claimedJobFields, type JobClaim, makeJobQueue } from "../../../jobs/job-queue.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { changeUnderLock } from "../../../platform/database/locked-change.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { QUESTIONS_PER_ANSWER } from "../../../platform/limits.ts"
import { newPublicCode } from "../../guests/conversations/conversation-lookup.ts"
import { toQueueFullError } from "../../guests/conversations/message-queue.ts"
import type { AnswerSentence } from "../../knowledge/search/KnowledgeAnswers.ts"
import { RuleDefinition } from "../rules/rule.ts"
import { findInquiryFacts } from "../template-facts.ts"
import type { Answer } from "./answer.ts"
import {
  ANSWER_TABLE,
  lockAnswerRowsSql,
  type RecordAnswerParameters,
  recordAnswerChange,
  situationSql,
  skipWithoutAnswerSql
} from "./answer-statements.ts"
import { type ConversationSituation, computeNextAnswerTime, type SkippedQuestion } from "./rules.ts"

const ClaimedQuestions = Schema.Struct({
  ...claimedJobFields,
  conversation_id: Schema.Int,
  account_id: Schema.Int,
  traceparent: Schema.NullOr(Schema.String)
})
export type ClaimedQuestions = typeof ClaimedQuestions.Type

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

/**
 * If `said_until` (time of the last message) or `standing` (state of the orders) differs later, the conversation has
 * changed since the read. `waiting` is the number of pending questions.
 */
export interface ConversationSnapshot extends ConversationSituation {
  readonly code: string
  readonly said_until: string
  readonly standing: string
  readonly waiting: number
}

const readSituation = makeOptionalRowReader(SituationRow)
const readRecordedAnswer = makeRowReaderOrFail(Schema.Struct({ is_answered: Schema.Boolean }), toQueueFullError)

const toSnapshot = ({ spoken_at, spoken_id, ...row }: typeof SituationRow.Type): ConversationSnapshot => ({
  ...row,
  lastPersonMessage: spoken_at === null || spoken_id === null ? null : { at: spoken_at, id: spoken_id }
})

export interface AnswerDraft {
  readonly answer: Answer
  readonly sentences: ReadonlyArray<AnswerSentence>
  readonly planIds: ReadonlyArray<number>
  readonly skippedQuestions: ReadonlyArray<SkippedQuestion>
  /** The first rule is stored with the answered questions. */
  readonly ruleIds: ReadonlyArray<number>
  /** Consecutive automatic answers, including this one. */
  readonly inARow: number
}

/**
 * Returns how much `waiting` decreases. `waiting` also counts questions that were deleted (delete_automation_action).
 * If all pending questions were read, the deleted ones are subtracted too.
 */
const countSettledQuestions = ({ questions, waiting }: ConversationSnapshot, settledCount: number): number =>
  questions.length < QUESTIONS_PER_ANSWER ? Math.max(waiting - (questions.length - settledCount), 0) : settledCount

const makeRecordAnswer = (sql: SqlClient.SqlClient) => (parameters: RecordAnswerParameters) =>
  changeUnderLock(sql)(
    sql`${lockAnswerRowsSql(sql, parameters)}`,
    Effect.map(
      readRecordedAnswer(recordChange(sql, recordAnswerChange(sql, parameters))),
      ({ is_answered }) => is_answered
    )
  )

const toSkipQuestionsParameters = (
  claim: JobClaim,
  situation: ConversationSnapshot,
  skipped: ReadonlyArray<SkippedQuestion>,
  answeredCount: number,
  now: Date
) => ({
  ...claim,
  skippedPlanIds: skipped.map(({ plan_id }) => plan_id),
  skipReasons: skipped.map(({ reason }) => reason),
  settledCount: countSettledQuestions(situation, skipped.length + answeredCount),
  now
})

const makeAnswerQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const { claim, release, postpone, toClaim } = makeJobQueue(sql, ANSWER_TABLE, ClaimedQuestions, {
    returning: sql`j.operator_id, j.conversation_id, j.account_id, j.attempts, j.failures, j.traceparent`
  })
  const recordAnswer = makeRecordAnswer(sql)

  return {
    claim,
    release,
    postpone,
    /** Returns undefined if the claim is lost. */
    loadSituation: (claimed: ClaimedQuestions, now: Date) =>
      Effect.map(readSituation(sql`${situationSql(sql, { ...toClaim(claimed), now })}`), (row) =>
        row === undefined ? undefined : toSnapshot(row)
      ),
    findInquiry: findInquiryFacts(sql),
    /** The conversation is due again at `until`. */
    skipWithoutAnswer: (
      claimed: ClaimedQuestions,
      situation: ConversationSnapshot,
      skipped: ReadonlyArray<SkippedQuestion>,
      until: Date,
      now: Date
    ) =>
      Effect.asVoid(
        Effect.orDie(
          sql`${skipWithoutAnswerSql(sql, {
            ...toSkipQuestionsParameters(toClaim(claimed), situation, skipped, 0, now),
            nextDueAt: until
          })}`
        )
      ),
    /**
     * Returns false if the conversation has changed and must be read again. Fails with Conflict if the message queue is
     * full.
     */
    recordAnswer: (claimed: ClaimedQuestions, situation: ConversationSnapshot, draft: AnswerDraft, now: Date) => {
      const { answer, sentences, skippedQuestions: skipped, planIds, ruleIds, inARow } = draft
      return recordAnswer({
        ...toSkipQuestionsParameters(toClaim(claimed), situation, skipped, planIds.length, now),
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
    }
  }
})

export class AnswerQueue extends Context.Service<AnswerQueue>()("latchkey/domain/automation/answering/AnswerQueue", {
  make: makeAnswerQueue
}) {
  static readonly layer = Layer.effect(AnswerQueue, AnswerQueue.make)
}
