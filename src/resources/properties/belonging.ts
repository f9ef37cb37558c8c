import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../contract/errors.ts"
import { idsParameter } from "../../database/parameters.ts"

// "Are these mine?" for every family that is given ids of properties or room types. The answer is an SQL expression, so
// that it is part of the statement that needs it: `bigint[]` of the ids in question, ascending, each once, empty when
// all are the operator's own.

export const unknownProperties = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIn(sql, sql`properties`, operatorId, ids)

export const unknownRoomTypes = (sql: SqlClient, operatorId: number, ids: ReadonlyArray<number>): Fragment =>
  unknownIn(sql, sql`room_types`, operatorId, ids)

/** Whether the operator has a property of that id; true for none: a field that was not sent names nothing wrong. */
export const propertyKnown = (sql: SqlClient, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id})`

/** 404 for a `property_id` that is no property of the caller. */
export const noSuchProperty = new NotFound({ message: "property_id: no such property." })

const unknownIn = (sql: SqlClient, table: Fragment, operatorId: number, ids: ReadonlyArray<number>): Fragment => sql`
  ARRAY(
    SELECT id FROM unnest(${idsParameter(ids)}::bigint[]) AS given (id)
    EXCEPT SELECT id FROM ${table} WHERE operator_id = ${operatorId} AND id = ANY(${idsParameter(ids)}::bigint[])
    ORDER BY id)`

const NAMED = 5

/** Ids for a message; of many the first few. */
export const firstOf = (ids: ReadonlyArray<number>): string =>
  ids.length > NAMED ? `${ids.slice(0, NAMED).join(", ")} and others` : ids.join(", ")

/** 404 for ids that are no properties of the caller, whosever they are. */
export const noSuchProperties = (ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `property_ids: no such property: ${firstOf(ids)}.` })

/** 404 for ids that are no room types of the caller. */
export const noSuchRoomTypes = (ids: ReadonlyArray<number>): NotFound =>
  new NotFound({ message: `room_type_ids: no such room type: ${firstOf(ids)}.` })
