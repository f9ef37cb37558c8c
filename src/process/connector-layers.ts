import { Layer } from "effect"
import { layerWithHttpConnectors } from "../connectors/http/connectors-layer.ts"
import { Ingest } from "../connectors/ingest/Ingest.ts"
import { layerSandbox, layerSandboxWorkers } from "../connectors/sandbox/layer.ts"
import type { Marketplace } from "../connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../connectors/sandbox/SandboxAccess.ts"
import { layerSandboxConnector } from "../connectors/sandbox/SandboxConnector.ts"
import { Connectors } from "../domain/channels/port/connector.ts"
import { AddressResolver } from "../domain/webhooks/deliveries/AddressResolver.ts"
import { OutboundHttp } from "../domain/webhooks/deliveries/OutboundHttp.ts"
import type { WakeUp } from "../jobs/WakeUp.ts"
import { type DatabaseSettings, layerRequestDatabase } from "../platform/database/database-layers.ts"
import type { Settings } from "../service/configuration.ts"
import { DEMO_EMAIL } from "../tools/demo/seed.ts"
import { layerSandboxEndpoint } from "../transports/sandbox-pages/sandbox-endpoint.ts"

export const layerOutboundHttp = ({ webhookAllowedHosts }: Settings) =>
  Layer.provide(OutboundHttp.layer(webhookAllowedHosts), AddressResolver.layer)

/** Also provides the request database that the marketplace uses. */
export type LayerMarketplace = Layer.Layer<
  Marketplace | Layer.Success<typeof layerRequestDatabase>,
  DatabaseFailure,
  DatabaseSettings | WakeUp
>

export interface SandboxLayers {
  readonly connector: Layer.Layer<Connectors, DatabaseFailure, DatabaseSettings | WakeUp>
  /** Undefined without a sandbox. */
  readonly marketplace: LayerMarketplace | undefined
  readonly backgroundWork: Layer.Layer<never, DatabaseFailure, DatabaseSettings | WakeUp>
}

type DatabaseFailure = Layer.Error<typeof layerRequestDatabase>

export const makeSandboxLayers = ({ sandbox, publicUrl }: Settings): SandboxLayers => {
  if (sandbox === "never") {
    return { connector: Connectors.layerNone, marketplace: undefined, backgroundWork: Layer.empty }
  }
  // The request database makes changes by sandbox guests as durable as changes by callers.
  const marketplace = layerSandbox.pipe(
    Layer.provideMerge(Layer.merge(Ingest.layer, SandboxAccess.layerFromSettings(sandbox, DEMO_EMAIL))),
    Layer.provideMerge(layerRequestDatabase)
  )
  return {
    connector: Layer.provide(Layer.merge(layerSandboxConnector, layerSandboxEndpoint(publicUrl)), marketplace),
    marketplace,
    backgroundWork: Layer.provide(layerSandboxWorkers, marketplace)
  }
}

export const makeConnectorLayer = (settings: Settings, { connector: sandboxConnector }: SandboxLayers) =>
  layerWithHttpConnectors.pipe(Layer.provide([sandboxConnector, layerRequestDatabase, layerOutboundHttp(settings)]))

export type LayerConnectors = ReturnType<typeof makeConnectorLayer>
