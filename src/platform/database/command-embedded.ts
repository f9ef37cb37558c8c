import { connect, type Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, type Scope } from "effect"
import { columnTypes } from "./column-types.ts"
import { connectToControl, resolveControlPath } from "./control-path.ts"
import { retryUntilFolderFree } from "./folder-wait.ts"
import { withStatementCache } from "./statement-cache.ts"

/** Whether the command has the data folder itself, so that nobody else works on its database. */
export class OwnsDataFolder extends Context.Reference<boolean>("latchkey/platform/database/OwnsDataFolder", {
  defaultValue: () => false
}) {}

/** Milliseconds the service has to greet: one that does is in the middle of a long statement at worst. */
const CONNECT_TIMEOUT_MS = 30_000

/**
 * The embedded database for a command: through the service that has the data folder, or opened by the command itself
 * where there is none. The folder's lock is the truth; while somebody has it whom no socket reaches (a service that
 * starts or stops, another command), the command waits.
 */
export const layerCommandEmbedded = (dataDir: string) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const path = yield* resolveControlPath(dataDir)
      return yield* retryUntilFolderFree(
        (scope) =>
          Effect.flatMap(connectToControl(path), (socket) =>
            socket === undefined
              ? openEmbedded(dataDir, scope)
              : Layer.buildWithScope(layerSecondaryConnection(socket, path), scope)
          ),
        () => true
      )
    })
  )

// Loaded when needed: beside a service no command takes the time and the memory.
const openEmbedded = (dataDir: string, scope: Scope.Scope) =>
  Effect.flatMap(
    Effect.promise(() => import("./embedded.ts")),
    ({ layerEmbedded }) =>
      Layer.buildWithScope(Layer.merge(layerEmbedded(dataDir, "command"), Layer.succeed(OwnsDataFolder, true)), scope)
  )

/** A guest of the service's session. It names no statements, which are the session's. */
const layerSecondaryConnection = (firstSocket: Socket, path: string) => {
  const sockets = [firstSocket]
  const client = PgClient.make({
    stream: () => sockets.pop() ?? connect(path),
    connectTimeout: CONNECT_TIMEOUT_MS,
    username: "postgres",
    database: "postgres",
    ssl: false,
    prepare: false,
    maxConnections: 1,
    multiplex: true,
    types: columnTypes
  })
  return PgClient.layerFrom(Effect.map(client, withStatementCache))
}
