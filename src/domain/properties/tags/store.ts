import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { changedRecordsSql, createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { TagColor } from "../../../contract/tag-color.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import {
  deleteFormerVersionsSql,
  insertItemsSql,
  listIdsSql,
  nextVersionAssignment
} from "../../../platform/database/versioned-list.ts"
import type { RowId } from "../../column-schemas.ts"
import { hasNameCondition, nameKeyParameter, renameAssignments } from "../../named-row.ts"
import { type FindIdByName, makeFindIdByName, type OperatorScoped, readRowId } from "../../operator-rows.ts"
import {
  allReferencesExistCondition,
  CheckedChangeRow,
  ownershipPreconditionsSql,
  type ReferencedIds
} from "../properties/ownership.ts"
import { type query_tags, Tag } from "./contract.ts"

type TagSearch = Pick<typeof query_tags.payloadSchema.Type, "id">

interface NewTag extends Omit<Tag, "id" | "color"> {
  /** If undefined, a restored tag keeps its color and a new one gets `defaultColor`. */
  readonly color: TagColor | undefined
  readonly defaultColor: TagColor
}

type TagEdit = { readonly [Field in Exclude<keyof NewTag, "defaultColor">]: NewTag[Field] | undefined }

/** If nothing changed, `id` and `color` are null. */
export const ChangedTagRow = Schema.Struct({ ...CheckedChangeRow.fields, color: Schema.NullOr(TagColor) })

type ChangedTag = typeof ChangedTagRow.Type

const readChangedTag = makeRowReaderOrFail(ChangedTagRow, ({ name, detail }) => {
  switch (name) {
    case "property_tags_name":
    case "property_tags_name_key":
      return tagNameConflictError
    case "property_tag_limit":
      return toPropertyTagLimitError(detail)
  }
})

export const tagNameConflictError = nameConflict("name", "tag")

export const toPropertyTagLimitError = (limit: number | string): ValidationFailed =>
  new ValidationFailed({
    message: `property_tag_limit: the account already has ${limit} property tags, the maximum; delete one first.`
  })

const PROPERTY_LIST = { rows: "tag_properties", owner: "tag_id", item: "property_id", version: "properties_version" }
const ROOM_TYPE_LIST = { rows: "tag_room_types", owner: "tag_id", item: "room_type_id", version: "room_types_version" }

const assignTagSql = (sql: SqlClient.SqlClient, { property_ids, room_type_ids }: ReferencedIds): Fragment => sql`
  on_properties AS (${insertItemsSql(sql, PROPERTY_LIST, property_ids)}),
  on_room_types AS (${insertItemsSql(sql, ROOM_TYPE_LIST, room_type_ids)})`

const clearFormerAssignmentsSql = (sql: SqlClient.SqlClient): Fragment => sql`
  off_properties AS (${deleteFormerVersionsSql(sql, PROPERTY_LIST)}),
  off_room_types AS (${deleteFormerVersionsSql(sql, ROOM_TYPE_LIST)})`

