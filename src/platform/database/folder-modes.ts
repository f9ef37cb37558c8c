import { chmodSync, type Dirent, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"

const FOLDER = 0o700
const FILE = 0o600

/** The folder of the database in a data folder, and what the names of those begin with in which one is being made. */
export const DATABASE = "database"
export const UNFINISHED = "database.unfinished"

/** What the names of copies of the database begin with, which commands make and take away. */
export const COPY = "database.copy"

/** What says that the database is moved elsewhere, and the lock of who moves it. */
export const MOVING = "moving"
export const MOVING_LOCK = "moving.lock"

/** The folder of images in a data folder. */
export const IMAGES = "images"

/** What the service makes in a data folder; whatever else somebody keeps there is theirs. */
const OURS: ReadonlySet<string> = new Set([
  "lock",
  "lock-journal",
  "owner",
  "control.sock",
  MOVING,
  `${MOVING}.unfinished`,
  MOVING_LOCK,
  `${MOVING_LOCK}-journal`,
  DATABASE,
  IMAGES
])

/** Whether it is what a first start left that was killed; releases before gave it no name of its own. */
export const isUnfinished = (name: string): boolean => name === UNFINISHED || name.startsWith(`${UNFINISHED}-`)

/** Returns whether an entry of a data folder shows that a process used the folder before. */
export const hasTracesOfUse = (name: string): boolean => OURS.has(name) && name !== DATABASE

const isOurs = (name: string): boolean => OURS.has(name) || isUnfinished(name) || name.startsWith(`${COPY}-`)

/**
 * From now on only the user of this process can read what it writes. For the whole process, because the files of the
 * embedded database are made deep inside it, at any time; nothing the service writes is for anybody else.
 */
export const keepFilesPrivate = Effect.sync(() => process.umask(0o077))

/**
 * Gives what is in the data folder to this process's user alone: an earlier release let others read it. One look at each
 * file, of which a database has a few for each table and index (1,200 take 60 ms). Where the file system keeps no modes,
 * the start says so and goes on.
 */
export const mendModes = (dataDir: string): Effect.Effect<void> =>
  Effect.try({ try: () => mend(dataDir), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      Effect.logWarning("others may be able to read the data folder").pipe(
        Effect.annotateLogs({ folder: dataDir, reason: String(cause) })
      )
    )
  )

const mend = (dataDir: string): void => {
  const entries = readdirSync(dataDir, { withFileTypes: true })
  // No release before made images that others can read, and there may be a million.
  for (const entry of entries) if (isOurs(entry.name) && entry.name !== IMAGES) mendEntry(entry)
  if (entries.every(({ name }) => isOurs(name))) setMode(dataDir, FOLDER)
}

const mendEntry = (entry: Dirent): void => {
  const path = join(entry.parentPath, entry.name)
  // Nothing else: a link leads where somebody else decides.
  if (entry.isFile()) setMode(path, FILE)
  if (!entry.isDirectory()) return
  for (const inside of readdirSync(path, { withFileTypes: true })) mendEntry(inside)
  setMode(path, FOLDER)
}

const setMode = (path: string, mode: number): void => {
  if ((lstatSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
}
