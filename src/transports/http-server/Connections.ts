import type { Server } from "node:http"
import type { Socket } from "node:net"
import { CALLER_CONNECTIONS_MAX } from "../../platform/limits.ts"
import { Connection } from "./Connection.ts"
import type { HttpTimeouts } from "./node-server.ts"

/** Milliseconds between two checks for unused connections, as often as Node checks its own timeouts. */
const CHECK_MS = 1_000
/** Milliseconds that Node may be late with its own timeouts, so that a request with slow headers gets its response before it is cut. */
const NODE_LATE_MS = 2_000

/** All connections of a server. */
export class Connections {
  /** Whether the server stops. Then each response has `Connection: close`. */
  stopping = false
  readonly #open = new Map<Socket, Connection>()
  readonly #most: number

  constructor(server: Server, timeouts: HttpTimeouts, most = CALLER_CONNECTIONS_MAX) {
    this.#most = most
    server.on("connection", (socket: Socket) => this.#accept(socket))
    server.once("listening", () => {
      const checks = setInterval(() => this.#closeUnused(timeouts), CHECK_MS).unref()
      server.once("close", () => clearInterval(checks))
    })
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  get count(): number {
    return this.#open.size
  }

  /** Closes connections that have been idle for so many milliseconds. */
  closeIdle(milliseconds: number): void {
    for (const connection of this.#open.values()) {
      if ((connection.idleMs() ?? -1) >= milliseconds) connection.close()
    }
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #accept(socket: Socket): void {
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#open.set(socket, new Connection(socket, () => this.stopping))
    socket.once("close", () => this.#open.delete(socket))
  }

  /**
   * Closes connections whose clients receive nothing of a response, or send no request. Node's own timeouts cut slow headers, slow bodies
   * and idle connections, but empty lines restart its idle timeout.
   */
  #closeUnused({ keepAliveSeconds, headerSeconds, stalledSeconds }: HttpTimeouts): void {
    for (const connection of this.#open.values()) {
      if (connection.stalledMs() >= stalledSeconds * 1000) connection.socket.destroy()
      else if (connection.msSinceResponse >= (keepAliveSeconds + headerSeconds) * 1000 + NODE_LATE_MS)
        connection.close()
    }
  }

  /** Ends the longest idle connection, if possible one whose next request is not coming. Returns false if none is idle. */
  #makeRoom(): boolean {
    const connections = Array.from(this.#open.values())
    const longest =
      findLongestIdle(connections.filter(({ isReceiving }) => !isReceiving)) ?? findLongestIdle(connections)
    // Not with close(): a connection that lingers still counts.
    longest?.socket.destroy()
    return longest !== undefined
  }
}

const findLongestIdle = (connections: ReadonlyArray<Connection>): Connection | undefined => {
  let [longest, most]: [Connection | undefined, number] = [undefined, -1]
  for (const connection of connections) {
    const idleMs = connection.idleMs() ?? -1
    if (idleMs > most) [longest, most] = [connection, idleMs]
  }
  return longest
}
