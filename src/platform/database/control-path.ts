import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { Effect } from "effect"

export const controlSocketPath = (dataDir: string): string => join(dataDir, "control.sock")

/** Limit of macOS; Linux allows 107. */
export const MAX_SOCKET_PATH_BYTES = 103

const isShortEnough = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES

/**
 * If the data folder's own path is too long, returns a path through a link in a private temporary folder. The link
 * stays, because other processes may use it.
 */
export const ensureShortControlPath = (dataDir: string): Effect.Effect<string, Error> => {
  const directPath = [controlSocketPath(dataDir), relative(process.cwd(), resolve(controlSocketPath(dataDir)))].find(
    isShortEnough
  )
  return directPath === undefined
    ? Effect.map(makeDataFolderLink(resolve(dataDir)), controlSocketPath)
    : Effect.succeed(directPath)
}

export const resolveControlPath = (dataDir: string): Effect.Effect<string> =>
  Effect.catch(ensureShortControlPath(dataDir), () => Effect.succeed(controlSocketPath(dataDir)))

export const connectToControl = (path: string): Effect.Effect<Socket | undefined> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    socket.once("error", () => resume(Effect.succeed(undefined)))
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

export const controlLinkFolder = (dataDir: string): string => {
  const digest = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, DIGEST_DIGITS)
  return join(tmpdir(), `latchkey-control-${process.getuid?.() ?? "user"}-${digest}`)
}

const DIGEST_DIGITS = 32

const makeDataFolderLink = (dataDir: string) =>
  Effect.tryPromise({
    try: async () => {
      const folder = controlLinkFolder(dataDir)
      const link = join(folder, "data")
      await Fs.mkdir(folder, { mode: 0o700 }).catch(ignoreExisting)
      // In a shared temporary folder another user may have made this folder.
      const entry = await Fs.lstat(folder)
      const uid = process.getuid?.() ?? entry.uid
      if (!entry.isDirectory() || (entry.mode & 0o077) !== 0 || entry.uid !== uid) {
        throw new Error(`${folder}: must belong to this user alone`)
      }
      await Fs.symlink(dataDir, link).catch(ignoreExisting)
      return link
    },
    catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
  })

const ignoreExisting = (cause: NodeJS.ErrnoException): Promise<void> =>
  cause.code === "EEXIST" ? Promise.resolve() : Promise.reject(cause)
