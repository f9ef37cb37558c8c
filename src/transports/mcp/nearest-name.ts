/**
 * Returns the nearest candidate if at most a third of the name's letters differ. Case and punctuation do not count. A
 * missing beginning or end counts as one letter.
 */
export const findNearestName = (name: string, candidates: ReadonlyArray<string>): string | undefined => {
  const letters = normalizeName(name)
  const [closest] = candidates
    .map((each) => ({ each, distance: computeNameDistance(letters, normalizeName(each)) }))
    .filter(({ distance }) => distance <= letters.length / 3)
    .sort((one, other) => one.distance - other.distance)
  return closest?.each
}

const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const MIN_AFFIX_LENGTH = 4

const computeNameDistance = (name: string, candidate: string): number => {
  const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name]
  const isAffix = short.length >= MIN_AFFIX_LENGTH && (long.startsWith(short) || long.endsWith(short))
  return isAffix ? Math.min(1, long.length - short.length) : computeEditDistance(name, candidate)
}

const computeEditDistance = (one: string, other: string): number =>
  Array.from(one).reduce(
    (previousRow, letter, row) => {
      const currentRow = [row + 1]
      for (let column = 1; column <= other.length; column++) {
        const substitutionCost = (previousRow[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1)
        currentRow.push(Math.min(substitutionCost, (previousRow[column] ?? 0) + 1, (currentRow[column - 1] ?? 0) + 1))
      }
      return currentRow
    },
    Array.from({ length: other.length + 1 }, (_, column) => column)
  )[other.length] ?? 0
