import { ASPECTS, CIRCUMSTANCES, CONDITIONS, CONTEXTS, STOP_WORDS, UNBROKEN_STOP_WORDS } from "./lexicon/contexts.ts"
import { makeSpellingCorrector } from "./lexicon/spelling.ts"
import { TOPIC_PHRASINGS } from "./lexicon/topic-phrasings.ts"
import { TOPICS } from "./lexicon/topics.ts"
import { foldText, splitRuns, stemOf, type TextRun } from "./text-folding.ts"

/**
 * A meaning is a concept, such as breakfast, for which phrases of several languages stand. Its kind is its role in a
 * question.
 */
export type MeaningKind = "topic" | "condition" | "context" | "aspect"

/** `name` begins with `about`, so that it differs from every real word. */
interface Meaning {
  readonly name: string
  readonly kind: MeaningKind
}

export type Meanings = ReadonlyArray<Meaning>

interface PhraseIndex {
  readonly byWords: Map<string, Array<Meaning>>
  readonly byStems: Map<string, Array<Meaning>>
  readonly byPrefix: Map<string, Array<Meaning>>
  readonly bySuffix: Map<string, Array<Meaning>>
  readonly byUnbrokenText: Map<string, Array<Meaning>>
  /** Number of words of the longest phrase, by its first word and by the stem of that word. */
  readonly phraseLengths: Map<string, number>
}

const parseLexicon = (names: Readonly<Record<string, string>>, kind: MeaningKind) =>
  Object.entries(names).map(([name, phrases]) => ({
    meaning: { name: `about${name}`, kind },
    phrases: phrases.split(",")
  }))

const addMeaning = (into: Map<string, Array<Meaning>>, key: string, meaning: Meaning) => {
  const existing = into.get(key)
  if (existing === undefined) into.set(key, [meaning])
  else if (!existing.includes(meaning)) existing.push(meaning)
}

const textOfRuns = (runs: ReadonlyArray<TextRun>): string => runs.map(({ text }) => text).join(" ")
const stemsOfRuns = (runs: ReadonlyArray<TextRun>): string => runs.map(({ text }) => stemOf(text)).join(" ")

const buildPhraseIndex = (): PhraseIndex => {
  const index: PhraseIndex = {
    byWords: new Map(),
    byStems: new Map(),
    byPrefix: new Map(),
    bySuffix: new Map(),
    byUnbrokenText: new Map(),
    phraseLengths: new Map()
  }
  for (const { meaning, phrases } of [
    ...parseLexicon(TOPICS, "topic"),
    ...parseLexicon(TOPIC_PHRASINGS, "topic"),
    ...parseLexicon(CONDITIONS, "condition"),
    ...parseLexicon(CONTEXTS, "context"),
    ...parseLexicon(CIRCUMSTANCES, "aspect"),
    ...parseLexicon(ASPECTS, "aspect")
  ]) {
    for (const phrase of phrases) addPhrase(index, foldText(phrase).trim(), meaning)
  }
  return index
}

const addPhrase = (index: PhraseIndex, phrase: string, meaning: Meaning): void => {
  const runs = splitRuns(phrase)
  const [first] = runs
  if (first === undefined) return
  if (first.isUnbroken) addMeaning(index.byUnbrokenText, runs.map(({ text }) => text).join(""), meaning)
  else if (phrase.startsWith("*")) addMeaning(index.bySuffix, first.text, meaning)
  else if (phrase.endsWith("*") && runs.length === 1) addMeaning(index.byPrefix, first.text, meaning)
  else {
    for (const word of [first.text, stemOf(first.text)]) {
      index.phraseLengths.set(word, Math.max(runs.length, index.phraseLengths.get(word) ?? 0))
    }
    addMeaning(index.byWords, textOfRuns(runs), meaning)
    if (!phrase.endsWith("!")) addMeaning(index.byStems, stemsOfRuns(runs), meaning)
  }
}

const parseWordList = (text: string): ReadonlySet<string> => new Set(splitRuns(foldText(text)).map(({ text }) => text))

const buildLexicon = () => {
  const phraseIndex = buildPhraseIndex()
  return {
    phraseIndex,
    maxUnbrokenPhraseLength: Math.max(...Array.from(phraseIndex.byUnbrokenText.keys(), (phrase) => phrase.length)),
    correctSpelling: makeSpellingCorrector(
      Array.from(phraseIndex.byWords.keys()).concat(Array.from(phraseIndex.byPrefix.keys()))
    ),
    stopWords: parseWordList(STOP_WORDS),
    unbrokenStopWords: parseWordList(UNBROKEN_STOP_WORDS)
  }
}

