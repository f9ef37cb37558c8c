import { Data, Effect, Result, Schema } from "effect"
import { type BackupPiece, type RowsPiece, StructurePiece, type TableHeader } from "./backup-pieces.ts"

// A backup has one JSON value per line: an object is a structure piece, a string is a row.

/** A row with an image of 5 MiB fits into a line. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024

const toJson = Schema.encodeSync(StructurePiece)

export const isRowsPiece = (piece: BackupPiece): piece is RowsPiece => "some" in piece

export class BackupLineTooLong extends Data.TaggedError("BackupLineTooLong")<{ readonly message: string }> {}

const MAX_KEY_CHARACTERS = 100

const findFieldEnd = (row: string, start: number): number => {
  let position = start
  let quoted = false
  while (position < row.length && (quoted || (row[position] !== "," && row[position] !== ")"))) {
    if (row[position] === "\\") position++
    else if (row[position] === '"') quoted = !quoted
    position++
  }
  return position
}

const describeRow = (row: string, { table, columns, key = [] }: TableHeader): string => {
  const keyTexts: Array<string> = []
  let position = 1
  for (const { name } of columns) {
    if (keyTexts.length === key.length) break
    const end = findFieldEnd(row, position)
    if (key.includes(name))
      keyTexts.push(`${name} ${row.slice(position, Math.min(end, position + MAX_KEY_CHARACTERS))}`)
    position = end + 1
  }
  return [table, ...keyTexts].join(", ")
}

export const makeBackupLineWriter = (maxCharacters = MAX_LINE_CHARACTERS) => {
  let currentTable: TableHeader | undefined
  const checkLength = (line: string, describe: () => string): Result.Result<string, BackupLineTooLong> => {
    if (line.length <= maxCharacters) return Result.succeed(`${line}\n`)
    const message = `${describe()}: has ${line.length} characters as a line of a backup, more than ${maxCharacters}`
    return Result.fail(new BackupLineTooLong({ message }))
  }
  const writeRow = (row: string) =>
    checkLength(JSON.stringify(row), () =>
      currentTable === undefined ? "a row of no table" : describeRow(row, currentTable)
    )
  return (piece: BackupPiece): Result.Result<string, BackupLineTooLong> => {
    if (isRowsPiece(piece)) return Result.map(Result.all(piece.some.map(writeRow)), (lines) => lines.join(""))
    if ("table" in piece) currentTable = piece
    return checkLength(JSON.stringify(toJson(piece)), () =>
      "image" in piece ? `image ${piece.image.id}` : "the structure"
    )
  }
}

const fromJson = Schema.decodeUnknownResult(StructurePiece)
const parseJson = (line: string) => Result.try((): unknown => JSON.parse(line))

export class InvalidBackupLine extends Schema.TaggedError<InvalidBackupLine>()("InvalidBackupLine", {}) {}

export const parseBackupLine = (
  line: string
): Effect.Effect<string | Exclude<BackupPiece, RowsPiece>, InvalidBackupLine> => {
  const value = Result.getOrUndefined(parseJson(line))
  if (typeof value === "string") return Effect.succeed(value)
  return Effect.mapError(Effect.fromResult(fromJson(value)), () => new InvalidBackupLine())
}

export const makeLineSplitter = (maxCharacters = MAX_LINE_CHARACTERS) => {
  /** The unfinished line, in parts. Joining them for each chunk would copy a long line again and again. */
  let fragments: ReadonlyArray<string> = []
  let pending = 0
  return {
    push: (chunk: string): Result.Result<ReadonlyArray<string>, InvalidBackupLine> => {
      const lines = chunk.includes("\n") ? [...fragments, chunk].join("").split("\n") : undefined
      const last = lines?.pop()
      fragments = last === undefined ? [...fragments, chunk] : last === "" ? [] : [last]
      pending = last === undefined ? pending + chunk.length : last.length
      const isTooLong = pending > maxCharacters || lines?.some(({ length }) => length > maxCharacters) === true
      return isTooLong ? Result.fail(new InvalidBackupLine()) : Result.succeed(lines ?? [])
    },
    isAtLineEnd: () => pending === 0
  }
}
