import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { NotFound } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import { PropertyActivation, type PropertyActivationResult } from "./PropertyActivation.ts"

type ActivationChange = (
  operatorId: number,
  propertyId: number
) => Effect.Effect<PropertyActivationResult, NotFound, CurrentActor>

const noSuchProperty = new NotFound({ message: "There is no such property." })

/**
 * What a host does to its own properties, which PropertyActivation does to anybody's. A property stays whose it is, so it is enough to
 * have looked. Whoever works on from it is woken.
 */
export class HostLetting extends Context.Service<
  HostLetting,
  { readonly deactivate: ActivationChange; readonly activate: ActivationChange }
>()("latchkey/domain/calendars/availability/HostLetting") {
  static readonly layer = Layer.effect(
    HostLetting,
    Effect.gen(function* () {
      const activation = yield* PropertyActivation
      const { wake } = yield* WakeUp
      const knows = makeCheckPropertyExists(yield* SqlClient.SqlClient)
      const own =
        (turn: PropertyActivation["Service"]["activate"]): ActivationChange =>
        (operatorId, id) =>
          Effect.flatMap(knows(operatorId, id), (known) =>
            known ? Effect.ensuring(turn(id), wake) : Effect.fail(noSuchProperty)
          )
      return HostLetting.of({ deactivate: own(activation.deactivate), activate: own(activation.activate) })
    })
  ).pipe(Layer.provide(PropertyActivation.layer))
}
