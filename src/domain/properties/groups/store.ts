import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  changedRecordsSql,
  createdOrDeletedRecordsSql,
  lockedRowSql,
  recordChange
} from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Conflict } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
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
import { nameKeyParameter, renameAssignments } from "../../named-row.ts"
import { type FindIdByName, makeDeleteRecord, makeFindIdByName, type OperatorScoped } from "../../operator-rows.ts"
import {
  allReferencesExistCondition,
  type CheckedChange,
  CheckedChangeRow,
  ownershipPreconditionsSql,
  selectCheckedChangeSql
} from "../properties/ownership.ts"
import { Group, type search_property_groups } from "./contract.ts"

type GroupSearch = Pick<typeof search_property_groups.payloadSchema.Type, "id">

type NewGroup = Omit<Group, "id">

type GroupEdit = { readonly [Field in keyof NewGroup]: NewGroup[Field] | undefined }

const readWrittenGroup = makeRowReaderOrFail(CheckedChangeRow, ({ name }) =>
  name === "property_groups_name" || name === "property_groups_name_key" ? nameConflict("name", "group") : undefined
)

const GROUP_PROPERTIES = {
  rows: "group_properties",
  owner: "group_id",
  item: "property_id",
  version: "properties_version"
}

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(
    sql,
    Group,
    ({ operatorId, id }: OperatorScoped & { readonly id: number | undefined }) => ({
      matchingRows: sql`
        SELECT * FROM property_groups WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND ${id === undefined ? sql`true` : sql`id = ${id}`}`,
      orderBy: sql`id`
    }),
    { property_ids: listIdsSql(sql, GROUP_PROPERTIES) }
  )
  return (operatorId: number, { id }: GroupSearch, page: Page) => selectPage({ operatorId, id }, page)
}

const create =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, { name, property_ids }: NewGroup, now: Date) =>
    readWrittenGroup(
      recordChange(sql, {
        change: sql`
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids })},
          written AS (
            INSERT INTO property_groups (operator_id, name, name_key, created_at)
            SELECT ${operatorId}::bigint, ${name}::text, ${nameKeyParameter(sql, name)}, ${now}::timestamptz
            FROM preconditions WHERE ${allReferencesExistCondition(sql)}
            RETURNING operator_id, id, properties_version
          ), attached AS (${insertItemsSql(sql, GROUP_PROPERTIES, property_ids)})`,
        events: [],
        changedRecords: createdOrDeletedRecordsSql(sql, "group", "written"),
        outcome: selectCheckedChangeSql(sql)
      })
    )

const update =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, id: number, { name, property_ids }: GroupEdit) =>
    readWrittenGroup(
      recordChange(sql, {
        change: sql`
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids })},
          before AS (${lockedRowSql(sql, "property_groups", operatorId, id)}),
          written AS (
            UPDATE property_groups g SET
              ${renameAssignments(sql, "g", name)}, ${nextVersionAssignment(sql, GROUP_PROPERTIES, property_ids, "g")}
            FROM before, preconditions WHERE g.operator_id = before.operator_id AND g.id = before.id AND ${allReferencesExistCondition(sql)}
            RETURNING g.*
          ), former AS (${deleteFormerVersionsSql(sql, GROUP_PROPERTIES)}), attached AS (${insertItemsSql(sql, GROUP_PROPERTIES, property_ids)})`,
        events: [],
        changedRecords: changedRecordsSql(sql, "group", "written"),
        outcome: selectCheckedChangeSql(sql)
      })
    )

const remove = (sql: SqlClient.SqlClient) =>
  makeDeleteRecord(
    sql,
    "group",
    ({ operatorId, id }) =>
      sql`DELETE FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

export class GroupStore extends Context.Service<
  GroupStore,
  {
    readonly search: (operatorId: number, filters: GroupSearch, page: Page) => Effect.Effect<RowPage<Group>>
    readonly create: (
      operatorId: number,
      group: NewGroup,
      now: Date
    ) => Effect.Effect<CheckedChange, Conflict, CurrentActor>
    readonly update: (
      operatorId: number,
      id: number,
      edit: GroupEdit
    ) => Effect.Effect<CheckedChange, Conflict, CurrentActor>
    readonly remove: (
      operatorId: number,
      id: number
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly findIdByName: FindIdByName
  }
>()("latchkey/domain/properties/groups/GroupStore") {
  static readonly layer = Layer.effect(
    GroupStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      create: create(sql),
      update: update(sql),
      remove: remove(sql),
      findIdByName: makeFindIdByName(sql, { table: "property_groups", column: "name" })
    }))
  )
}
