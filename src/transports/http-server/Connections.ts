import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { CALLER_CONNECTIONS_MAX } from "../../platform/limits.ts"
import { Connection } from "./Connection.ts"
import type { Patience } from "./node-server.ts"

/** Milliseconds between two looks at who keeps a connection and does not use it, as often as Node looks at its own. */
const LOOK_MS = 1_000

/** The connections of a server, from the moment each is taken. */
export class Connections {
  /** From the request to stop on: every answer says `Connection: close`. */
  stopping = false
  readonly #open = new Map<Socket, Connection>()
  readonly #most: number

  constructor(server: Server, patience: Patience, most = CALLER_CONNECTIONS_MAX) {
    this.#most = most
    server.on("connection", (socket: Socket) => this.#take(socket))
    const begin = (request: IncomingMessage, response: ServerResponse) =>
      this.of(request.socket)?.begin(request, response)
    server.on("request", begin)
    server.on("checkContinue", begin)
    server.once("listening", () => {
      const looks = setInterval(() => this.#closeUnused(patience), LOOK_MS).unref()
      server.once("close", () => clearInterval(looks))
    })
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  get count(): number {
    return this.#open.size
  }

  /** Closes those on which nothing has been under way for so many milliseconds, half a request's headers with them. */
  closeSilent(milliseconds: number): void {
    for (const connection of this.#open.values()) {
      if ((connection.silence ?? -1) >= milliseconds) connection.close()
    }
  }

  /** Ends all, whatever is under way. */
  cut(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #take(socket: Socket): void {
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#open.set(socket, new Connection(socket, () => this.stopping))
    socket.once("close", () => this.#open.delete(socket))
  }

  /** By a clock that no byte moves but those of a request, which have clocks of their own. */
  #closeUnused({ keepAliveSeconds, stalledSeconds }: Patience): void {
    for (const connection of this.#open.values()) {
      if (connection.stalled >= stalledSeconds * 1000) connection.socket.destroy()
      else if (!connection.isComing && (connection.silence ?? -1) >= keepAliveSeconds * 1000) connection.close()
    }
  }

  /** Ends the connection that has been silent longest, rather one on which no request has begun; false: all are in use. */
  #makeRoom(): boolean {
    const connections = Array.from(this.#open.values())
    const longest = longestSilent(connections.filter(({ isComing }) => !isComing)) ?? longestSilent(connections)
    // At once: one that lingers would still be there, beside those that were let in for it.
    longest?.socket.destroy()
    return longest !== undefined
  }
}

const longestSilent = (connections: ReadonlyArray<Connection>): Connection | undefined => {
  let [longest, most]: [Connection | undefined, number] = [undefined, -1]
  for (const connection of connections) {
    const silence = connection.silence ?? -1
    if (silence > most) [longest, most] = [connection, silence]
  }
  return longest
}
