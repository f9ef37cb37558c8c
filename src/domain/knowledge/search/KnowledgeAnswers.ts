import { Context, DateTime, Effect, Layer } from "effect"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { selectAnswers } from "./rules/answer-selection.ts"
import { parseQuestions, searchNamesOf } from "./rules/question.ts"
import { AnswerStore } from "./store.ts"

export type KnowledgeAsker =
  | { readonly conversation: string }
  | { readonly stayCode: string }
  | { readonly anonymous: true }

export interface AnswerSentence {
  readonly text: string
  readonly knowledge_base_id: number
  readonly revision: number
  readonly title: string
  /** Subtitle of the host's text, and the part of this text (fragment) that has the sentence. */
  readonly sub_title: string
  readonly fragment: string
}

/**
 * Answers are unchanged sentences of the host's entries, best first. Entries for `guests` are used only if the asker
 * has an accepted stay within their scope.
 */
export class KnowledgeAnswers extends Context.Service<
  KnowledgeAnswers,
  {
    readonly ask: (
      operatorId: number,
      asker: KnowledgeAsker,
      messages: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<AnswerSentence>>
  }
>()("latchkey/domain/knowledge/search/KnowledgeAnswers") {
  static readonly layer = Layer.effect(
    KnowledgeAnswers,
    Effect.map(AnswerStore, (store) => KnowledgeAnswers.of({ ask: ask(store) }))
  ).pipe(Layer.provide(AnswerStore.layer))
}

const ask = (store: AnswerStore["Service"]) =>
  Effect.fnUntraced(function* (operatorId: number, asker: KnowledgeAsker, messages: ReadonlyArray<string>) {
    const questions = parseQuestions(messages)
    if (questions.length === 0) return []
    const fragments = yield* store.search({
      operatorId,
      now: yield* DateTime.nowAsDate,
      names: searchNamesOf(questions),
      conversation: "conversation" in asker ? asker.conversation : undefined,
      stayCode: "stayCode" in asker ? asker.stayCode : undefined
    })
    return selectAnswers(questions, fragments).map(({ text, fragment }) => ({
      text,
      knowledge_base_id: fragment.knowledge_base_id,
      revision: fragment.revision,
      title: fragment.title,
      sub_title: fragment.sub_title,
      fragment: fragment.text.trim()
    }))
  }, withChildSpan("KnowledgeAnswers.ask"))
