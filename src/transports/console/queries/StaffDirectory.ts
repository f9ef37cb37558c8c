import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { STAFF_PROPERTIES_NAMED_MAX, STAFF_ROWS_MAX } from "../../../platform/limits.ts"
import { PickableProperty, pickablePropertiesSql } from "./property-picker.ts"

type Sql = SqlClient.SqlClient

const StaffFields = { id: Schema.Int, name: Schema.String, mobile: Schema.String, is_active: Schema.Boolean }

const StaffListRow = Schema.Struct({
  ...StaffFields,
  /**
   * At most {@link STAFF_PROPERTIES_NAMED_MAX} titles of the properties that the person is limited to. `properties`
   * counts all of them; 0 means no limit.
   */
  titles: Schema.Array(Schema.String),
  properties: Schema.Int
})
export type StaffListItem = typeof StaffListRow.Type

const StaffPage = Schema.Struct({ total: Schema.Int, rows: Schema.Array(StaffListRow) })

const StaffFormRow = Schema.Struct({
  it: Schema.NullOr(
    Schema.Struct({ ...StaffFields, email: Schema.String, note: Schema.String, property_ids: Schema.Array(Schema.Int) })
  ),
  properties: Schema.Array(PickableProperty)
})
export type StaffForm = typeof StaffFormRow.Type

interface StaffFormQuery {
  readonly id: number | undefined
  readonly q: string | undefined
}

const limitedPropertiesSql = (sql: Sql): Fragment => sql`
  staff_properties link JOIN properties p ON p.operator_id = link.operator_id AND p.id = link.property_id
  WHERE link.operator_id = page.operator_id AND link.staff_id = page.id AND link.version = page.properties_version`

const makeListStaff = (sql: Sql) => {
  const read = makeSingleRowReader(StaffPage)
  return (offset: number) =>
    CurrentCaller.use(({ operatorId }) =>
      read(sql`
        SELECT (SELECT count(*) FROM staffs WHERE operator_id = ${operatorId}) AS total, (
          SELECT coalesce(jsonb_agg(jsonb_build_object('id', page.id, 'name', page.name, 'mobile', page.mobile,
            'is_active', page.is_active, 'properties', (SELECT count(*) FROM ${limitedPropertiesSql(sql)}),
            'titles', (
              SELECT coalesce(jsonb_agg(named.title), '[]')
              FROM (SELECT p.title FROM ${limitedPropertiesSql(sql)} ORDER BY p.title
                LIMIT ${sql.literal(String(STAFF_PROPERTIES_NAMED_MAX))}) named)
            ) ORDER BY page.id), '[]')
          FROM (
            SELECT * FROM staffs WHERE operator_id = ${operatorId} ORDER BY id
            LIMIT ${sql.literal(String(STAFF_ROWS_MAX))} OFFSET ${offset}) page) AS rows`)
    )
}

const propertyIdsSql = (sql: Sql, operatorId: number, id: number): Fragment => sql`
  SELECT link.property_id FROM staff_properties link
  JOIN staffs s ON s.operator_id = link.operator_id AND s.id = link.staff_id AND s.properties_version = link.version
  WHERE link.operator_id = ${operatorId} AND link.staff_id = ${id}`

const makeLoadStaffForm = (sql: Sql) => {
  const read = makeSingleRowReader(StaffFormRow)
  return ({ id, q }: StaffFormQuery) =>
    CurrentCaller.use(({ operatorId }) => {
      const selectedIdsSql =
        id === undefined ? sql`SELECT NULL::bigint WHERE false` : propertyIdsSql(sql, operatorId, id)
      const it =
        id === undefined
          ? sql`NULL`
          : sql`(
          SELECT jsonb_build_object('id', id, 'name', name, 'mobile', mobile, 'is_active', is_active, 'email', email, 'note', note,
            'property_ids', (SELECT coalesce(jsonb_agg(property_id ORDER BY property_id), '[]') FROM (${selectedIdsSql}) link))
          FROM staffs WHERE operator_id = ${operatorId} AND id = ${id})`
      return read(
        sql`SELECT ${it} AS it, ${pickablePropertiesSql(sql, { operatorId, q }, selectedIdsSql)} AS properties`
      )
    })
}

export class StaffDirectory extends Context.Service<StaffDirectory>()(
  "latchkey/transports/console/queries/StaffDirectory",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({ list: makeListStaff(sql), form: makeLoadStaffForm(sql) }))
  }
) {
  static readonly layer = Layer.effect(StaffDirectory, StaffDirectory.make)
}
