import { QUESTION_LENGTH } from "../../../../platform/limits.ts"
import { COMBINED_TOPICS } from "./lexicon/combined-topics.ts"
import { meaningsOfMisspelling } from "./lexicon.ts"
import { splitSentences } from "./sentences.ts"
import { extractTerms, type Term, termNamesOf } from "./terms.ts"
import { foldText, splitRuns } from "./text-folding.ts"

/** Limits for all messages together. */
export const MAX_QUESTIONS = 12
export const MAX_SEARCH_NAMES = 64

export type QuestionTerms = ReadonlyArray<Term>

const QUESTION_MARK = /[?？؟¿]/

const QUESTION_WORDS =
  /\b(?:what|whats|where|wheres|when|how|hows|who|which|is there|are there|do (?:i|we|you)|does the|please|need|looking for|tell me|let me know|wondering|wo|wie|wann|wer|welche[rsn]?|gibt es|habt ihr|haben sie|kann|konnen|konnt|darf|durfen|bitte|brauche|brauchen|suche|donde|como|cuando|que|cual|cuanto|cuanta|hay|puedo|podemos|pueden|puede|podria|tienen|tienes|teneis|necesito|necesitamos|favor|quisiera|onde|quando|qual|posso|tem|ou|comment|quand|combien|puis je|dove|quanto|posso|waar|hoe|wanneer)\b/u
/** These words ask only at the beginning: German "was" is an English past tense. */
const LEADING_QUESTION_WORDS = /^\W*(?:can|could|may|was)\b/u
const UNBROKEN_QUESTION_WORDS =
  /吗|呢|嘛|请问|怎么|如何|哪|什么|多少|几|是否|有没有|能不能|可不可以|可以|想知道|需要|谁|告诉|か[。?\s]*$|どこ|何|いつ|ください|ไหม|ที่ไหน|อะไร|อย่างไร|เท่าไ|까|어디|무엇|뭐/u
/** Includes 了, which marks a completed action in Chinese. */
const STATEMENT_WORDS =
  /^\W*(?:thanks|thank you|ok|okay|great|perfect|danke|vielen dank|alles klar|super|gracias|muchas gracias|perfecto|vale|obrigad[oa]|merci|grazie|谢谢|感谢|好的|收到)|了[。！!.]*\s*$/u

/** A sentence this short is a question even without a verb: "wifi password". */
const MAX_WORDS_WITHOUT_VERB = 3

const hasQuestionWords = (sentence: string): boolean =>
  QUESTION_MARK.test(sentence) ||
  QUESTION_WORDS.test(sentence) ||
  LEADING_QUESTION_WORDS.test(sentence) ||
  UNBROKEN_QUESTION_WORDS.test(sentence)

const isQuestion = (sentence: string, hasMarkedQuestion: boolean): boolean => {
  if (QUESTION_MARK.test(sentence)) return true
  if (hasMarkedQuestion || STATEMENT_WORDS.test(sentence)) return false
  return hasQuestionWords(sentence) || splitRuns(sentence).length <= MAX_WORDS_WITHOUT_VERB
}

/** Readings to try in order: the whole sentence, then its clauses that ask. */
export type KnowledgeQuestion = ReadonlyArray<QuestionTerms>

export const truncateMessages = (messages: ReadonlyArray<string>): ReadonlyArray<string> => {
  let remaining = QUESTION_LENGTH
  return messages.flatMap((message) => {
    const characters = Array.from(message.trim()).slice(0, remaining)
    remaining -= characters.length
    return characters.length === 0 ? [] : [characters.join("")]
  })
}

interface ClassifiedSentence {
  readonly sentence: string
  readonly isQuestion: boolean
}

/** If one sentence has a question mark, sentences without a question mark are no questions. */
const classifySentences = (message: string): ReadonlyArray<ClassifiedSentence> => {
  const sentences = splitSentences(message.toWellFormed()).map(foldText)
  const hasMarkedQuestion = sentences.some((sentence) => QUESTION_MARK.test(sentence))
  return sentences.map((sentence) => ({ sentence, isQuestion: isQuestion(sentence, hasMarkedQuestion) }))
}

export const parseQuestions = (messages: ReadonlyArray<string>): ReadonlyArray<KnowledgeQuestion> => {
  const sentences = truncateMessages(messages).flatMap(classifySentences)
  const questions = sentences.flatMap(({ sentence, isQuestion }, at) =>
    isQuestion ? [parseQuestion(sentence, sentences[at - 1]?.sentence)] : []
  )
  return limitSearchNames(questions).slice(0, MAX_QUESTIONS)
}

const parseTerms = (sentence: string): QuestionTerms => combineTerms(extractTerms(sentence, meaningsOfMisspelling))

/** A question without a subject ("And the password?") is read together with the sentence before it. */
const parseQuestion = (sentence: string, previousSentence: string | undefined): KnowledgeQuestion => {
  const terms = parseTerms(sentence)
  const previousTerms = previousSentence === undefined ? [] : parseTerms(previousSentence)
  if (!namesTopic(terms) && (namesTopic(previousTerms) || !namesSubject(terms)))
    return [combineTerms([...previousTerms, ...terms])]
  const clauses = sentence.split(CLAUSE_SEPARATOR)
  return clauses.length < 2 ? [terms] : [terms, ...clauses.filter(hasQuestionWords).map(parseTerms).filter(namesTopic)]
}

const combineTerms = (terms: QuestionTerms): QuestionTerms =>
  COMBINED_TOPICS.reduce((remainingTerms, [one, other, topic]) => {
    const first = remainingTerms.find(({ names }) => names.includes(one))
    const second = remainingTerms.find((term) => term !== first && term.names.includes(other))
    if (first === undefined || second === undefined) return remainingTerms
    const combinedTerm: Term = { names: [topic], kind: "topic" }
    return remainingTerms.flatMap((term) => (term === first ? [combinedTerm] : term === second ? [] : [term]))
  }, terms)

const CLAUSE_SEPARATOR = /[,;:，；、]\s*|\s[-–—]\s/u

const namesSubject = (terms: QuestionTerms): boolean => terms.some(({ kind }) => kind !== "aspect")

const namesTopic = (terms: QuestionTerms): boolean => terms.some(({ kind }) => kind === "topic")

/** Keeps or drops each reading as a whole, because a part of it would ask something else. */
const limitSearchNames = (questions: ReadonlyArray<KnowledgeQuestion>): ReadonlyArray<KnowledgeQuestion> => {
  const names = new Set<string>()
  const addNamesIfTheyFit = (terms: QuestionTerms): boolean => {
    const newNames = Array.from(termNamesOf(terms)).filter((name) => !names.has(name))
    if (names.size + newNames.length > MAX_SEARCH_NAMES) return false
    for (const name of newNames) names.add(name)
    return true
  }
  return questions.flatMap((question) => {
    const readings = question.filter((terms) => namesSubject(terms) && addNamesIfTheyFit(terms))
    return readings.length === 0 ? [] : [readings]
  })
}

/**
 * A fragment must have at least one of these names. Aspects such as "where" are left out, because the topic finds the
 * entry.
 */
export const searchNamesOf = (questions: ReadonlyArray<KnowledgeQuestion>): ReadonlyArray<string> =>
  Array.from(termNamesOf(questions.flat(2).filter(({ kind }) => kind !== "aspect")))
