import {
  findStopWordLength,
  isStopWord,
  type MeaningKind,
  type Meanings,
  matchMeaning,
  matchUnbrokenMeaning
} from "./lexicon.ts"
import { foldText, splitRuns, stemOf, type TextRun } from "./text-folding.ts"

/** A known concept (meaning), the stem of another word, or a pair of characters of a script without word breaks. */
export interface Term {
  /** Alternatives: one matching name is enough. */
  readonly names: ReadonlyArray<string>
  readonly kind: MeaningKind | "word" | "pair"
}

type MeaningGuesser = (word: string) => Meanings | undefined

const guessNothing: MeaningGuesser = () => undefined

/** Keeps the order of the text. Drops stop words. */
export const extractTerms = (text: string, guessMeanings = guessNothing): ReadonlyArray<Term> => {
  const runs = splitRuns(foldText(text))
  const terms: Array<Term> = []
  for (let at = 0; at < runs.length; ) {
    const run = runs[at]
    if (run === undefined) break
    if (run.isUnbroken) {
      terms.push(...extractUnbrokenTerms(run.text))
      at += 1
      continue
    }
    const match = matchMeaning(runs, at)
    terms.push(...(match === undefined ? toWordTerms(run, guessMeanings) : match.groups.map(toTerm)))
    at += match?.length ?? 1
  }
  return terms
}

const toTerm = (meanings: ReadonlyArray<{ readonly name: string; readonly kind: MeaningKind }>): Term => ({
  names: meanings.map(({ name }) => name),
  kind: meanings[0]?.kind ?? "topic"
})

/** Keeps the stem of a misspelt word, because the entry may contain the same misspelling. */
const toWordTerms = ({ text }: TextRun, guessMeanings: MeaningGuesser): ReadonlyArray<Term> => {
  if (isStopWord(text) || (text.length === 1 && !/\p{N}/u.test(text))) return []
  const meanings = guessMeanings(text)
  if (meanings === undefined) return [{ names: [stemOf(text)], kind: "word" }]
  const { names, kind } = toTerm(meanings)
  return [{ names: [...names, stemOf(text)], kind }]
}

const extractUnbrokenTerms = (text: string): ReadonlyArray<Term> => {
  const terms: Array<Term> = []
  let unmatched = ""
  for (let at = 0; at < text.length; ) {
    const match = matchUnbrokenMeaning(text, at)
    const stopWordLength = findStopWordLength(text, at)
    if (match === undefined && stopWordLength === 0) {
      unmatched += text[at] ?? ""
      at += 1
      continue
    }
    terms.push(...toPairTerms(unmatched))
    unmatched = ""
    if (match !== undefined && match.length >= stopWordLength) {
      terms.push(...match.groups.map(toTerm))
      at += match.length
    } else at += stopWordLength
  }
  return [...terms, ...toPairTerms(unmatched)]
}

const toPairTerms = (text: string): ReadonlyArray<Term> => {
  const characters = Array.from(text)
  return characters.slice(1).map((second, at) => ({ names: [`${characters[at]}${second}`], kind: "pair" }))
}

export const termNamesOf = (terms: ReadonlyArray<Term>): ReadonlySet<string> =>
  new Set(terms.flatMap(({ names }) => names))
