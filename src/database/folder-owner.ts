import * as Fs from "node:fs/promises"
import { join, resolve, sep } from "node:path"
import { Effect } from "effect"
import { connectToControl, controlSocket, shortControlPath } from "./control-path.ts"

/** What a process has the data folder for: a command has it for a moment, a service until it is stopped. */
export type Holder = "service" | "command"

/** The process that has a data folder, as far as the folder tells. */
export interface FolderOwner {
  readonly pid: number | undefined
  readonly holder: Holder | undefined
}

const ownerFile = (dataDir: string): string => join(dataDir, "owner")

const ownerText = (holder: Holder): string => `${process.pid}${holder === "command" ? " command" : ""}`

/** Records this process as the owner. */
export const writeOwner = (dataDir: string, holder: Holder): Promise<void> =>
  Fs.writeFile(ownerFile(dataDir), ownerText(holder))

/** Empties the record. A folder that cannot be written any more only has a worse message. */
export const clearOwner = (dataDir: string): Promise<void> => Fs.writeFile(ownerFile(dataDir), "").catch(() => {})

/** Returns the recorded owner. It may have been killed, and another process may have its number since. */
export const readOwner = (dataDir: string): Effect.Effect<FolderOwner> =>
  Effect.promise(() => Fs.readFile(ownerFile(dataDir), "utf8").catch(() => "")).pipe(
    Effect.map((text) => {
      const [, pid, command] = /^(\d+)( command)?$/.exec(text) ?? []
      if (pid === undefined) return { pid: undefined, holder: undefined }
      return { pid: Number(pid), holder: command === undefined ? "service" : "command" }
    })
  )

/**
 * Whether a process has a file of the folder open: an owner has its lock and its database. Unlike the process number alone this
 * tells the owner from a process that was given the number afterwards, which in a container is the usual case. Returns false
 * where the system has no /proc, and for processes of another user, whom the modes of the folder keep out.
 */
const hasFolderOpen = async (pid: number, dataDir: string): Promise<boolean> => {
  const [folder, handles] = [await Fs.realpath(dataDir).catch(() => resolve(dataDir)), `/proc/${pid}/fd`]
  for (const handle of await Fs.readdir(handles).catch(() => [])) {
    const path = await Fs.readlink(join(handles, handle)).catch(() => "")
    if (path.startsWith(`${folder}${sep}`)) return true
  }
  return false
}

const findService = (dataDir: string): Effect.Effect<boolean> =>
  shortControlPath(dataDir).pipe(
    Effect.catch(() => Effect.succeed(controlSocket(dataDir))),
    Effect.flatMap(connectToControl),
    Effect.map((socket) => {
      socket?.destroy()
      return socket !== undefined
    })
  )

/**
 * Returns the process that works in the folder although its lock is free: somebody has deleted the lock's file. Undefined: none
 * does, as far as the control socket and the recorded owner tell.
 */
export const findOwnerWithoutLock = Effect.fnUntraced(function* (dataDir: string) {
  const owner = yield* readOwner(dataDir)
  const { pid } = owner
  // A process of a container often has the number of the one before it.
  const isOther = pid !== undefined && pid !== process.pid
  if (isOther && (yield* Effect.promise(() => hasFolderOpen(pid, dataDir)))) return owner
  // Only services listen.
  if (yield* findService(dataDir)) return { pid: isOther ? pid : undefined, holder: "service" } satisfies FolderOwner
  return undefined
})
