import type { Server } from "node:http"
import { Server as NetServer } from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Effect, type Latch } from "effect"
import type { Connections } from "./Connections.ts"

/** Time for open requests. The whole process must end within 12 s of SIGTERM. */
const SHUTDOWN_SECONDS = 7

/** A connection that was used within this time may have its next request on the way. */
const STOP_IDLE_MS = 500
/** A replaced process waits longer, because its successor already serves new connections. */
const REPLACED_IDLE_MS = 5_000

export interface StopOptions {
  /** Seconds in which new connections are still accepted. */
  readonly drainSeconds: number
  /** Opens when another process has replaced this one, which ends the drain. */
  readonly replaced?: Latch.Latch | undefined
  /** Runs after the drain, and ends requests that only wait. */
  readonly onStop?: Effect.Effect<void> | undefined
  readonly silence?: number | undefined
  readonly shutdownSeconds?: number | undefined
}

const CHECK_MS = 20

/**
 * Open requests get their responses, and then their connections end. Idle connections are closed. The rest is cut after
 * `shutdownSeconds`.
 */
export const stop = Effect.fnUntraced(function* (server: Server, connections: Connections, options: StopOptions) {
  connections.stopping = true
  const drained = Effect.promise((signal) => setTimeout(options.drainSeconds * 1000, undefined, { signal }))
  yield* options.replaced === undefined ? drained : Effect.raceFirst(drained, options.replaced.await)
  // Ends waiting requests only after the drain. Their clients call again at once, and a draining process would still
  // accept them.
  if (options.onStop !== undefined) yield* options.onStop
  const cut = yield* Effect.promise(() => untilClosed(server, connections, options))
  if (cut > 0) yield* Effect.logWarning("the stop cut connections").pipe(Effect.annotateLogs({ connections: cut }))
})

const idleLimitOf = (replaced: Latch.Latch | undefined): number =>
  replaced?.isOpen() === true ? REPLACED_IDLE_MS : STOP_IDLE_MS

/** Uses real time, because a test clock does not move sockets. */
const untilClosed = async (
  server: Server,
  connections: Connections,
  { replaced, silence = idleLimitOf(replaced), shutdownSeconds = SHUTDOWN_SECONDS }: StopOptions
): Promise<number> => {
  const deadline = performance.now() + shutdownSeconds * 1000
  // Lets Node accept connections and read bytes that have already arrived.
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  // The `close` of Node's HTTP server would also close connections whose next request is on the way.
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
