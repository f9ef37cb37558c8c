import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

/**
 * Stands between a client and a server: the first connection that says COMMIT is cut off for the client, and the server
 * hears the word so much later. Answers the address in its place.
 */
export const startLateCommitProxy = Effect.fnUntraced(function* (server: string, lateMs: number) {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  let cut = false
  const proxy = createServer((client) => {
    const behind = connect(Number(port) || 5432, hostname)
    for (const end of [client, behind]) {
      sockets.add(end)
      end.on("error", () => end.destroy())
    }
    behind.on("close", () => client.destroy())
    let own = false
    client.on("close", () => own || behind.destroy())
    behind.on("data", (chunk) => client.write(chunk))
    client.on("data", (chunk) => {
      if (cut || !chunk.includes("COMMIT")) return behind.write(chunk)
      ;[cut, own] = [true, true]
      client.destroy()
      setTimeout(() => behind.end(chunk), lateMs)
    })
  })
  const listening = Effect.callback<number>((resume) => {
    proxy.listen(0, "127.0.0.1", () => {
      const address = proxy.address()
      resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
    })
  })
  const closed = Effect.callback<void>((resume) => {
    proxy.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  const own = yield* Effect.acquireRelease(listening, () => closed)
  const url = new URL(server)
  url.host = `127.0.0.1:${own}`
  return url.href
})
