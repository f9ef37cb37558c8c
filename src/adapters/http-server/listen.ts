import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { withServerAnswers } from "./answers.ts"
import { Connections } from "./Connections.ts"
import { makeNodeServer, type Patience, patience } from "./node-server.ts"
import { type StopOptions, stop } from "./stop.ts"
import { refuseUnreadable } from "./unreadable.ts"

export interface ListenOptions extends StopOptions {
  readonly port: number
  readonly host: string
  readonly patience?: Patience | undefined
  /** Connections that may be open at once. */
  readonly connections?: number | undefined
}

/** Takes connections from now on, until the scope closes; that waits for what is under way. */
export const listen = Effect.fnUntraced(function* (
  app: Effect.Effect<HttpServerResponse, never, HttpServerRequest.HttpServerRequest>,
  options: ListenOptions
) {
  const patient = options.patience ?? patience
  const server = makeNodeServer(patient)
  const connections = new Connections(server, patient, options.connections)
  yield* refuseUnreadable(server, connections)
  const listener = yield* NodeHttpServer.make(() => server, {
    port: options.port,
    host: options.host,
    disablePreemptiveShutdown: true
  })
  yield* listener.serve(yield* withServerAnswers(app, connections))
  // Last, so that it ends first: what serves the requests is there until they are answered.
  yield* Effect.addFinalizer(() => stop(server, connections, options))
  return listener.address
})
