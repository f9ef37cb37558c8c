import { Effect } from "effect"
import { Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../contract/errors.ts"
import { makeFindPropertyOwner } from "../../domain/properties/properties/ownership.ts"

// How a command names a property: by its id, which is one property's alone among all operators.

export const propertyFlag = Flag.Int("property").pipe(Flag.withDescription("property_id"))

/** The operator whose property it is. */
export const loadPropertyOperatorId = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  return (
    (yield* makeFindPropertyOwner(sql)(id)) ??
    (yield* new NotFound({ message: `--property: there is no property ${id}.` }))
  )
})
