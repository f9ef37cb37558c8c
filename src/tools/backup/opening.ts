import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import * as Fs from "node:fs/promises"
import { StringDecoder } from "node:string_decoder"
import { createZstdDecompress } from "node:zlib"
import { Data, Effect, type Scope, Stream } from "effect"
import { lineCutter, readLine, StrangeLine } from "./lines.ts"
import { FORMAT_VERSION, type Header, type Piece } from "./pieces.ts"
import { isCompressed, SEAL_BYTES, sealOf } from "./seal.ts"

/** The file is no backup that can be restored. */
export class UnusableBackup extends Data.TaggedError("UnusableBackup")<{
  readonly file: string
  readonly why: string
}> {
  override get message(): string {
    return `FILE: ${this.file} ${this.why}`
  }
}

const FOREIGN = "is not a backup of Latchkey"
const DAMAGED = "is incomplete or was changed: its checksum does not match"
const STRANGE = "is not a backup of Latchkey, or a newer release wrote it"

/** Rows, and characters of them, that are handed on together. */
const BATCH_ROWS = 2_000
const BATCH_CHARACTERS = 4 * 1024 * 1024

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A backup whose seal is right. */
export interface SoundBackup {
  readonly header: Header
  /** Tells its pieces but for the header, from the beginning; once more each time. */
  readonly tellInto: <E, R>(
    tell: (piece: Piece) => Effect.Effect<void, E, R>
  ) => Effect.Effect<void, E | UnusableBackup, R>
}

/** Looks through the whole file, and at its first line. What is read of it later is the same file, whatever its name leads to by then. */
export const openBackup = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<SoundBackup, UnusableBackup, Scope.Scope> {
  const unusable = (why: string) => new UnusableBackup({ file, why })
  const inFile = <A>(work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (cause) => unusable(`cannot be read: ${reasonOf(cause)}`) })
  const opened = yield* Effect.acquireRelease(
    inFile(() => Fs.open(file, "r")),
    (handle) => Effect.promise(() => handle.close())
  )
  const { size } = yield* inFile(() => opened.stat())
  const content = size - SEAL_BYTES
  const ends = yield* inFile(() => endsOf(opened, Math.max(content, 0)))
  if (!isCompressed(ends.first)) return yield* unusable(FOREIGN)
  if (content <= 0 || !sealOf(yield* inFile(() => sha256Of(opened, content))).equals(ends.seal)) {
    return yield* unusable(DAMAGED)
  }
  const pieces = Stream.suspend(() => piecesIn(opened, content)).pipe(
    Stream.mapError((error) => unusable(error instanceof StrangeLine ? STRANGE : reasonOf(error)))
  )
  const first = yield* Stream.runHead(pieces)
  const header = first._tag === "Some" && "format" in first.value ? first.value : undefined
  if (header === undefined) return yield* unusable(STRANGE)
  if (header.version !== FORMAT_VERSION) {
    return yield* unusable(
      `has format ${header.version}, which this release does not know: restore it with Latchkey ${header.latchkey} or later`
    )
  }
  return { header, tellInto: (tell) => Stream.runForEach(Stream.drop(pieces, 1), tell) }
})

const endsOf = async (opened: Fs.FileHandle, content: number) => {
  const [first, seal] = [Buffer.alloc(4), Buffer.alloc(SEAL_BYTES)]
  await opened.read(first, 0, first.length, 0)
  await opened.read(seal, 0, seal.length, content)
  return { first, seal }
}

const readStream = (opened: Fs.FileHandle, bytes: number) =>
  createReadStream("", { fd: opened, start: 0, end: bytes - 1, autoClose: false })

const sha256Of = async (opened: Fs.FileHandle, bytes: number): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of readStream(opened, bytes)) hash.update(chunk)
  return hash.digest("hex")
}

async function* textIn(opened: Fs.FileHandle, bytes: number): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8")
  const compressed = readStream(opened, bytes)
  const plain = createZstdDecompress()
  compressed.on("error", (error) => plain.destroy(error))
  for await (const chunk of compressed.pipe(plain)) yield decoder.write(chunk)
}

/** What lines say, with rows that follow one another put together. */
const piecesIn = (opened: Fs.FileHandle, bytes: number): Stream.Stream<Piece, unknown> => {
  const cutter = lineCutter()
  const lines = Stream.fromAsyncIterable(textIn(opened, bytes), (cause) => cause).pipe(
    Stream.mapEffect((text) => Effect.fromResult(cutter.push(text)))
  )
  let [some, characters]: [Array<string>, number] = [[], 0]
  const gathered = (): ReadonlyArray<Piece> => {
    const rows = some
    ;[some, characters] = [[], 0]
    return rows.length === 0 ? [] : [{ some: rows }]
  }
  const taken = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
    const pieces: Array<Piece> = []
    for (const text of texts) {
      const said = yield* readLine(text)
      if (typeof said !== "string") pieces.push(...gathered(), said)
      else {
        some.push(said)
        characters += said.length
        if (some.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) pieces.push(...gathered())
      }
    }
    return pieces
  })
  const whole = Effect.suspend(() => (cutter.isWhole() ? Effect.succeed(gathered()) : Effect.fail(new StrangeLine())))
  return Stream.flattenIterable(Stream.concat(Stream.mapEffect(lines, taken), Stream.fromEffect(whole)))
}
