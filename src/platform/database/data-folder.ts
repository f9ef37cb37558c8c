import { chmodSync, type Dirent, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** The folder of the database in a data folder, and what the names of those begin with in which one is being made. */
export const DATABASE_FOLDER = "database"
export const UNFINISHED_PREFIX = "database.unfinished"

/** What the names of copies of the database begin with, which commands make and take away. */
export const COPY_PREFIX = "database.copy"

/** What says that the database is moved elsewhere, and the lock of who moves it. */
export const MOVE_FILE = "moving"
export const MOVE_LOCK_FILE = "moving.lock"

/** The folder of images in a data folder. */
export const IMAGES_FOLDER = "images"

/** What the service makes in a data folder; whatever else somebody keeps there is theirs. */
const SERVICE_ENTRIES: ReadonlySet<string> = new Set([
  "lock",
  "lock-journal",
  "owner",
  "control.sock",
  MOVE_FILE,
  `${MOVE_FILE}.unfinished`,
  MOVE_LOCK_FILE,
  `${MOVE_LOCK_FILE}-journal`,
  DATABASE_FOLDER,
  IMAGES_FOLDER
])

/** Whether it is what a first start left that was killed; releases before gave it no name of its own. */
export const isUnfinishedDatabase = (name: string): boolean =>
  name === UNFINISHED_PREFIX || name.startsWith(`${UNFINISHED_PREFIX}-`)

/** Returns whether an entry of a data folder shows that a process used the folder before. */
export const isTraceOfUse = (name: string): boolean => SERVICE_ENTRIES.has(name) && name !== DATABASE_FOLDER

const isServiceEntry = (name: string): boolean =>
  SERVICE_ENTRIES.has(name) || isUnfinishedDatabase(name) || name.startsWith(`${COPY_PREFIX}-`)

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
export const restrictPermissions = (dataDir: string): Effect.Effect<void> =>
  Effect.try({ try: () => restrictDataFolder(dataDir), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      Effect.logWarning("others may be able to read the data folder").pipe(
        Effect.annotateLogs({ folder: dataDir, reason: String(cause) })
      )
    )
  )

const restrictDataFolder = (dataDir: string): void => {
  const entries = readdirSync(dataDir, { withFileTypes: true })
  // No release before made images that others can read, and there may be a million.
  for (const entry of entries) if (isServiceEntry(entry.name) && entry.name !== IMAGES_FOLDER) restrictEntry(entry)
  if (entries.every(({ name }) => isServiceEntry(name))) setMode(dataDir, FOLDER_MODE)
}

const restrictEntry = (entry: Dirent): void => {
  const path = join(entry.parentPath, entry.name)
  // Nothing else: a link leads where somebody else decides.
  if (entry.isFile()) setMode(path, FILE_MODE)
  if (!entry.isDirectory()) return
  for (const child of readdirSync(path, { withFileTypes: true })) restrictEntry(child)
  setMode(path, FOLDER_MODE)
}

const setMode = (path: string, mode: number): void => {
  if ((lstatSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
}
