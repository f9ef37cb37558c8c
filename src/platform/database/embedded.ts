import type { Duplex } from "node:stream"
import { PgClient } from "@effect/sql-pg"
import { PGlite } from "@electric-sql/pglite"
import { Context, Effect, Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { columnTypes } from "./column-types.ts"
import { restrictPermissions } from "./data-folder.ts"
import { prepareDatabaseFolder } from "./database-folder.ts"
import { isNewFolder } from "./database-state.ts"
import { EmbeddedConnection } from "./embedded-connection.ts"
import { EmbeddedSession } from "./embedded-session.ts"
import { toReason } from "./error-reason.ts"
import { type DataFolderTaken, DataFolderUnusable, lockDataFolder } from "./folder-lock.ts"
import type { FolderOwnerKind } from "./folder-owner.ts"
import { removeLeftoverCopies } from "./leftover-copies.ts"
import { PrivateFileSystem } from "./private-file-system.ts"
import { SecondaryConnection, type SecondaryTimeouts } from "./secondary-connection.ts"
import { withStatementCache } from "./statement-cache.ts"

export { DataFolderTaken, DataFolderUnusable } from "./folder-lock.ts"

/** The PostgreSQL that runs inside this process, for what a client cannot ask over SQL. */
export class EmbeddedDatabase extends Context.Service<
  EmbeddedDatabase,
  {
    /** One session: a connection waits until the one before it is closed. */
    readonly connect: () => Duplex
    /**
     * A guest's connection, which shares the session with it. It may not name statements, because names are the session's.
     * `afterwards` is called when a statement or a transaction of the guest is over.
     */
    readonly connectSecondary: (afterTransaction: () => void, timeouts?: Partial<SecondaryTimeouts>) => Duplex
    /** Whoever writes is refused from now on, or no longer. */
    readonly setReadOnly: (isReadOnly: boolean) => Effect.Effect<void>
    /** A copy of the whole database, for `layerInMemory`. */
    readonly snapshot: Effect.Effect<Blob>
  }
>()("latchkey/platform/database/EmbeddedDatabase") {
  static readonly layerFolder = (
    dataDir: string,
    ownerKind: FolderOwnerKind
  ): Layer.Layer<EmbeddedDatabase, DataFolderTaken | DataFolderUnusable> =>
    Layer.effect(
      EmbeddedDatabase,
      Effect.mapError(isNewFolder(dataDir), (cause) => new DataFolderUnusable({ dataDir, cause })).pipe(
        Effect.tap(() => lockDataFolder(dataDir, ownerKind)),
        Effect.flatMap((isNew) => prepareDatabaseFolder(dataDir, isNew)),
        Effect.tap(() => restrictPermissions(dataDir)),
        Effect.tap(() => removeLeftoverCopies(dataDir)),
        Effect.flatMap((folder) =>
          openDatabase(
            () => PGlite.create({ fs: new PrivateFileSystem(folder), startParams: START_PARAMETERS }),
            toStartError(dataDir)
          )
        )
      )
    )

  static readonly layerInMemory = (snapshot?: Blob): Layer.Layer<EmbeddedDatabase> =>
    Layer.effect(
      EmbeddedDatabase,
      Effect.orDie(
        openDatabase(
          () =>
            PGlite.create({
              startParams: START_PARAMETERS,
              ...(snapshot === undefined ? {} : { loadDataDir: snapshot })
            }),
          (cause) => cause
        )
      )
    )
}

/**
 * Megabytes of pages PostgreSQL caches itself. It would take 128, all at once at the start, on top of the files that the
 * operating system caches anyway.
 */
const BUFFERS_MB = 16

const START_PARAMETERS = [...PGlite.defaultStartParams, "-c", `shared_buffers=${BUFFERS_MB}MB`]

/**
 * PostgreSQL in the process, its files in `dataDir`. Fails with `DataFolderTaken` when another process has the folder,
 * with `DataFolderUnusable` when it cannot be made or written.
 *
 * A committed row survives the process being killed at any moment. It is not flushed to the disk itself: safety
 * against power loss needs a PostgreSQL server.
 */
export const layerEmbedded = (
  dataDir: string,
  ownerKind: FolderOwnerKind = "service"
): Layer.Layer<PgClient.PgClient | SqlClient | EmbeddedDatabase, SqlError | DataFolderTaken | DataFolderUnusable> =>
  Layer.provideMerge(layerClient, EmbeddedDatabase.layerFolder(dataDir, ownerKind))

/** PostgreSQL in the process and gone with it; starts empty or as a copy of a `snapshot` (0.5 s instead of 3 s). */
export const layerInMemory = (
  snapshot?: Blob
): Layer.Layer<PgClient.PgClient | SqlClient | EmbeddedDatabase, SqlError> =>
  Layer.provideMerge(layerClient, EmbeddedDatabase.layerInMemory(snapshot))

/** It says "Aborted()" of whatever kept it from starting. */
const toStartError = (dataDir: string) => (cause: unknown) =>
  new DataFolderUnusable({
    dataDir,
    cause: `its database does not start (${toReason(cause)}): free space on its disk, or restore a backup`
  })

const openDatabase = <E>(
  create: () => Promise<PGlite>,
  toError: (cause: unknown) => E
): Effect.Effect<EmbeddedDatabase["Service"], E, Scope.Scope> =>
  Effect.gen(function* () {
    const database = yield* Effect.tryPromise({ try: create, catch: toError })
    const session = new EmbeddedSession(database)
    yield* Effect.addFinalizer(() => Effect.promise(session.close))
    yield* Effect.forkScoped(
      Effect.flatMap(
        Effect.promise(() => session.panicReason),
        shutDownAfterPanic
      )
    )
    return {
      connect: () => new EmbeddedConnection(session),
      connectSecondary: (afterTransaction, timeouts) => new SecondaryConnection(session, afterTransaction, timeouts),
      setReadOnly: (isReadOnly) => Effect.promise(() => session.setReadOnly(isReadOnly)),
      snapshot: Effect.promise(() => database.dumpDataDir("none"))
    }
  })

/** What was acknowledged is in its log, from which the next start makes it good. */
const shutDownAfterPanic = (reason: string): Effect.Effect<void> =>
  Effect.andThen(
    Effect.logFatal(
      `the embedded database crashed (${reason}): this process exits, and the next one recovers from the write-ahead log`
    ),
    Effect.sync(() => {
      process.exitCode = 1
      process.kill(process.pid, "SIGTERM")
    })
  )

const makeClient = Effect.gen(function* () {
  const { connect } = yield* EmbeddedDatabase
  const client = yield* PgClient.make({
    stream: connect,
    username: "postgres",
    database: "postgres",
    ssl: false,
    // One session: a second connection would wait for the first one for ever.
    minConnections: 1,
    maxConnections: 1,
    multiplex: true,
    types: columnTypes
  })
  return Object.assign(client, {
    listen: () =>
      Effect.die(new Error("the embedded database has one session, LISTEN would take it from everyone else"))
  })
})

const layerClient = PgClient.layerFrom(Effect.map(makeClient, withStatementCache))
