import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { ValidationFailed } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"

export const isPropertyActiveCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id} AND deactivated_at IS NULL)`

export const propertyDeactivatedError = new ValidationFailed({ message: "property_id: the property is deactivated." })

const readLockedProperty = makeOptionalRowReader(Schema.Struct({ time_zone: Schema.String }))

/**
 * Changes of the property's days wait for this lock, because they check that the property is active
 * (`activePropertiesSql`).
 */
export const makeLockProperty = (sql: SqlClient) => (operatorId: number, id: number) =>
  readLockedProperty(sql`
      SELECT o.time_zone FROM properties p JOIN operators o ON o.id = p.operator_id
      WHERE p.operator_id = ${operatorId} AND p.id = ${id} FOR UPDATE OF p`)
