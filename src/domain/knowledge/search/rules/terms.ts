import { folded, type Run, runsOf, stemOf } from "./folding.ts"
import { isUnsaying, type Meanings, meantAt, meantFrom, unsayingAt, type Weighing } from "./lexicon.ts"

/** Something that a text speaks of: a meaning, the stem of a word, or two characters of a script without word breaks. */
export interface Term {
  /** The names it is found by: one is enough. */
  readonly names: ReadonlyArray<string>
  readonly weighing: Weighing | "word" | "pair"
}

/** What a word that nobody knows may be about all the same. */
type Guess = (word: string) => Meanings | undefined

const noGuess: Guess = () => undefined

/** What a text speaks of, in its order. Words that say nothing are left out, and what is repeated is not. */
export const termsOf = (text: string, guess = noGuess): ReadonlyArray<Term> => {
  const runs = runsOf(folded(text))
  const terms: Array<Term> = []
  for (let at = 0; at < runs.length; ) {
    const run = runs[at]
    if (run === undefined) break
    if (run.unbroken) {
      terms.push(...termsOfUnbroken(run.text))
      at += 1
      continue
    }
    const meant = meantFrom(runs, at)
    terms.push(...(meant === undefined ? termsOfWord(run, guess) : meant.groups.map(termOfMeanings)))
    at += meant?.length ?? 1
  }
  return terms
}

const termOfMeanings = (meanings: ReadonlyArray<{ readonly name: string; readonly weighing: Weighing }>): Term => ({
  names: meanings.map(({ name }) => name),
  weighing: meanings[0]?.weighing ?? "topic"
})

/** A word that is guessed is found by itself too: the host may have written just that. */
const termsOfWord = ({ text }: Run, guess: Guess): ReadonlyArray<Term> => {
  if (isUnsaying(text) || (text.length === 1 && !/\p{N}/u.test(text))) return []
  const meanings = guess(text)
  if (meanings === undefined) return [{ names: [stemOf(text)], weighing: "word" }]
  const { names, weighing } = termOfMeanings(meanings)
  return [{ names: [...names, stemOf(text)], weighing }]
}

const termsOfUnbroken = (text: string): ReadonlyArray<Term> => {
  const terms: Array<Term> = []
  let rest = ""
  for (let at = 0; at < text.length; ) {
    const meant = meantAt(text, at)
    const unsaying = unsayingAt(text, at)
    if (meant === undefined && unsaying === 0) {
      rest += text[at] ?? ""
      at += 1
      continue
    }
    terms.push(...pairsOf(rest))
    rest = ""
    if (meant !== undefined && meant.length >= unsaying) {
      terms.push(...meant.groups.map(termOfMeanings))
      at += meant.length
    } else at += unsaying
  }
  return [...terms, ...pairsOf(rest)]
}

const pairsOf = (text: string): ReadonlyArray<Term> => {
  const characters = Array.from(text)
  return characters.slice(1).map((second, at) => ({ names: [`${characters[at]}${second}`], weighing: "pair" }))
}

/** All names of some terms, each once. */
export const namesOf = (terms: ReadonlyArray<Term>): ReadonlySet<string> => new Set(terms.flatMap(({ names }) => names))
