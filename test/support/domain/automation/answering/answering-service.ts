import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../../src/admission/windows/RateWindows.ts"
import { Ingest } from "../../../../../src/connectors/ingest/Ingest.ts"
import { currentSecond } from "../../../../../src/contract/time.ts"
import { AnswerQueue, type ClaimedQuestions } from "../../../../../src/domain/automation/answering/AnswerQueue.ts"
import { answerJobs } from "../../../../../src/domain/automation/answering/answer-jobs.ts"
import { guestQuestionSubscribers } from "../../../../../src/domain/automation/answering/guest-questions.ts"
import type { RuleDefinition } from "../../../../../src/domain/automation/rules/rule.ts"
import {
  type AnswerSentence,
  KnowledgeAnswers,
  type KnowledgeAsker
} from "../../../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { EventDispatcher } from "../../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../../../../../src/jobs/events/internal-subscribers.ts"
import { makeJobRunner, runJob } from "../../../../../src/jobs/job-runner.ts"
import { jsonParameter } from "../../../../../src/platform/database/parameters.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../../connectors/ingest/channel-events.ts"
import { layerService } from "../../../harness.ts"
import { layerOwnDatabase } from "../../../own-database.ts"
import { makeMessageEvent, makeThreadEvent } from "../../guests/conversations/channel-conversation.ts"

// Guests who write, and a worker whose every look is called by the test. What is known is the test's to say.

export const NOW = Date.parse("2027-04-20T10:00:00Z")

export const WIFI_ANSWER: AnswerSentence = {
  text: "The password is harbour42.",
  knowledge_base_id: 7,
  revision: 1,
  title: "Wi-Fi",
  sub_title: "Password",
  fragment: "The network is Harbour. The password is harbour42."
}

/** What is known: whoever writes of Wi-Fi is answered, and of nothing else, unless a test says so. */
export class ScriptedAnswers extends Context.Service<
  ScriptedAnswers,
  {
    /** What was asked, oldest first: each time the messages that waited together. */
    readonly questions: Effect.Effect<
      ReadonlyArray<{ readonly asking: KnowledgeAsker; readonly messages: ReadonlyArray<string> }>
    >
    /** Answers like that from now on. */
    readonly setAnswer: (answer: Effect.Effect<ReadonlyArray<AnswerSentence>>) => Effect.Effect<void>
  }
>()("latchkey/test/Known") {}

const layerScriptedAnswers = Layer.effectContext(
  Effect.gen(function* () {
    const questions = yield* Ref.make<ReadonlyArray<{ asking: KnowledgeAsker; messages: ReadonlyArray<string> }>>([])
    const scriptedAnswer = yield* Ref.make<Effect.Effect<ReadonlyArray<AnswerSentence>> | undefined>(undefined)
    const knowledgeAnswers = KnowledgeAnswers.of({
      ask: (_operatorId, asking, messages) =>
        Effect.gen(function* () {
          yield* Ref.update(questions, (all) => [...all, { asking, messages }])
          const scripted = yield* Ref.get(scriptedAnswer)
          return scripted === undefined ? (/wi-?fi/i.test(messages.join()) ? [WIFI_ANSWER] : []) : yield* scripted
        })
    })
    return Context.make(
      ScriptedAnswers,
      ScriptedAnswers.of({ questions: Ref.get(questions), setAnswer: (answer) => Ref.set(scriptedAnswer, answer) })
    ).pipe(Context.add(KnowledgeAnswers, knowledgeAnswers))
  })
)

/** The service without rate windows and what the worker needs, over a database of its own. */
export const layerAnsweringService = Layer.mergeAll(
  AnswerQueue.layer,
  Ingest.layer,
  layerScriptedAnswers,
  Layer.provide(EventDispatcher.layer, Layer.succeed(InternalSubscribers, guestQuestionSubscribers))
).pipe(Layer.provideMerge(layerService(layerOwnDatabase, RateWindows.layerUnbounded)))

