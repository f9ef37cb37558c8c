import { HOMES } from "./lexicon/homes.ts"
import type { Asked, Question } from "./question.ts"
import { sentencesOf } from "./sentences.ts"
import { namesOf, type Term, termsOf } from "./terms.ts"

// Which sentences of what was found answer a question, if any does.

/** A fragment that has to do with a question. */
export interface Found {
  readonly knowledge_base_id: number
  /** Of the entry. */
  readonly revision: number
  readonly title: string
  /** Where it stands in its entry. */
  readonly place: number
  readonly sub_title: string
  readonly text: string
}

/** A sentence of a fragment, and how well it answers: from 0 to 1. */
export interface Answer {
  readonly found: Found
  readonly text: string
  readonly score: number
}

/** Sentences of an answer at most, and those to one question. */
export const ANSWER_SENTENCES = 3
const TO_ONE_QUESTION = 2

/** How much of a question an answer must speak of. */
const GOOD_ENOUGH = 0.8

/** A second sentence is nearly as good as the first. */
const NEARLY_AS_GOOD = 0.9

const WEIGHTS = { topic: 1, condition: 0.6, word: 0.6, context: 0.2, aspect: 0.12, pair: 0.3 } as const

/** What shows that a sentence says a time, a price, a distance, whatever its words are. */
const SHOWN: ReadonlyArray<readonly [name: string, weight: number, shown: RegExp]> = [
  [
    "aboutwhen",
    0.3,
    /\d{1,2}[:.h]\d{2}|\d{1,2}\s?(?:am|pm|a\.m|p\.m|uhr|h\b|点|時|时|o'clock)|\bnoon\b|mediod[ií]a|mittag|中午/iu
  ],
  ["aboutprice", 0.3, /[€$£¥]|\d\s?(?:eur|usd|euros?|元|块|dollars?|chf)|\bfree\b|kostenlos|gratis|gratuit|免费/iu],
  [
    "aboutdistance",
    0.15,
    /\d\s?(?:m|km|min|mins|minutes|minuten|minutos|meters|metres|metros|meter|米|公里|分钟)(?![\p{L}])/iu
  ]
]

/**
 * A word nobody knows may be what is asked about; beside a topic the first may be, and those after it rather are how somebody
 * tells a story.
 */
const WORD_BESIDE_TOPIC = { first: 0.35, later: 0.1 } as const
const PAIR_BESIDE_TOPIC = { first: 0.25, later: 0.08 } as const
/** A number by itself is hardly ever asked about. */
const NUMBER = 0.4

const isNumber = ({ weighing, names }: Term): boolean => weighing === "word" && names.every((name) => /\d/.test(name))
const isWord = (term: Term): boolean => term.weighing === "word" || term.weighing === "pair"

const weightOf = (term: Term, besideTopic: boolean, isFirst: boolean): number => {
  const shown = SHOWN.find(([name]) => term.names.includes(name))
  if (shown !== undefined) return shown[1]
  if (!besideTopic) return isNumber(term) ? NUMBER : WEIGHTS[term.weighing]
  if (term.weighing === "word") return isFirst ? WORD_BESIDE_TOPIC.first : WORD_BESIDE_TOPIC.later
  if (term.weighing === "pair") return isFirst ? PAIR_BESIDE_TOPIC.first : PAIR_BESIDE_TOPIC.later
  return WEIGHTS[term.weighing]
}

/** What a fragment speaks of, and where. */
interface Read {
  readonly found: Found
  readonly title: ReadonlySet<string>
  readonly subTitle: ReadonlySet<string>
  readonly text: ReadonlySet<string>
  /** Whether its titles name a topic at all. */
  readonly titled: boolean
  /** Whether its sub-title does. */
  readonly subTitled: boolean
  /** What its titles narrow their topics to. */
  readonly conditions: ReadonlyArray<Term>
  readonly sentences: ReadonlyArray<{
    readonly text: string
    readonly names: ReadonlySet<string>
    readonly first: ReadonlyArray<string>
    readonly conditions: ReadonlyArray<Term>
  }>
}

const firstTopic = (terms: ReadonlyArray<Term>): ReadonlyArray<string> =>
  terms.find(({ weighing }) => weighing === "topic")?.names ?? []

const conditionsOf = (terms: ReadonlyArray<Term>): ReadonlyArray<Term> =>
  terms.filter(({ weighing }) => weighing === "condition")

const withShown = (text: string, terms: ReadonlyArray<Term>): ReadonlySet<string> =>
  new Set([...namesOf(terms), ...SHOWN.flatMap(([name, , shown]) => (shown.test(text) ? [name] : []))])

const read = (found: Found): Read => {
  const titles = [termsOf(found.title), termsOf(found.sub_title)] as const
  const sentences = sentencesOf(found.text).flatMap((text) => {
    const terms = termsOf(text)
    return /[\p{L}\p{N}]/u.test(text)
      ? [
          {
            text: text.trim(),
            names: withShown(text, terms),
            first: firstTopic(terms),
            conditions: conditionsOf(terms)
          }
        ]
      : []
  })
  return {
    found,
    title: namesOf(titles[0]),
    subTitle: namesOf(titles[1]),
    text: new Set(sentences.flatMap(({ names }) => Array.from(names))),
    conditions: conditionsOf(titles.flat()),
    subTitled: titles[1].some(({ weighing }) => weighing === "topic"),
    titled: titles.flat().some(({ weighing }) => weighing === "topic"),
    sentences
  }
}

type Sentence = Read["sentences"][number]

const has = (names: ReadonlySet<string>, term: Term): boolean => term.names.some((name) => names.has(name))

/** What a sentence mentions beside its first topic, in an entry about that other one. */
const MENTIONED = 0.55
/** What it is first about, under another title. */
const FIRST = 0.85
/** What it speaks of under a title where one looks for that. */
const AT_HOME = 0.95

/** What the title names, in a part of the entry whose sub-title names something else. */
const OTHER_PART = 0.7

/** What stands in another sentence of the fragment: a time there may be of something else. */
const BESIDE = { topic: 0.5, condition: 0.5, word: 0.8, pair: 0.8, context: 0.8, aspect: 0.4 } as const

const isAtHome = ({ names }: Term, { title, subTitle }: Read): boolean =>
  names.some((name) => HOMES.get(name)?.some((home) => title.has(home) || subTitle.has(home)))

const isNamed = ({ weighing }: Term): boolean => weighing === "topic" || weighing === "condition"

/** Whether a fragment or its titles speak of something at all. */
const isThere = (term: Term, at: Read): boolean => has(at.text, term) || has(at.title, term) || has(at.subTitle, term)

/** Whether something needs no saying beside another that is asked about: a cot is for a child, a stop of the metro is of the metro. */
const isImplied = (term: Term, asked: Asked): boolean =>
  asked.some(({ names }) => {
    const isOneOf = names.length < term.names.length && names.every((name) => term.names.includes(name))
    return isOneOf || names.every((name) => HOMES.get(name)?.some((home) => term.names.includes(home)))
  })

/** Whether something is what a fragment is about, and not only mentioned there. */
const isItsSubject = (term: Term, sentence: Sentence, at: Read): boolean => {
  if (has(at.title, term) || has(at.subTitle, term)) return true
  if (term.weighing !== "topic" || !has(sentence.names, term)) return false
  return isAtHome(term, at) || (!at.titled && term.names.some((name) => sentence.first.includes(name)))
}

/**
 * What names no topic is answered by its very words, one of which a title has: two that a sentence happens to have may be the
 * name of a street. How many pairs of characters must be there is for the score to say, as endings are among them.
 */
const saysAll = (asked: Asked, at: Read): boolean => {
  const said = asked.filter(({ weighing }) => weighing !== "aspect")
  const isTitle = said.some((term) => !isNamed(term) && (has(at.title, term) || has(at.subTitle, term)))
  return said.every((term) => term.weighing === "pair" || isThere(term, at)) && isTitle
}

/**
 * Whether a sentence may answer: all that is named is spoken of where it stands (who asks for a dentist is not answered by a
 * doctor), and something of it is the subject there.
 */
const mayAnswer = (asked: Asked, sentence: Sentence, at: Read): boolean => {
  const topics = asked.filter((term) => term.weighing === "topic" && !isImplied(term, asked))
  if (topics.length === 0) return saysAll(asked, at)
  return (
    asked.every((term) => !isNamed(term) || isThere(term, at) || isImplied(term, asked)) &&
    topics.some((term) => isItsSubject(term, sentence, at))
  )
}

/** How far a sentence, in its place, speaks of something: from 0 to 1. What it is about counts more than what it mentions. */
const speaksOf = (term: Term, sentence: Sentence, at: Read): number => {
  if (has(at.subTitle, term)) return 1
  if (has(sentence.names, term)) {
    if (has(at.title, term) || !at.titled || term.weighing !== "topic") return 1
    if (isAtHome(term, at)) return AT_HOME
    return term.names.some((name) => sentence.first.includes(name)) ? FIRST : MENTIONED
  }
  if (has(at.title, term)) return at.subTitled ? OTHER_PART : 0.97
  return has(at.text, term) ? BESIDE[term.weighing] : 0
}

/** The more fragments have a word, the less it tells; what a meaning is worth does not depend on how few entries there are. */
const weigh = (asked: Asked, fragments: ReadonlyArray<Read>): ReadonlyArray<readonly [Term, number]> => {
  const besideTopic = asked.some(({ weighing }) => weighing === "topic")
  const first = asked.find(isWord)
  return asked.map((term) => {
    const weight = weightOf(term, besideTopic, term === first)
    if (term.weighing !== "word" && term.weighing !== "pair") return [term, weight]
    const many = fragments.filter((at) => isThere(term, at)).length
    return [term, weight / (many < 2 ? 1 : 1 + Math.log2(many) / 4)]
  })
}

/** What an entry on a condition that nobody asked for loses: late departures are not departures. */
const NARROWER = 0.25

/** What a sentence loses beside others that answer as well: what speaks of nothing asked itself, or on another condition. */
const LESS_DIRECT = 0.02

const isOnOther = (asked: Asked, conditions: ReadonlyArray<Term>): boolean => {
  const names = namesOf(asked)
  return conditions.some((condition) => !has(names, condition))
}

const answerOf = (asked: Asked, weighed: ReturnType<typeof weigh>, sentence: Sentence, at: Read): Answer => {
  const whole = weighed.reduce((sum, [, weight]) => sum + weight, 0)
  const said = weighed.reduce((sum, [term, weight]) => sum + weight * speaksOf(term, sentence, at), 0)
  const score = said / whole - (isOnOther(asked, at.conditions) ? NARROWER : 0)
  const itself = weighed.some(([term]) => term.weighing !== "aspect" && has(sentence.names, term))
  const other = isOnOther(asked, sentence.conditions)
  const lost = score < GOOD_ENOUGH ? 0 : (itself ? 0 : LESS_DIRECT) + (other ? LESS_DIRECT : 0)
  return { found: at.found, text: sentence.text, score: Math.max(score - lost, Math.min(score, GOOD_ENOUGH)) }
}

const scored = (asked: Asked, fragments: ReadonlyArray<Read>): ReadonlyArray<Answer> => {
  const weighed = weigh(
    unrepeated(asked).filter((term) => !isImplied(term, asked)),
    fragments
  )
  return fragments
    .flatMap((at) =>
      at.sentences
        .filter((sentence) => mayAnswer(asked, sentence, at))
        .map((sentence) => answerOf(asked, weighed, sentence, at))
    )
    .filter(({ score }) => score >= GOOD_ENOUGH)
    .sort(bestFirst)
}

/** Of equals, the host's first entry and what stands first in it. */
const bestFirst = (one: Answer, other: Answer): number =>
  other.score - one.score ||
  one.found.knowledge_base_id - other.found.knowledge_base_id ||
  one.found.place - other.found.place

const unrepeated = (asked: Asked): Asked => {
  const seen = new Set<string>()
  return asked.filter(({ names }) => {
    const name = names.join(" ")
    return !seen.has(name) && seen.add(name)
  })
}

/** The best sentences of the fragment that answers best, however the question can be understood. */
const answerTo = (question: Question, fragments: ReadonlyArray<Read>): ReadonlyArray<Answer> => {
  const answers = question.map((asked) => scored(asked, fragments)).find(({ length }) => length > 0) ?? []
  const [best] = answers
  if (best === undefined) return []
  return answers
    .filter(({ found, score }) => isSame(found, best.found) && score >= best.score * NEARLY_AS_GOOD)
    .slice(0, TO_ONE_QUESTION)
}

const isSame = (one: Found, other: Found): boolean =>
  one.knowledge_base_id === other.knowledge_base_id && one.place === other.place

/** What answers these questions, the best first; nothing where nothing is good enough. */
export const answersTo = (questions: ReadonlyArray<Question>, found: ReadonlyArray<Found>): ReadonlyArray<Answer> => {
  const fragments = found.map(read)
  const answers = questions.map((question) => answerTo(question, fragments))
  const first = answers.flatMap(([best]) => (best === undefined ? [] : [best]))
  const rest = answers.flatMap(([, ...others]) => others)
  return unsaid([...first.sort(bestFirst), ...rest]).slice(0, ANSWER_SENTENCES)
}

/** Two questions may have one answer. */
const unsaid = (answers: ReadonlyArray<Answer>): ReadonlyArray<Answer> =>
  Array.from(new Map(answers.map((answer) => [`${answer.found.knowledge_base_id} ${answer.text}`, answer])).values())
