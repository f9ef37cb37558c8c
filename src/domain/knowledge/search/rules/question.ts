import { QUESTION_TEXT } from "../../../../platform/limits.ts"
import { folded, runsOf } from "./folding.ts"
import { TOGETHER } from "./lexicon/together.ts"
import { meantByMisspelt } from "./lexicon.ts"
import { sentencesOf } from "./sentences.ts"
import { namesOf, type Term, termsOf } from "./terms.ts"

// What a guest's messages ask.

/** Sentences that are taken for questions, of messages that wait together, and names of terms that are searched for. */
export const QUESTION_SENTENCES = 12
export const QUESTION_NAMES = 64

/** What one sentence asks, or all of them together. */
export type Asked = ReadonlyArray<Term>

const MARK = /[?？؟¿]/

/** Words that a sentence without a question mark asks by. */
const ASKING =
  /\b(?:what|whats|where|wheres|when|how|hows|who|which|is there|are there|do (?:i|we|you)|does the|please|need|looking for|tell me|let me know|wondering|wo|wie|wann|wer|welche[rsn]?|gibt es|habt ihr|haben sie|kann|konnen|konnt|darf|durfen|bitte|brauche|brauchen|suche|donde|como|cuando|que|cual|cuanto|cuanta|hay|puedo|podemos|pueden|puede|podria|tienen|tienes|teneis|necesito|necesitamos|favor|quisiera|onde|quando|qual|posso|tem|ou|comment|quand|combien|puis je|dove|quanto|posso|waar|hoe|wanneer)\b/u
/** Words that ask where a sentence begins with them; further on they tell (German "was" is an English past tense). */
const ASKING_FIRST = /^\W*(?:can|could|may|was)\b/u
const ASKING_UNBROKEN =
  /吗|呢|嘛|请问|怎么|如何|哪|什么|多少|几|是否|有没有|能不能|可不可以|可以|想知道|需要|谁|告诉|か[。?\s]*$|どこ|何|いつ|ください|ไหม|ที่ไหน|อะไร|อย่างไร|เท่าไ|까|어디|무엇|뭐/u
/** Words of somebody who asks nothing, and the sign that something has been done. */
const TELLING =
  /^\W*(?:thanks|thank you|ok|okay|great|perfect|danke|vielen dank|alles klar|super|gracias|muchas gracias|perfecto|vale|obrigad[oa]|merci|grazie|谢谢|感谢|好的|收到)|了[。！!.]*\s*$/u

/** Words of a sentence without a verb that asks all the same ("wifi password"), those that say nothing among them. */
const FEW_WORDS = 3

const asks = (sentence: string): boolean =>
  MARK.test(sentence) || ASKING.test(sentence) || ASKING_FIRST.test(sentence) || ASKING_UNBROKEN.test(sentence)

const isAsked = (sentence: string, marked: boolean): boolean => {
  if (MARK.test(sentence)) return true
  if (marked || TELLING.test(sentence)) return false
  return asks(sentence) || runsOf(sentence).length <= FEW_WORDS
}

/** What one question may mean, to be tried in this order: all of its sentence, else those of its clauses that ask. */
export type Question = ReadonlyArray<Asked>

/** What is read of messages that wait together, oldest first: so many characters in all. Those that say nothing are none. */
export const readOf = (messages: ReadonlyArray<string>): ReadonlyArray<string> => {
  let left = QUESTION_TEXT
  return messages.flatMap((message) => {
    const characters = Array.from(message.trim()).slice(0, left)
    left -= characters.length
    return characters.length === 0 ? [] : [characters.join("")]
  })
}

/** A sentence, and whether it asks. */
interface Said {
  readonly sentence: string
  readonly asks: boolean
}

/** The sentences of a message: where one has a question mark, those without ask nothing. */
const saidIn = (message: string): ReadonlyArray<Said> => {
  const sentences = sentencesOf(message.toWellFormed()).map(folded)
  const marked = sentences.some((sentence) => MARK.test(sentence))
  return sentences.map((sentence) => ({ sentence, asks: isAsked(sentence, marked) }))
}

/** What messages that wait together ask, sentence by sentence; of what goes on for ever only the beginning. */
export const questionsOf = (messages: ReadonlyArray<string>): ReadonlyArray<Question> => {
  const said = readOf(messages).flatMap(saidIn)
  const questions = said.flatMap(({ sentence, asks }, at) =>
    asks ? [understood(sentence, said[at - 1]?.sentence)] : []
  )
  return bounded(questions).slice(0, QUESTION_SENTENCES)
}

/** What a sentence asks: misspelt words mean what they would, and two may mean something together. */
const askedBy = (sentence: string): Asked => together(termsOf(sentence, meantByMisspelt))

/** A question that names no subject ("Is that possible?", "And the password?") is about what was said before it. */
const understood = (sentence: string, before: string | undefined): Question => {
  const whole = askedBy(sentence)
  const told = before === undefined ? [] : askedBy(before)
  if (!namesTopic(whole) && (namesTopic(told) || !hasSubject(whole))) return [together([...told, ...whole])]
  const clauses = sentence.split(CLAUSE)
  return clauses.length < 2 ? [whole] : [whole, ...clauses.filter(asks).map(askedBy).filter(namesTopic)]
}

/** What two words ask about together stands for both. */
const together = (asked: Asked): Asked =>
  TOGETHER.reduce((rest, [one, other, topic]) => {
    const first = rest.find(({ names }) => names.includes(one))
    const second = rest.find((term) => term !== first && term.names.includes(other))
    if (first === undefined || second === undefined) return rest
    const both: Term = { names: [topic], weighing: "topic" }
    return rest.flatMap((term) => (term === first ? [both] : term === second ? [] : [term]))
  }, asked)

const CLAUSE = /[,;:，；、]\s*|\s[-–—]\s/u

/** Whether it names what it is about. */
const hasSubject = (asked: Asked): boolean => asked.some(({ weighing }) => weighing !== "aspect")

const namesTopic = (asked: Asked): boolean => asked.some(({ weighing }) => weighing === "topic")

/** As many readings of questions as their names can be searched for, each whole: with less it would ask something else. */
const bounded = (questions: ReadonlyArray<Question>): ReadonlyArray<Question> => {
  const names = new Set<string>()
  const fits = (asked: Asked): boolean => {
    const more = Array.from(namesOf(asked)).filter((name) => !names.has(name))
    if (names.size + more.length > QUESTION_NAMES) return false
    for (const name of more) names.add(name)
    return true
  }
  return questions.flatMap((question) => {
    const kept = question.filter((asked) => hasSubject(asked) && fits(asked))
    return kept.length === 0 ? [] : [kept]
  })
}

/** The names that an entry must have one of to be looked at. What is asked of a topic is found with it. */
export const searchedNames = (questions: ReadonlyArray<Question>): ReadonlyArray<string> =>
  Array.from(namesOf(questions.flat(2).filter(({ weighing }) => weighing !== "aspect")))
