import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { ValidationFailed } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"

// Whether a property is let. Parts of other families' statements, which the table's owner writes.

/** Whether a property of the operator is let; true for none: what was not sent is turned off nowhere. */
export const isPropertyActiveCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id} AND deactivated_at IS NULL)`

/** 422 for a `property_id` that nothing more is entered in by hand. */
export const propertyDeactivatedError = new ValidationFailed({ message: "property_id: the property is deactivated." })

const readLockedProperty = makeOptionalRowReader(Schema.Struct({ time_zone: Schema.String }))

/**
 * Returns a function that locks a property and returns its time zone, or undefined if the operator has no such property. Until the
 * transaction ends nobody changes the property's days: such a change first checks that the property is active
 * (`activePropertiesSql`), and that check waits for the lock.
 */
export const makeLockProperty = (sql: SqlClient) => (operatorId: number, id: number) =>
  readLockedProperty(sql`
      SELECT o.time_zone FROM properties p JOIN operators o ON o.id = p.operator_id
      WHERE p.operator_id = ${operatorId} AND p.id = ${id} FOR UPDATE OF p`)
