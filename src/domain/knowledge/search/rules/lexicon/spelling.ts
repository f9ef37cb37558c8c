/** Shorter words too often differ from another word by one letter. */
const MIN_CORRECTABLE_LENGTH = 7

const MAX_CORRECTABLE_LENGTH = 24

/** Words one edit apart share at least one of these strings. */
const deletionsOf = (word: string): ReadonlyArray<string> => [
  word,
  ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))
]

const isCorrectable = (word: string): boolean =>
  word.length >= MIN_CORRECTABLE_LENGTH && word.length <= MAX_CORRECTABLE_LENGTH && /^\p{L}+$/u.test(word)

const countSharedLetters = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  let begin = 0
  while (begin < length && one[begin] === other[begin]) begin++
  let end = 0
  while (end < length - begin && one.at(-1 - end) === other.at(-1 - end)) end++
  return begin + end
}

/**
 * An edit adds, omits or swaps inner letters. A replaced letter mostly gives another word ("message", "massage"), and
 * another last letter another form of the word.
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

const indexByDeletions = (words: Iterable<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const index = new Map<string, Array<string>>()
  for (const word of words) {
    if (!isCorrectable(word)) continue
    for (const deletion of deletionsOf(word)) index.set(deletion, [...(index.get(deletion) ?? []), word])
  }
  return index
}

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
