import { Result } from "effect"
import { hasAtMostCharacters } from "../../../contract/fields.ts"
import { getMessageLimit } from "../../channels/port/message-limits.ts"
import type { AnswerSentence } from "../../knowledge/search/KnowledgeAnswers.ts"
import { NO_LINK_ID, type RenderedRuleText, type SourceDoc, toMessageSources, toRuleDocs } from "../message-sources.ts"

export interface Answer {
  readonly text: string
  readonly sources: ReturnType<typeof toMessageSources>
}

const THREAD_TITLE = "The guest's question"

const toKnowledgeDocs = (sentences: ReadonlyArray<AnswerSentence>): ReadonlyArray<SourceDoc> =>
  Array.from(
    Map.groupBy(sentences, ({ knowledge_base_id }) => knowledge_base_id),
    ([id, entrySentences]) => ({
      type: "host_knowledge",
      title: entrySentences[0]?.title ?? "",
      fragment: Array.from(new Set(entrySentences.map(({ fragment }) => fragment))),
      link_id: id
    })
  )

const joinSentences = (sentences: ReadonlyArray<AnswerSentence>): string =>
  Array.from(Map.groupBy(sentences, ({ knowledge_base_id }) => knowledge_base_id).values(), (entrySentences) =>
    entrySentences.map(({ text }) => text).join(" ")
  ).join("\n")

const composeText = (greeting: RenderedRuleText | undefined, sentences: ReadonlyArray<AnswerSentence>): string =>
  [
    ...(greeting === undefined ? [] : [greeting.text]),
    ...(sentences.length === 0 ? [] : [joinSentences(sentences)])
  ].join("\n\n")

/** Omits the greeting if the answer would not fit below it. */
export const selectFittingGreeting = (
  channelType: string,
  greeting: RenderedRuleText | undefined,
  sentences: ReadonlyArray<AnswerSentence>
): RenderedRuleText | undefined =>
  sentences.length === 0 || hasAtMostCharacters(composeText(greeting, sentences), getMessageLimit(channelType))
    ? greeting
    : undefined

/** All texts of the answer were written by the host. */
export const composeAnswer = (
  greeting: RenderedRuleText | undefined,
  sentences: ReadonlyArray<AnswerSentence>,
  questionTexts: ReadonlyArray<string>
): Answer | undefined => {
  if (greeting === undefined && sentences.length === 0) return undefined
  return {
    text: composeText(greeting, sentences),
    sources: toMessageSources([
      ...(greeting === undefined ? [] : toRuleDocs(greeting)),
      ...toKnowledgeDocs(sentences),
      { type: "thread", title: THREAD_TITLE, fragment: questionTexts, link_id: NO_LINK_ID }
    ])
  }
}

export const checkAnswerLength = (channelType: string, answer: Answer): Result.Result<Answer, string> => {
  const maxLength = getMessageLimit(channelType)
  return hasAtMostCharacters(answer.text, maxLength)
    ? Result.succeed(answer)
    : Result.fail(`the answer is longer than the ${maxLength} characters of ${channelType}`)
}
