import { Result } from "effect"
import { isUpTo } from "../../../contract/fields.ts"
import { messageLimit } from "../../channels/port/message-limits.ts"
import type { AnswerSentence } from "../../knowledge/search/KnowledgeAnswers.ts"
import { docsOfRule, NO_LINK, type SaidByRule, type SourceDoc, sourcesOf } from "../sources.ts"

// What a guest is answered, and what it is made of.

/** What is sent. */
export interface Answer {
  readonly text: string
  readonly sources: ReturnType<typeof sourcesOf>
}

const TITLE_OF_THREAD = "The guest's question"

/** An entry once, however many of its sentences there are, with the fragments they are from. */
const ofEntries = (sentences: ReadonlyArray<AnswerSentence>): ReadonlyArray<SourceDoc> =>
  Array.from(
    Map.groupBy(sentences, ({ knowledge_base_id }) => knowledge_base_id),
    ([id, of]) => ({
      type: "host_knowledge",
      title: of[0]?.title ?? "",
      fragment: Array.from(new Set(of.map(({ fragment }) => fragment))),
      link_id: id
    })
  )

/** Sentences of one entry stand together, as they came; what another says begins a line. */
const inWords = (sentences: ReadonlyArray<AnswerSentence>): string =>
  Array.from(Map.groupBy(sentences, ({ knowledge_base_id }) => knowledge_base_id).values(), (of) =>
    of.map(({ text }) => text).join(" ")
  ).join("\n")

/** What is said: a greeting, and what is known below it. */
const textOf = (greeting: SaidByRule | undefined, sentences: ReadonlyArray<AnswerSentence>): string =>
  [...(greeting === undefined ? [] : [greeting.text]), ...(sentences.length === 0 ? [] : [inWords(sentences)])].join(
    "\n\n"
  )

/** A greeting, unless what is known would not fit below it: that is what was asked. */
export const greetingAbove = (
  channelType: string,
  greeting: SaidByRule | undefined,
  sentences: ReadonlyArray<AnswerSentence>
): SaidByRule | undefined =>
  sentences.length === 0 || isUpTo(textOf(greeting, sentences), messageLimit(channelType)) ? greeting : undefined

/** Nothing but what the host has written: a rule's text, then what is known; undefined where there is neither. */
export const answerOf = (
  greeting: SaidByRule | undefined,
  sentences: ReadonlyArray<AnswerSentence>,
  question: ReadonlyArray<string>
): Answer | undefined => {
  if (greeting === undefined && sentences.length === 0) return undefined
  return {
    text: textOf(greeting, sentences),
    sources: sourcesOf([
      ...(greeting === undefined ? [] : docsOfRule(greeting)),
      ...ofEntries(sentences),
      { type: "thread", title: TITLE_OF_THREAD, fragment: question, link_id: NO_LINK }
    ])
  }
}

/** Fails with why its channel would not take it. */
export const fitting = (channelType: string, answer: Answer): Result.Result<Answer, string> => {
  const most = messageLimit(channelType)
  return isUpTo(answer.text, most)
    ? Result.succeed(answer)
    : Result.fail(`the answer is longer than the ${most} characters of ${channelType}`)
}
