import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { constants, createZstdCompress, type ZstdCompress } from "node:zlib"
import { Data, Effect, Result, type Scope } from "effect"
import { lineWriter, type TooLongLine } from "./lines.ts"
import type { Tell } from "./reading.ts"
import { sealOf } from "./seal.ts"

/** The file could not be written, or is there already. */
export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

const notBackedUp = ({ message }: TooLongLine) =>
  new NotWritten({ message: `the backup could not be restored, because a row is too long: ${message}` })

/** Nobody's but the user's that makes it. */
const MODE = 0o600
/** Zstandard's own default: higher ones take long and save little. */
const LEVEL = 3

const inFile = <A>(file: string, work: () => Promise<A>): Effect.Effect<A, NotWritten> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new NotWritten({
        message: `FILE: ${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const whatIsThere = (file: string): Promise<"nothing" | "a file" | "something else"> =>
  Fs.lstat(file).then(
    (there) => (there.isFile() ? "a file" : "something else"),
    () => "nothing"
  )

/** What is no file is never made one: whoever tries a backup out on /dev/null would have no /dev/null any more. */
const refuseWhatIsThere = Effect.fnUntraced(function* (file: string, force: boolean) {
  if (file === "") return yield* new NotWritten({ message: "FILE: must name a file" })
  const there = yield* inFile(file, () => whatIsThere(file))
  if (there === "something else") return yield* new NotWritten({ message: `FILE: must be a regular file, not ${file}` })
  if (force || there === "nothing") return
  return yield* new NotWritten({ message: `FILE: ${file} exists; name another file or add --force` })
})

interface Written {
  /** Of the file. */
  readonly bytes: number
  readonly sha256: string
}

/**
 * Writes a backup of the pieces that `telling` tells: under another name beside it, which becomes the file's own once it is
 * whole and on the disk. Whatever stops it before leaves what was there. `most` characters a line may have: a longer one could
 * be written, and never be read again.
 */
export const writeBackup = <A, E, R>(
  file: string,
  force: boolean,
  telling: (tell: Tell<NotWritten>) => Effect.Effect<A, E, R>,
  most?: number
): Effect.Effect<readonly [A, Written], E | NotWritten, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    yield* refuseWhatIsThere(file, force)
    const unfinished = `${file}.unfinished-${randomBytes(4).toString("hex")}`
    const opened = yield* Effect.acquireRelease(
      inFile(file, () => Fs.open(unfinished, "wx", MODE)),
      (handle) => Effect.promise(() => handle.close().then(() => Fs.rm(unfinished, { force: true })))
    )
    const { tell, finish } = yield* compressing(file, opened, lineWriter(most))
    const told = yield* telling(tell)
    const written = yield* finish
    yield* refuseWhatIsThere(file, force)
    yield* Effect.uninterruptible(inFile(file, () => named(unfinished, file)))
    return [told, written] as const
  }).pipe(Effect.scoped)

/** Whole under its name, also after a power failure; not every file system can see to the latter. */
const named = async (unfinished: string, file: string): Promise<void> => {
  await Fs.rename(unfinished, file)
  const folder = await Fs.open(dirname(resolve(file)), "r")
  await folder
    .sync()
    .catch(() => undefined)
    .finally(() => folder.close())
}

/** Compresses what it is told into the file; each piece waits until what came before it is on its way. */
const compressing = Effect.fnUntraced(function* (
  file: string,
  opened: Fs.FileHandle,
  linesOf: ReturnType<typeof lineWriter>
) {
  const compress = yield* Effect.acquireRelease(
    Effect.sync(() => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })),
    (stream) => Effect.sync(() => stream.destroy())
  )
  const pumped = pump(compress, opened)
  // It is waited for when a write fails, or at the end: until then its failure is nobody's yet.
  pumped.catch(() => {})
  const write = (text: string): Promise<void> =>
    new Promise((done, failed) => {
      // A disk that is full ends the pump, and with it what waits here.
      pumped.catch(failed)
      compress.write(text, (error) => (error ? failed(error) : done()))
    })
  return {
    tell: (piece: Parameters<Tell<NotWritten>>[0]) =>
      Effect.flatMap(Effect.fromResult(Result.mapError(linesOf(piece), notBackedUp)), (text) =>
        inFile(file, () => write(text))
      ),
    finish: inFile(file, async () => {
      compress.end()
      const { sha256, bytes } = await pumped
      const seal = sealOf(sha256)
      await opened.write(seal)
      await opened.sync()
      return { sha256, bytes: bytes + seal.length }
    })
  }
})

const pump = async (compressed: ZstdCompress, opened: Fs.FileHandle): Promise<Written> => {
  const hash = createHash("sha256")
  let bytes = 0
  for await (const chunk of compressed) {
    const piece: Uint8Array = chunk
    hash.update(piece)
    bytes += piece.length
    await writeAll(opened, piece)
  }
  return { sha256: hash.digest("hex"), bytes }
}

/** One write may take less than it is given. */
const writeAll = async (opened: Fs.FileHandle, bytes: Uint8Array): Promise<void> => {
  let written = 0
  while (written < bytes.length) written += (await opened.write(bytes, written)).bytesWritten
}
