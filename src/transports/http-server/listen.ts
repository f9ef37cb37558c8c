import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Service } from "../../service/service.ts"
import { withServerAnswers } from "./answers.ts"
import { Connections } from "./Connections.ts"
import { makeNodeServer, type Patience, patience } from "./node-server.ts"
import { type StopOptions, stop } from "./stop.ts"
import { turnAwayAgain } from "./turned-away.ts"
import { refuseUnreadable } from "./unreadable.ts"

export interface ListenOptions extends StopOptions {
  readonly port: number
  readonly host: string
  readonly patience?: Patience | undefined
  /** Connections that may be open at once. */
  readonly connections?: number | undefined
}

/** What a call adds on its way to what there is: its request, its span, its caller, its place. */
const CALL_CONTEXT = 24

/**
 * The same context in one map, upon which a call lays what is its own: else each call copies everything the process has, as
 * often as it adds eight of its own.
 */
const laidFlat = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(context.mapUnsafe, { maxDepth: CALL_CONTEXT })

/** Takes connections from now on, until the scope closes; that waits for what is under way. */
export const listen = Effect.fnUntraced(function* (
  app: Effect.Effect<HttpServerResponse, never, HttpServerRequest.HttpServerRequest>,
  options: ListenOptions
) {
  const patient = options.patience ?? patience
  const server = makeNodeServer(patient)
  const connections = new Connections(server, patient, options.connections)
  yield* refuseUnreadable(server, connections)
  turnAwayAgain(server, connections, yield* Service)
  const listener = yield* NodeHttpServer.make(() => server, {
    port: options.port,
    host: options.host,
    disablePreemptiveShutdown: true
  })
  yield* Effect.updateContext(
    listener.serve(yield* withServerAnswers(app, connections)),
    (context: Context.Context<Scope.Scope>) => laidFlat(context)
  )
  // Last, so that it ends first: what serves the requests is there until they are answered.
  yield* Effect.addFinalizer(() => stop(server, connections, options))
  return listener.address
})
