import { hash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { errorCodeOf } from "../../../platform/database/error-reason.ts"
import { type ImageByteStorage, ImageStoreFull } from "./image-byte-storage.ts"

/** Milliseconds in which a folder must have done what it is asked: it may be mounted from elsewhere. */
const FOLDER_TIMEOUT_MS = 20_000

/** Nobody's but the user's that runs the service, as the data folder's. */
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]

/**
 * The file of an image: named by its token, so that two databases that use one folder do not meet, and not with it, so that
 * neither a listing of the folder nor an error shows an address. There are 256 folders of them.
 */
const toFilePath = (folder: string, token: string): string => {
  const name = hash("sha256", token, "hex").slice(0, 40)
  return join(folder, name.slice(0, 2), `${name}.jpg`)
}

/** What a file is called until it is whole. One name: who is killed meanwhile leaves nothing that nobody knows of. */
const toTemporaryPath = (file: string): string => `${file}.unfinished`

const writeFile = async (file: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  const parentFolder = dirname(file)
  const createdFolder = await Fs.mkdir(parentFolder, { recursive: true, mode: FOLDER_MODE })
  await Fs.writeFile(toTemporaryPath(file), bytes, { mode: FILE_MODE, flush: true, signal })
  // Given up meanwhile, its row may be gone: it must not appear after that.
  signal.throwIfAborted()
  await Fs.rename(toTemporaryPath(file), file)
  await syncFolder(parentFolder)
  if (createdFolder !== undefined) await syncFolder(dirname(parentFolder))
}

/** Error codes of a full file system: of its disk, or of the quota of this user. */
const FULL_ERROR_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

const isFileSystemFull = (error: unknown): boolean => FULL_ERROR_CODES.has(errorCodeOf(error))

/** Sees to it that the names in a folder outlive a power failure; not every file system that is mounted can do so. */
const syncFolder = (folder: string): Promise<void> =>
  Fs.open(folder, "r")
    .then((handle) => handle.sync().finally(() => handle.close()))
    .catch(() => undefined)

const readFileRange = async (file: string, from: number, length: number): Promise<Uint8Array> => {
  const handle = await Fs.open(file, "r")
  return readChunk(handle, from, new Uint8Array(length)).finally(() => handle.close())
}

/** What there is from the byte `from`, as much as there is room for: one read may answer less. */
const readChunk = async (handle: Fs.FileHandle, from: number, buffer: Uint8Array): Promise<Uint8Array> => {
  let filledBytes = 0
  while (filledBytes < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filledBytes, buffer.length - filledBytes, from + filledBytes)
    if (bytesRead === 0) break
    filledBytes += bytesRead
  }
  return buffer.subarray(0, filledBytes)
}

const removeFile = async (file: string): Promise<void> => {
  await Fs.rm(toTemporaryPath(file), { force: true })
  await Fs.rm(file, { force: true })
}

const isFileMissingError = (error: unknown): boolean => errorCodeOf(error) === "ENOENT"

/** What is asked of the folder, within the time it has. */
const withFolderTimeout = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause }).pipe(
    Effect.timeoutOrElse({
      duration: FOLDER_TIMEOUT_MS,
      orElse: () => Effect.fail(new Error(`the image folder has not answered within ${FOLDER_TIMEOUT_MS} ms`))
    })
  )

/** The bytes of images as files in a folder. */
export const makeFolderByteStorage = (folder: string): ImageByteStorage => ({
  write: ({ token }, bytes) =>
    withFolderTimeout((signal) => writeFile(toFilePath(folder, token), bytes, signal)).pipe(
      Effect.catch((error) => (isFileSystemFull(error) ? Effect.fail(new ImageStoreFull()) : Effect.die(error)))
    ),
  read: ({ token }, from, length) =>
    withFolderTimeout(() => readFileRange(toFilePath(folder, token), from, length)).pipe(
      Effect.catchIf(isFileMissingError, () => Effect.succeed(new Uint8Array())),
      Effect.orDie
    ),
  remove: ({ token }) => Effect.orDie(withFolderTimeout(() => removeFile(toFilePath(folder, token))))
})

/** Whether there is such a folder, and this process may read and write in it. */
export const isFolderUsable = (folder: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    // The dot asks for a folder: `join` would take it away.
    Fs.access(`${folder}/.`, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK).then(
      () => true,
      () => false
    )
  )
