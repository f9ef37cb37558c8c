import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { ACTIVITIES_SHOWN } from "../../../platform/limits.ts"
import { channelScopeCondition, scopeCondition } from "../scope.ts"

type Sql = SqlClient.SqlClient

export const MAX_CONSIDERED_FRAGMENTS = 60

const KnowledgeFragmentRow = Schema.Struct({
  knowledge_base_id: Schema.Int,
  revision: Schema.Int,
  title: Schema.String,
  place: Schema.Int,
  sub_title: Schema.String,
  text: Schema.String
})
type KnowledgeFragmentRow = typeof KnowledgeFragmentRow.Type

interface AskerParameters {
  readonly operatorId: number
  readonly now: Date
  readonly conversation: string | undefined
  readonly stayCode: string | undefined
}

interface FragmentSearch extends AskerParameters {
  /** A fragment must have at least one of these terms. */
  readonly names: ReadonlyArray<string>
}

interface SearchFragmentsParameters extends AskerParameters {
  readonly query: string
}

const toTsQuery = (names: ReadonlyArray<string>): string =>
  names.map((name) => `'${name.replaceAll(/['\\]/g, "")}'`).join(" | ")

/** Selects orders that are accepted or may still become accepted. */
const openOrdersSql = (
  sql: Sql,
  operatorId: number,
  { conversation, stayCode }: Pick<AskerParameters, "conversation" | "stayCode">
): Fragment => {
  const openOrderCondition = sql`o.operator_id = ${operatorId} AND o.status IN ('accepted', 'wait_accept', 'wait_pay')`
  if (conversation !== undefined)
    return sql`
      SELECT o.operator_id, o.id, o.status, o.channel_type, NULL::text AS stay_code FROM orders o
      WHERE ${openOrderCondition} AND o.conversation_id = ${conversation}
      ORDER BY o.id DESC LIMIT ${sql.literal(String(ACTIVITIES_SHOWN))}`
  if (stayCode !== undefined)
    return sql`
      SELECT o.operator_id, o.id, o.status, o.channel_type, s.stay_code FROM stays s
      JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE ${openOrderCondition} AND s.operator_id = ${operatorId} AND s.stay_code = ${stayCode}`
  return sql`
    SELECT NULL::bigint AS operator_id, NULL::bigint AS id, NULL::text AS status, NULL::text AS channel_type, NULL::text AS stay_code
    WHERE false`
}

/** Also selects a row if the listing is unknown. */
const inquirySql = (sql: Sql, operatorId: number, conversation: string | undefined): Fragment =>
  conversation === undefined
    ? sql`SELECT NULL::bigint AS property_id, NULL::bigint AS room_type_id, NULL::text AS channel_type`
    : sql`
      SELECT l.property_id, l.room_type_id, c.channel_type FROM conversations c
      LEFT JOIN listings l ON l.operator_id = c.operator_id AND l.channel_type = c.channel_type
        AND l.listing_id = c.inquiry_listing_id
      WHERE c.code = ${conversation} AND c.operator_id = ${operatorId}`

/** The asker is a guest until the end of the check-out day. */
const stayScopesSql = (sql: Sql, { operatorId, now, conversation, stayCode }: AskerParameters): Fragment => sql`
  asked_about AS (${openOrdersSql(sql, operatorId, { conversation, stayCode })}),
  today AS (SELECT (${now}::timestamptz AT TIME ZONE time_zone)::date AS day FROM operators WHERE id = ${operatorId}),
  of_stays AS (
    SELECT s.property_id, a.channel_type, a.status = 'accepted' AS is_guest
    FROM asked_about a CROSS JOIN today
    JOIN stays s ON s.operator_id = a.operator_id AND s.order_id = a.id AND s.stay_code = coalesce(a.stay_code, s.stay_code)
    WHERE s.check_out_date >= today.day
    ORDER BY s.order_id DESC, s.id
    LIMIT ${sql.literal(String(ACTIVITIES_SHOWN))}
  ), asking AS (
    SELECT property_id, NULL::bigint AS room_type_id, channel_type, is_guest FROM of_stays
    UNION ALL SELECT property_id, room_type_id, channel_type, false FROM (${inquirySql(sql, operatorId, conversation)}) i
  ), places AS (
    SELECT a.property_id, a.channel_type, a.is_guest, coalesce(a.room_type_id, t.room_type_id) AS room_type_id,
      ARRAY(SELECT g.group_id FROM current_group_properties g
        WHERE g.operator_id = ${operatorId} AND g.property_id = a.property_id) AS group_ids
    FROM asking a
    LEFT JOIN room_type_properties t ON t.operator_id = ${operatorId} AND t.property_id = a.property_id
  )`

/** Edited entries are excluded until they are prepared. */
const entriesInScopeSql = (sql: Sql, operatorId: number): Fragment => sql`
  SELECT operator_id, id, title, revision FROM knowledge_bases
  WHERE operator_id = ${operatorId} AND is_enable AND process_status = 'done' AND EXISTS (
    SELECT FROM places p WHERE (audience = 'anyone' OR p.is_guest)
      AND ${channelScopeCondition(sql, sql`ARRAY[p.channel_type]`)}
      AND ${scopeCondition(sql, {
        properties: sql`p.property_id = ANY`,
        groups: sql`p.group_ids &&`,
        roomTypes: sql`p.room_type_id = ANY`
      })})`

const stayExistsCondition = (
  sql: Sql,
  { operatorId, stayCode }: Pick<AskerParameters, "operatorId" | "stayCode">
): Fragment =>
  stayCode === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode})`

const search = (sql: Sql) => {
  const read = makeRowsReader(KnowledgeFragmentRow)
  const statement = ({ query, ...asker }: SearchFragmentsParameters) => sql`
      WITH wanted AS (SELECT ${query}::tsquery AS query),
      ${stayScopesSql(sql, asker)},
      entries AS (${entriesInScopeSql(sql, asker.operatorId)})
      SELECT e.id AS knowledge_base_id, e.revision, e.title, f.place, f.sub_title, f.text
      FROM entries e CROSS JOIN wanted
      JOIN knowledge_fragments f
        ON f.operator_id = e.operator_id AND f.knowledge_base_id = e.id AND f.revision = e.revision
      WHERE f.words @@ wanted.query
        AND ${stayExistsCondition(sql, asker)}
      ORDER BY ts_rank(f.words, wanted.query) DESC, e.id, f.place
      LIMIT ${sql.literal(String(MAX_CONSIDERED_FRAGMENTS))}`
  return ({ operatorId, now, names, conversation, stayCode }: FragmentSearch) =>
    read(statement({ operatorId, now, query: toTsQuery(names), conversation, stayCode }))
}

const makeStayExists = (sql: Sql) => {
  const read = makeSingleRowReader(Schema.Struct({ stay: Schema.Boolean }))
  return (operatorId: number, stayCode: string) =>
    Effect.map(
      read(sql`
        SELECT ${stayExistsCondition(sql, { operatorId, stayCode })} AS stay`),
      ({ stay }) => stay
    )
}

const makeAnswerStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  search: search(sql),
  stayExists: makeStayExists(sql)
}))

export class AnswerStore extends Context.Service<
  AnswerStore,
  {
    /** Returns the best fragments first. */
    readonly search: (search: FragmentSearch) => Effect.Effect<ReadonlyArray<KnowledgeFragmentRow>>
    readonly stayExists: (operatorId: number, stayCode: string) => Effect.Effect<boolean>
  }
>()("latchkey/domain/knowledge/search/AnswerStore") {
  static readonly layer = Layer.effect(AnswerStore, makeAnswerStore)
}
