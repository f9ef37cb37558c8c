import { Effect } from "effect"
import { Deployment } from "../../../platform/installation.ts"
import { handled, layerHandled } from "../../handled.ts"
import { CustomChannels } from "./contract.ts"
import { customChannels } from "./dictionary.ts"

export const layerCustomChannels = layerHandled(
  Effect.map(Deployment, (deployment) => {
    const custom_channels = customChannels(deployment)
    return handled(CustomChannels, { query_custom_channels: () => Effect.succeed({ custom_channels }) })
  })
)
