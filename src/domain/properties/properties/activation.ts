import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { lockedRowSql } from "../../../changes/recorded-change.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { type Givens, inForms, type Value } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"

// Whether a property is let. Parts of other families' statements, which the table's owner writes.

/** Whether a property of the operator is let; true for none: what was not sent is turned off nowhere. */
export const isPropertyActiveCondition = (
  sql: SqlClient,
  operatorId: Value<number>,
  id: Value<number> | undefined
): Fragment =>
  id === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id} AND deactivated_at IS NULL)`

/** 422 for a `property_id` that nothing more is entered in by hand. */
export const propertyDeactivated = new ValidationFailed({ message: "property_id: the property is deactivated." })

const readLockedProperty = makeOptionalRowReader(Schema.Struct({ operator_id: Id, time_zone: Schema.String }))

/**
 * Whose property it is, and where that is; undefined where there is none. To the end of the transaction nobody changes its
 * days: whoever does so asks whether it is let (`activePropertiesSql`), and waits for that.
 */
export const makeLockProperty = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    ({ id }: Givens<{ readonly id: number }>) => sql`
      SELECT p.operator_id, o.time_zone FROM properties p JOIN operators o ON o.id = p.operator_id
      WHERE p.id = ${id} FOR UPDATE OF p`
  )
  return (id: number) => readLockedProperty(statement({ id }))
}

interface SetActiveParameters {
  readonly operatorId: number
  readonly id: number
  readonly now: Date
}

/** CTEs `before` and `after` that let a property or turn it off: `after` has its row where it was not so already. */
export const setPropertyActiveSql = (
  sql: SqlClient,
  { operatorId, id, now }: Givens<SetActiveParameters>,
  isActive: boolean
): Fragment => sql`
  before AS (${lockedRowSql(sql, "properties", operatorId, id)}), after AS (
    UPDATE properties p SET deactivated_at = ${isActive ? sql`NULL` : sql`${now}::timestamptz`}
    FROM before WHERE p.operator_id = before.operator_id AND p.id = before.id
      AND before.deactivated_at IS ${isActive ? sql`NOT NULL` : sql`NULL`}
    RETURNING p.*
  )`
