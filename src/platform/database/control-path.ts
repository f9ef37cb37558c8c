import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { Effect } from "effect"

/** Where a running service takes commands, in its data folder. */
export const controlSocketPath = (dataDir: string): string => join(dataDir, "control.sock")

/** Bytes of a socket's path, the least of the systems we run on (macOS; Linux takes 107). */
export const MAX_SOCKET_PATH_BYTES = 103

const isShortEnough = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES

/**
 * A path to the socket that is short enough to be bound or connected to: where the folder's own is not, it leads over a
 * link in a temporary folder that only this user may enter. That has the same name each time and stays: who removed it
 * could take it from another process that is about to use it.
 */
export const ensureShortControlPath = (dataDir: string): Effect.Effect<string, Error> => {
  const directPath = [controlSocketPath(dataDir), relative(process.cwd(), resolve(controlSocketPath(dataDir)))].find(
    isShortEnough
  )
  return directPath === undefined
    ? Effect.map(makeDataFolderLink(resolve(dataDir)), controlSocketPath)
    : Effect.succeed(directPath)
}

/** Returns the path to connect to: the short one, or the folder's own if no short one can be made. */
export const resolveControlPath = (dataDir: string): Effect.Effect<string> =>
  Effect.catch(ensureShortControlPath(dataDir), () => Effect.succeed(controlSocketPath(dataDir)))

/** Connects to the process that listens on a control socket. Returns undefined if no process listens. */
export const connectToControl = (path: string): Effect.Effect<Socket | undefined> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    socket.once("error", () => resume(Effect.succeed(undefined)))
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

/** The temporary folder with the link to a data folder, one for each user and data folder. */
export const controlLinkFolder = (dataDir: string): string => {
  const digest = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, DIGEST_DIGITS)
  return join(tmpdir(), `latchkey-control-${process.getuid?.() ?? "user"}-${digest}`)
}

/** Enough that two data folders of one user never share a link. */
const DIGEST_DIGITS = 32

const makeDataFolderLink = (dataDir: string) =>
  Effect.tryPromise({
    try: async () => {
      const folder = controlLinkFolder(dataDir)
      const link = join(folder, "data")
      await Fs.mkdir(folder, { mode: 0o700 }).catch(ignoreExisting)
      // Anybody may have made one of that name: in the temporary folder of all, names are free.
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
