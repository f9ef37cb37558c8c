import { Data, Effect, Result, Schema } from "effect"
import { type Piece, type Rows, Structure, type TableBegun } from "./pieces.ts"

// A piece as lines of JSON: an object says what comes, a text is a row.

/** Characters of a line, written or read: the longest there is holds an image of 5 MiB. */
export const LINE_CHARACTERS = 64 * 1024 * 1024

const toJson = Schema.encodeSync(Structure)

export const isRows = (piece: Piece): piece is Rows => "some" in piece

/** What has no room in a line: who reads it would take the file for damaged. */
export class TooLongLine extends Data.TaggedError("TooLongLine")<{ readonly message: string }> {}

/** Characters of a column of a key that an error tells. */
const TOLD = 100

/** Where a field of a row ends that begins at a place; a quoted one has any sign in it. */
const endOf = (row: string, from: number): number => {
  let at = from
  let quoted = false
  while (at < row.length && (quoted || (row[at] !== "," && row[at] !== ")"))) {
    if (row[at] === "\\") at++
    else if (row[at] === '"') quoted = !quoted
    at++
  }
  return at
}

/** Which row it is. */
const nameOf = (row: string, { table, columns, key = [] }: TableBegun): string => {
  const told: Array<string> = []
  let at = 1
  for (const { name } of columns) {
    if (told.length === key.length) break
    const end = endOf(row, at)
    if (key.includes(name)) told.push(`${name} ${row.slice(at, Math.min(end, at + TOLD))}`)
    at = end + 1
  }
  return [table, ...told].join(", ")
}

/** Writes pieces as lines, as long as a reader takes. */
export const lineWriter = (most = LINE_CHARACTERS) => {
  let begun: TableBegun | undefined
  const fitting = (line: string, what: () => string): Result.Result<string, TooLongLine> => {
    if (line.length <= most) return Result.succeed(`${line}\n`)
    const message = `${what()}: has ${line.length} characters as a line of a backup, more than ${most}`
    return Result.fail(new TooLongLine({ message }))
  }
  const ofRow = (row: string) =>
    fitting(JSON.stringify(row), () => (begun === undefined ? "a row of no table" : nameOf(row, begun)))
  return (piece: Piece): Result.Result<string, TooLongLine> => {
    if (isRows(piece)) return Result.map(Result.all(piece.some.map(ofRow)), (lines) => lines.join(""))
    if ("table" in piece) begun = piece
    return fitting(JSON.stringify(toJson(piece)), () =>
      "image" in piece ? `image ${piece.image.id}` : "the structure"
    )
  }
}

const fromJson = Schema.decodeUnknownResult(Structure)
const parsed = (line: string) => Result.try((): unknown => JSON.parse(line))

/** A line that is none of a backup's. */
export class StrangeLine extends Schema.TaggedError<StrangeLine>()("StrangeLine", {}) {}

/** What a line holds: a row, or a piece. */
export const readLine = (line: string): Effect.Effect<string | Exclude<Piece, Rows>, StrangeLine> => {
  const value = Result.getOrUndefined(parsed(line))
  if (typeof value === "string") return Effect.succeed(value)
  return Effect.mapError(Effect.fromResult(fromJson(value)), () => new StrangeLine())
}

/** Cuts text that comes in chunks into lines. Fails where one has no end. */
export const lineCutter = (most = LINE_CHARACTERS) => {
  /** What has no end yet, not joined: a long line would be copied with each chunk. */
  let rest: ReadonlyArray<string> = []
  let pending = 0
  return {
    push: (chunk: string): Result.Result<ReadonlyArray<string>, StrangeLine> => {
      const lines = chunk.includes("\n") ? [...rest, chunk].join("").split("\n") : undefined
      const last = lines?.pop()
      rest = last === undefined ? [...rest, chunk] : last === "" ? [] : [last]
      pending = last === undefined ? pending + chunk.length : last.length
      const isTooLong = pending > most || lines?.some(({ length }) => length > most) === true
      return isTooLong ? Result.fail(new StrangeLine()) : Result.succeed(lines ?? [])
    },
    /** Whether the last line was whole. */
    isWhole: () => pending === 0
  }
}
