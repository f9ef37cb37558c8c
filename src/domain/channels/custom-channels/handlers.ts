import { Effect } from "effect"
import { Deployment } from "../../../platform/installation.ts"
import { handleOperations, layerOperations } from "../../operation-handlers.ts"
import { listCustomChannels } from "./built-in-channels.ts"
import { CustomChannelOperations } from "./contract.ts"

export const layerCustomChannels = layerOperations(
  Effect.map(Deployment, (deployment) => {
    const custom_channels = listCustomChannels(deployment)
    return handleOperations(CustomChannelOperations, {
      query_custom_channels: () => Effect.succeed({ custom_channels })
    })
  })
)
