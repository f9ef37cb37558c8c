import * as Fs from "node:fs/promises"
import { createServer, type Server, type Socket } from "node:net"
import { Effect, Layer } from "effect"
import { controlSocketPath, ensureShortControlPath } from "./control-path.ts"
import { EmbeddedDatabase } from "./embedded.ts"
import { encodeFatalError, FINAL_MESSAGE_MS } from "./secondary-connection.ts"

/** Commands that may be connected at once. */
export const MAX_CONTROL_CONNECTIONS = 32
/** Milliseconds that commands under way get when the service ends: then what they have open is undone. */
const CONTROL_STOP_MS = 500

/**
 * A running service takes the commands of the command line, which run as they do on a server: each is a guest of the
 * session. The socket lies in the data folder, for this process's user alone. `afterTransaction` runs when a statement or a
 * transaction of a command is over: it may have left the workers something to do.
 *
 * Where no socket can be made (a file system without them) the service says so and goes without it.
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
      // One that could not be let in (no file handle is left) ends no service.
      server.on("error", (cause) =>
        Effect.runForkWith(context)(
          Effect.annotateLogs(Effect.logWarning("the control socket failed"), { reason: cause.message })
        )
      )
      yield* Effect.addFinalizer(() => Effect.promise(() => closeServer(server, connections, dataDir)))
      yield* Effect.tryPromise({
        // What a killed process left there: the folder is ours, so nobody listens on it.
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

/** Nobody comes any more; who is there may finish for a moment. */
const closeServer = async (server: Server, connections: CommandConnections, dataDir: string): Promise<void> => {
  if (!server.listening) return
  server.close()
  // Before they are waited for: a command that comes now finds no socket, and waits for the folder.
  await Fs.rm(controlSocketPath(dataDir), { force: true })
  await connections.drain(CONTROL_STOP_MS)
}

/** Who is connected. */
class CommandConnections {
  readonly #connectSecondary: () => ReturnType<EmbeddedDatabase["Service"]["connect"]>
  readonly #openConnections = new Set<Promise<void>>()
  readonly #sockets = new Set<Socket>()

  constructor(connectSecondary: () => ReturnType<EmbeddedDatabase["Service"]["connect"]>) {
    this.#connectSecondary = connectSecondary
  }

  readonly accept = (socket: Socket): void => {
    // A client that goes away in the middle is nothing unusual.
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
      // Its client left the last word lying.
      if (!connection.readableEnded) socket.destroy()
    })
    connection.pipe(socket, { end: false })
    socket.pipe(connection)
  }

  /** Resolves when everybody has gone, who is asked to after so many milliseconds. */
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
