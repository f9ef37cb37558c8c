import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { Effect, Predicate } from "effect"
import { DATABASE, hasTracesOfUse, isUnfinished } from "./folder-modes.ts"

/** The contents of the database's place in a data folder. `damaged` says in `why` what is wrong and what to do about it. */
export type DatabaseState =
  | { readonly is: "absent" | "empty" | "present" }
  | { readonly is: "damaged"; readonly why: string }

const RESTORE = "restore a backup into another folder, or copy this one again"
const BEGIN_ANEW = `if the data folder is new, remove ${DATABASE} from it`

const NOT_A_FOLDER = `its ${DATABASE} is not a folder: move it elsewhere, or ${RESTORE}`
const LEADS_NOWHERE = `its ${DATABASE} is a link that leads nowhere: mount what it leads to, or remove the link`
const CUT_OFF = `its ${DATABASE} has files but no PG_VERSION, so a copy or a restore of it was cut off: ${RESTORE}`
const EMPTIED = `its ${DATABASE} is empty, but the data folder was used before: mount the disk of ${DATABASE}, ${RESTORE}; ${BEGIN_ANEW}`

const codeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

const isThere = (path: string): Promise<boolean> =>
  Fs.stat(path).then(
    () => true,
    (cause) => (codeOf(cause) === "ENOENT" ? false : Promise.reject(cause))
  )

const isLink = (path: string): Promise<boolean> =>
  Fs.lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false
  )

const inspect = async (dataDir: string): Promise<DatabaseState> => {
  const folder = join(dataDir, DATABASE)
  if (!(await isThere(folder))) {
    return (await isLink(folder)) ? { is: "damaged", why: LEADS_NOWHERE } : { is: "absent" }
  }
  if (!(await Fs.stat(folder)).isDirectory()) return { is: "damaged", why: NOT_A_FOLDER }
  if (await isThere(join(folder, "PG_VERSION"))) return { is: "present" }
  return (await Fs.readdir(folder)).length === 0 ? { is: "empty" } : { is: "damaged", why: CUT_OFF }
}

const namesIn = (dataDir: string): Promise<ReadonlyArray<string>> =>
  Fs.readdir(dataDir).catch((cause) => (codeOf(cause) === "ENOENT" ? [] : Promise.reject(cause)))

/**
 * Returns whether a process may make a database in the data folder if `database` is empty: nothing says that there was one.
 * A first start that was killed left an unfinished database beside it.
 */
const isNew = async (dataDir: string): Promise<boolean> => {
  const names = await namesIn(dataDir)
  return names.some(isUnfinished) || !names.some(hasTracesOfUse)
}

const inFolder = <A>(work: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause })

/** Returns whether the data folder is new. To be called before this process leaves a lock in it. */
export const isNewFolder = (dataDir: string): Effect.Effect<boolean, unknown> => inFolder(() => isNew(dataDir))

/**
 * Returns the state of the database in a data folder. An empty `database` of a folder that was used before is damage: PostgreSQL
 * would make a new database in the place of the one that is missing, for example on a disk that is not mounted.
 */
export const inspectDatabase = (dataDir: string, isNew: boolean): Effect.Effect<DatabaseState, unknown> =>
  Effect.map(
    inFolder(() => inspect(dataDir)),
    (state): DatabaseState => (state.is === "empty" && !isNew ? { is: "damaged", why: EMPTIED } : state)
  )

/** Returns whether a start would make a new database in the data folder, as there is none and nothing is damaged. */
export const lacksDatabase = (dataDir: string): Effect.Effect<boolean> =>
  isNewFolder(dataDir).pipe(
    Effect.flatMap((isNew) => inspectDatabase(dataDir, isNew)),
    Effect.map(({ is }) => is === "absent" || is === "empty"),
    // The command that opens the folder says why it cannot be read.
    Effect.catch(() => Effect.succeed(false))
  )
