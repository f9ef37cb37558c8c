import { hash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { errorCodeOf } from "../../../platform/database/error-reason.ts"
import { type ImageByteStorage, ImageStoreFull } from "./image-byte-storage.ts"

/** The folder may be a network mount, which can hang. */
const FOLDER_TIMEOUT_MS = 20_000

const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]

/**
 * The hash keeps the addresses of images out of the file names. Tokens are unique, so several databases can share a
 * folder.
 */
const toFilePath = (folder: string, token: string): string => {
  const name = hash("sha256", token, "hex").slice(0, 40)
  return join(folder, name.slice(0, 2), `${name}.jpg`)
}

/** All attempts use the same name, so that a later one replaces a partial file. */
const toTemporaryPath = (file: string): string => `${file}.unfinished`

const writeFile = async (file: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  const parentFolder = dirname(file)
  const createdFolder = await Fs.mkdir(parentFolder, { recursive: true, mode: FOLDER_MODE })
  await Fs.writeFile(toTemporaryPath(file), bytes, { mode: FILE_MODE, flush: true, signal })
  // After an abort the row of the image may be deleted, so the file must not appear.
  signal.throwIfAborted()
  await Fs.rename(toTemporaryPath(file), file)
  await syncFolder(parentFolder)
  if (createdFolder !== undefined) await syncFolder(dirname(parentFolder))
}

const FULL_ERROR_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

const isFileSystemFull = (error: unknown): boolean => FULL_ERROR_CODES.has(errorCodeOf(error))

/** Makes renames survive a power failure. */
const syncFolder = (folder: string): Promise<void> =>
  Fs.open(folder, "r")
    .then((handle) => handle.sync().finally(() => handle.close()))
    .catch(() => undefined)

const readFileRange = async (file: string, from: number, length: number): Promise<Uint8Array> => {
  const handle = await Fs.open(file, "r")
  return readChunk(handle, from, new Uint8Array(length)).finally(() => handle.close())
}

/** A single read may return fewer bytes than requested. */
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

const withFolderTimeout = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause }).pipe(
    Effect.timeoutOrElse({
      duration: FOLDER_TIMEOUT_MS,
      orElse: () => Effect.fail(new Error(`the image folder has not answered within ${FOLDER_TIMEOUT_MS} ms`))
    })
  )

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

export const isFolderUsable = (folder: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    // The `/.` makes the check fail for a file; `join` would drop it.
    Fs.access(`${folder}/.`, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK).then(
      () => true,
      () => false
    )
  )
