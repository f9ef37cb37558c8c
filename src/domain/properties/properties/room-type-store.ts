import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import {
  changedRecordsSql,
  createdOrDeletedRecordsSql,
  lockedRowSql,
  recordChange
} from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { makeOptionalRowReaderOrFail, makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter, idsParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader, type RowPage } from "../../../platform/database/rows.ts"
import { RowId } from "../../column-schemas.ts"
import { type FindIdByName, makeFindIdByName, type OperatorScoped } from "../../operator-rows.ts"
import { RoomType, type search_room_types } from "./contract.ts"
import { selectIdsWithTagSql, tagExistsCondition, tagsJsonSql } from "./groups-and-tags.ts"
import { allReferencesExistCondition, CheckedChangeRow, ownershipPreconditionsSql } from "./ownership.ts"
import { channelsJsonSql } from "./property-channels.ts"

type RoomTypeSearch = Pick<typeof search_room_types.payloadSchema.Type, "id" | "tag_id">

interface NewRoomType {
  readonly title: string
  readonly property_ids: ReadonlyArray<number>
}

const readFilterCheck = makeSingleRowReader(Schema.Struct({ tag_known: Schema.Boolean }))

export const CreatedRoomTypeRow = Schema.Struct({
  ...CheckedChangeRow.fields,
  taken_properties: Schema.Array(Schema.Int)
})
export type CreatedRoomType = typeof CreatedRoomTypeRow.Type

const readRenamedRoomType = makeOptionalRowReaderOrFail(RowId, ({ name }) =>
  name === "room_types_title" ? nameConflict("title", "room type") : undefined
)

const readCreatedRoomType = makeRowReaderOrFail(CreatedRoomTypeRow, ({ name, detail }) => {
  switch (name) {
    case "room_types_title":
      return nameConflict("title", "room type")
    case "room_type_properties_one":
      return new Conflict({ message: "property_ids: already in another room type." })
    case "room_type_limit":
      return new ValidationFailed({
        message: `room_type_limit: all ${detail} room types of the subscription are in use.`
      })
  }
})

type SearchParameters = OperatorScoped & RoomTypeSearch

const searchConditions = (
  sql: SqlClient.SqlClient,
  { operatorId, id, tag_id }: SearchParameters
): ReadonlyArray<Fragment> => {
  const all = [sql`operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}`]
  if (id !== undefined) all.push(sql`id = ${id}`)
  if (tag_id !== undefined) all.push(sql`id IN (${selectIdsWithTagSql(sql, "room_type", operatorId, tag_id)})`)
  return all
}

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(
    sql,
    RoomType,
    (values: SearchParameters) => ({
      matchingRows: sql`SELECT * FROM room_types WHERE ${sql.and(searchConditions(sql, values))}`,
      orderBy: sql`id`
    }),
    {
      channels: channelsJsonSql(sql, "room_type"),
      properties: sql`coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', p.id, 'title', p.title) ORDER BY p.id)
        FROM room_type_properties link
        JOIN properties p ON p.operator_id = link.operator_id AND p.id = link.property_id
        WHERE link.operator_id = page.operator_id AND link.room_type_id = page.id), '[]')`,
      tags: tagsJsonSql(sql, "room_type")
    }
  )
  return (operatorId: number, filters: RoomTypeSearch, page: Page) => selectPage({ ...filters, operatorId }, page)
}

const checkFilters =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, { tag_id }: RoomTypeSearch) =>
    readFilterCheck(sql`SELECT ${tagExistsCondition(sql, operatorId, tag_id)} AS tag_known`)

/** Inserts properties by id, so that concurrent calls cannot deadlock. */
const create =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, { title, property_ids }: NewRoomType, now: Date) => {
    const propertyIds = idsParameter(property_ids)
    return readCreatedRoomType(
      recordChange(sql, {
        change: sql`
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids })}, taken AS (
            SELECT ARRAY(
              SELECT property_id FROM room_type_properties
              WHERE operator_id = ${operatorId} AND property_id = ANY(${propertyIds}::bigint[])
              ORDER BY property_id) AS taken_properties
          ), written AS (
            INSERT INTO room_types (operator_id, title, created_at)
            SELECT ${operatorId}::bigint, ${title}::text, ${now}::timestamptz
            FROM preconditions, taken WHERE ${allReferencesExistCondition(sql)} AND taken.taken_properties = '{}'
            RETURNING operator_id, id
          ), rooms AS (
            INSERT INTO room_type_properties (operator_id, room_type_id, property_id)
            SELECT written.operator_id, written.id, given.id
            FROM written, unnest(${propertyIds}::bigint[]) AS given (id)
            ORDER BY given.id
          )`,
        events: [],
        changedRecords: createdOrDeletedRecordsSql(sql, "room_type", "written"),
        outcome: sql`
          SELECT written.id, preconditions.*, taken.* FROM preconditions CROSS JOIN taken LEFT JOIN written ON true`
      })
    )
  }

const rename = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, title: string | undefined) =>
  readRenamedRoomType(
    recordChange(sql, {
      change: sql`
        before AS (${lockedRowSql(sql, "room_types", operatorId, id)}), after AS (
          UPDATE room_types r SET title = ${title === undefined ? sql`r.title` : sql`${title}::text`}
          FROM before WHERE r.operator_id = before.operator_id AND r.id = before.id
          RETURNING r.*
        )`,
      events: [],
      changedRecords: changedRecordsSql(sql, "room_type"),
      outcome: sql`SELECT id FROM after`
    })
  )

export class RoomTypeStore extends Context.Service<
  RoomTypeStore,
  {
    readonly search: (operatorId: number, filters: RoomTypeSearch, page: Page) => Effect.Effect<RowPage<RoomType>>
    readonly checkFilters: (
      operatorId: number,
      filters: RoomTypeSearch
    ) => Effect.Effect<{ readonly tag_known: boolean }>
    /**
     * Fails with Conflict if the title is in use or a concurrent call takes a property, and with ValidationFailed at
     * the limit.
     */
    readonly create: (
      operatorId: number,
      roomType: NewRoomType,
      now: Date
    ) => Effect.Effect<CreatedRoomType, Conflict | ValidationFailed, CurrentActor>
    /** Fails with Conflict if the title is in use. */
    readonly rename: (
      operatorId: number,
      id: number,
      title: string | undefined
    ) => Effect.Effect<typeof RowId.Type | undefined, Conflict, CurrentActor>
    readonly findIdByName: FindIdByName
  }
>()("latchkey/domain/properties/properties/RoomTypeStore") {
  static readonly layer = Layer.effect(
    RoomTypeStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      RoomTypeStore.of({
        search: search(sql),
        checkFilters: checkFilters(sql),
        create: create(sql),
        rename: rename(sql),
        findIdByName: makeFindIdByName(sql, { table: "room_types", column: "title" })
      })
    )
  )
}
