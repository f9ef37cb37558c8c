import type { Server } from "node:http"
import type { Socket } from "node:net"
import { CALLER_CONNECTIONS_MAX } from "../../platform/limits.ts"
import { Connection } from "./Connection.ts"
import type { HttpTimeouts } from "./node-server.ts"

/** Same interval as Node's check of its timeouts. */
const CHECK_MS = 1_000
/**
 * Node may enforce its timeouts this late. This check waits for Node, which sends a response to a request with slow
 * headers.
 */
const NODE_LATE_MS = 2_000

export class Connections {
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
   * Closes stalled and unused connections. Node's timeouts do not suffice, because empty lines restart the idle
   * timeout.
   */
  #closeUnused({ keepAliveSeconds, headerSeconds, stalledSeconds }: HttpTimeouts): void {
    for (const connection of this.#open.values()) {
      if (connection.stalledMs() >= stalledSeconds * 1000) connection.socket.destroy()
      else if (connection.msSinceResponse >= (keepAliveSeconds + headerSeconds) * 1000 + NODE_LATE_MS)
        connection.close()
    }
  }

  /** Destroys the connection that is idle longest, preferably one that receives no request. */
  #makeRoom(): boolean {
    const connections = Array.from(this.#open.values())
    const longest =
      findLongestIdle(connections.filter(({ isReceiving }) => !isReceiving)) ?? findLongestIdle(connections)
    // close() would let the connection linger, and a lingering connection still counts.
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
