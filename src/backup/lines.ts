import { Effect, Result, Schema } from "effect"
import { type Piece, type Rows, Structure } from "./pieces.ts"

// A piece as lines of JSON: an object says what comes, a text is a row.

/** Characters of a line: the longest there is holds an image of 5 MiB. */
export const LINE_CHARACTERS = 64 * 1024 * 1024

const toJson = Schema.encodeSync(Structure)

export const isRows = (piece: Piece): piece is Rows => "some" in piece

export const linesOf = (piece: Piece): string =>
  isRows(piece) ? piece.some.map((row) => `${JSON.stringify(row)}\n`).join("") : `${JSON.stringify(toJson(piece))}\n`

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
