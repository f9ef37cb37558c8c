import { Effect } from "effect"
import { Deployment } from "../../../platform/installation.ts"
import { handleOperations, layerOperations } from "../../handled.ts"
import { CustomChannels } from "./contract.ts"
import { listCustomChannels } from "./dictionary.ts"

export const layerCustomChannels = layerOperations(
  Effect.map(Deployment, (deployment) => {
    const custom_channels = listCustomChannels(deployment)
    return handleOperations(CustomChannels, { query_custom_channels: () => Effect.succeed({ custom_channels }) })
  })
)
