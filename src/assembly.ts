import { Layer } from "effect"
import { Keys } from "./changes/Keys.ts"
import { Gate } from "./gate/Gate.ts"
import { Tokens } from "./gate/Tokens.ts"
import { layerHandlers } from "./resources/index.ts"
import { Service } from "./service.ts"

/**
 * The Service as it runs: with its gate and the handlers of every family. What may be another one is left to whoever
 * assembles it: database, windows, channels, wake-ups, places, and what the installation says of itself.
 */
export const layerAssembly = Service.layer.pipe(
  Layer.provide(layerHandlers),
  Layer.provide([Gate.layer, Keys.layer]),
  Layer.provide(Tokens.layer)
)
