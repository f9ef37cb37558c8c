import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

/**
 * Stands between a client and a server: the first connection that says COMMIT is cut off for the client, and the server
 * hears the word so much later. Answers the address in its place.
 */
export const startLateCommitProxy = Effect.fnUntraced(function* (server: string, lateMs: number) {
  const { hostname, port } = new URL(server)
  const sockets = new Set<Socket>()
  let hasCutCommit = false
  const proxy = createServer((client) => {
    const serverSocket = connect(Number(port) || 5432, hostname)
    for (const end of [client, serverSocket]) {
      sockets.add(end)
      end.on("error", () => end.destroy())
    }
    serverSocket.on("close", () => client.destroy())
    let isCommitConnection = false
    client.on("close", () => isCommitConnection || serverSocket.destroy())
    serverSocket.on("data", (chunk) => client.write(chunk))
    client.on("data", (chunk) => {
      if (hasCutCommit || !chunk.includes("COMMIT")) return serverSocket.write(chunk)
      ;[hasCutCommit, isCommitConnection] = [true, true]
      client.destroy()
      setTimeout(() => serverSocket.end(chunk), lateMs)
    })
  })
  const listenOnFreePort = Effect.callback<number>((resume) => {
    proxy.listen(0, "127.0.0.1", () => {
      const address = proxy.address()
      resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
    })
  })
  const closeProxy = Effect.callback<void>((resume) => {
    proxy.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
  })
  const proxyPort = yield* Effect.acquireRelease(listenOnFreePort, () => closeProxy)
  const url = new URL(server)
  url.host = `127.0.0.1:${proxyPort}`
  return url.href
})
