import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeFindPropertyOwner } from "../../src/domain/properties/properties/ownership.ts"
import { PropertyEditStore } from "../../src/domain/properties/property-edits/PropertyEditStore.ts"
import { asSystemActor } from "./harness.ts"

const setPropertyActive = Effect.fnUntraced(function* (id: number, active: boolean) {
  const operatorId =
    (yield* makeFindPropertyOwner(yield* SqlClient.SqlClient)(id)) ?? assert.fail(`there is no property ${id}`)
  const edits = yield* PropertyEditStore
  const edited = yield* Effect.orDie(asSystemActor(edits.update(operatorId, id, { is_active: active })))
  return edited === undefined
    ? yield* Effect.die(new Error(`there is no property ${id}`))
    : { property_id: edited.id, active, changed_days: edited.changed_days }
})

export const deactivateProperty = (id: number) => setPropertyActive(id, false)
export const activateProperty = (id: number) => setPropertyActive(id, true)
