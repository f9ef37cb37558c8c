import { Effect } from "effect"
import { Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../contract/errors.ts"
import { makeFindPropertyOwner } from "../../domain/properties/properties/ownership.ts"

// How a command names a property: by its id, which is one property's alone among all operators.

export const propertyFlag = Flag.Int("property").pipe(Flag.withDescription("property_id"))

/** Returns the operator of a property. `namedBy` is the flag or argument that an error names. */
export const loadPropertyOperatorId = Effect.fnUntraced(function* (id: number, namedBy = "--property") {
  const sql = yield* SqlClient.SqlClient
  return (
    (yield* makeFindPropertyOwner(sql)(id)) ??
    (yield* new NotFound({ message: `${namedBy}: there is no property ${id}.` }))
  )
})
