import { Layer } from "effect"
import { Gate } from "../admission/gate/Gate.ts"
import { Tokens } from "../admission/gate/Tokens.ts"
import { IdempotencyKeys } from "../changes/IdempotencyKeys.ts"
import { layerHandlers, layerHandlersNoDeps } from "./handlers.ts"
import { Service } from "./service.ts"

export const layerServiceAssembly = Service.layer.pipe(
  Layer.provide(layerHandlers),
  Layer.provide([Gate.layer, IdempotencyKeys.layer]),
  Layer.provide(Tokens.layer)
)

/** Without the stores (stores.ts) and the dependencies of the gate. */
export const layerServiceAssemblyNoDeps = Layer.provide(Service.layer, layerHandlersNoDeps)
