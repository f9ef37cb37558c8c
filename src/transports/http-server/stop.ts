import type { Server } from "node:http"
import { Server as NetServer } from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Effect, type Latch } from "effect"
import type { Connections } from "./Connections.ts"

/** Seconds that open requests have to finish when the process stops. The whole process ends within 12 s of SIGTERM. */
const SHUTDOWN_SECONDS = 7

/**
 * Milliseconds of idleness after which a stop closes a connection. The next request of a connection that was used a moment ago may be on
 * its way, and its response says that it is the last.
 */
const STOP_IDLE_MS = 500
/** The same if another process has replaced this one, so that nobody waits for the stop. */
const REPLACED_IDLE_MS = 5_000

export interface StopOptions {
  /** Seconds for which new connections are accepted after SIGTERM. */
  readonly drainSeconds: number
  /** Opens when another process has replaced this one, which ends the drain. */
  readonly replaced?: Latch.Latch | undefined
  /** Runs after the drain. It ends requests that only wait for something. */
  readonly onStop?: Effect.Effect<void> | undefined
  /** Milliseconds of idleness after which the stop closes a connection. */
  readonly silence?: number | undefined
  /** Seconds that open requests have to finish. */
  readonly shutdownSeconds?: number | undefined
}

/** Milliseconds between two checks whether all connections are closed. */
const CHECK_MS = 20

/**
 * Stops a server gracefully: open requests get their responses, each response says that it is the last of its connection, and idle
 * connections are closed. Ends when all connections are closed. Those that take too long are cut.
 */
export const stop = Effect.fnUntraced(function* (server: Server, connections: Connections, options: StopOptions) {
  connections.stopping = true
  const drained = Effect.promise((signal) => setTimeout(options.drainSeconds * 1000, undefined, { signal }))
  yield* options.replaced === undefined ? drained : Effect.raceFirst(drained, options.replaced.await)
  // After the drain: a caller whose wait ends at once calls again, and is accepted while the drain lasts.
  if (options.onStop !== undefined) yield* options.onStop
  const cut = yield* Effect.promise(() => untilClosed(server, connections, options))
  if (cut > 0) yield* Effect.logWarning("the stop cut connections").pipe(Effect.annotateLogs({ connections: cut }))
})

const idleLimitOf = (replaced: Latch.Latch | undefined): number =>
  replaced?.isOpen() === true ? REPLACED_IDLE_MS : STOP_IDLE_MS

/** Returns how many connections had to be cut. It waits in real time, because a test clock moves no socket. */
const untilClosed = async (
  server: Server,
  connections: Connections,
  { replaced, silence = idleLimitOf(replaced), shutdownSeconds = SHUTDOWN_SECONDS }: StopOptions
): Promise<number> => {
  const deadline = performance.now() + shutdownSeconds * 1000
  // Lets Node accept the connections and read the bytes that have arrived already.
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  // The method of the TCP server: that of the HTTP server would also close connections whose next request is on its way.
  NetServer.prototype.close.call(server)
  connections.closeIdle(silence)
  while (connections.count > 0 && performance.now() < deadline) {
    await setTimeout(CHECK_MS)
    connections.closeIdle(silence)
  }
  const cut = connections.count
  connections.destroyAll()
  return cut
}
