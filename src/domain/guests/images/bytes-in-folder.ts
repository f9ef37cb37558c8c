import { hash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { errorCodeOf } from "../../../platform/database/reason.ts"
import { ImageStoreFull, type KeptBytes } from "./kept-bytes.ts"

/** Milliseconds in which a folder must have done what it is asked: it may be mounted from elsewhere. */
const FOLDER_MS = 20_000

/** Nobody's but the user's that runs the service, as the data folder's. */
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]

/**
 * The file of an image: named by its token, so that two databases that use one folder do not meet, and not with it, so that
 * neither a listing of the folder nor an error shows an address. There are 256 folders of them.
 */
const fileOf = (folder: string, token: string): string => {
  const name = hash("sha256", token, "hex").slice(0, 40)
  return join(folder, name.slice(0, 2), `${name}.jpg`)
}

/** What a file is called until it is whole. One name: who is killed meanwhile leaves nothing that nobody knows of. */
const unfinished = (file: string): string => `${file}.unfinished`

const write = async (file: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  const inFolder = dirname(file)
  const made = await Fs.mkdir(inFolder, { recursive: true, mode: FOLDER_MODE })
  await Fs.writeFile(unfinished(file), bytes, { mode: FILE_MODE, flush: true, signal })
  // Given up meanwhile, its row may be gone: it must not appear after that.
  signal.throwIfAborted()
  await Fs.rename(unfinished(file), file)
  await onDisk(inFolder)
  if (made !== undefined) await onDisk(dirname(inFolder))
}

/** Error codes of a full file system: of its disk, or of the quota of this user. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

const isFull = (error: unknown): boolean => FULL.has(errorCodeOf(error))

/** Sees to it that the names in a folder outlive a power failure; not every file system that is mounted can do so. */
const onDisk = (folder: string): Promise<void> =>
  Fs.open(folder, "r")
    .then((opened) => opened.sync().finally(() => opened.close()))
    .catch(() => undefined)

const read = async (file: string, from: number, length: number): Promise<Uint8Array> => {
  const opened = await Fs.open(file, "r")
  return pieceOf(opened, from, new Uint8Array(length)).finally(() => opened.close())
}

/** What there is from the byte `from`, as much as there is room for: one read may answer less. */
const pieceOf = async (opened: Fs.FileHandle, from: number, room: Uint8Array): Promise<Uint8Array> => {
  let had = 0
  while (had < room.length) {
    const { bytesRead } = await opened.read(room, had, room.length - had, from + had)
    if (bytesRead === 0) break
    had += bytesRead
  }
  return room.subarray(0, had)
}

const remove = async (file: string): Promise<void> => {
  await Fs.rm(unfinished(file), { force: true })
  await Fs.rm(file, { force: true })
}

const isMissing = (error: unknown): boolean => errorCodeOf(error) === "ENOENT"

/** What is asked of the folder, within the time it has. */
const inTime = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause }).pipe(
    Effect.timeoutOrElse({
      duration: FOLDER_MS,
      orElse: () => Effect.fail(new Error(`the image folder has not answered within ${FOLDER_MS} ms`))
    })
  )

/** The bytes of images as files in a folder. */
export const bytesInFolder = (folder: string): KeptBytes => ({
  write: ({ token }, bytes) =>
    inTime((signal) => write(fileOf(folder, token), bytes, signal)).pipe(
      Effect.catch((error) => (isFull(error) ? Effect.fail(new ImageStoreFull()) : Effect.die(error)))
    ),
  read: ({ token }, from, length) =>
    inTime(() => read(fileOf(folder, token), from, length)).pipe(
      Effect.catchIf(isMissing, () => Effect.succeed(new Uint8Array())),
      Effect.orDie
    ),
  remove: ({ token }) => Effect.orDie(inTime(() => remove(fileOf(folder, token))))
})

/** Whether there is such a folder, and this process may read and write in it. */
export const isUsable = (folder: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    // The dot asks for a folder: `join` would take it away.
    Fs.access(`${folder}/.`, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK).then(
      () => true,
      () => false
    )
  )