const selectChangedTagSql = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT written.id, written.color, preconditions.* FROM preconditions LEFT JOIN written ON true`

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(
    sql,
    Tag,
    ({ operatorId, id }: OperatorScoped & { readonly id: number | undefined }) => ({
      matchingRows: sql`
        SELECT * FROM property_tags WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND deleted_at IS NULL
          AND ${id === undefined ? sql`true` : sql`id = ${id}`}`,
      orderBy: sql`id`
    }),
    { property_ids: listIdsSql(sql, PROPERTY_LIST), room_type_ids: listIdsSql(sql, ROOM_TYPE_LIST) }
  )
  return (operatorId: number, { id }: TagSearch, page: Page) => selectPage({ operatorId, id }, page)
}

/** A new tag with the name of a deleted tag restores that tag, with the new spelling of the name. */
const create =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, { name, color, defaultColor, property_ids, room_type_ids }: NewTag, now: Date) =>
    readChangedTag(
      recordChange(sql, {
        change: sql`
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids, room_type_ids })},
          unkeyed AS (
            SELECT id FROM property_tags WHERE operator_id = ${operatorId} AND name = ${name} AND name_key IS NULL
          ), restored AS (
            UPDATE property_tags tag SET deleted_at = NULL, color = coalesce(${color ?? null}::text, tag.color)
            FROM unkeyed, preconditions
            WHERE tag.operator_id = ${operatorId} AND tag.id = unkeyed.id AND tag.deleted_at IS NOT NULL AND ${allReferencesExistCondition(sql)}
              AND NOT EXISTS (
                SELECT FROM property_tags other
                WHERE other.operator_id = ${operatorId} AND other.name_key = ${nameKeyParameter(sql, name)} AND other.deleted_at IS NULL)
            RETURNING tag.*
          ), made AS (
            INSERT INTO property_tags AS tag (operator_id, name, name_key, color, created_at)
            SELECT ${operatorId}::bigint, ${name}::text, ${nameKeyParameter(sql, name)}, ${color ?? defaultColor}::text, ${now}::timestamptz
            FROM preconditions WHERE ${allReferencesExistCondition(sql)} AND NOT EXISTS (SELECT FROM unkeyed)
            ON CONFLICT (operator_id, name_key) DO UPDATE SET
              deleted_at = NULL, name = excluded.name, color = coalesce(${color ?? null}::text, tag.color)
            WHERE tag.deleted_at IS NOT NULL
            RETURNING tag.*
          ), written AS (SELECT * FROM restored UNION ALL SELECT * FROM made), ${assignTagSql(sql, { property_ids, room_type_ids })}`,
        events: [],
        changedRecords: createdOrDeletedRecordsSql(sql, "tag", "written"),
        outcome: selectChangedTagSql(sql)
      })
    )

const purgeDeletedTagSql = (sql: SqlClient.SqlClient, operatorId: number, id: number, name: string): Fragment => sql`
  DELETE FROM property_tags deleted USING preconditions
  WHERE deleted.operator_id = ${operatorId} AND ${hasNameCondition(sql, "deleted", "name", name)} AND deleted.deleted_at IS NOT NULL
    AND ${allReferencesExistCondition(sql)} AND EXISTS (
      SELECT FROM property_tags WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL)
  RETURNING deleted.id`

const update =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, id: number, { name, color, property_ids, room_type_ids }: TagEdit) =>
    readChangedTag(
      recordChange(sql, {
        change: sql`
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids, room_type_ids })},
          freed AS (${name === undefined ? sql`SELECT` : purgeDeletedTagSql(sql, operatorId, id, name)}),
          before AS (
            SELECT * FROM property_tags
            WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
              -- This count makes PostgreSQL run the CTE freed first, so that the name is free before the update takes it.
              AND (SELECT count(*) FROM freed) >= 0
            FOR NO KEY UPDATE
          ), written AS (
            UPDATE property_tags t SET
              ${renameAssignments(sql, "t", name)},
              color = coalesce(${color ?? null}::text, t.color),
              ${nextVersionAssignment(sql, PROPERTY_LIST, property_ids, "t")}, ${nextVersionAssignment(sql, ROOM_TYPE_LIST, room_type_ids, "t")}
            FROM before, preconditions
            WHERE t.operator_id = before.operator_id AND t.id = before.id AND ${allReferencesExistCondition(sql)}
            RETURNING t.*
          ), ${clearFormerAssignmentsSql(sql)}, ${assignTagSql(sql, { property_ids, room_type_ids })}`,
        events: [],
        changedRecords: changedRecordsSql(sql, "tag", "written"),
        outcome: selectChangedTagSql(sql)
      })
    )

const remove = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, now: Date) =>
  readRowId(
    recordChange(sql, {
      change: sql`
        written AS (
          UPDATE property_tags t SET deleted_at = ${now}::timestamptz,
            ${nextVersionAssignment(sql, PROPERTY_LIST, [], "t")}, ${nextVersionAssignment(sql, ROOM_TYPE_LIST, [], "t")}
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
          RETURNING t.*
        ), ${clearFormerAssignmentsSql(sql)}`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "tag", "written"),
      outcome: sql`SELECT id FROM written`
    })
  )

export class TagStore extends Context.Service<
  TagStore,
  {
    readonly search: (operatorId: number, filters: TagSearch, page: Page) => Effect.Effect<RowPage<Tag>>
    readonly create: (
      operatorId: number,
      tag: NewTag,
      now: Date
    ) => Effect.Effect<ChangedTag, Conflict | ValidationFailed, CurrentActor>
    readonly update: (
      operatorId: number,
      id: number,
      edit: TagEdit
    ) => Effect.Effect<ChangedTag, Conflict | ValidationFailed, CurrentActor>
    readonly remove: (
      operatorId: number,
      id: number,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly findIdByName: FindIdByName
  }
>()("latchkey/domain/properties/tags/TagStore") {
  static readonly layer = Layer.effect(
    TagStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      create: create(sql),
      update: update(sql),
      remove: remove(sql),
      findIdByName: makeFindIdByName(sql, { table: "property_tags", column: "name", keepsDeleted: true })
    }))
  )
}
