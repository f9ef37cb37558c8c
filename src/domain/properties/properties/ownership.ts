import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../../contract/errors.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"

// Each `unknown…Sql` returns the ids that the operator does not have, sorted and without duplicates.

export const unknownPropertiesSql = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIdsSql(sql, sql`properties`, operatorId, ids)

export const unknownRoomTypesSql = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIdsSql(sql, sql`room_types`, operatorId, ids)

export const unknownGroupsSql = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIdsSql(sql, sql`property_groups`, operatorId, ids)

export const propertyExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id})`

export const roomTypeExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : sql`EXISTS (SELECT FROM room_types WHERE operator_id = ${operatorId} AND id = ${id})`

const readPropertyExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))

export const makeCheckPropertyExists =
  (sql: SqlClient) =>
  (operatorId: number, id: number): Effect.Effect<boolean> =>
    Effect.map(
      readPropertyExists(sql`SELECT ${propertyExistsCondition(sql, operatorId, id)} AS known`),
      ({ known }) => known
    )

const readOwner = makeOptionalRowReader(Schema.Struct({ operator_id: Schema.Int }))

/** Searches all operators, for administrators. */
export const makeFindPropertyOwner =
  (sql: SqlClient) =>
  (id: number): Effect.Effect<number | undefined> =>
    Effect.map(readOwner(sql`SELECT operator_id FROM properties WHERE id = ${id}`), (row) => row?.operator_id)

export const unknownPropertyIdError = new NotFound({ message: "property_id: no such property." })

export const unknownRoomTypeIdError = new NotFound({ message: "room_type_id: no such room type." })

export interface ReferencedIds {
  readonly property_ids?: ReadonlyArray<number> | undefined
  readonly room_type_ids?: ReadonlyArray<number> | undefined
}

const unknownIdFields = { unknown_properties: Schema.Array(Schema.Int), unknown_room_types: Schema.Array(Schema.Int) }

/** Result of a change that needs all referenced ids to exist. `id` is null if nothing was changed. */
export const CheckedChangeRow = Schema.Struct({ id: Schema.NullOr(Schema.Int), ...unknownIdFields })
export type CheckedChange = typeof CheckedChangeRow.Type

export const ownershipPreconditionsSql = (
  sql: SqlClient,
  operatorId: number,
  references: ReferencedIds
): Fragment => sql`
  preconditions AS (
    SELECT ${unknownPropertiesSql(sql, operatorId, references.property_ids ?? [])} AS unknown_properties,
      ${unknownRoomTypesSql(sql, operatorId, references.room_type_ids ?? [])} AS unknown_room_types)`

export const allReferencesExistCondition = (sql: SqlClient): Fragment =>
  sql`preconditions.unknown_properties = '{}' AND preconditions.unknown_room_types = '{}'`

export const selectCheckedChangeSql = (sql: SqlClient): Fragment =>
  sql`SELECT written.id, preconditions.* FROM preconditions LEFT JOIN written ON true`

export const toMissingReferenceError = (row: Schema.Struct<typeof unknownIdFields>["Type"]): NotFound | undefined => {
  if (row.unknown_properties.length > 0) return toUnknownPropertiesError(row.unknown_properties)
  return row.unknown_room_types.length > 0 ? toUnknownRoomTypesError(row.unknown_room_types) : undefined
}

const unknownIdsSql = (
  sql: SqlClient,
  table: Fragment,
  operatorId: number,
  ids: ReadonlyArray<number>
): Fragment => sql`
  ARRAY(
    SELECT id FROM unnest(${idsParameter(ids)}::bigint[]) AS given (id)
    EXCEPT SELECT id FROM ${table} WHERE operator_id = ${operatorId} AND id = ANY(${idsParameter(ids)}::bigint[])
    ORDER BY id)`

const MAX_IDS_IN_MESSAGE = 5

export const formatIds = (ids: ReadonlyArray<number>): string =>
  ids.length > MAX_IDS_IN_MESSAGE ? `${ids.slice(0, MAX_IDS_IN_MESSAGE).join(", ")} and others` : ids.join(", ")

export const toUnknownPropertiesError = (ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `property_ids: no such property: ${formatIds(ids)}.` })

const toUnknownRoomTypesError = (ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `room_type_ids: no such room type: ${formatIds(ids)}.` })
