import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { asItIs, onRecordInForms, touchedIn } from "../../changes/on-record.ts"
import { ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { rowUnless } from "../../platform/database/constraints.ts"
import { type Givens, inForms, type Value, type Valued } from "../../platform/database/forms.ts"
import { pagesOf } from "../../platform/database/pages.ts"
import { idsParameter, jsonParameter } from "../../platform/database/parameters.ts"
import { onlyRowOf, rowOf } from "../../platform/database/rows.ts"
import type { ChannelType } from "../channels/port/channel-type.ts"
import { type OfOperator, type OwnRow, removal } from "../own-row.ts"
import { unknownGroups, unknownProperties, unknownRoomTypes } from "../properties/properties/belonging.ts"
import {
  type Audience,
  type ChannelScope,
  KnowledgeBase,
  type PropertyScope,
  type PropertyScopeType,
  WholeKnowledgeBase
} from "./contract.ts"
import { isForChannels, isForProperties } from "./scope.ts"

/** Which entries a search means; what is undefined does not narrow it. */
interface KnowledgeSearch {
  readonly property_ids: ReadonlyArray<number> | undefined
  readonly channel_types: ReadonlyArray<ChannelType> | undefined
}

interface Searched extends OfOperator, KnowledgeSearch {}

/** What a host writes. */
export interface Writing {
  readonly title: string
  readonly is_enable: boolean
  readonly audience: Audience
  readonly scope_property: Required<PropertyScope>
  readonly scope_channel: Required<ChannelScope>
  readonly contents: ReadonlyArray<{ readonly sub_title: string; readonly text: string }>
}

/** `id` is null when nothing was written because of the unknown ids. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), unknown: Schema.Array(Schema.Int) })

const readEdited = rowOf(Written)
const readCreated = rowUnless(Written, ({ name, detail }) =>
  name === "knowledge_base_limit"
    ? new ValidationFailed({
        message: `knowledge_base_limit: the account already has ${detail} entries, the maximum; delete one first.`
      })
    : undefined
)

/** The scopes of a row, as they are shown. */
const scopesOf = (sql: SqlClient.SqlClient, row: string) => ({
  scope_property: sql`jsonb_build_object(
    'type', ${sql(row)}.scope_property_type, 'ids', ${sql(row)}.scope_property_ids)`,
  scope_channel: sql`jsonb_build_object(
    'type', ${sql(row)}.scope_channel_type, 'channels', ${sql(row)}.scope_channels)`
})

const search = (sql: SqlClient.SqlClient) => {
  const page = pagesOf(sql, KnowledgeBase, ({ operatorId, property_ids, channel_types }: Givens<Searched>) => ({
    matching: sql`
      SELECT * FROM knowledge_bases WHERE operator_id = ${operatorId}
        AND ${property_ids === undefined ? sql`true` : appliesTo(sql, operatorId, property_ids)}
        AND ${channel_types === undefined ? sql`true` : isForChannels(sql, channel_types)}`,
    orderBy: sql`id DESC`,
    columns: scopesOf(sql, "page")
  }))
  return (operatorId: number, { property_ids, channel_types }: KnowledgeSearch, asked: Page) =>
    page({ operatorId, property_ids, channel_types }, asked)
}

/** Nothing applies where one of the properties is not the operator's, not even what is for all. */
const appliesTo = (
  sql: SqlClient.SqlClient,
  operatorId: Value<number>,
  ids: Value<ReadonlyArray<number>>
): Fragment => sql`
  ${isForProperties(sql, operatorId, ids)} AND (SELECT ${unknownProperties(sql, operatorId, ids)} = '{}')`

const readUnknown = onlyRowOf(Schema.Struct({ unknown: Schema.Array(Schema.Int) }))

interface Named extends OfOperator {
  readonly ids: ReadonlyArray<number>
}

/** Those of the ids that are no properties of the operator, for a search that found nothing. */
const unknown = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, ids }: Givens<Named>) => sql`SELECT ${unknownProperties(sql, operatorId, ids)} AS unknown`
  )
  return (operatorId: number, ids: ReadonlyArray<number>) =>
    Effect.map(readUnknown(statement({ operatorId, ids })), ({ unknown }) => unknown)
}

const readWhole = rowOf(WholeKnowledgeBase)

const get = (sql: SqlClient.SqlClient) => {
  const { scope_property, scope_channel } = scopesOf(sql, "entry")
  const statement = inForms(
    sql,
    ({ operatorId, id }: Givens<OwnRow>) => sql`
      SELECT id, title, is_enable, ${scope_property} AS scope_property, ${scope_channel} AS scope_channel,
        process_status, audience, contents
      FROM knowledge_bases entry WHERE operator_id = ${operatorId} AND id = ${id}`
  )
  return (operatorId: number, id: number) => readWhole(statement({ operatorId, id }))
}

/** What a writing sets, in the types of the database. */
interface Columns extends Omit<Writing, "scope_property" | "scope_channel"> {
  readonly ids: ReadonlyArray<number>
  readonly scope_channel_type: ChannelScope["type"]
  readonly scope_channels: ReadonlyArray<string>
  readonly now: Date
}

const columnsOf = ({ title, is_enable, audience, scope_property, scope_channel, contents }: Writing, now: Date) => ({
  title,
  is_enable,
  audience,
  ids: scope_property.ids,
  scope_channel_type: scope_channel.type,
  scope_channels: scope_channel.channels,
  contents,
  now
})

