import { existsSync } from "node:fs"
import * as Fs from "node:fs/promises"
import { join, resolve, sep } from "node:path"
import { Effect } from "effect"
import { connectToControl, controlSocketPath, resolveControlPath } from "./control-path.ts"

export type FolderOwnerKind = "service" | "command"

interface FolderOwner {
  readonly pid: number | undefined
  readonly ownerKind: FolderOwnerKind | undefined
}

const ownerFile = (dataDir: string): string => join(dataDir, "owner")

const ownerText = (ownerKind: FolderOwnerKind): string => `${process.pid}${ownerKind === "command" ? " command" : ""}`

export const writeOwner = (dataDir: string, ownerKind: FolderOwnerKind): Promise<void> =>
  Fs.writeFile(ownerFile(dataDir), ownerText(ownerKind))

/** Ignores a failure. An error message about a folder in use may then name a process that has ended. */
export const clearOwner = (dataDir: string): Promise<void> => Fs.writeFile(ownerFile(dataDir), "").catch(() => {})

/** The owner may be gone, and another process may have its id. */
export const readOwner = (dataDir: string): Effect.Effect<FolderOwner> =>
  Effect.promise(() => Fs.readFile(ownerFile(dataDir), "utf8").catch(() => "")).pipe(
    Effect.map((text) => {
      const [, pid, command] = /^(\d+)( command)?$/.exec(text) ?? []
      if (pid === undefined) return { pid: undefined, ownerKind: undefined }
      return { pid: Number(pid), ownerKind: command === undefined ? "service" : "command" }
    })
  )

/** Returns false without /proc. Also false for processes of other users, but the folder's modes keep these out. */
const hasFolderOpen = async (pid: number, dataDir: string): Promise<boolean> => {
  const [folder, handles] = [await Fs.realpath(dataDir).catch(() => resolve(dataDir)), `/proc/${pid}/fd`]
  for (const handle of await Fs.readdir(handles).catch(() => [])) {
    const path = await Fs.readlink(join(handles, handle)).catch(() => "")
    if (path.startsWith(`${folder}${sep}`)) return true
  }
  return false
}

const isServiceListening = Effect.fnUntraced(function* (dataDir: string) {
  // `resolveControlPath` may create a permanent link, which is useless without a socket.
  if (!existsSync(controlSocketPath(dataDir))) return false
  const socket = yield* connectToControl(yield* resolveControlPath(dataDir))
  socket?.destroy()
  return socket !== undefined
})

/** Returns the process that uses the folder although its lock file was deleted. */
export const findOwnerWithoutLock = Effect.fnUntraced(function* (dataDir: string) {
  const owner = yield* readOwner(dataDir)
  const { pid } = owner
  // In a container this process often has the process id of the previous one.
  const isOther = pid !== undefined && pid !== process.pid
  if (isOther && (yield* Effect.promise(() => hasFolderOpen(pid, dataDir)))) return owner
  if (yield* isServiceListening(dataDir))
    return { pid: isOther ? pid : undefined, ownerKind: "service" } satisfies FolderOwner
  return undefined
})
