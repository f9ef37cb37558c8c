import * as Fs from "node:fs/promises"
import { createServer, type Server, type Socket } from "node:net"
import { Effect, Layer } from "effect"
import { controlSocketPath, ensureShortControlPath } from "./control-path.ts"
import { EmbeddedDatabase } from "./embedded.ts"
import { encodeFatalError, FINAL_MESSAGE_MS } from "./secondary-connection.ts"

export const MAX_CONTROL_CONNECTIONS = 32
/** Commands may finish their transactions within this time after the service begins to stop. */
const CONTROL_STOP_MS = 500

/**
 * Accepts commands of the CLI on a private socket in the data folder. `afterTransaction` runs after each statement or
 * transaction, which may have created work for the workers.
 */
export const layerControlSocket = (dataDir: string, afterTransaction: Effect.Effect<void>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { connectSecondary } = yield* EmbeddedDatabase
      const context = yield* Effect.context()
      const connections = new CommandConnections(() =>
        connectSecondary(() => Effect.runForkWith(context)(afterTransaction))
      )
      const server = createServer(connections.accept)
      server.on("error", (cause) =>
        Effect.runForkWith(context)(
          Effect.annotateLogs(Effect.logWarning("the control socket failed"), { reason: cause.message })
        )
      )
      yield* Effect.addFinalizer(() => Effect.promise(() => closeServer(server, connections, dataDir)))
      yield* Effect.tryPromise({
        // A killed process may have left its socket. No process listens on it, because this process has the folder's
        // lock.
        try: () => Fs.rm(controlSocketPath(dataDir), { force: true }),
        catch: (cause) => cause
      }).pipe(
        Effect.andThen(ensureShortControlPath(dataDir)),
        Effect.flatMap((path) => startListening(server, path)),
        Effect.andThen(
          Effect.tryPromise({ try: () => Fs.chmod(controlSocketPath(dataDir), 0o600), catch: (cause) => cause })
        ),
        Effect.catch((cause) =>
          Effect.annotateLogs(
            Effect.logWarning("cannot open the control socket: commands work only while the service is stopped"),
            {
              folder: dataDir,
              reason: String(cause)
            }
          )
        )
      )
    })
  )

const startListening = (server: Server, path: string): Effect.Effect<void, Error> =>
  Effect.callback((resume) => {
    const onError = (error: Error) => resume(Effect.fail(error))
    server.once("error", onError)
    server.listen(path, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

const closeServer = async (server: Server, connections: CommandConnections, dataDir: string): Promise<void> => {
  if (!server.listening) return
  server.close()
  // The socket is removed first. A new command then finds no socket and waits until the data folder is free.
  await Fs.rm(controlSocketPath(dataDir), { force: true })
  await connections.drain(CONTROL_STOP_MS)
}

class CommandConnections {
  readonly #connectSecondary: () => ReturnType<EmbeddedDatabase["Service"]["connect"]>
  readonly #openConnections = new Set<Promise<void>>()
  readonly #sockets = new Set<Socket>()

  constructor(connectSecondary: () => ReturnType<EmbeddedDatabase["Service"]["connect"]>) {
    this.#connectSecondary = connectSecondary
  }

  readonly accept = (socket: Socket): void => {
    socket.on("error", () => {})
    if (this.#openConnections.size >= MAX_CONTROL_CONNECTIONS) {
      socket.resume()
      endWithMessage(socket, encodeFatalError("tooMany"))
      return
    }
    const connection = this.#connectSecondary()
    const closed = new Promise<void>((resolve) => connection.once("close", resolve))
    this.#openConnections.add(closed)
    this.#sockets.add(socket)
    void closed.then(() => this.#openConnections.delete(closed))
    socket.once("close", () => {
      this.#sockets.delete(socket)
      connection.destroy()
    })
    connection.on("error", () => socket.destroy())
    connection.once("end", () => endWithMessage(socket))
    connection.once("close", () => {
      if (!connection.readableEnded) socket.destroy()
    })
    connection.pipe(socket, { end: false })
    socket.pipe(connection)
  }

  async drain(timeoutMs: number): Promise<void> {
    const closeTimer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, timeoutMs)
    while (this.#openConnections.size > 0) await Promise.all(this.#openConnections)
    clearTimeout(closeTimer)
  }
}

const endWithMessage = (socket: Socket, message: Buffer = Buffer.alloc(0)): void => {
  socket.end(message)
  setTimeout(() => socket.destroy(), FINAL_MESSAGE_MS).unref()
}
