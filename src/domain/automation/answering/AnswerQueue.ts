import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { busyWith, type Taking, type Whose } from "../../../jobs/in-turn.ts"
import { leaseEnd } from "../../../jobs/lease.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { lockedFirst } from "../../../platform/database/locked-first.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { ANSWERED_TOGETHER } from "../../../platform/limits.ts"
import { newCode } from "../../guests/conversations/known-conversation.ts"
import { refusedByLane } from "../../guests/conversations/lane.ts"
import type { AnswerSentence } from "../../knowledge/search/KnowledgeAnswers.ts"
import { inquiryFactsOf } from "../facts.ts"
import { RuleDefinition } from "../rules/rule.ts"
import type { Answer } from "./answer.ts"
import { type Over, pauseAfter, type Situation } from "./rules.ts"
import {
  type Answered,
  answering,
  type Failed,
  failing,
  handingBack,
  holding,
  type LaneInHand,
  type Looked,
  looking,
  type Settled,
  settlingSilently,
  takingDue
} from "./statements.ts"

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
export interface LookedAt extends Situation {
  /** What callers know it by. */
  readonly code: string
  readonly said_until: string
  /** How its orders stand. */
  readonly standing: string
  /** Questions that wait, as its lane counts them. */
  readonly waiting: number
}

const readTaken = rowsOf(TakenQuestions)
const readSituation = rowOf(SituationRow)
const readAnswered = rowUnless(Schema.Struct({ is_answered: Schema.Boolean }), refusedByLane)

const lookedAt = ({ spoken_at, spoken_id, ...row }: typeof SituationRow.Type): LookedAt => ({
  ...row,
  spoken: spoken_at === null || spoken_id === null ? null : { at: spoken_at, id: spoken_id }
})

const laneOf = ({ operator_id, conversation_id, attempts }: TakenQuestions): LaneInHand => ({
  operator_id,
  conversation_id,
  attempts
})

/** What is said to the guest, and which questions that settles. */
export interface AnswerGiven {
  readonly answer: Answer
  /** What it is answered from. */
  readonly sentences: ReadonlyArray<AnswerSentence>
  readonly planIds: ReadonlyArray<number>
  readonly over: ReadonlyArray<Over>
  /** The rules by which it is answered; the first is written down for it. */
  readonly ruleIds: ReadonlyArray<number>
  /** Answers in a row with this one. */
  readonly inARow: number
}

/**
 * How many wait no more. Where all were looked at and fewer than the lane counts, the others were taken back meanwhile
 * (delete_automation_action) and are to be counted off too.
 */
const countedOff = ({ questions, waiting }: LookedAt, settled: number): number =>
  questions.length < ANSWERED_TOGETHER ? Math.max(waiting - (questions.length - settled), 0) : settled

/** Locks what an answer changes, and then answers: what is committed while the locks are waited for counts. */
const answeredOnceHeld = (sql: SqlClient.SqlClient) => {
  const held = inForms(sql, (given: Givens<Answered>) => holding(sql, given))
  const answered = onRecordInForms(sql, (given: Givens<Answered>) => answering(sql, given))
  return (values: Answered) =>
    lockedFirst(sql)(
      held(values),
      Effect.map(readAnswered(answered(values)), ({ is_answered }) => is_answered)
    )
}

/** What guests asked and nobody has answered yet, in the database, for any worker of any process. */
export class AnswerQueue extends Context.Service<AnswerQueue>()("latchkey/resources/AnswerQueue", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
    const look = inForms(sql, (looked: Givens<Looked>) => looking(sql, looked))
    const silently = inForms(sql, (settled: Givens<Settled>) => settlingSilently(sql, settled))
    const answered = answeredOnceHeld(sql)
    const failed = inForms(sql, (given: Givens<Failed>) => failing(sql, given))
    const handBack = inForms(sql, (given: Givens<Looked>) => handingBack(sql, given))

    const settled = (
      taken: TakenQuestions,
      situation: LookedAt,
      over: ReadonlyArray<Over>,
      others: number,
      now: Date
    ) => ({
      ...laneOf(taken),
      overIds: over.map(({ plan_id }) => plan_id),
      overReasons: over.map(({ reason }) => reason),
      off: countedOff(situation, over.length + others),
      now
    })

    return {
      /** Takes up to `most` conversations with questions that are due. `underWay` are those this process has already. */
      take: (now: Date, most: number, underWay: Iterable<Whose>) =>
        readTaken(take({ now, leaseEnd: leaseEnd(now, ANSWER_LEASE_MS), most, ...busyWith(underWay) })),

      /** A conversation as it is; undefined where another worker has it by now. */
      look: (taken: TakenQuestions, now: Date) =>
        Effect.map(readSituation(look({ ...laneOf(taken), now })), (row) =>
          row === undefined ? undefined : lookedAt(row)
        ),

      /** What a template may say to who inquires in it. */
      inquiry: inquiryFactsOf(sql),

      /** Some are over and the others wait until then. */
      silently: (taken: TakenQuestions, situation: LookedAt, over: ReadonlyArray<Over>, until: Date, now: Date) =>
        Effect.asVoid(Effect.orDie(silently({ ...settled(taken, situation, over, 0, now), next: until }))),

      /** Answers all that are not over. Answers false where they are to be looked at again; fails where the guest's lane is full. */
      answer: (taken: TakenQuestions, situation: LookedAt, given: AnswerGiven, now: Date) => {
        const { answer, sentences, over, planIds, ruleIds, inARow } = given
        return answered({
          ...settled(taken, situation, over, planIds.length, now),
          next: pauseAfter(now),
          planIds,
          ruleIds,
          said_until: situation.said_until,
          standing: situation.standing,
          entryIds: sentences.map(({ knowledge_base_id }) => knowledge_base_id),
          entryRevisions: sentences.map(({ revision }) => revision),
          code: newCode(),
          content: answer.text,
          sources: answer.sources,
          in_a_row: inARow
        })
      },

      failed: (taken: TakenQuestions, next: Date) => Effect.asVoid(Effect.orDie(failed({ ...laneOf(taken), next }))),

      handBack: (taken: TakenQuestions, now: Date) => Effect.asVoid(Effect.orDie(handBack({ ...laneOf(taken), now })))
    }
  })
}) {
  static readonly layer = Layer.effect(AnswerQueue, AnswerQueue.make)
}