let builtLexicon: ReturnType<typeof buildLexicon> | undefined

/** Built lazily, because it takes 50 ms. */
const getLexicon = () => (builtLexicon ??= buildLexicon())

/**
 * A compound word can have two groups: meanings of its beginning and of its ending. The meanings of a group are
 * alternatives.
 */
interface MeaningMatch {
  readonly length: number
  readonly groups: ReadonlyArray<Meanings>
}

/**
 * Finds the longest known phrase. Exact words take precedence over prefixes and suffixes, and these over stems, which
 * may match a word of another language.
 */
export const matchMeaning = (runs: ReadonlyArray<TextRun>, at: number): MeaningMatch | undefined => {
  for (let length = Math.min(findMaxPhraseLength(runs[at]), runs.length - at); length > 0; length--) {
    const phrase = runs.slice(at, at + length)
    const groups = meaningGroupsOf(phrase)
    if (groups.length > 0) return { length, groups }
  }
  return undefined
}

const findMaxPhraseLength = (first: TextRun | undefined): number => {
  if (first === undefined) return 0
  const { phraseLengths } = getLexicon().phraseIndex
  return Math.max(1, phraseLengths.get(first.text) ?? 0, phraseLengths.get(stemOf(first.text)) ?? 0)
}

const meaningGroupsOf = (phrase: ReadonlyArray<TextRun>): ReadonlyArray<Meanings> => {
  const exact = getLexicon().phraseIndex.byWords.get(textOfRuns(phrase))
  if (exact !== undefined) return [exact]
  const [word, ...more] = phrase
  if (word === undefined || isStopWord(word.text)) return more.length === 0 ? [] : meaningsByStems(phrase)
  const parts = more.length === 0 ? meaningsByAffixes(word.text) : []
  return parts.length > 0 ? parts : meaningsByStems(phrase)
}

const meaningsByStems = (phrase: ReadonlyArray<TextRun>): ReadonlyArray<Meanings> => {
  const meanings = getLexicon().phraseIndex.byStems.get(stemsOfRuns(phrase))
  return meanings === undefined ? [] : [meanings]
}

const meaningsByAffixes = (word: string): ReadonlyArray<Meanings> => {
  const { phraseIndex } = getLexicon()
  const beginning = findLongest(word.length, (length) => phraseIndex.byPrefix.get(word.slice(0, length)))
  const ending = findLongest(word.length, (length) => phraseIndex.bySuffix.get(word.slice(-length)))
  return [beginning, ending].flatMap((each) => (each === undefined ? [] : [each]))
}

const findLongest = <A>(most: number, lookUp: (length: number) => A | undefined): A | undefined => {
  for (let length = Math.min(most, 24); length > 1; length--) {
    const value = lookUp(length)
    if (value !== undefined) return value
  }
  return undefined
}

export const meaningsOfMisspelling = (word: string): Meanings | undefined => {
  const { phraseIndex, correctSpelling } = getLexicon()
  const corrected = isStopWord(word) ? undefined : correctSpelling(word)
  return corrected === undefined
    ? undefined
    : (phraseIndex.byWords.get(corrected) ?? phraseIndex.byPrefix.get(corrected))
}

/** Like {@link matchMeaning}, for scripts without word breaks. `at` and `length` count characters. */
export const matchUnbrokenMeaning = (text: string, at: number): MeaningMatch | undefined => {
  const { phraseIndex, maxUnbrokenPhraseLength } = getLexicon()
  for (let length = Math.min(maxUnbrokenPhraseLength, text.length - at); length > 0; length--) {
    const meanings = phraseIndex.byUnbrokenText.get(text.slice(at, at + length))
    if (meanings !== undefined) return { length, groups: [meanings] }
  }
  return undefined
}

export const isStopWord = (word: string): boolean => getLexicon().stopWords.has(word)

export const findStopWordLength = (text: string, at: number): number => {
  const { unbrokenStopWords } = getLexicon()
  for (let length = Math.min(MAX_STOP_WORD_LENGTH, text.length - at); length > 0; length--) {
    if (unbrokenStopWords.has(text.slice(at, at + length))) return length
  }
  return 0
}

const MAX_STOP_WORD_LENGTH = 8
