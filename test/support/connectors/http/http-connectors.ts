import type { Server } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Result } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { makeConnector } from "../../../../docs/examples/connector.mjs"
import { ConnectorMessageReceiver } from "../../../../src/connectors/http/ConnectorMessageReceiver.ts"
import { layerWithHttpConnectors } from "../../../../src/connectors/http/connectors-layer.ts"
import { HttpConnectors } from "../../../../src/connectors/http/HttpConnectors.ts"
import { Connectors } from "../../../../src/domain/channels/port/connector.ts"
import { AddressResolver } from "../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import {
  AllowedReceivers,
  NO_ALLOWED_HOSTS,
  parseAllowedHosts
} from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { ConnectorEndpoint, layerConnectorEndpoint } from "../../../../src/transports/connectors/connector-endpoint.ts"

// Connectors on loopback, and the door at which they speak.

export const LOOPBACK_HOSTS = Result.getOrElse(parseAllowedHosts("127.0.0.1"), () => NO_ALLOWED_HOSTS)

/** The connectors elsewhere, over a database. */
export const layerConnectorsOverHttp = layerWithHttpConnectors.pipe(
  Layer.provide([Connectors.layerNone, Layer.provide(OutboundHttp.layer(LOOPBACK_HOSTS), AddressResolver.layer)])
)

/** What they say is heard, over a database and what hears it. */
export const layerConnectorEndpointWithReceiver = Layer.provide(
  layerConnectorEndpoint(),
  ConnectorMessageReceiver.layer
)

/** Serves the door alone, at an address without a final slash. */
export const serveConnectorEndpoint = Effect.gen(function* () {
  const endpoint = yield* ConnectorEndpoint
  const server = yield* NodeHttpServer.make(() => createServer(), {
    port: 0,
    host: "127.0.0.1",
    disablePreemptiveShutdown: true
  })
  yield* server.serve(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.map(endpoint(request), (response) => response ?? HttpServerResponse.empty({ status: 404 }))
    )
  )
  return HttpServer.formatAddress(server.address)
})

/** Makes a connector known at an address. */
export const createConnector = Effect.fn("connectorAt")(function* (url: string) {
  const connector = yield* HttpConnectors.use((connectors) =>
    connectors.add({ name: `tiny ${url} ${Math.random()}`, url })
  ).pipe(Effect.provide(HttpConnectors.layer), Effect.provideService(AllowedReceivers, LOOPBACK_HOSTS))
  return { id: connector.connector_id, secret: connector.secret }
}, Effect.orDie)

/** Lets a server of Node listen until the scope closes; answers its address. */
export const listenOnLoopback = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.sync(() => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
      )
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** The worked connector of the documentation, known to the service; it speaks at the door of that address. */
export const startExampleConnector = Effect.fn("tinyAt")(function* (endpointUrl: string) {
  const { id, secret } = yield* createConnector("http://127.0.0.1:9/")
  const now = yield* Effect.clockWith((clock) => Effect.succeed(() => clock.currentTimeMillisUnsafe()))
  const exampleConnector = makeConnector({ secret, service: `${endpointUrl}/connectors/${id}`, now })
  const url = yield* listenOnLoopback(exampleConnector.server)
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql`UPDATE connectors SET url = ${url} WHERE id = ${id}`)
  return { id, secret, url, ...exampleConnector }
})
