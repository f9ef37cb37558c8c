import { folded, type Run, runsOf, stemOf } from "./folding.ts"
import { ASPECTS, CIRCUMSTANCES, CONDITIONS, CONTEXTS, UNSAYING, UNSAYING_UNBROKEN } from "./lexicon/contexts.ts"
import { MANNERS } from "./lexicon/manners.ts"
import { spelling } from "./lexicon/misspelt.ts"
import { TOPICS } from "./lexicon/topics.ts"

// What words are about, whatever language they are of.

/**
 * How much of a question a meaning is: its subject, on what condition that is asked for, what stands beside it, or what is asked
 * of it.
 */
export type Weighing = "topic" | "condition" | "context" | "aspect"

/** A meaning that words may have; its name is a term like a word, and none that anybody writes. */
interface Meaning {
  readonly name: string
  readonly weighing: Weighing
}

export type Meanings = ReadonlyArray<Meaning>

/** Ways of saying things, by how they are found. */
interface Ways {
  /** As it is written, words with one blank between them. */
  readonly exact: Map<string, Array<Meaning>>
  /** Word by word as stems. */
  readonly alike: Map<string, Array<Meaning>>
  readonly beginnings: Map<string, Array<Meaning>>
  readonly endings: Map<string, Array<Meaning>>
  readonly unbroken: Map<string, Array<Meaning>>
  /** Words of the longest way of saying something that begins with a word, by that word and by its stem. */
  readonly phrases: Map<string, number>
}

const named = (names: Readonly<Record<string, string>>, weighing: Weighing) =>
  Object.entries(names).map(([name, ways]) => ({ meaning: { name: `about${name}`, weighing }, ways: ways.split(",") }))

const put = (into: Map<string, Array<Meaning>>, key: string, meaning: Meaning) => {
  const known = into.get(key)
  if (known === undefined) into.set(key, [meaning])
  else if (!known.includes(meaning)) known.push(meaning)
}

const phraseOf = (runs: ReadonlyArray<Run>): string => runs.map(({ text }) => text).join(" ")
const stemsOf = (runs: ReadonlyArray<Run>): string => runs.map(({ text }) => stemOf(text)).join(" ")

const waysOf = (): Ways => {
  const ways: Ways = {
    exact: new Map(),
    alike: new Map(),
    beginnings: new Map(),
    endings: new Map(),
    unbroken: new Map(),
    phrases: new Map()
  }
  for (const { meaning, ways: said } of [
    ...named(TOPICS, "topic"),
    ...named(MANNERS, "topic"),
    ...named(CONDITIONS, "condition"),
    ...named(CONTEXTS, "context"),
    ...named(CIRCUMSTANCES, "aspect"),
    ...named(ASPECTS, "aspect")
  ]) {
    for (const way of said) enter(ways, folded(way).trim(), meaning)
  }
  return ways
}

const enter = (ways: Ways, way: string, meaning: Meaning): void => {
  const runs = runsOf(way)
  const [first] = runs
  if (first === undefined) return
  if (first.unbroken) put(ways.unbroken, runs.map(({ text }) => text).join(""), meaning)
  else if (way.startsWith("*")) put(ways.endings, first.text, meaning)
  else if (way.endsWith("*") && runs.length === 1) put(ways.beginnings, first.text, meaning)
  else {
    for (const word of [first.text, stemOf(first.text)]) {
      ways.phrases.set(word, Math.max(runs.length, ways.phrases.get(word) ?? 0))
    }
    put(ways.exact, phraseOf(runs), meaning)
    if (!way.endsWith("!")) put(ways.alike, stemsOf(runs), meaning)
  }
}

const ways = waysOf()

/** Characters of the longest way of saying something in a script without word breaks. */
const LONGEST = Math.max(...Array.from(ways.unbroken.keys(), (way) => way.length))

/** A stretch of runs, or of characters of one, and the meanings it has; each group is one meaning or another. */
interface Meant {
  readonly length: number
  readonly groups: ReadonlyArray<Meanings>
}

/**
 * What the words from here on are about: the longest way of saying something that is known. A word as it is written comes before
 * its beginning, and that before words that are only like it: those may be of another language.
 */
export const meantFrom = (runs: ReadonlyArray<Run>, at: number): Meant | undefined => {
  for (let length = Math.min(longestFrom(runs[at]), runs.length - at); length > 0; length--) {
    const said = runs.slice(at, at + length)
    const groups = groupsOf(said)
    if (groups.length > 0) return { length, groups }
  }
  return undefined
}

/** Words of the longest way of saying something that may begin here: most words begin none of several. */
const longestFrom = (first: Run | undefined): number =>
  first === undefined ? 0 : Math.max(1, ways.phrases.get(first.text) ?? 0, ways.phrases.get(stemOf(first.text)) ?? 0)

const groupsOf = (said: ReadonlyArray<Run>): ReadonlyArray<Meanings> => {
  const exact = ways.exact.get(phraseOf(said))
  if (exact !== undefined) return [exact]
  const [word, ...more] = said
  if (word === undefined || isUnsaying(word.text)) return more.length === 0 ? [] : alikeTo(said)
  const parts = more.length === 0 ? partsOf(word.text) : []
  return parts.length > 0 ? parts : alikeTo(said)
}

const alikeTo = (said: ReadonlyArray<Run>): ReadonlyArray<Meanings> => {
  const meanings = ways.alike.get(stemsOf(said))
  return meanings === undefined ? [] : [meanings]
}

/** What the beginning and the end of a word are about. */
const partsOf = (word: string): ReadonlyArray<Meanings> => {
  const beginning = longest(word.length, (length) => ways.beginnings.get(word.slice(0, length)))
  const ending = longest(word.length, (length) => ways.endings.get(word.slice(-length)))
  return [beginning, ending].flatMap((each) => (each === undefined ? [] : [each]))
}

const longest = <A>(most: number, found: (length: number) => A | undefined): A | undefined => {
  for (let length = Math.min(most, 24); length > 1; length--) {
    const there = found(length)
    if (there !== undefined) return there
  }
  return undefined
}

const spelt = spelling(Array.from(ways.exact.keys()).concat(Array.from(ways.beginnings.keys())))

/** What a word is about that nobody knows, if it is misspelt. */
export const meantByMisspelt = (word: string): Meanings | undefined => {
  const right = isUnsaying(word) ? undefined : spelt(word)
  return right === undefined ? undefined : (ways.exact.get(right) ?? ways.beginnings.get(right))
}

/** What the characters from here on are about, in a script without word breaks. */
export const meantAt = (text: string, at: number): Meant | undefined => {
  for (let length = Math.min(LONGEST, text.length - at); length > 0; length--) {
    const meanings = ways.unbroken.get(text.slice(at, at + length))
    if (meanings !== undefined) return { length, groups: [meanings] }
  }
  return undefined
}

const wordsIn = (text: string): ReadonlySet<string> => new Set(runsOf(folded(text)).map(({ text }) => text))

const unsaying = wordsIn(UNSAYING)
const unsayingUnbroken = wordsIn(UNSAYING_UNBROKEN)

/** Whether a word says nothing of what a question is about. */
export const isUnsaying = (word: string): boolean => unsaying.has(word)

/** How many characters from here on say nothing of it. */
export const unsayingAt = (text: string, at: number): number => {
  for (let length = Math.min(UNSAYING_TEXT, text.length - at); length > 0; length--) {
    if (unsayingUnbroken.has(text.slice(at, at + length))) return length
  }
  return 0
}

/** Characters of the longest of {@link UNSAYING_UNBROKEN} that are looked at. */
const UNSAYING_TEXT = 8
