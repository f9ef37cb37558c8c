import { Effect, Layer } from "effect"
import { type Connector, Connectors } from "../../domain/channels/port/connector.ts"
import { ConnectorCache } from "./ConnectorCache.ts"
import { makeConnectorClient } from "./connector-client.ts"
import { parseConnectorId } from "./connector-names.ts"
import { makeHttpConnector } from "./outbound-protocol.ts"

export const layerWithHttpConnectors = Layer.effect(
  Connectors,
  Effect.gen(function* () {
    const localConnectors = yield* Connectors
    const sendVia = yield* makeConnectorClient
    return {
      find: (name: string): Connector | undefined => {
        const id = parseConnectorId(name)
        return id === undefined ? localConnectors.find(name) : makeHttpConnector(sendVia(id))
      }
    }
  })
).pipe(Layer.provide(ConnectorCache.layer))
