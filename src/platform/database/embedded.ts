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

export class EmbeddedDatabase extends Context.Service<
  EmbeddedDatabase,
  {
    /** A connection waits until the previous one is closed. */
    readonly connect: () => Duplex
    /**
     * The connection must not prepare named statements. `afterTransaction` runs after each statement or transaction.
     */
    readonly connectSecondary: (afterTransaction: () => void, timeouts?: Partial<SecondaryTimeouts>) => Duplex
    readonly setReadOnly: (isReadOnly: boolean) => Effect.Effect<void>
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

/** The default of 128 MB would be allocated at the start. */
const BUFFERS_MB = 16

const START_PARAMETERS = [...PGlite.defaultStartParams, "-c", `shared_buffers=${BUFFERS_MB}MB`]

/**
 * Committed rows survive a kill of the process at any moment, but not a power loss, because they are not flushed to
 * disk.
 */
export const layerEmbedded = (
  dataDir: string,
  ownerKind: FolderOwnerKind = "service"
): Layer.Layer<PgClient.PgClient | SqlClient | EmbeddedDatabase, SqlError | DataFolderTaken | DataFolderUnusable> =>
  Layer.provideMerge(layerClient, EmbeddedDatabase.layerFolder(dataDir, ownerKind))

export const layerInMemory = (
  snapshot?: Blob
): Layer.Layer<PgClient.PgClient | SqlClient | EmbeddedDatabase, SqlError> =>
  Layer.provideMerge(layerClient, EmbeddedDatabase.layerInMemory(snapshot))

/** PGlite reports "Aborted()" for every cause, so the message names the usual remedies. */
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
    // A second connection would wait for the only session forever.
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
