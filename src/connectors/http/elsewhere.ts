import { Effect, Layer } from "effect"
import { type Connector, Connectors } from "../../domain/channels/port/connector.ts"
import { askedBy } from "./acts.ts"
import { makeAsking } from "./asking.ts"
import { Known } from "./Known.ts"
import { connectorIn } from "./names.ts"

/** The connectors there are, and beside them those that run elsewhere. */
export const layerConnectorsElsewhere = Layer.effect(
  Connectors,
  Effect.gen(function* () {
    const others = yield* Connectors
    const asking = yield* makeAsking
    return {
      find: (name: string): Connector | undefined => {
        const id = connectorIn(name)
        return id === undefined ? others.find(name) : askedBy(asking(id))
      }
    }
  })
).pipe(Layer.provide(Known.layer))
