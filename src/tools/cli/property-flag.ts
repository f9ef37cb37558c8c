import { Effect } from "effect"
import { Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../contract/errors.ts"
import { makeFindPropertyOwner } from "../../domain/properties/properties/ownership.ts"

// A property id is unique across operators, so `--property` needs no `--operator`.

export const propertyFlag = Flag.Int("property").pipe(Flag.withDescription("property_id"))

export const loadPropertyOperatorId = Effect.fnUntraced(function* (id: number, namedBy = "--property") {
  const sql = yield* SqlClient.SqlClient
  return (
    (yield* makeFindPropertyOwner(sql)(id)) ??
    (yield* new NotFound({ message: `${namedBy}: there is no property ${id}.` }))
  )
})