/** A rule as it is kept, made at this moment; answers its id. */
export const insertRule = Effect.fnUntraced(function* (operatorId: number, definition: RuleDefinition) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* currentSecond
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
    VALUES (${operatorId}, ${definition.action}, ${jsonParameter(definition)}::jsonb, 'active', ${now}, ${now}) RETURNING id`
  return row?.id ?? assert.fail("no row was inserted or found")
}, Effect.orDie)

export const ANSWER_RULE: RuleDefinition = { name: "Answers", action: "answer" }
export const GREETING_RULE: RuleDefinition = {
  name: "Thank you",
  action: "send_message",
  trigger: { event: "inquiry" },
  text: "Thank you, {{guest.first_name}}."
}

/** Hands out what happened. */
export const dispatchAllEvents = Effect.gen(function* () {
  const { dispatchNext } = yield* EventDispatcher
  while ((yield* dispatchNext(yield* DateTime.nowAsDate)).events > 0) yield* Effect.void
})

/** Does all there is to do at this time of the clock. */
export const answerAllDue = Effect.gen(function* () {
  yield* dispatchAllEvents
  const { claimDue, awaitIdle, inProgress } = yield* makeGuestAnswerer
  let isBusy = true
  while (isBusy) {
    yield* claimDue
    isBusy = inProgress.size > 0
    yield* awaitIdle
  }
}).pipe(Effect.scoped)

let messageCount = 0

/** The entry that {@link WIFI_ANSWER} is of, as it is prepared. */
const insertWifiEntry = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const { knowledge_base_id, revision, title, sub_title, fragment } = WIFI_ANSWER
  const contents = jsonParameter([{ sub_title, text: fragment }])
  yield* sql`
    INSERT INTO knowledge_bases (operator_id, id, title, is_enable, audience, scope_property_type, scope_property_ids,
      scope_channel_type, scope_channels, contents, process_status, revision, due_at, created_at)
    OVERRIDING SYSTEM VALUE
    VALUES (${operatorId}, ${knowledge_base_id}, ${title}, true, 'guests', 'all', '{-1}', 'all', '{unlimited}',
      ${contents}::jsonb, 'done', ${revision}, 'infinity', now())`
}, Effect.orDie)

/** An operator with a rule that answers, and a guest's thread; `rules` in the place of that one. */
export const startInquiry = Effect.fnUntraced(function* (...rules: ReadonlyArray<RuleDefinition>) {
  const operator = yield* createOperatorWithListings
  yield* TestClock.setTime(NOW)
  const ruleIds: Array<number> = []
  for (const rule of rules.length === 0 ? [ANSWER_RULE] : rules)
    ruleIds.push(yield* insertRule(operator.operatorId, rule))
  yield* insertWifiEntry(operator.operatorId)
  yield* operator.ingestEvent(makeThreadEvent())
  const sql = yield* SqlClient.SqlClient
  const { conversations } = yield* operator.api.query_conversations({}).pipe(operator.as)
  const conversationId = conversations[0]?.id ?? ""
  const ingestMessage = (
    sender: "guest" | "host",
    text: string,
    options: { readonly thread_id?: string; readonly at?: Date }
  ) =>
    Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      messageCount += 1
      return yield* operator.ingestEvent(
        makeMessageEvent({
          message_id: `M-${messageCount}`,
          thread_id: options.thread_id ?? "T1",
          sender,
          text,
          sent_at: `${(options.at ?? now).toISOString().slice(0, 19)}Z`
        })
      )
    })
  /** In the order of time: the operation answers them newest first. */
  const messages = Effect.map(operator.api.get_conversation({ id: conversationId }).pipe(operator.as), (conversation) =>
    conversation.messages.toReversed()
  )
  return {
    ...operator,
    conversationId,
    ruleIds,
    ruleId: ruleIds[0] ?? assert.fail("ruleIds has no item 0"),
    ask: (text: string, options: { readonly thread_id?: string; readonly at?: Date } = {}) =>
      ingestMessage("guest", text, options),
    /** The host writes at the channel. */
    writeAsHostAtChannel: (text: string) => ingestMessage("host", text, {}),
    sendHostMessage: (message: string) => operator.api.send_message({ id: conversationId, message }).pipe(operator.as),
    book: (status: "accepted" | "cancelled" = "accepted", thread_id = "T1") =>
      operator.ingestEvent(makeOrderEvent([makeChannelRoom(operator.listingId)], { status, thread_id })),
    messages,
    /** What the service has said by itself, oldest first. */
    automaticMessages: Effect.map(messages, (all) =>
      all.flatMap(({ sources, content }) => (sources.length > 0 ? [content] : []))
    ),
    /** What became of the questions, oldest first. */
    plans: Effect.map(
      sql<{ state: string; reason: string | null }>`
        SELECT state, reason FROM automation_plans WHERE operator_id = ${operator.operatorId} ORDER BY id`,
      (all) => all.map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`))
    ),
    answerPartition: Effect.map(
      sql<{ waiting: number; in_a_row: number }>`
        SELECT waiting, in_a_row FROM answer_lanes WHERE operator_id = ${operator.operatorId}`,
      ([row]) => row
    )
  }
})

export const makeGuestAnswerer = makeJobRunner(answerJobs)

/** Makes one attempt of a claimed conversation. */
export const answerQuestions = (taken: ClaimedQuestions) => runJob(answerJobs, taken)
