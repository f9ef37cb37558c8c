import { Effect, Layer } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { ConnectionOperations, type disconnect_application } from "./connection-contract.ts"
import { Grants } from "./Grants.ts"

/** Open to the grants of operators. */
export const layerConnectionsNoDeps = layerOperations(
  Effect.map(Grants, (grants) =>
    handleOperations(ConnectionOperations, {
      disconnect_application: voidChangeHandler(disconnectApplication(grants))
    })
  )
)

export const layerConnections = Layer.provide(layerConnectionsNoDeps, Grants.layer)

const disconnectApplication = (grants: Grants["Service"]) =>
  Effect.fnUntraced(function* ({ id }: typeof disconnect_application.payloadSchema.Type) {
    if (!(yield* grants.disconnect(yield* CurrentCaller, id))) return yield* noSuchConnectionError
  })

const noSuchConnectionError = new NotFound({ message: "id: no such connection." })
