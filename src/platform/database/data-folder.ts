import { chmodSync, type Dirent, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

export const DATABASE_FOLDER = "database"
export const UNFINISHED_PREFIX = "database.unfinished"

export const COPY_PREFIX = "database.copy"

export const MOVE_FILE = "moving"
export const MOVE_LOCK_FILE = "moving.lock"

export const IMAGES_FOLDER = "images"

/** Entries of a data folder that the service creates. Other entries belong to the user. */
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

export const isUnfinishedDatabase = (name: string): boolean =>
  name === UNFINISHED_PREFIX || name.startsWith(`${UNFINISHED_PREFIX}-`)

export const isTraceOfUse = (name: string): boolean => SERVICE_ENTRIES.has(name) && name !== DATABASE_FOLDER

const isServiceEntry = (name: string): boolean =>
  SERVICE_ENTRIES.has(name) || isUnfinishedDatabase(name) || name.startsWith(`${COPY_PREFIX}-`)

/** The embedded database creates files at any time, so the umask stays private. */
export const keepFilesPrivate = Effect.sync(() => process.umask(0o077))

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
  // Images are skipped: they were always private, and there may be a million.
  for (const entry of entries) if (isServiceEntry(entry.name) && entry.name !== IMAGES_FOLDER) restrictEntry(entry)
  if (entries.every(({ name }) => isServiceEntry(name))) setMode(dataDir, FOLDER_MODE)
}

const restrictEntry = (entry: Dirent): void => {
  const path = join(entry.parentPath, entry.name)
  // Links are skipped, because they may lead outside the data folder.
  if (entry.isFile()) setMode(path, FILE_MODE)
  if (!entry.isDirectory()) return
  for (const child of readdirSync(path, { withFileTypes: true })) restrictEntry(child)
  setMode(path, FOLDER_MODE)
}

const setMode = (path: string, mode: number): void => {
  if ((lstatSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
}
