import { Layer } from "effect"
import { Gate } from "../admission/gate/Gate.ts"
import { Tokens } from "../admission/gate/Tokens.ts"
import { IdempotencyKeys } from "../changes/IdempotencyKeys.ts"
import { layerHandlers, layerHandlersNoDeps } from "./handlers.ts"
import { Service } from "./service.ts"

/**
 * The Service as it runs: with its gate and the handlers of every family. What may be another one is left to whoever
 * assembles it: database, windows, channels, wake-ups, concurrency limiter, and what the installation says of itself.
 */
export const layerServiceAssembly = Service.layer.pipe(
  Layer.provide(layerHandlers),
  Layer.provide([Gate.layer, IdempotencyKeys.layer]),
  Layer.provide(Tokens.layer)
)

/** The same, open to the stores of the families (stores.ts) and to what the gate and the idempotency keys work with. */
export const layerServiceAssemblyNoDeps = Layer.provide(Service.layer, layerHandlersNoDeps)
