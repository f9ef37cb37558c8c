import { Context, DateTime, Effect, Layer } from "effect"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { selectAnswers } from "./rules/answer-selection.ts"
import { parseQuestions, searchNamesOf } from "./rules/question.ts"
import { AnswerStore } from "./store.ts"

// Answers out of the host's knowledge base, in the entries' own words.

/** Who asks: somebody in a conversation, the guest of a stay, or a stranger. */
export type KnowledgeAsker =
  | { readonly conversation: string }
  | { readonly stayCode: string }
  | { readonly anonymous: true }

/** A sentence of an entry, and where it stands. */
export interface AnswerSentence {
  readonly text: string
  readonly knowledge_base_id: number
  /** Of the entry, which says it as long as it has no other. */
  readonly revision: number
  readonly title: string
  /** The fragment of the entry that it is from. */
  readonly sub_title: string
  readonly fragment: string
}

/**
 * What answers messages that wait together, oldest first, the best first; nothing where nothing is good enough, or what would be is not for who asks: an entry is
 * for guests with an accepted stay within its scope, unless it is for anyone.
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
