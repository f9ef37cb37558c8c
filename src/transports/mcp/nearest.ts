/** The name it may stand for: the same but for capitals and underscores, one end of it, or a third of its letters off. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const letters = plain(name)
  const [best] = known
    .map((each) => ({ each, off: offBy(letters, plain(each)) }))
    .filter(({ off }) => off <= letters.length / 3)
    .sort((one, other) => one.off - other.off)
  return best?.each
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const SHORTEST_END = 4

const offBy = (name: string, known: string): number => {
  const [short, long] = name.length < known.length ? [name, known] : [known, name]
  const isEnd = short.length >= SHORTEST_END && (long.startsWith(short) || long.endsWith(short))
  return isEnd ? Math.min(1, long.length - short.length) : editsBetween(name, known)
}

/** Letters to insert, drop or replace to make one of the other (Levenshtein). */
const editsBetween = (one: string, other: string): number =>
  Array.from(one).reduce(
    (above, letter, row) => {
      const line = [row + 1]
      for (let column = 1; column <= other.length; column++) {
        const replaced = (above[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1)
        line.push(Math.min(replaced, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1))
      }
      return line
    },
    Array.from({ length: other.length + 1 }, (_, column) => column)
  )[other.length] ?? 0
