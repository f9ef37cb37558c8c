import { connect, type Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Predicate, Schedule, Scope } from "effect"
import { controlSocket, shortControlPath } from "./control-path.ts"
import { types } from "./types.ts"

/** Milliseconds a command waits for a service that starts or stops: a stop takes twelve seconds at most. */
export const COMMAND_PATIENCE_MS = 15_000
/** Milliseconds between two looks meanwhile. */
const LOOK_MS = 100
/** Milliseconds the service has to greet: one that does is in the middle of a long statement at worst. */
const GREETING_MS = 30_000

/**
 * The embedded database for a command: through the service that has the data folder, or opened by the command itself
 * where there is none. The folder's lock is the truth; while somebody has it whom no socket reaches (a service that
 * starts or stops, another command), the command waits.
 */
export const layerBesideService = (dataDir: string) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const whole = yield* Effect.scope
      const path = yield* Effect.catch(shortControlPath(dataDir), () => Effect.succeed(controlSocket(dataDir)))
      const attempt = Effect.flatMap(Scope.fork(whole), (scope) =>
        Effect.flatMap(reached(path), (socket) =>
          socket === undefined ? opened(dataDir, scope) : Layer.buildWithScope(layerGuest(socket, path), scope)
        ).pipe(Effect.onError(() => Scope.close(scope, Exit.void)))
      )
      return yield* Effect.retry(attempt, {
        while: Predicate.isTagged("DataFolderTaken"),
        schedule: Schedule.spaced(LOOK_MS),
        times: COMMAND_PATIENCE_MS / LOOK_MS
      })
    })
  )

// Loaded when needed: beside a service no command takes the time and the memory.
const opened = (dataDir: string, scope: Scope.Scope) =>
  Effect.flatMap(
    Effect.promise(() => import("./embedded.ts")),
    ({ layerEmbedded }) => Layer.buildWithScope(layerEmbedded(dataDir), scope)
  )

/** A connection to whoever listens there; undefined when nobody does. */
const reached = (path: string): Effect.Effect<Socket | undefined> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    socket.once("error", () => resume(Effect.succeed(undefined)))
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

/** A guest of the service's session. It names no statements, which are the session's. */
const layerGuest = (first: Socket, path: string) => {
  const sockets = [first]
  return PgClient.layer({
    stream: () => sockets.pop() ?? connect(path),
    connectTimeout: GREETING_MS,
    username: "postgres",
    database: "postgres",
    ssl: false,
    prepare: false,
    maxConnections: 1,
    multiplex: true,
    types
  })
}
