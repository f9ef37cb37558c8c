import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, lockedRowSql, recordChange } from "../../changes/recorded-change.ts"
import type { CurrentActor } from "../../contract/actor.ts"
import { ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { makeRowReaderOrFail } from "../../platform/database/constraint-violations.ts"
import { makePageReader } from "../../platform/database/list-pages.ts"
import { genericPlanParameter, idsParameter, jsonParameter } from "../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader, type RowPage } from "../../platform/database/rows.ts"
import type { ChannelType } from "../channels/port/channel-type.ts"
import type { RowId } from "../column-schemas.ts"
import { makeDeleteRecord, type OperatorScoped } from "../operator-rows.ts"
import { unknownGroupsSql, unknownPropertiesSql, unknownRoomTypesSql } from "../properties/properties/ownership.ts"
import {
  type Audience,
  type ChannelScope,
  KnowledgeBase,
  KnowledgeBaseWithContents,
  type PropertyScope,
  type PropertyScopeType
} from "./contract.ts"
import { channelScopeCondition, propertyScopeCondition } from "./scope.ts"

export interface KnowledgeBaseFilter {
  readonly property_ids: ReadonlyArray<number> | undefined
  readonly channel_types: ReadonlyArray<ChannelType> | undefined
}

interface SearchKnowledgeBasesParameters extends OperatorScoped, KnowledgeBaseFilter {}

export interface KnowledgeBaseInput {
  readonly title: string
  readonly is_enable: boolean
  readonly audience: Audience
  readonly scope_property: Required<PropertyScope>
  readonly scope_channel: Required<ChannelScope>
  readonly contents: ReadonlyArray<{ readonly sub_title: string; readonly text: string }>
}

/** `id` is null if the scope has unknown ids. */
export const WrittenKnowledgeBase = Schema.Struct({ id: Schema.NullOr(Schema.Int), unknown: Schema.Array(Schema.Int) })
export type WrittenKnowledgeBase = typeof WrittenKnowledgeBase.Type

const readUpdatedKnowledgeBase = makeOptionalRowReader(WrittenKnowledgeBase)
const readCreatedKnowledgeBase = makeRowReaderOrFail(WrittenKnowledgeBase, ({ name, detail }) =>
  name === "knowledge_base_limit" ? toKnowledgeEntryLimitError(detail) : undefined
)

export const toKnowledgeEntryLimitError = (limit: number | string): ValidationFailed =>
  new ValidationFailed({
    message: `knowledge_base_limit: the account already has ${limit} entries, the maximum; delete one first.`
  })

const scopeColumns = (sql: SqlClient.SqlClient, row: string) => ({
  scope_property: sql`jsonb_build_object(
    'type', ${sql(row)}.scope_property_type, 'ids', ${sql(row)}.scope_property_ids)`,
  scope_channel: sql`jsonb_build_object(
    'type', ${sql(row)}.scope_channel_type, 'channels', ${sql(row)}.scope_channels)`
})

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(
    sql,
    KnowledgeBase,
    ({ operatorId, property_ids, channel_types }: SearchKnowledgeBasesParameters) => ({
      matchingRows: sql`
        SELECT * FROM knowledge_bases WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}
          AND ${property_ids === undefined ? sql`true` : appliesToPropertiesCondition(sql, operatorId, property_ids)}
          AND ${channel_types === undefined ? sql`true` : channelScopeCondition(sql, channel_types)}`,
      orderBy: sql`id DESC`
    }),
    scopeColumns(sql, "page")
  )
  return (operatorId: number, { property_ids, channel_types }: KnowledgeBaseFilter, page: Page) =>
    selectPage({ operatorId, property_ids, channel_types }, page)
}

/** No entry applies if a property is unknown. */
const appliesToPropertiesCondition = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  ids: ReadonlyArray<number>
): Fragment => sql`
  ${propertyScopeCondition(sql, operatorId, ids)} AND (SELECT ${unknownPropertiesSql(sql, operatorId, ids)} = '{}')`

const readUnknownIds = makeSingleRowReader(Schema.Struct({ unknown: Schema.Array(Schema.Int) }))

const findUnknownProperties = (sql: SqlClient.SqlClient) => (operatorId: number, ids: ReadonlyArray<number>) =>
  Effect.map(
    readUnknownIds(sql`SELECT ${unknownPropertiesSql(sql, operatorId, ids)} AS unknown`),
    ({ unknown }) => unknown
  )

const readKnowledgeBase = makeOptionalRowReader(KnowledgeBaseWithContents)

const get = (sql: SqlClient.SqlClient) => {
  const { scope_property, scope_channel } = scopeColumns(sql, "entry")
  return (operatorId: number, id: number) =>
    readKnowledgeBase(sql`
      SELECT id, title, is_enable, ${scope_property} AS scope_property, ${scope_channel} AS scope_channel,
        process_status, audience, contents
      FROM knowledge_bases entry WHERE operator_id = ${operatorId} AND id = ${id}`)
}

interface KnowledgeBaseColumns extends Omit<KnowledgeBaseInput, "scope_property" | "scope_channel"> {
  readonly ids: ReadonlyArray<number>
  readonly scope_channel_type: ChannelScope["type"]
  readonly scope_channels: ReadonlyArray<string>
  readonly now: Date
}

const toColumns = (
  { title, is_enable, audience, scope_property, scope_channel, contents }: KnowledgeBaseInput,
  now: Date
) => ({
  title,
  is_enable,
  audience,
  ids: scope_property.ids,
  scope_channel_type: scope_channel.type,
  scope_channels: scope_channel.channels,
  contents,
  now
})

