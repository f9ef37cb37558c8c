import { QUESTION_LENGTH } from "../../../../platform/limits.ts"
import { COMBINED_TOPICS } from "./lexicon/combined-topics.ts"
import { meaningsOfMisspelling } from "./lexicon.ts"
import { splitSentences } from "./sentences.ts"
import { extractTerms, type Term, termNamesOf } from "./terms.ts"
import { foldText, splitRuns } from "./text-folding.ts"

// What a guest's messages ask.

/** Sentences that are taken for questions, of messages that wait together, and names of terms that are searched for. */
export const MAX_QUESTIONS = 12
export const MAX_SEARCH_NAMES = 64

/** What one sentence asks, or all of them together. */
export type QuestionTerms = ReadonlyArray<Term>

const QUESTION_MARK = /[?？؟¿]/

/** Words that a sentence without a question mark asks by. */
const QUESTION_WORDS =
  /\b(?:what|whats|where|wheres|when|how|hows|who|which|is there|are there|do (?:i|we|you)|does the|please|need|looking for|tell me|let me know|wondering|wo|wie|wann|wer|welche[rsn]?|gibt es|habt ihr|haben sie|kann|konnen|konnt|darf|durfen|bitte|brauche|brauchen|suche|donde|como|cuando|que|cual|cuanto|cuanta|hay|puedo|podemos|pueden|puede|podria|tienen|tienes|teneis|necesito|necesitamos|favor|quisiera|onde|quando|qual|posso|tem|ou|comment|quand|combien|puis je|dove|quanto|posso|waar|hoe|wanneer)\b/u
/** Words that ask where a sentence begins with them; further on they tell (German "was" is an English past tense). */
const LEADING_QUESTION_WORDS = /^\W*(?:can|could|may|was)\b/u
const UNBROKEN_QUESTION_WORDS =
  /吗|呢|嘛|请问|怎么|如何|哪|什么|多少|几|是否|有没有|能不能|可不可以|可以|想知道|需要|谁|告诉|か[。?\s]*$|どこ|何|いつ|ください|ไหม|ที่ไหน|อะไร|อย่างไร|เท่าไ|까|어디|무엇|뭐/u
/** Words of somebody who asks nothing, and the sign that something has been done. */
const STATEMENT_WORDS =
  /^\W*(?:thanks|thank you|ok|okay|great|perfect|danke|vielen dank|alles klar|super|gracias|muchas gracias|perfecto|vale|obrigad[oa]|merci|grazie|谢谢|感谢|好的|收到)|了[。！!.]*\s*$/u

/** Words of a sentence without a verb that asks all the same ("wifi password"), those that say nothing among them. */
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

/** What one question may mean, to be tried in this order: all of its sentence, else those of its clauses that ask. */
export type KnowledgeQuestion = ReadonlyArray<QuestionTerms>

/** What is read of messages that wait together, oldest first: so many characters in all. Those that say nothing are none. */
export const truncateMessages = (messages: ReadonlyArray<string>): ReadonlyArray<string> => {
  let remaining = QUESTION_LENGTH
  return messages.flatMap((message) => {
    const characters = Array.from(message.trim()).slice(0, remaining)
    remaining -= characters.length
    return characters.length === 0 ? [] : [characters.join("")]
  })
}

/** A sentence, and whether it asks. */
interface ClassifiedSentence {
  readonly sentence: string
  readonly isQuestion: boolean
}

/** The sentences of a message: where one has a question mark, those without ask nothing. */
const classifySentences = (message: string): ReadonlyArray<ClassifiedSentence> => {
  const sentences = splitSentences(message.toWellFormed()).map(foldText)
  const hasMarkedQuestion = sentences.some((sentence) => QUESTION_MARK.test(sentence))
  return sentences.map((sentence) => ({ sentence, isQuestion: isQuestion(sentence, hasMarkedQuestion) }))
}

/** What messages that wait together ask, sentence by sentence; of what goes on for ever only the beginning. */
export const parseQuestions = (messages: ReadonlyArray<string>): ReadonlyArray<KnowledgeQuestion> => {
  const sentences = truncateMessages(messages).flatMap(classifySentences)
  const questions = sentences.flatMap(({ sentence, isQuestion }, at) =>
    isQuestion ? [parseQuestion(sentence, sentences[at - 1]?.sentence)] : []
  )
  return limitSearchNames(questions).slice(0, MAX_QUESTIONS)
}

/** What a sentence asks: misspelt words mean what they would, and two may mean something together. */
const parseTerms = (sentence: string): QuestionTerms => combineTerms(extractTerms(sentence, meaningsOfMisspelling))

/** A question that names no subject ("Is that possible?", "And the password?") is about what was said before it. */
const parseQuestion = (sentence: string, previousSentence: string | undefined): KnowledgeQuestion => {
  const terms = parseTerms(sentence)
  const previousTerms = previousSentence === undefined ? [] : parseTerms(previousSentence)
  if (!namesTopic(terms) && (namesTopic(previousTerms) || !namesSubject(terms)))
    return [combineTerms([...previousTerms, ...terms])]
  const clauses = sentence.split(CLAUSE_SEPARATOR)
  return clauses.length < 2 ? [terms] : [terms, ...clauses.filter(hasQuestionWords).map(parseTerms).filter(namesTopic)]
}

/** What two words ask about together stands for both. */
const combineTerms = (terms: QuestionTerms): QuestionTerms =>
  COMBINED_TOPICS.reduce((remainingTerms, [one, other, topic]) => {
    const first = remainingTerms.find(({ names }) => names.includes(one))
    const second = remainingTerms.find((term) => term !== first && term.names.includes(other))
    if (first === undefined || second === undefined) return remainingTerms
    const combinedTerm: Term = { names: [topic], kind: "topic" }
    return remainingTerms.flatMap((term) => (term === first ? [combinedTerm] : term === second ? [] : [term]))
  }, terms)

const CLAUSE_SEPARATOR = /[,;:，；、]\s*|\s[-–—]\s/u

/** Whether it names what it is about. */
const namesSubject = (terms: QuestionTerms): boolean => terms.some(({ kind }) => kind !== "aspect")

const namesTopic = (terms: QuestionTerms): boolean => terms.some(({ kind }) => kind === "topic")

/** As many readings of questions as their names can be searched for, each whole: with less it would ask something else. */
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

/** The names that an entry must have one of to be looked at. What is asked of a topic is found with it. */
export const searchNamesOf = (questions: ReadonlyArray<KnowledgeQuestion>): ReadonlyArray<string> =>
  Array.from(termNamesOf(questions.flat(2).filter(({ kind }) => kind !== "aspect")))
