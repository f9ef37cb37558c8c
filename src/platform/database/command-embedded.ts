import { connect, type Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, type Scope } from "effect"
import { columnTypes } from "./column-types.ts"
import { connectToControl, resolveControlPath } from "./control-path.ts"
import { retryUntilFolderFree } from "./folder-wait.ts"
import { withStatementCache } from "./statement-cache.ts"

/** Whether the command opened the data folder itself, so that no service uses the database. */
export class OwnsDataFolder extends Context.Reference<boolean>("latchkey/platform/database/OwnsDataFolder", {
  defaultValue: () => false
}) {}

/** Long, because a service that runs a long statement responds late. */
const CONNECT_TIMEOUT_MS = 30_000

/**
 * The command connects to the running service, or opens the database itself. While another process has the lock but no
 * reachable socket, the command waits.
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

const openEmbedded = (dataDir: string, scope: Scope.Scope) =>
  Effect.flatMap(
    Effect.promise(() => import("./embedded.ts")),
    ({ layerEmbedded }) =>
      Layer.buildWithScope(Layer.merge(layerEmbedded(dataDir, "command"), Layer.succeed(OwnsDataFolder, true)), scope)
  )

/** The client must not prepare named statements, because it shares the session with the service. */
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
