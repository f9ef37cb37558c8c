import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { constants, createZstdCompress, type ZstdCompress } from "node:zlib"
import { Data, Effect, Result, type Scope } from "effect"
import { makeChecksumFrame } from "./backup-checksum.ts"
import { type BackupLineTooLong, makeBackupLineWriter } from "./backup-lines.ts"
import type { WritePiece } from "./database-export.ts"

class BackupNotWritten extends Data.TaggedError("BackupNotWritten")<{ readonly message: string }> {}

const toNotWritten = ({ message }: BackupLineTooLong) =>
  new BackupNotWritten({ message: `the backup could not be restored, because a row is too long: ${message}` })

const FILE_MODE = 0o600
/** Higher levels take much longer and save little. */
const COMPRESSION_LEVEL = 3

const tryFileWork = <A>(file: string, work: () => Promise<A>): Effect.Effect<A, BackupNotWritten> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new BackupNotWritten({
        message: `FILE: ${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const findEntryKind = (file: string): Promise<"nothing" | "a file" | "something else"> =>
  Fs.lstat(file).then(
    (entry) => (entry.isFile() ? "a file" : "something else"),
    () => "nothing"
  )

/** Rejects devices, because the rename would replace /dev/null by a file. */
const requireWritableFile = Effect.fnUntraced(function* (file: string, force: boolean) {
  if (file === "") return yield* new BackupNotWritten({ message: "FILE: must name a file" })
  const entryKind = yield* tryFileWork(file, () => findEntryKind(file))
  if (entryKind === "something else")
    return yield* new BackupNotWritten({ message: `FILE: must be a regular file, not ${file}` })
  if (force || entryKind === "nothing") return
  return yield* new BackupNotWritten({ message: `FILE: ${file} exists; name another file or add --force` })
})

interface WrittenFile {
  readonly bytes: number
  readonly sha256: string
}

/**
 * Writes to a temporary file and renames it after a sync, so a failure leaves an existing file unchanged. Fails if a
 * line has more than `maxLineCharacters`.
 */
export const writeBackup = <A, E, R>(
  file: string,
  force: boolean,
  writePieces: (writePiece: WritePiece<BackupNotWritten>) => Effect.Effect<A, E, R>,
  maxLineCharacters?: number
): Effect.Effect<readonly [A, WrittenFile], E | BackupNotWritten, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    yield* requireWritableFile(file, force)
    const temporaryFile = `${file}.unfinished-${randomBytes(4).toString("hex")}`
    const fileHandle = yield* Effect.acquireRelease(
      tryFileWork(file, () => Fs.open(temporaryFile, "wx", FILE_MODE)),
      (handle) => Effect.promise(() => handle.close().then(() => Fs.rm(temporaryFile, { force: true })))
    )
    const { writePiece, finish } = yield* makeCompressor(file, fileHandle, makeBackupLineWriter(maxLineCharacters))
    const result = yield* writePieces(writePiece)
    const writtenFile = yield* finish
    yield* requireWritableFile(file, force)
    yield* Effect.uninterruptible(tryFileWork(file, () => renameDurably(temporaryFile, file)))
    return [result, writtenFile] as const
  }).pipe(Effect.scoped)

/** Syncs the folder, so that the new name survives a power failure. Ignores file systems that cannot sync folders. */
const renameDurably = async (unfinished: string, file: string): Promise<void> => {
  await Fs.rename(unfinished, file)
  const folder = await Fs.open(dirname(resolve(file)), "r")
  await folder
    .sync()
    .catch(() => undefined)
    .finally(() => folder.close())
}

const makeCompressor = Effect.fnUntraced(function* (
  file: string,
  fileHandle: Fs.FileHandle,
  toLines: ReturnType<typeof makeBackupLineWriter>
) {
  const compress = yield* Effect.acquireRelease(
    Effect.sync(() => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } })),
    (stream) => Effect.sync(() => stream.destroy())
  )
  const pumping = pump(compress, fileHandle)
  // Prevents an unhandled rejection. `write` or `finish` reports the error.
  pumping.catch(() => {})
  const write = (text: string): Promise<void> =>
    new Promise((resolvePromise, reject) => {
      // If the pump has failed, for example because the disk is full, the write would never complete.
      pumping.catch(reject)
      compress.write(text, (error) => (error ? reject(error) : resolvePromise()))
    })
  return {
    writePiece: (piece: Parameters<WritePiece<BackupNotWritten>>[0]) =>
      Effect.flatMap(Effect.fromResult(Result.mapError(toLines(piece), toNotWritten)), (text) =>
        tryFileWork(file, () => write(text))
      ),
    finish: tryFileWork(file, async () => {
      compress.end()
      const { sha256, bytes } = await pumping
      const checksumFrame = makeChecksumFrame(sha256)
      await fileHandle.write(checksumFrame)
      await fileHandle.sync()
      return { sha256, bytes: bytes + checksumFrame.length }
    })
  }
})

const pump = async (compressed: ZstdCompress, fileHandle: Fs.FileHandle): Promise<WrittenFile> => {
  const hash = createHash("sha256")
  let bytes = 0
  for await (const chunk of compressed) {
    const piece: Uint8Array = chunk
    hash.update(piece)
    bytes += piece.length
    await writeAll(fileHandle, piece)
  }
  return { sha256: hash.digest("hex"), bytes }
}

const writeAll = async (fileHandle: Fs.FileHandle, bytes: Uint8Array): Promise<void> => {
  let written = 0
  while (written < bytes.length) written += (await fileHandle.write(bytes, written)).bytesWritten
}
