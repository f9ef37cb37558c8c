import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import * as Fs from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"
import { createZstdDecompress } from "node:zlib"
import { Data, Effect, type Scope, Stream } from "effect"
import { CHECKSUM_FRAME_BYTES, isZstandard, makeChecksumFrame } from "./backup-checksum.ts"
import { InvalidBackupLine, makeLineSplitter, parseBackupLine } from "./backup-lines.ts"
import { type BackupHeader, type BackupPiece, FORMAT_VERSION } from "./backup-pieces.ts"

class UnusableBackup extends Data.TaggedError("UnusableBackup")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `FILE: ${this.file} ${this.reason}`
  }
}

const NOT_A_BACKUP = "is not a backup of Latchkey"
const CHECKSUM_MISMATCH = "is incomplete or was changed: its checksum does not match"
const UNKNOWN_FORMAT = "is not a backup of Latchkey, or a newer release wrote it"

const BATCH_ROWS = 2_000
const BATCH_CHARACTERS = 4 * 1024 * 1024

const toReason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

interface VerifiedBackup {
  readonly header: BackupHeader
  /** Each call starts again after the header. */
  readonly forEachPiece: <E, R>(
    handlePiece: (piece: BackupPiece) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E | UnusableBackup, R>
}

/** Verifies the checksum and reads the header. Later reads use the same open file, even if its path gets a new file. */
export const openBackup = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<VerifiedBackup, UnusableBackup, Scope.Scope> {
  const unusable = (reason: string) => new UnusableBackup({ file, reason })
  const tryFileWork = <A>(work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (cause) => unusable(`cannot be read: ${toReason(cause)}`) })
  const fileHandle = yield* Effect.acquireRelease(
    tryFileWork(() => Fs.open(file, "r")),
    (handle) => Effect.promise(() => handle.close())
  )
  const { size } = yield* tryFileWork(() => fileHandle.stat())
  const contentBytes = size - CHECKSUM_FRAME_BYTES
  const ends = yield* tryFileWork(() => readEnds(fileHandle, Math.max(contentBytes, 0)))
  if (!isZstandard(ends.first)) return yield* unusable(NOT_A_BACKUP)
  if (
    contentBytes <= 0 ||
    !makeChecksumFrame(yield* tryFileWork(() => computeSha256(fileHandle, contentBytes))).equals(ends.checksumFrame)
  ) {
    return yield* unusable(CHECKSUM_MISMATCH)
  }
  const pieces = Stream.suspend(() => readPieces(fileHandle, contentBytes)).pipe(
    Stream.mapError((error) => unusable(error instanceof InvalidBackupLine ? UNKNOWN_FORMAT : toReason(error)))
  )
  const first = yield* Stream.runHead(pieces)
  const header = first._tag === "Some" && "format" in first.value ? first.value : undefined
  if (header === undefined) return yield* unusable(UNKNOWN_FORMAT)
  if (header.version !== FORMAT_VERSION) {
    return yield* unusable(
      `has format ${header.version}, which this release does not know: restore it with Latchkey ${header.latchkey} or later`
    )
  }
  return { header, forEachPiece: (handlePiece) => Stream.runForEach(Stream.drop(pieces, 1), handlePiece) }
})

const readEnds = async (fileHandle: Fs.FileHandle, contentBytes: number) => {
  const [first, checksumFrame] = [Buffer.alloc(4), Buffer.alloc(CHECKSUM_FRAME_BYTES)]
  await fileHandle.read(first, 0, first.length, 0)
  await fileHandle.read(checksumFrame, 0, checksumFrame.length, contentBytes)
  return { first, checksumFrame }
}

const readStream = (fileHandle: Fs.FileHandle, bytes: number) =>
  createReadStream("", { fd: fileHandle, start: 0, end: bytes - 1, autoClose: false })

const computeSha256 = async (fileHandle: Fs.FileHandle, bytes: number): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of readStream(fileHandle, bytes)) hash.update(chunk)
  return hash.digest("hex")
}

async function* readText(fileHandle: Fs.FileHandle, bytes: number): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8")
  const compressed = readStream(fileHandle, bytes)
  const plain = createZstdDecompress()
  compressed.on("error", (error) => plain.destroy(error))
  for await (const chunk of compressed.pipe(plain)) yield decoder.write(chunk)
}

const readPieces = (fileHandle: Fs.FileHandle, bytes: number): Stream.Stream<BackupPiece, unknown> => {
  const splitter = makeLineSplitter()
  const lines = Stream.fromAsyncIterable(readText(fileHandle, bytes), (cause) => cause).pipe(
    Stream.mapEffect((text) => Effect.fromResult(splitter.push(text)))
  )
  let [pendingRows, characters]: [Array<string>, number] = [[], 0]
  const takePendingRows = (): ReadonlyArray<BackupPiece> => {
    const rows = pendingRows
    ;[pendingRows, characters] = [[], 0]
    return rows.length === 0 ? [] : [{ some: rows }]
  }
  const toPieces = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
    const pieces: Array<BackupPiece> = []
    for (const text of texts) {
      const lineContent = yield* parseBackupLine(text)
      if (typeof lineContent !== "string") pieces.push(...takePendingRows(), lineContent)
      else {
        pendingRows.push(lineContent)
        characters += lineContent.length
        if (pendingRows.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) pieces.push(...takePendingRows())
      }
    }
    return pieces
  })
  const finalPieces = Effect.suspend(() =>
    splitter.isAtLineEnd() ? Effect.succeed(takePendingRows()) : Effect.fail(new InvalidBackupLine())
  )
  return Stream.flattenIterable(Stream.concat(Stream.mapEffect(lines, toPieces), Stream.fromEffect(finalPieces)))
}
