import { existsSync } from "node:fs"
import * as Fs from "node:fs/promises"
import { join, resolve, sep } from "node:path"
import { Effect } from "effect"
import { connectToControl, controlSocketPath, resolveControlPath } from "./control-path.ts"

/** The kind of process that locks the data folder: a command for a moment, a service until it is stopped. */
export type FolderOwnerKind = "service" | "command"

/** The process that locked a data folder, as its `owner` file records it. */
interface FolderOwner {
  readonly pid: number | undefined
  readonly ownerKind: FolderOwnerKind | undefined
}

const ownerFile = (dataDir: string): string => join(dataDir, "owner")

const ownerText = (ownerKind: FolderOwnerKind): string => `${process.pid}${ownerKind === "command" ? " command" : ""}`

/** Records this process as the owner of the data folder. */
export const writeOwner = (dataDir: string, ownerKind: FolderOwnerKind): Promise<void> =>
  Fs.writeFile(ownerFile(dataDir), ownerText(ownerKind))

/** Empties the record of the owner. A failure is ignored, because it only makes a later message less exact. */
export const clearOwner = (dataDir: string): Promise<void> => Fs.writeFile(ownerFile(dataDir), "").catch(() => {})

/** Returns the recorded owner. The owner may have been killed, and another process may have its process ID now. */
export const readOwner = (dataDir: string): Effect.Effect<FolderOwner> =>
  Effect.promise(() => Fs.readFile(ownerFile(dataDir), "utf8").catch(() => "")).pipe(
    Effect.map((text) => {
      const [, pid, command] = /^(\d+)( command)?$/.exec(text) ?? []
      if (pid === undefined) return { pid: undefined, ownerKind: undefined }
      return { pid: Number(pid), ownerKind: command === undefined ? "service" : "command" }
    })
  )

/**
 * Returns whether a process has a file in the folder open, as an owner has its lock and its database. The process ID alone could
 * belong to a later process, which is common in containers. Returns false on a system without /proc, and for processes of
 * another user, which the folder's modes keep out.
 */
const hasFolderOpen = async (pid: number, dataDir: string): Promise<boolean> => {
  const [folder, handles] = [await Fs.realpath(dataDir).catch(() => resolve(dataDir)), `/proc/${pid}/fd`]
  for (const handle of await Fs.readdir(handles).catch(() => [])) {
    const path = await Fs.readlink(join(handles, handle)).catch(() => "")
    if (path.startsWith(`${folder}${sep}`)) return true
  }
  return false
}

/** Returns whether a service listens on the control socket of the folder. */
const isServiceListening = Effect.fnUntraced(function* (dataDir: string) {
  // `resolveControlPath` may make a link, which stays. Without a socket it must make none, because each backup opens a new folder.
  if (!existsSync(controlSocketPath(dataDir))) return false
  const socket = yield* connectToControl(yield* resolveControlPath(dataDir))
  socket?.destroy()
  return socket !== undefined
})

/**
 * Returns the process that works in the folder although the lock is free, because somebody deleted the lock file. Returns undefined
 * if neither the recorded owner nor the control socket shows such a process.
 */
export const findOwnerWithoutLock = Effect.fnUntraced(function* (dataDir: string) {
  const owner = yield* readOwner(dataDir)
  const { pid } = owner
  // In a container this process often has the same process ID as the previous one.
  const isOther = pid !== undefined && pid !== process.pid
  if (isOther && (yield* Effect.promise(() => hasFolderOpen(pid, dataDir)))) return owner
  // Commands do not listen on the control socket.
  if (yield* isServiceListening(dataDir))
    return { pid: isOther ? pid : undefined, ownerKind: "service" } satisfies FolderOwner
  return undefined
})
