import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import {
  genericPlanParameter,
  idsParameter,
  normalizeForSearch,
  normalizeSearchKeyword
} from "../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { PAGE_MAX } from "../../platform/limits.ts"
import type { ChannelType } from "../channels/port/channel-type.ts"
import type { OperatorScoped } from "../operator-rows.ts"
import { unknownPropertiesSql } from "../properties/properties/ownership.ts"
import type { ActionTimeRange } from "./action-rules.ts"
import { AutomationAction, type AutomationActionType } from "./contract.ts"
import { requiredStatusSql } from "./rules/store.ts"

interface ActionFilter extends ActionTimeRange {
  readonly keyword: string | undefined
  readonly stayCode: string | undefined
  readonly propertyIds: ReadonlyArray<number> | undefined
  readonly channelTypes: ReadonlyArray<ChannelType> | undefined
}

const ActionSearchRow = Schema.Struct({
  unknown_properties: Schema.Array(Schema.Int),
  stay_known: Schema.Boolean,
  /** `scheduled_at` has the offset of the database session. */
  actions: Schema.Array(AutomationAction)
})
type ActionSearchResult = typeof ActionSearchRow.Type
const readActionSearch = makeSingleRowReader(ActionSearchRow)

interface ActionSearchParameters extends OperatorScoped, ActionFilter, Page {
  readonly horizon: Date
}

const buildFilterConditions = (sql: SqlClient.SqlClient, search: ActionSearchParameters): ReadonlyArray<Fragment> => {
  const { keyword, stayCode, propertyIds, channelTypes, from, until } = search
  const conditions: Array<Fragment> = []
  if (from !== undefined) conditions.push(sql`p.scheduled_at >= ${genericPlanParameter(sql, "timestamptz", from)}`)
  if (until !== undefined) conditions.push(sql`p.scheduled_at < ${genericPlanParameter(sql, "timestamptz", until)}`)
  if (stayCode !== undefined) conditions.push(sql`s.stay_code = ${stayCode}`)
  if (propertyIds !== undefined) {
    conditions.push(sql`s.property_id = ANY ((SELECT ${idsParameter(propertyIds)}::bigint[])::bigint[])`)
  }
  if (channelTypes !== undefined) {
    conditions.push(sql`coalesce(o.channel_type, c.channel_type) = ANY ((SELECT ${channelTypes}::text[])::text[])`)
  }
  if (keyword !== undefined) {
    const searchTextSql = sql`concat_ws(' ', r.definition ->> 'name', s.guest_name, c.guest_name, property.title, s.stay_code)`
    conditions.push(sql`strpos(${normalizeForSearch(sql, searchTextSql)}, ${normalizeSearchKeyword(sql, keyword)}) > 0`)
  }
  return conditions
}

const isOfTypeCondition = (sql: SqlClient.SqlClient, type: AutomationActionType): Fragment =>
  type === "review" ? sql`p.kind = 'review'` : sql`p.kind <> 'review'`

const stayExistsCondition = (sql: SqlClient.SqlClient, { operatorId, stayCode }: ActionSearchParameters): Fragment =>
  stayCode === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode})`

/** Excludes plans of inactive rules, and of orders with a wrong status, even before the planner has removed them. */
const search = (sql: SqlClient.SqlClient) => {
  const statement = (parameters: ActionSearchParameters, type: AutomationActionType) => {
    const { operatorId, horizon, limit, offset } = parameters
    const stillAppliesCondition = sql`(p.kind = 'answer' OR (r.state = 'active' AND o.status = ${requiredStatusSql(sql)}))`
    const pageSql = sql`
        SELECT p.id, ${sql.literal(`'${type}'`)} AS type, coalesce(r.definition ->> 'name', '') AS name,
          coalesce(s.guest_name, c.guest_name, '') AS send_to, s.stay_code, coalesce(s.property_id, 0) AS property_id,
          coalesce(property.title, '') AS property_title, p.scheduled_at,
          coalesce(o.channel_type, c.channel_type, '') AS channel_type
        FROM automation_plans p
        LEFT JOIN automation_rules r ON r.operator_id = p.operator_id AND r.id = p.rule_id
        LEFT JOIN stays s ON s.operator_id = p.operator_id AND s.id = p.stay_id
        LEFT JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
        LEFT JOIN conversations c ON c.operator_id = p.operator_id AND c.id = p.conversation_id
        LEFT JOIN properties property ON property.operator_id = s.operator_id AND property.id = s.property_id
        WHERE p.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND p.state = 'waiting' AND ${isOfTypeCondition(sql, type)}
          AND p.scheduled_at <= ${genericPlanParameter(sql, "timestamptz", horizon)} AND ${sql.and([stillAppliesCondition, ...buildFilterConditions(sql, parameters)])}
        ORDER BY p.scheduled_at, p.id LIMIT ${sql.literal(String(PAGE_MAX))} OFFSET ${genericPlanParameter(sql, "bigint", offset)}`
    return sql`
      SELECT ${unknownPropertiesSql(sql, operatorId, parameters.propertyIds ?? [])} AS unknown_properties,
        ${stayExistsCondition(sql, parameters)} AS stay_known,
        (SELECT coalesce(jsonb_agg(to_jsonb(page) ORDER BY scheduled_at, id), '[]')
          FROM (SELECT * FROM (${pageSql}) most ORDER BY scheduled_at, id LIMIT ${genericPlanParameter(sql, "bigint", limit)}) page) AS actions`
  }
  return (
    operatorId: number,
    type: AutomationActionType,
    filter: ActionFilter,
    horizon: Date,
    { limit, offset }: Page
  ) => readActionSearch(statement({ operatorId, horizon, limit, offset, ...filter }, type))
}

const makeActionStore = Effect.map(SqlClient.SqlClient, (sql) => ({ search: search(sql) }))

export class ActionStore extends Context.Service<
  ActionStore,
  {
    readonly search: (
      operatorId: number,
      type: AutomationActionType,
      filter: ActionFilter,
      horizon: Date,
      page: Page
    ) => Effect.Effect<ActionSearchResult>
  }
>()("latchkey/domain/automation/ActionStore") {
  static readonly layer = Layer.effect(ActionStore, makeActionStore)
}
