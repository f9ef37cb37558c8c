import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { COPY_PREFIX } from "./data-folder.ts"
import { lockFile } from "./folder-lock.ts"

// A command locks a file before it makes a copy of the database. If that lock is free, a killed command left the copy.

/** Most copies that one start removes, because the start waits for the removal. */
export const MAX_COPIES_REMOVED = 20
/** Age at which a copy without a lock is removed. Older releases made such copies. */
export const LEFTOVER_AGE_MS = 60 * 60 * 1000

const LOCK_SUFFIX = ".lock"

const keepCause = (cause: unknown): unknown => cause

const removeCopy = (folder: string): Promise<void> =>
  Fs.rm(folder, { recursive: true, force: true, maxRetries: 3 })
    .then(() => Fs.rm(`${folder}${LOCK_SUFFIX}`, { force: true }))
    .then(() => Fs.rm(`${folder}${LOCK_SUFFIX}-journal`, { force: true }))

export const makeCopyFolder = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<string, unknown, Scope.Scope> {
  const folder = join(dataDir, `${COPY_PREFIX}-${randomBytes(6).toString("hex")}`)
  if (!(yield* lockFile(`${folder}${LOCK_SUFFIX}`, keepCause)))
    return yield* Effect.fail(new Error(`${folder} is taken`))
  return yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => Fs.mkdir(folder, { mode: 0o700 }), catch: keepCause }).pipe(Effect.as(folder)),
    () => Effect.promise(() => removeCopy(folder))
  )
})

const isFree = (lock: string): Effect.Effect<boolean, unknown> => Effect.scoped(lockFile(lock, keepCause))

const exists = (path: string): Promise<boolean> =>
  Fs.lstat(path).then(
    () => true,
    () => false
  )

const isLeftover = Effect.fnUntraced(function* (folder: string) {
  const [hasLock, hasFolder] = yield* Effect.promise(() =>
    Promise.all([exists(`${folder}${LOCK_SUFFIX}`), exists(folder)])
  )
  if (hasLock && hasFolder) return yield* isFree(`${folder}${LOCK_SUFFIX}`)
  // The lock or the folder is missing. A running command may be about to create it.
  const { mtimeMs } = yield* Effect.tryPromise(() => Fs.lstat(hasFolder ? folder : `${folder}${LOCK_SUFFIX}`))
  if ((yield* Clock.currentTimeMillis) - mtimeMs < LEFTOVER_AGE_MS) return false
  return yield* isFree(hasFolder ? join(folder, "lock") : `${folder}${LOCK_SUFFIX}`)
})

const listCopies = (dataDir: string) =>
  Effect.tryPromise(() => Fs.readdir(dataDir)).pipe(
    Effect.map((names) => names.filter((name) => name.startsWith(`${COPY_PREFIX}-`))),
    Effect.map((names) => new Set(names.map((name) => name.replace(/\.lock(-journal)?$/, ""))))
  )

const removeIfLeftover = (folder: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    if (!(yield* isLeftover(folder))) return false
    yield* Effect.tryPromise(() => removeCopy(folder))
    yield* Effect.logWarning(`removing ${folder}, which a killed command left behind`)
    return true
  }).pipe(
    Effect.catch((cause) =>
      Effect.as(Effect.logWarning(`cannot remove ${folder}, which a killed command left behind`, cause), false)
    )
  )

export const removeLeftoverCopies = (dataDir: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    let removedCount = 0
    for (const name of yield* listCopies(dataDir)) {
      if (removedCount < MAX_COPIES_REMOVED && (yield* removeIfLeftover(join(dataDir, name)))) removedCount++
    }
  }).pipe(Effect.catch((cause) => Effect.logWarning(`cannot look for leftover copies in ${dataDir}`, cause)))