/** Those of the ids that name nothing of the operator's, by what they are ids of. */
const unknownIds = (
  sql: SqlClient.SqlClient,
  operatorId: Value<number>,
  ids: Value<ReadonlyArray<number>>,
  type: PropertyScopeType
): Fragment => {
  switch (type) {
    case "all":
      return sql`'{}'::bigint[]`
    case "by_property":
      return unknownProperties(sql, operatorId, ids)
    case "by_group":
      return unknownGroups(sql, operatorId, ids)
    case "by_room_type":
      return unknownRoomTypes(sql, operatorId, ids)
  }
}

/** The columns that a writing sets. */
const NAMES =
  "title, is_enable, audience, scope_property_type, scope_property_ids, scope_channel_type, scope_channels, contents"

/** The values of these columns, in their order. */
const valuesOf = (sql: SqlClient.SqlClient, given: Valued<Columns>, type: PropertyScopeType): Fragment => sql`
  ${given.title}::text, ${given.is_enable}::boolean, ${given.audience}::text, ${sql.literal(`'${type}'`)},
  ${idsParameter(given.ids)}::bigint[], ${given.scope_channel_type}::text, ${given.scope_channels}::text[],
  ${jsonParameter(given.contents)}::jsonb`

const selectWritten = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT written.id, preconditions.unknown FROM preconditions LEFT JOIN written ON true`

interface Made extends OfOperator, Columns {}

/** Fails when there is no room for one more. */
const create = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(
    sql,
    ({ operatorId, ids, now, ...given }: Givens<Made>, type: PropertyScopeType) => ({
      change: sql`
        preconditions AS (SELECT ${unknownIds(sql, operatorId, ids, type)} AS unknown),
        written AS (
          INSERT INTO knowledge_bases (operator_id, ${sql.literal(NAMES)}, due_at, created_at)
          SELECT ${operatorId}::bigint, ${valuesOf(sql, { ids, now, ...given }, type)},
            ${now}::timestamptz, ${now}::timestamptz
          FROM preconditions WHERE unknown = '{}'
          RETURNING operator_id, id
        )`,
      events: [],
      touched: touchedIn(sql, "knowledge_base", "written"),
      outcome: selectWritten(sql)
    })
  )
  return (operatorId: number, writing: Writing, now: Date) =>
    readCreated(statement({ operatorId, ...columnsOf(writing, now) }, writing.scope_property.type))
}

/** The fields of a row that a host writes, as JSON, for the trail: not what the service notes beside them. */
const writtenIn = (sql: SqlClient.SqlClient, row: string): Fragment => {
  const { scope_property, scope_channel } = scopesOf(sql, row)
  return sql`jsonb_build_object('title', ${sql(row)}.title, 'is_enable', ${sql(row)}.is_enable,
    'audience', ${sql(row)}.audience, 'contents', ${sql(row)}.contents,
    'scope_property', ${scope_property}, 'scope_channel', ${scope_channel})`
}

interface Edited extends OwnRow, Columns {}

/**
 * Replaces an entry, which is to be prepared anew: what was prepared of it is not searched from then on. What its scope named
 * before it may name still, be it deleted since. Answers no row when there is no such entry.
 */
const update = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(
    sql,
    ({ operatorId, id, ids, now, ...given }: Givens<Edited>, type: PropertyScopeType) => ({
      change: sql`
        before AS (${asItIs(sql, "knowledge_bases", operatorId, id)}),
        preconditions AS (
          SELECT ARRAY(
            SELECT unnest(${unknownIds(sql, operatorId, ids, type)})
            EXCEPT SELECT unnest(before.scope_property_ids)
              WHERE before.scope_property_type = ${sql.literal(`'${type}'`)}
            ORDER BY 1) AS unknown
          FROM before
        ), written AS (
          UPDATE knowledge_bases b SET (${sql.literal(NAMES)}) = ROW (${valuesOf(sql, { ids, now, ...given }, type)}),
            process_status = 'waiting', revision = b.revision + 1, failures = 0, due_at = ${now}::timestamptz
          FROM before, preconditions
          WHERE b.operator_id = before.operator_id AND b.id = before.id AND unknown = '{}'
          RETURNING b.*
        )`,
      events: [],
      touched: sql`
        SELECT now.operator_id, 'knowledge_base:' || now.id AS record,
          changed_fields(${writtenIn(sql, "before")}, ${writtenIn(sql, "now")}) AS fields
        FROM before JOIN written now ON now.operator_id = before.operator_id AND now.id = before.id`,
      outcome: selectWritten(sql)
    })
  )
  return (operatorId: number, id: number, writing: Writing, now: Date) =>
    readEdited(statement({ operatorId, id, ...columnsOf(writing, now) }, writing.scope_property.type))
}

/** Answers the deleted entry's id, or undefined when there is none. What was prepared of it goes with it. */
const remove = (sql: SqlClient.SqlClient) =>
  removal(
    sql,
    "knowledge_base",
    ({ operatorId, id }) =>
      sql`DELETE FROM knowledge_bases WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

/** The SQL of the knowledge base. */
export class KnowledgeBaseStore extends Context.Service<KnowledgeBaseStore>()("latchkey/resources/KnowledgeBaseStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    unknown: unknown(sql),
    get: get(sql),
    create: create(sql),
    update: update(sql),
    remove: remove(sql)
  }))
}) {
  static readonly layer = Layer.effect(KnowledgeBaseStore, KnowledgeBaseStore.make)
}
