import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { NotFound } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { knowsProperty } from "../../properties/properties/belonging.ts"
import { Letting, type Turned } from "./Letting.ts"

type Turning = (operatorId: number, propertyId: number) => Effect.Effect<Turned, NotFound, Acting>

const noSuchProperty = new NotFound({ message: "There is no such property." })

/**
 * What a host does to its own properties, which {@link Letting} does to anybody's. A property stays whose it is, so it is enough to
 * have looked. Whoever works on from it is woken.
 */
export class HostLetting extends Context.Service<
  HostLetting,
  { readonly deactivate: Turning; readonly activate: Turning }
>()("latchkey/resources/HostLetting") {
  static readonly layer = Layer.effect(
    HostLetting,
    Effect.gen(function* () {
      const letting = yield* Letting
      const { wake } = yield* WakeUp
      const knows = knowsProperty(yield* SqlClient.SqlClient)
      const own =
        (turn: Letting["Service"]["activate"]): Turning =>
        (operatorId, id) =>
          Effect.flatMap(knows(operatorId, id), (known) =>
            known ? Effect.ensuring(turn(id), wake) : Effect.fail(noSuchProperty)
          )
      return HostLetting.of({ deactivate: own(letting.deactivate), activate: own(letting.activate) })
    })
  ).pipe(Layer.provide(Letting.layer))
}
