import * as Fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { Effect, type Scope } from "effect"

/** Where a running service takes commands, in its data folder. */
export const controlSocket = (dataDir: string): string => join(dataDir, "control.sock")

/** Bytes of a socket's path, the least of the systems we run on (macOS; Linux takes 107). */
export const SOCKET_PATH_BYTES = 103

const fits = (path: string): boolean => Buffer.byteLength(path) <= SOCKET_PATH_BYTES

/**
 * A path to the socket that is short enough to be bound or connected to, for as long as the scope lasts: where the
 * folder's own is not, it leads over a link in a temporary folder that only this user may enter.
 */
export const shortControlPath = (dataDir: string): Effect.Effect<string, Error, Scope.Scope> => {
  const own = [controlSocket(dataDir), relative(process.cwd(), resolve(controlSocket(dataDir)))].find(fits)
  return own === undefined ? Effect.map(linkTo(resolve(dataDir)), controlSocket) : Effect.succeed(own)
}

const linkTo = (folder: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        // Made with mode 700.
        const made = await Fs.mkdtemp(join(tmpdir(), "latchkey-control-"))
        const link = join(made, "data")
        await Fs.symlink(folder, link)
        return { made, link }
      },
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
    }),
    ({ made }) => Effect.promise(() => Fs.rm(made, { recursive: true, force: true }))
  ).pipe(Effect.map(({ link }) => link))
