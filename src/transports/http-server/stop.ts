import type { Server } from "node:http"
import { Server as NetServer } from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Effect, type Latch } from "effect"
import type { Connections } from "./Connections.ts"

/** Seconds that open requests get to finish when the process is asked to stop; everything ends within 12. */
const SHUTDOWN_SECONDS = 7

/**
 * Milliseconds a connection may have been silent at a stop to be thought in use: its client may have the next request
 * on the way, and is told then that it was the last. A request whose headers have begun to arrive gets as long.
 */
const STOP_SILENCE_MS = 500
/** The same where another process serves in the place of this one: nobody waits for its end, so its clients have longer. */
const REPLACED_SILENCE_MS = 5_000

export interface StopOptions {
  /** How long new connections are taken after the request to stop. */
  readonly drainSeconds: number
  /** Open once another process serves in the place of this one: then nobody needs the rest of the drain. */
  readonly replaced?: Latch.Latch | undefined
  /** Done when no new connections are taken any more: ends what callers only wait for. */
  readonly onStop?: Effect.Effect<void> | undefined
  /** How long a connection may have been silent to be thought in use, in milliseconds. */
  readonly silence?: number | undefined
  /** How long what is under way may take. */
  readonly shutdownSeconds?: number | undefined
}

/** Milliseconds between two looks whether everything is answered: what a stop may take longer than it must. */
const LOOK_MS = 20

/**
 * Lets a server end so that nobody notices: what was read is answered, each answer says that it is the last of its
 * connection, connections that nobody uses close. Done when all are closed; what takes too long is cut.
 */
export const stop = Effect.fnUntraced(function* (server: Server, connections: Connections, options: StopOptions) {
  connections.stopping = true
  const drained = Effect.promise(() => setTimeout(options.drainSeconds * 1000))
  yield* options.replaced === undefined ? drained : Effect.raceFirst(drained, options.replaced.await)
  // Not before: who is answered at once with nothing comes again, and is let in as long as the drain lasts.
  if (options.onStop !== undefined) yield* options.onStop
  const cut = yield* Effect.promise(() => untilClosed(server, connections, options))
  if (cut > 0) yield* Effect.logWarning("the stop cut connections").pipe(Effect.annotateLogs({ connections: cut }))
})

const silenceOf = (replaced: Latch.Latch | undefined): number =>
  replaced?.isOpen() === true ? REPLACED_SILENCE_MS : STOP_SILENCE_MS

/** How many connections had to be cut. In real time, as what it waits for is sockets, which no test clock moves. */
const untilClosed = async (
  server: Server,
  connections: Connections,
  { replaced, silence = silenceOf(replaced), shutdownSeconds = SHUTDOWN_SECONDS }: StopOptions
): Promise<number> => {
  const deadline = performance.now() + shutdownSeconds * 1000
  // Connections that wait to be taken are taken, and bytes that wait to be read are read.
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  // Of the plain server: that of HTTP would cut off clients whose next request is on its way.
  NetServer.prototype.close.call(server)
  connections.closeSilent(silence)
  while (connections.count > 0 && performance.now() < deadline) {
    await setTimeout(LOOK_MS)
    connections.closeSilent(silence)
  }
  const cut = connections.count
  connections.cut()
  return cut
}
