// Words of guests who type in a hurry.

/** Letters of a word from which on a slip leaves it what it is: shorter ones are too often another word. */
const MIN_CORRECTABLE_LENGTH = 7

/** Letters of a word that is looked at. */
const MAX_CORRECTABLE_LENGTH = 24

/** Words that differ by one letter have what is left of them in common when one letter is left out, or none. */
const deletionsOf = (word: string): ReadonlyArray<string> => [
  word,
  ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))
]

const isCorrectable = (word: string): boolean =>
  word.length >= MIN_CORRECTABLE_LENGTH && word.length <= MAX_CORRECTABLE_LENGTH && /^\p{L}+$/u.test(word)

/** How many letters stand in both at the same place, from the beginning and from the end. */
const countSharedLetters = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  let begin = 0
  while (begin < length && one[begin] === other[begin]) begin++
  let end = 0
  while (end < length - begin && one.at(-1 - end) === other.at(-1 - end)) end++
  return begin + end
}

/**
 * Whether one letter inside is missing or too many, or two that stand side by side have changed places. With another letter in
 * place of one it is mostly another word ("message" is no massage), and with one more at its end another form of one.
 */
const isOneEditApart = (one: string, other: string): boolean => {
  if (one[0] !== other[0] || one.at(-1) !== other.at(-1)) return false
  const length = Math.max(one.length, other.length)
  const differences = length - countSharedLetters(one, other)
  return one.length === other.length ? differences === 2 && isOneSwapApart(one, other) : differences === 1
}

const isOneSwapApart = (one: string, other: string): boolean => {
  const at = Array.from(one).findIndex((letter, place) => letter !== other[place])
  return one[at] === other[at + 1] && one[at + 1] === other[at]
}

/** Words by what is left of them without one letter. */
const indexByDeletions = (words: Iterable<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const index = new Map<string, Array<string>>()
  for (const word of words) {
    if (!isCorrectable(word)) continue
    for (const deletion of deletionsOf(word)) index.set(deletion, [...(index.get(deletion) ?? []), word])
  }
  return index
}

/** What somebody means who misspells one of these words: the first that is one slip apart. They are looked through when the first asks. */
export const makeSpellingCorrector = (words: Iterable<string>): ((word: string) => string | undefined) => {
  let index: ReadonlyMap<string, ReadonlyArray<string>> | undefined
  return (word) => {
    if (!isCorrectable(word)) return undefined
    index ??= indexByDeletions(words)
    return deletionsOf(word)
      .flatMap((deletion) => index?.get(deletion) ?? [])
      .find((each) => isOneEditApart(word, each))
  }
}
