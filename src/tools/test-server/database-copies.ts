import { createHash, randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"

// Copies of the embedded database that save the time of a start. The published package has one with all migrations. A
// start keeps its seeded database in the user's cache folder, for the next start with the same seed and time.

const MIGRATED_FILE = join(import.meta.dirname, "migrated-database.tar.zst")

/** Kept in the cache folder. Each has about 40 MB. */
export const CACHED_COPIES_MAX = 4
const PREFIX = "test-server-"
const HOUR_MS = 60 * 60 * 1000

export const TestAccess = Schema.Struct({
  operator_id: Schema.Int,
  token: Schema.String,
  read_only_token: Schema.String,
  /** Signs in to the console. Null for an operator without a known password. */
  sign_in: Schema.NullOr(
    Schema.Struct({ account_id: Schema.Int, email: Schema.String, password: Schema.String, time_zone: Schema.String })
  )
})
export type TestAccess = typeof TestAccess.Type

/** `access` is undefined for a database without an operator. */
export interface DatabaseCopy {
  readonly database: Blob
  readonly access: TestAccess | undefined
}

/** Returns undefined if `work` fails: a copy saves time, and nothing depends on it. */
const orUndefined = <A>(work: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.tryPromise(work).pipe(Effect.option, Effect.map(Option.getOrUndefined))

const decompress = promisify(zstdDecompress)

const CachedHeader = Schema.Struct({ access: TestAccess, bytes: Schema.Int })
const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(CachedHeader))

/** A cached file is a line of JSON, and the database. Returns undefined for a file that is not whole. */
const parseCachedCopy = (file: Buffer<ArrayBuffer>): DatabaseCopy | undefined => {
  const end = file.indexOf("\n")
  const header = Option.getOrUndefined(decodeHeader(file.toString("utf8", 0, Math.max(end, 0))))
  return header === undefined || header.bytes !== file.length - end - 1
    ? undefined
    : { database: new Blob([file.subarray(end + 1)]), access: header.access }
}

const removeOldCopies = async (folder: string): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => name.startsWith(PREFIX))
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), changed: (await stat(join(folder, name))).mtimeMs }))
  )
  const old = files.toSorted((one, other) => other.changed - one.changed).slice(CACHED_COPIES_MAX)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}

export interface DatabaseCopies {
  /** Undefined if the database starts empty. */
  readonly copy: DatabaseCopy | undefined
  readonly save: (copy: { readonly database: Blob; readonly access: TestAccess }) => Effect.Effect<void>
}

/**
 * Finds the copy for a seed that starts at `now` (milliseconds), or at the present if it is undefined. A copy for the
 * present is used for the rest of its hour. Copies are kept only for the published package, because sources change.
 */
export const findDatabaseCopies = Effect.fnUntraced(function* (
  seed: string,
  now: number | undefined,
  cacheFolder?: string,
  migratedFile: string = MIGRATED_FILE
) {
  const migrated = yield* orUndefined(() => readFile(migratedFile))
  if (migrated === undefined) return { copy: undefined, save: () => Effect.void } satisfies DatabaseCopies
  const release = createHash("sha256").update(migrated).digest("hex").slice(0, 16)
  const time = now === undefined ? `hour-${Math.floor(Date.now() / HOUR_MS)}` : `at-${now}`
  const folder = cacheFolder ?? (yield* orUndefined(async () => join(homedir(), ".cache", "latchkey")))
  const file = folder === undefined ? undefined : join(folder, `${PREFIX}${release}-${seed}-${time}`)
  const cached = file === undefined ? undefined : yield* orUndefined(() => readFile(file))
  const cachedCopy = cached && parseCachedCopy(cached)
  const copies: DatabaseCopies = {
    copy: cachedCopy ?? {
      database: new Blob([new Uint8Array(yield* Effect.promise(() => decompress(migrated)))]),
      access: undefined
    },
    save: ({ database, access }) =>
      Effect.asVoid(
        orUndefined(async () => {
          if (folder === undefined || file === undefined) return
          await mkdir(folder, { recursive: true, mode: 0o700 })
          const unfinished = join(folder, `${PREFIX}${randomUUID()}.unfinished`)
          const header: typeof CachedHeader.Type = { access, bytes: database.size }
          const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), await database.bytes()])
          await writeFile(unfinished, bytes, { mode: 0o600 })
          await rename(unfinished, file)
          await removeOldCopies(folder)
        })
      )
  }
  return copies
})
