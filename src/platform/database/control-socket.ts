import * as Fs from "node:fs/promises"
import { createServer, type Server, type Socket } from "node:net"
import { Effect, Layer } from "effect"
import { controlSocket, shortControlPath } from "./control-path.ts"
import { EmbeddedDatabase } from "./embedded.ts"
import { LAST_WORD_MS, refusalOf } from "./guest-connection.ts"

/** Commands that may be connected at once. */
export const CONTROL_CONNECTIONS = 32
/** Milliseconds that commands under way get when the service ends: then what they have open is undone. */
export const CONTROL_STOP_MS = 500

/**
 * A running service takes the commands of the command line, which run as they do on a server: each is a guest of the
 * session. The socket lies in the data folder, for this process's user alone. `afterwards` runs when a statement or a
 * transaction of a command is over: it may have left the workers something to do.
 *
 * Where no socket can be made (a file system without them) the service says so and goes without it.
 */
export const layerControlSocket = (dataDir: string, afterwards: Effect.Effect<void>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { join } = yield* EmbeddedDatabase
      const context = yield* Effect.context()
      const guests = new Guests(() => join(() => Effect.runForkWith(context)(afterwards)))
      const server = createServer(guests.welcome)
      // One that could not be let in (no file handle is left) ends no service.
      server.on("error", (cause) =>
        Effect.runForkWith(context)(
          Effect.annotateLogs(Effect.logWarning("the control socket failed"), { reason: cause.message })
        )
      )
      yield* Effect.addFinalizer(() => Effect.promise(() => closed(server, guests, dataDir)))
      yield* Effect.tryPromise({
        // What a killed process left there: the folder is ours, so nobody listens on it.
        try: () => Fs.rm(controlSocket(dataDir), { force: true }),
        catch: (cause) => cause
      }).pipe(
        Effect.andThen(shortControlPath(dataDir)),
        Effect.flatMap((path) => listening(server, path)),
        Effect.andThen(
          Effect.tryPromise({ try: () => Fs.chmod(controlSocket(dataDir), 0o600), catch: (cause) => cause })
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

const listening = (server: Server, path: string): Effect.Effect<void, Error> =>
  Effect.callback((resume) => {
    const failed = (error: Error) => resume(Effect.fail(error))
    server.once("error", failed)
    server.listen(path, () => {
      server.off("error", failed)
      resume(Effect.void)
    })
  })

/** Nobody comes any more; who is there may finish for a moment. */
const closed = async (server: Server, guests: Guests, dataDir: string): Promise<void> => {
  if (!server.listening) return
  server.close()
  // Before they are waited for: a command that comes now finds no socket, and waits for the folder.
  await Fs.rm(controlSocket(dataDir), { force: true })
  await guests.leave(CONTROL_STOP_MS)
}

/** Who is connected. */
class Guests {
  readonly #join: () => ReturnType<EmbeddedDatabase["Service"]["connect"]>
  readonly #there = new Set<Promise<void>>()
  readonly #sockets = new Set<Socket>()

  constructor(join: () => ReturnType<EmbeddedDatabase["Service"]["connect"]>) {
    this.#join = join
  }

  readonly welcome = (socket: Socket): void => {
    // A client that goes away in the middle is nothing unusual.
    socket.on("error", () => {})
    if (this.#there.size >= CONTROL_CONNECTIONS) {
      socket.resume()
      lastWord(socket, refusalOf("tooMany"))
      return
    }
    const guest = this.#join()
    const gone = new Promise<void>((resolve) => guest.once("close", resolve))
    this.#there.add(gone)
    this.#sockets.add(socket)
    void gone.then(() => this.#there.delete(gone))
    socket.once("close", () => {
      this.#sockets.delete(socket)
      guest.destroy()
    })
    guest.on("error", () => socket.destroy())
    guest.once("end", () => lastWord(socket))
    guest.once("close", () => {
      // Its client left the last word lying.
      if (!guest.readableEnded) socket.destroy()
    })
    guest.pipe(socket, { end: false })
    socket.pipe(guest)
  }

  /** Resolves when everybody has gone, who is asked to after so many milliseconds. */
  async leave(patience: number): Promise<void> {
    const ask = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, patience)
    while (this.#there.size > 0) await Promise.all(this.#there)
    clearTimeout(ask)
  }
}

const lastWord = (socket: Socket, word: Buffer = Buffer.alloc(0)): void => {
  socket.end(word)
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref()
}