const unknownScopeIds = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  ids: ReadonlyArray<number>,
  type: PropertyScopeType
): Fragment => {
  switch (type) {
    case "all":
      return sql`'{}'::bigint[]`
    case "by_property":
      return unknownPropertiesSql(sql, operatorId, ids)
    case "by_group":
      return unknownGroupsSql(sql, operatorId, ids)
    case "by_room_type":
      return unknownRoomTypesSql(sql, operatorId, ids)
  }
}

const COLUMN_NAMES =
  "title, is_enable, audience, scope_property_type, scope_property_ids, scope_channel_type, scope_channels, contents"

/** In the order of COLUMN_NAMES. */
const columnValuesSql = (
  sql: SqlClient.SqlClient,
  values: KnowledgeBaseColumns,
  type: PropertyScopeType
): Fragment => sql`
  ${values.title}::text, ${values.is_enable}::boolean, ${values.audience}::text, ${sql.literal(`'${type}'`)},
  ${idsParameter(values.ids)}::bigint[], ${values.scope_channel_type}::text, ${values.scope_channels}::text[],
  ${jsonParameter(values.contents)}::jsonb`

const selectWrittenKnowledgeBase = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT written.id, preconditions.unknown FROM preconditions LEFT JOIN written ON true`

const create = (sql: SqlClient.SqlClient) => (operatorId: number, input: KnowledgeBaseInput, now: Date) => {
  const columns = toColumns(input, now)
  const { type } = input.scope_property
  return readCreatedKnowledgeBase(
    recordChange(sql, {
      change: sql`
        preconditions AS (SELECT ${unknownScopeIds(sql, operatorId, columns.ids, type)} AS unknown),
        written AS (
          INSERT INTO knowledge_bases (operator_id, ${sql.literal(COLUMN_NAMES)}, due_at, created_at)
          SELECT ${operatorId}::bigint, ${columnValuesSql(sql, columns, type)},
            ${now}::timestamptz, ${now}::timestamptz
          FROM preconditions WHERE unknown = '{}'
          RETURNING operator_id, id
        )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "knowledge_base", "written"),
      outcome: selectWrittenKnowledgeBase(sql)
    })
  )
}

/** The audit log records only fields that a host writes. */
const inputFieldsSql = (sql: SqlClient.SqlClient, row: string): Fragment => {
  const { scope_property, scope_channel } = scopeColumns(sql, row)
  return sql`jsonb_build_object('title', ${sql(row)}.title, 'is_enable', ${sql(row)}.is_enable,
    'audience', ${sql(row)}.audience, 'contents', ${sql(row)}.contents,
    'scope_property', ${scope_property}, 'scope_channel', ${scope_channel})`
}

/**
 * The raised `revision` excludes the fragments of the former texts from search. The scope may keep ids of deleted
 * records.
 */
const update = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, input: KnowledgeBaseInput, now: Date) => {
  const columns = toColumns(input, now)
  const { type } = input.scope_property
  return readUpdatedKnowledgeBase(
    recordChange(sql, {
      change: sql`
        before AS (${lockedRowSql(sql, "knowledge_bases", operatorId, id)}),
        preconditions AS (
          SELECT ARRAY(
            SELECT unnest(${unknownScopeIds(sql, operatorId, columns.ids, type)})
            EXCEPT SELECT unnest(before.scope_property_ids)
              WHERE before.scope_property_type = ${sql.literal(`'${type}'`)}
            ORDER BY 1) AS unknown
          FROM before
        ), written AS (
          UPDATE knowledge_bases b SET (${sql.literal(COLUMN_NAMES)}) = ROW (${columnValuesSql(sql, columns, type)}),
            process_status = 'waiting', revision = b.revision + 1, failures = 0, due_at = ${now}::timestamptz
          FROM before, preconditions
          WHERE b.operator_id = before.operator_id AND b.id = before.id AND unknown = '{}'
          RETURNING b.*
        )`,
      events: [],
      changedRecords: sql`
        SELECT now.operator_id, 'knowledge_base:' || now.id AS record,
          changed_fields(${inputFieldsSql(sql, "before")}, ${inputFieldsSql(sql, "now")}) AS fields
        FROM before JOIN written now ON now.operator_id = before.operator_id AND now.id = before.id`,
      outcome: selectWrittenKnowledgeBase(sql)
    })
  )
}

const remove = (sql: SqlClient.SqlClient) =>
  makeDeleteRecord(
    sql,
    "knowledge_base",
    ({ operatorId, id }) =>
      sql`DELETE FROM knowledge_bases WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

export class KnowledgeBaseStore extends Context.Service<
  KnowledgeBaseStore,
  {
    readonly search: (
      operatorId: number,
      filter: KnowledgeBaseFilter,
      page: Page
    ) => Effect.Effect<RowPage<typeof KnowledgeBase.Type>>
    readonly findUnknownProperties: (
      operatorId: number,
      ids: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<number>>
    readonly get: (operatorId: number, id: number) => Effect.Effect<typeof KnowledgeBaseWithContents.Type | undefined>
    readonly create: (
      operatorId: number,
      input: KnowledgeBaseInput,
      now: Date
    ) => Effect.Effect<WrittenKnowledgeBase, ValidationFailed, CurrentActor>
    readonly update: (
      operatorId: number,
      id: number,
      input: KnowledgeBaseInput,
      now: Date
    ) => Effect.Effect<WrittenKnowledgeBase | undefined, never, CurrentActor>
    readonly remove: (
      operatorId: number,
      id: number
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
  }
>()("latchkey/domain/knowledge/KnowledgeBaseStore") {
  static readonly layer = Layer.effect(
    KnowledgeBaseStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      findUnknownProperties: findUnknownProperties(sql),
      get: get(sql),
      create: create(sql),
      update: update(sql),
      remove: remove(sql)
    }))
  )
}
