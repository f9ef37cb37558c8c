import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../../contract/errors.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"

// "Are these mine?" for every family that is given ids of properties, room types or groups. The answer is an SQL expression, so
// that it is part of the statement that needs it: `bigint[]` of the ids in question, ascending, each once, empty when
// all are the operator's own.

export const unknownPropertiesSql = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIdsSql(sql, sql`properties`, operatorId, ids)

export const unknownRoomTypesSql = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIdsSql(sql, sql`room_types`, operatorId, ids)

export const unknownGroupsSql = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIdsSql(sql, sql`property_groups`, operatorId, ids)

/** Whether the operator has a property of that id; true for none: a field that was not sent names nothing wrong. */
export const propertyExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id})`

/** The same of a room type. */
export const roomTypeExistsCondition = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : sql`EXISTS (SELECT FROM room_types WHERE operator_id = ${operatorId} AND id = ${id})`

const readPropertyExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))

/** The same by itself, for a search that found nothing. */
export const makeCheckPropertyExists =
  (sql: SqlClient) =>
  (operatorId: number, id: number): Effect.Effect<boolean> =>
    Effect.map(
      readPropertyExists(sql`SELECT ${propertyExistsCondition(sql, operatorId, id)} AS known`),
      ({ known }) => known
    )

const readOwner = makeOptionalRowReader(Schema.Struct({ operator_id: Schema.Int }))

/** Whose a property is; undefined when there is none of that id. For whoever runs the service: it looks among all operators. */
export const makeFindPropertyOwner =
  (sql: SqlClient) =>
  (id: number): Effect.Effect<number | undefined> =>
    Effect.map(readOwner(sql`SELECT operator_id FROM properties WHERE id = ${id}`), (row) => row?.operator_id)

/** 404 for a `property_id` that is no property of the caller. */
export const unknownPropertyIdError = new NotFound({ message: "property_id: no such property." })

/** 404 for a `room_type_id` that is no room type of the caller. */
export const unknownRoomTypeIdError = new NotFound({ message: "room_type_id: no such room type." })

/** Ids that a change names. */
export interface ReferencedIds {
  readonly property_ids?: ReadonlyArray<number> | undefined
  readonly room_type_ids?: ReadonlyArray<number> | undefined
}

/** Those of them that are not the operator's. */
const unknownIdFields = { unknown_properties: Schema.Array(Schema.Int), unknown_room_types: Schema.Array(Schema.Int) }

/**
 * The row of a change that names properties or room types, and is made only when all are the operator's. `id` is null when
 * nothing changed: because of the unknown ones, or else because there is nothing to change.
 */
export const CheckedChangeRow = Schema.Struct({ id: Schema.NullOr(Schema.Int), ...unknownIdFields })
export type CheckedChange = typeof CheckedChangeRow.Type

/** The CTE that such a change begins with. */
export const ownershipPreconditionsSql = (
  sql: SqlClient,
  operatorId: number,
  references: ReferencedIds
): Fragment => sql`
  preconditions AS (
    SELECT ${unknownPropertiesSql(sql, operatorId, references.property_ids ?? [])} AS unknown_properties,
      ${unknownRoomTypesSql(sql, operatorId, references.room_type_ids ?? [])} AS unknown_room_types)`

/** On what of that CTE its writing part, the CTE `written`, goes by. */
export const allReferencesExistCondition = (sql: SqlClient): Fragment =>
  sql`preconditions.unknown_properties = '{}' AND preconditions.unknown_room_types = '{}'`

/** What it ends with. */
export const selectCheckedChangeSql = (sql: SqlClient): Fragment =>
  sql`SELECT written.id, preconditions.* FROM preconditions LEFT JOIN written ON true`

/** 404 for what such a change named that is not the operator's; undefined when all is. */
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

/** Ids for a message; of many the first few. */
export const formatIds = (ids: ReadonlyArray<number>): string =>
  ids.length > MAX_IDS_IN_MESSAGE ? `${ids.slice(0, MAX_IDS_IN_MESSAGE).join(", ")} and others` : ids.join(", ")

/** 404 for ids that are no properties of the caller, whosever they are. */
export const toUnknownPropertiesError = (ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `property_ids: no such property: ${formatIds(ids)}.` })

/** 404 for ids that are no room types of the caller. */
const toUnknownRoomTypesError = (ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `room_type_ids: no such room type: ${formatIds(ids)}.` })
