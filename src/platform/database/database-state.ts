import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { DATABASE_FOLDER, isTraceOfUse, isUnfinishedDatabase } from "./data-folder.ts"
import { errorCodeOf } from "./error-reason.ts"

type DatabaseState =
  | { readonly kind: "absent" | "empty" | "present" }
  | { readonly kind: "damaged"; readonly reason: string }

const RESTORE = "restore a backup into another folder, or repeat the copy"

const NOT_A_FOLDER = `its ${DATABASE_FOLDER} is not a folder: ${RESTORE}`
const DANGLING_LINK = `its ${DATABASE_FOLDER} is a link to a missing folder: mount that folder, or remove the link`
const INCOMPLETE = `its ${DATABASE_FOLDER} has files but no PG_VERSION, so a copy of it is incomplete: ${RESTORE}`
const EMPTIED = `its ${DATABASE_FOLDER} is empty, but the data folder was used before: mount its disk or ${RESTORE}; if the data folder is new, remove ${DATABASE_FOLDER}`

const exists = (path: string): Promise<boolean> =>
  Fs.stat(path).then(
    () => true,
    (cause) => (errorCodeOf(cause) === "ENOENT" ? false : Promise.reject(cause))
  )

const isSymbolicLink = (path: string): Promise<boolean> =>
  Fs.lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false
  )

const inspectFolder = async (dataDir: string): Promise<DatabaseState> => {
  const folder = join(dataDir, DATABASE_FOLDER)
  if (!(await exists(folder))) {
    return (await isSymbolicLink(folder)) ? { kind: "damaged", reason: DANGLING_LINK } : { kind: "absent" }
  }
  if (!(await Fs.stat(folder)).isDirectory()) return { kind: "damaged", reason: NOT_A_FOLDER }
  if (await exists(join(folder, "PG_VERSION"))) return { kind: "present" }
  return (await Fs.readdir(folder)).length === 0 ? { kind: "empty" } : { kind: "damaged", reason: INCOMPLETE }
}

const listNames = (dataDir: string): Promise<ReadonlyArray<string>> =>
  Fs.readdir(dataDir).catch((cause) => (errorCodeOf(cause) === "ENOENT" ? [] : Promise.reject(cause)))

/** A killed first start leaves an unfinished database. A folder with one counts as new too. */
const isNew = async (dataDir: string): Promise<boolean> => {
  const names = await listNames(dataDir)
  return names.some(isUnfinishedDatabase) || !names.some(isTraceOfUse)
}

export const tryFolderWork = <A>(work: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause })

/** Call it before this process locks the folder, because the lock is a trace of use. */
export const isNewFolder = (dataDir: string): Effect.Effect<boolean, unknown> => tryFolderWork(() => isNew(dataDir))

/** An empty `database` is damage if the folder was used before: the disk of `database` may not be mounted. */
export const inspectDatabase = (dataDir: string, isNew: boolean): Effect.Effect<DatabaseState, unknown> =>
  Effect.map(
    tryFolderWork(() => inspectFolder(dataDir)),
    (state): DatabaseState => (state.kind === "empty" && !isNew ? { kind: "damaged", reason: EMPTIED } : state)
  )

/** Returns false if the folder is damaged or unreadable. */
export const lacksDatabase = (dataDir: string): Effect.Effect<boolean> =>
  isNewFolder(dataDir).pipe(
    Effect.flatMap((isNew) => inspectDatabase(dataDir, isNew)),
    Effect.map(({ kind }) => kind === "absent" || kind === "empty"),
    // The command that opens the folder reports the error.
    Effect.catch(() => Effect.succeed(false))
  )
