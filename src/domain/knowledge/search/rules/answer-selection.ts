import { RELATED_TOPICS } from "./lexicon/related-topics.ts"
import type { KnowledgeQuestion, QuestionTerms } from "./question.ts"
import { splitSentences } from "./sentences.ts"
import { extractTerms, type Term, termNamesOf } from "./terms.ts"

interface KnowledgeFragmentMatch {
  readonly knowledge_base_id: number
  readonly revision: number
  readonly title: string
  readonly place: number
  readonly sub_title: string
  readonly text: string
}

/** `score` is from 0 to 1. */
interface ScoredSentence {
  readonly fragment: KnowledgeFragmentMatch
  readonly text: string
  readonly score: number
}

export const MAX_ANSWER_SENTENCES = 3
const MAX_SENTENCES_PER_QUESTION = 2

/** Lowest score of an answer. */
const MIN_SCORE = 0.8

/** Lowest score of a second sentence, relative to the first. */
const MIN_SHARE_OF_BEST = 0.9

const TERM_WEIGHTS = { topic: 1, condition: 0.6, word: 0.6, context: 0.2, aspect: 0.12, pair: 0.3 } as const

/** Patterns of a time, a price and a distance in a sentence. */
const VALUE_PATTERNS: ReadonlyArray<readonly [name: string, weight: number, shown: RegExp]> = [
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

/** Beside a topic, the first unknown word may be the subject of the question. Later ones mostly belong to a story. */
const WORD_WEIGHTS_BESIDE_TOPIC = { first: 0.35, later: 0.1 } as const
const PAIR_WEIGHTS_BESIDE_TOPIC = { first: 0.25, later: 0.08 } as const
const NUMBER_WEIGHT = 0.4

const isNumber = ({ kind, names }: Term): boolean => kind === "word" && names.every((name) => /\d/.test(name))
const isWord = (term: Term): boolean => term.kind === "word" || term.kind === "pair"

const computeTermWeight = (term: Term, isBesideTopic: boolean, isFirst: boolean): number => {
  const valuePattern = VALUE_PATTERNS.find(([name]) => term.names.includes(name))
  if (valuePattern !== undefined) return valuePattern[1]
  if (!isBesideTopic) return isNumber(term) ? NUMBER_WEIGHT : TERM_WEIGHTS[term.kind]
  if (term.kind === "word") return isFirst ? WORD_WEIGHTS_BESIDE_TOPIC.first : WORD_WEIGHTS_BESIDE_TOPIC.later
  if (term.kind === "pair") return isFirst ? PAIR_WEIGHTS_BESIDE_TOPIC.first : PAIR_WEIGHTS_BESIDE_TOPIC.later
  return TERM_WEIGHTS[term.kind]
}

interface AnalyzedFragment {
  readonly source: KnowledgeFragmentMatch
  readonly title: ReadonlySet<string>
  readonly subTitle: ReadonlySet<string>
  readonly text: ReadonlySet<string>
  readonly hasTopicInTitle: boolean
  readonly hasTopicInSubTitle: boolean
  readonly conditions: ReadonlyArray<Term>
  readonly sentences: ReadonlyArray<{
    readonly text: string
    readonly names: ReadonlySet<string>
    readonly firstTopicNames: ReadonlyArray<string>
    readonly conditions: ReadonlyArray<Term>
  }>
}

const namesOfFirstTopic = (terms: ReadonlyArray<Term>): ReadonlyArray<string> =>
  terms.find(({ kind }) => kind === "topic")?.names ?? []

const conditionsOf = (terms: ReadonlyArray<Term>): ReadonlyArray<Term> =>
  terms.filter(({ kind }) => kind === "condition")

const namesWithValues = (text: string, terms: ReadonlyArray<Term>): ReadonlySet<string> =>
  new Set([...termNamesOf(terms), ...VALUE_PATTERNS.flatMap(([name, , pattern]) => (pattern.test(text) ? [name] : []))])

const analyzeFragment = (fragment: KnowledgeFragmentMatch): AnalyzedFragment => {
  const titles = [extractTerms(fragment.title), extractTerms(fragment.sub_title)] as const
  const sentences = splitSentences(fragment.text).flatMap((text) => {
    const terms = extractTerms(text)
    return /[\p{L}\p{N}]/u.test(text)
      ? [
          {
            text: text.trim(),
            names: namesWithValues(text, terms),
            firstTopicNames: namesOfFirstTopic(terms),
            conditions: conditionsOf(terms)
          }
        ]
      : []
  })
  return {
    source: fragment,
    title: termNamesOf(titles[0]),
    subTitle: termNamesOf(titles[1]),
    text: new Set(sentences.flatMap(({ names }) => Array.from(names))),
    conditions: conditionsOf(titles.flat()),
    hasTopicInSubTitle: titles[1].some(({ kind }) => kind === "topic"),
    hasTopicInTitle: titles.flat().some(({ kind }) => kind === "topic"),
    sentences
  }
}

type Sentence = AnalyzedFragment["sentences"][number]

const includesTerm = (names: ReadonlySet<string>, term: Term): boolean => term.names.some((name) => names.has(name))

/** For a topic that is not the first of its sentence, under a title about another topic. */
const MENTIONED_TOPIC_SCORE = 0.55
/** For the first topic of a sentence, under a title about another topic. */
const FIRST_TOPIC_SCORE = 0.85
/** For a topic under a title about a related topic. */
const RELATED_TITLE_SCORE = 0.95

/** For a term of the title, if the subtitle has a topic. */
const OTHER_SUB_TITLE_SCORE = 0.7

/** For terms in other sentences of the fragment, which may be about something else. */
const OTHER_SENTENCE_SCORES = { topic: 0.5, condition: 0.5, word: 0.8, pair: 0.8, context: 0.8, aspect: 0.4 } as const

const isUnderRelatedTitle = ({ names }: Term, { title, subTitle }: AnalyzedFragment): boolean =>
  names.some((name) =>
    RELATED_TOPICS.get(name)?.some((relatedTopic) => title.has(relatedTopic) || subTitle.has(relatedTopic))
  )

const isTopicOrCondition = ({ kind }: Term): boolean => kind === "topic" || kind === "condition"

const isMentioned = (term: Term, fragment: AnalyzedFragment): boolean =>
  includesTerm(fragment.text, term) || includesTerm(fragment.title, term) || includesTerm(fragment.subTitle, term)

/** A topic that another topic of the question implies need not be in the answer: a crib implies a child. */
const isImpliedByOthers = (term: Term, questionTerms: QuestionTerms): boolean =>
  questionTerms.some(({ names }) => {
    const isSubset = names.length < term.names.length && names.every((name) => term.names.includes(name))
    return (
      isSubset ||
      names.every((name) => RELATED_TOPICS.get(name)?.some((relatedTopic) => term.names.includes(relatedTopic)))
    )
  })

const isSubjectOf = (term: Term, sentence: Sentence, fragment: AnalyzedFragment): boolean => {
  if (includesTerm(fragment.title, term) || includesTerm(fragment.subTitle, term)) return true
  if (term.kind !== "topic" || !includesTerm(sentence.names, term)) return false
  return (
    isUnderRelatedTitle(term, fragment) ||
    (!fragment.hasTopicInTitle && term.names.some((name) => sentence.firstTopicNames.includes(name)))
  )
}

/**
 * Without a topic, all words must be in the fragment, and one of them in a title: two words in a sentence may be a
 * street name. Pairs of characters may be missing, because some are only endings.
 */
const coversAllTerms = (questionTerms: QuestionTerms, fragment: AnalyzedFragment): boolean => {
  const requiredTerms = questionTerms.filter(({ kind }) => kind !== "aspect")
  const isInTitle = requiredTerms.some(
    (term) => !isTopicOrCondition(term) && (includesTerm(fragment.title, term) || includesTerm(fragment.subTitle, term))
  )
  return requiredTerms.every((term) => term.kind === "pair" || isMentioned(term, fragment)) && isInTitle
}

/**
 * The fragment must mention all topics and conditions: an entry about a doctor does not answer a question about a
 * dentist.
 */
const mayAnswer = (questionTerms: QuestionTerms, sentence: Sentence, fragment: AnalyzedFragment): boolean => {
  const topics = questionTerms.filter((term) => term.kind === "topic" && !isImpliedByOthers(term, questionTerms))
  if (topics.length === 0) return coversAllTerms(questionTerms, fragment)
  return (
    questionTerms.every(
      (term) => !isTopicOrCondition(term) || isMentioned(term, fragment) || isImpliedByOthers(term, questionTerms)
    ) && topics.some((term) => isSubjectOf(term, sentence, fragment))
  )
}

const scoreTerm = (term: Term, sentence: Sentence, fragment: AnalyzedFragment): number => {
  if (includesTerm(fragment.subTitle, term)) return 1
  if (includesTerm(sentence.names, term)) {
    if (includesTerm(fragment.title, term) || !fragment.hasTopicInTitle || term.kind !== "topic") return 1
    if (isUnderRelatedTitle(term, fragment)) return RELATED_TITLE_SCORE
    return term.names.some((name) => sentence.firstTopicNames.includes(name))
      ? FIRST_TOPIC_SCORE
      : MENTIONED_TOPIC_SCORE
  }
  if (includesTerm(fragment.title, term)) return fragment.hasTopicInSubTitle ? OTHER_SUB_TITLE_SCORE : 0.97
  return includesTerm(fragment.text, term) ? OTHER_SENTENCE_SCORES[term.kind] : 0
}

/** Words that many fragments contain have less weight. */
const weighTerms = (
  questionTerms: QuestionTerms,
  fragments: ReadonlyArray<AnalyzedFragment>
): ReadonlyArray<readonly [Term, number]> => {
  const isBesideTopic = questionTerms.some(({ kind }) => kind === "topic")
  const firstWord = questionTerms.find(isWord)
  return questionTerms.map((term) => {
    const weight = computeTermWeight(term, isBesideTopic, term === firstWord)
    if (term.kind !== "word" && term.kind !== "pair") return [term, weight]
    const fragmentCount = fragments.filter((fragment) => isMentioned(term, fragment)).length
    return [term, weight / (fragmentCount < 2 ? 1 : 1 + Math.log2(fragmentCount) / 4)]
  })
}

/** For a title with a condition that the question lacks: late departures are not departures. */
const OTHER_CONDITION_PENALTY = 0.25

/** For a sentence without a term of the question, or with a condition that the question lacks. */
const INDIRECT_ANSWER_PENALTY = 0.02

const hasOtherCondition = (questionTerms: QuestionTerms, conditions: ReadonlyArray<Term>): boolean => {
  const names = termNamesOf(questionTerms)
  return conditions.some((condition) => !includesTerm(names, condition))
}

const scoreSentence = (
  questionTerms: QuestionTerms,
  weightedTerms: ReturnType<typeof weighTerms>,
  sentence: Sentence,
  fragment: AnalyzedFragment
): ScoredSentence => {
  const totalWeight = weightedTerms.reduce((sum, [, weight]) => sum + weight, 0)
  const coveredWeight = weightedTerms.reduce(
    (sum, [term, weight]) => sum + weight * scoreTerm(term, sentence, fragment),
    0
  )
  const score =
    coveredWeight / totalWeight - (hasOtherCondition(questionTerms, fragment.conditions) ? OTHER_CONDITION_PENALTY : 0)
  const isDirect = weightedTerms.some(([term]) => term.kind !== "aspect" && includesTerm(sentence.names, term))
  const isOnOtherCondition = hasOtherCondition(questionTerms, sentence.conditions)
  const penalty =
    score < MIN_SCORE
      ? 0
      : (isDirect ? 0 : INDIRECT_ANSWER_PENALTY) + (isOnOtherCondition ? INDIRECT_ANSWER_PENALTY : 0)
  return {
    fragment: fragment.source,
    text: sentence.text,
    score: Math.max(score - penalty, Math.min(score, MIN_SCORE))
  }
}

const scoreSentences = (
  questionTerms: QuestionTerms,
  fragments: ReadonlyArray<AnalyzedFragment>
): ReadonlyArray<ScoredSentence> => {
  const weightedTerms = weighTerms(
    removeDuplicateTerms(questionTerms).filter((term) => !isImpliedByOthers(term, questionTerms)),
    fragments
  )
  return fragments
    .flatMap((fragment) =>
      fragment.sentences
        .filter((sentence) => mayAnswer(questionTerms, sentence, fragment))
        .map((sentence) => scoreSentence(questionTerms, weightedTerms, sentence, fragment))
    )
    .filter(({ score }) => score >= MIN_SCORE)
    .sort(compareByScore)
}

const compareByScore = (one: ScoredSentence, other: ScoredSentence): number =>
  other.score - one.score ||
  one.fragment.knowledge_base_id - other.fragment.knowledge_base_id ||
  one.fragment.place - other.fragment.place

const removeDuplicateTerms = (questionTerms: QuestionTerms): QuestionTerms => {
  const seen = new Set<string>()
  return questionTerms.filter(({ names }) => {
    const name = names.join(" ")
    return !seen.has(name) && seen.add(name)
  })
}

/** Uses the first reading of the question that has an answer, and only its best fragment. */
const answerQuestion = (
  question: KnowledgeQuestion,
  fragments: ReadonlyArray<AnalyzedFragment>
): ReadonlyArray<ScoredSentence> => {
  const answers =
    question.map((questionTerms) => scoreSentences(questionTerms, fragments)).find(({ length }) => length > 0) ?? []
  const [best] = answers
  if (best === undefined) return []
  return answers
    .filter(({ fragment, score }) => isSameFragment(fragment, best.fragment) && score >= best.score * MIN_SHARE_OF_BEST)
    .slice(0, MAX_SENTENCES_PER_QUESTION)
}

const isSameFragment = (one: KnowledgeFragmentMatch, other: KnowledgeFragmentMatch): boolean =>
  one.knowledge_base_id === other.knowledge_base_id && one.place === other.place

export const selectAnswers = (
  questions: ReadonlyArray<KnowledgeQuestion>,
  matches: ReadonlyArray<KnowledgeFragmentMatch>
): ReadonlyArray<ScoredSentence> => {
  const analyzedFragments = matches.map(analyzeFragment)
  const answers = questions.map((question) => answerQuestion(question, analyzedFragments))
  const first = answers.flatMap(([best]) => (best === undefined ? [] : [best]))
  const otherAnswers = answers.flatMap(([, ...others]) => others)
  return removeDuplicateSentences([...first.sort(compareByScore), ...otherAnswers]).slice(0, MAX_ANSWER_SENTENCES)
}

const removeDuplicateSentences = (answers: ReadonlyArray<ScoredSentence>): ReadonlyArray<ScoredSentence> =>
  Array.from(new Map(answers.map((answer) => [`${answer.fragment.knowledge_base_id} ${answer.text}`, answer])).values())
