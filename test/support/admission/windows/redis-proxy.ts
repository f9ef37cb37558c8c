import { connect, createServer, type Socket } from "node:net"
import { Effect, Queue } from "effect"

/**
 * What happens to a connection: let through, accepted and kept silent, accepted and dropped, or let through but for
 * scripts: not known (forgetful) or not allowed (read-only).
 */
export type ProxyMode = "open" | "frozen" | "dropping" | "forgetful" | "read-only"

export type ProxyEvent = "connected" | "script refused" | "closed"

export interface RedisProxy {
  readonly url: string
  /** Waits for the next happening of this kind, passing over others. */
  readonly awaitEvent: (event: ProxyEvent) => Effect.Effect<void>
  /** Connections accepted so far. */
  readonly countConnections: () => number
  /** How many commands of this name went through to Redis. */
  readonly countCommands: (command: string) => number
  readonly setMode: (mode: ProxyMode) => Effect.Effect<void>
  /** Closes every connection and the port. */
  readonly cut: Effect.Effect<void>
  readonly restore: Effect.Effect<void>
}

/** Stands between a client and a real Redis and breaks on demand. Starts closed: `restore` opens the port. */
export const makeRedisProxy = Effect.fnUntraced(function* (redisUrl: string) {
  const events = yield* Queue.unbounded<ProxyEvent>()
  const sockets = new Set<Socket>()
  const { hostname, port: redisPort } = new URL(redisUrl)
  let mode: ProxyMode = "open"
  let forwarded = ""
  let connectionCount = 0

  const refuse = (socket: Socket, error: string) => {
    Queue.offerUnsafe(events, "script refused")
    socket.write(`-${error}\r\n`)
  }

  const server = createServer((socket) => {
    connectionCount++
    Queue.offerUnsafe(events, "connected")
    socket.on("close", () => Queue.offerUnsafe(events, "closed"))
    if (mode === "dropping") return socket.destroy()
    const redis = connect(Number(redisPort) || 6379, hostname)
    for (const end of [socket, redis]) {
      sockets.add(end)
      end.on("error", () => end.destroy())
      end.on("close", () => {
        sockets.delete(socket)
        sockets.delete(redis)
        socket.destroy()
        redis.destroy()
      })
    }
    socket.on("data", (chunk) => {
      if (mode === "frozen") return
      if (mode === "read-only" && chunk.includes("EVAL")) return refuse(socket, "READONLY You can't write")
      if (mode === "forgetful" && chunk.includes("EVALSHA")) return refuse(socket, "NOSCRIPT No matching script")
      forwarded += chunk.toString("latin1")
      redis.write(chunk)
    })
    redis.on("data", (chunk) => mode !== "frozen" && socket.write(chunk))
  })

  const listen = (port: number) =>
    Effect.callback<number>((resume) => {
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
      })
    })
  const cut = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })

  // The first listen finds a free port, which stays the proxy's while it is cut.
  const port = yield* listen(0)
  yield* cut
  yield* Effect.addFinalizer(() => cut)
  return {
    url: `redis://127.0.0.1:${port}`,
    awaitEvent: Effect.fnUntraced(function* (event) {
      while ((yield* Queue.take(events)) !== event);
    }),
    countConnections: () => connectionCount,
    countCommands: (command) => forwarded.split(`\r\n${command}\r\n`).length - 1,
    setMode: (next) =>
      Effect.sync(() => {
        mode = next
      }),
    cut,
    restore: Effect.asVoid(listen(port))
  } satisfies RedisProxy
})
