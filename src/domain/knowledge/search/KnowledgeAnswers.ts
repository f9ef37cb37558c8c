import { Context, DateTime, Effect, Layer } from "effect"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import { answersTo } from "./rules/answering.ts"
import { questionsOf, searchedNames } from "./rules/question.ts"
import { AnswerStore } from "./store.ts"

// Answers out of the host's knowledge base, in the entries' own words.

/** Who asks: somebody in a conversation, the guest of a stay, or a stranger. */
export type Asking = { readonly conversation: string } | { readonly stayCode: string } | { readonly stranger: true }

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
      asking: Asking,
      messages: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<AnswerSentence>>
  }
>()("latchkey/resources/knowledge-bases/KnowledgeAnswers") {
  static readonly layer = Layer.effect(
    KnowledgeAnswers,
    Effect.map(AnswerStore, (store) => KnowledgeAnswers.of({ ask: ask(store) }))
  ).pipe(Layer.provide(AnswerStore.layer))
}

const ask = (store: AnswerStore["Service"]) =>
  Effect.fnUntraced(function* (operatorId: number, asking: Asking, messages: ReadonlyArray<string>) {
    const questions = questionsOf(messages)
    if (questions.length === 0) return []
    const found = yield* store.search({
      operatorId,
      now: yield* DateTime.nowAsDate,
      names: searchedNames(questions),
      conversation: "conversation" in asking ? asking.conversation : undefined,
      stayCode: "stayCode" in asking ? asking.stayCode : undefined
    })
    return answersTo(questions, found).map(({ text, found }) => ({
      text,
      knowledge_base_id: found.knowledge_base_id,
      revision: found.revision,
      title: found.title,
      sub_title: found.sub_title,
      fragment: found.text.trim()
    }))
  }, inSpan("KnowledgeAnswers.ask"))
