import { Effect } from "effect"
import { Deployment } from "../../contract/installation.ts"
import { CustomChannels } from "./contract.ts"
import { customChannels } from "./dictionary.ts"

export const layerCustomChannels = CustomChannels.toLayer(
  Effect.map(Deployment, (deployment) => {
    const custom_channels = customChannels(deployment)
    return CustomChannels.of({ query_custom_channels: () => Effect.succeed({ custom_channels }) })
  })
)
