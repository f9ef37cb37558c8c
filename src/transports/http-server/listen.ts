import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, type Scope } from "effect"
import type { Service } from "../../service/service.ts"
import type { HttpApp } from "../http/api-http.ts"
import { answerRequests } from "./answer-requests.ts"
import { Connections } from "./Connections.ts"
import { DEFAULT_TIMEOUTS, type HttpTimeouts, makeNodeServer } from "./node-server.ts"
import { type StopOptions, stop } from "./stop.ts"
import { rejectUnreadable } from "./unreadable.ts"

export interface ListenOptions extends StopOptions {
  readonly port: number
  readonly host: string
  readonly timeouts?: HttpTimeouts | undefined
  readonly connections?: number | undefined
}

/** Upper bound for the number of services that a call adds to its context. */
const CALL_CONTEXT = 24

/**
 * Flattens the context into one map. Otherwise each call would copy all services of the process once per service it
 * adds.
 */
const flattenContext = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(context.mapUnsafe, { maxDepth: CALL_CONTEXT })

export const listen = Effect.fnUntraced(function* (app: HttpApp, options: ListenOptions) {
  const timeouts = options.timeouts ?? DEFAULT_TIMEOUTS
  const server = makeNodeServer(timeouts)
  const connections = new Connections(server, timeouts, options.connections)
  yield* rejectUnreadable(server, connections)
  yield* Effect.updateContext(answerRequests(server, connections, app), flattenContext<Scope.Scope | Service>)
  const listener = yield* NodeHttpServer.make(() => server, {
    port: options.port,
    host: options.host,
    disablePreemptiveShutdown: true
  })
  // Finalizers run in reverse order, so the server still responds while `stop` runs.
  yield* Effect.addFinalizer(() => stop(server, connections, options))
  return listener.address
})
