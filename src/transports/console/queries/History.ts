import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import {
  type AuditRange,
  type AuditRangeFilter,
  auditEntriesSql,
  toAuditRange
} from "../../../domain/audit-log/audit-range.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { ACCOUNTS_MAX, ACTIVITY_LOG_SCANNED, ACTIVITY_LOG_SHOWN } from "../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const AuditLogPosition = Schema.Struct({ at: Schema.toCodecJson(Schema.Date), id: Schema.Int })

/** Sub-accounts may see the names of other accounts, but not their e-mail addresses. */
const AuditLogAccount = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type AuditLogAccount = typeof AuditLogAccount.Type

const NullableText = Schema.NullOr(Schema.String)

const AuditLogChange = Schema.Struct({
  ...AuditLogPosition.fields,
  account_id: Schema.NullOr(Schema.Int),
  application: Schema.String,
  operation: Schema.String,
  request_id: NullableText,
  /** Kind and key, such as `reservation:5-ABC`. */
  record: Schema.String,
  fields: Schema.Array(Schema.String),
  /** Current name of the record. Null if the record was deleted or has no name. */
  name: NullableText,
  /** For a reservation, its first stay code. For a money entry, its reservation code. */
  leads_to: NullableText
})
export type AuditLogChange = typeof AuditLogChange.Type

const AuditLogPage = Schema.Struct({
  /** A row beyond {@link ACTIVITY_LOG_SHOWN} means that further changes exist. */
  changes: Schema.Array(AuditLogChange),
  /** Number of entries that were read before the filter by account. `furthest` is the position of the last one. */
  looked_at: Schema.Int,
  furthest: Schema.NullOr(AuditLogPosition),
  /** All accounts of the operator, including disabled ones. */
  accounts: Schema.Array(AuditLogAccount)
})
export type AuditLogPage = typeof AuditLogPage.Type

const readAuditLogPage = makeSingleRowReader(AuditLogPage)

export const NO_ACCOUNT = 0

interface AuditLogFilter extends Omit<AuditRangeFilter, "operatorId"> {
  readonly accountId?: number | undefined
}

interface AuditLogInput extends AuditRange {
  readonly accountId: number | undefined
}

/** The audit log has no index by account, so a filter by account reads a limited number of entries. */
const scannedEntriesSql = (sql: Sql, { accountId, ...range }: AuditLogInput): Fragment =>
  auditEntriesSql(sql, range, accountId === undefined ? ACTIVITY_LOG_SHOWN + 1 : ACTIVITY_LOG_SCANNED)

const NAME_COLUMNS: ReadonlyArray<readonly [record: string, table: string, name: string]> = [
  ["account", "accounts", "name"],
  ["automation_rule", "automation_rules", "definition ->> 'name'"],
  ["channel_account", "channel_accounts", "username"],
  ["group", "property_groups", "name"],
  ["knowledge_base", "knowledge_bases", "title"],
  ["listing", "listings", "title"],
  ["property", "properties", "title"],
  ["reservation_tag", "reservation_tags", "tag_name"],
  ["room_type", "room_types", "title"],
  ["staff", "staffs", "name"],
  ["tag", "property_tags", "name"],
  ["imported_calendar", "imported_calendars", "host"],
  ["task", "tasks", "replace(type, '_', ' ')"],
  ["token", "access_tokens", "name"],
  // Only the host of the URL. For some receivers the rest is a secret that not every account may see.
  ["webhook", "webhook_subscriptions", "split_part(url, '/', 3)"]
]

const recordNameSql = (sql: Sql, operatorId: number): Fragment => {
  const byId = NAME_COLUMNS.map(
    ([record, table, name]) => sql`
      WHEN ${sql.literal(`'${record}'`)} THEN (
        SELECT ${sql.literal(name)} FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = c.number)`
  )
  return sql`CASE c.kind ${sql.join("", false)(byId)}
    WHEN 'reservation' THEN (SELECT guest_name FROM (${firstStaySql(sql, operatorId)}) first)
    WHEN 'review' THEN (SELECT guest_name FROM (${firstStaySql(sql, operatorId)}) first)
    WHEN 'conversation' THEN (SELECT guest_name FROM conversations WHERE operator_id = ${operatorId} AND code = c.key) END`
}

const firstStaySql = (sql: Sql, operatorId: number): Fragment => sql`
  SELECT s.guest_name, s.stay_code FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
  WHERE o.operator_id = ${operatorId} AND o.reservation_code = c.key ORDER BY s.id LIMIT 1`

const linkTargetSql = (sql: Sql, operatorId: number): Fragment => sql`CASE c.kind
  WHEN 'reservation' THEN (SELECT stay_code FROM (${firstStaySql(sql, operatorId)}) first)
  WHEN 'transaction' THEN (
    SELECT o.reservation_code FROM transactions t JOIN orders o ON o.operator_id = t.operator_id AND o.id = t.order_id
    WHERE t.operator_id = ${operatorId} AND t.id = c.number) END`

const selectHistory = (sql: Sql, input: AuditLogInput) => {
  const { operatorId, accountId } = input
  const accountCondition = accountId === undefined ? sql`true` : sql`coalesce(account_id, 0) = ${accountId}`
  return sql`
      WITH looked AS MATERIALIZED (${scannedEntriesSql(sql, input)}), chosen AS MATERIALIZED (
        SELECT *, split_part(record, ':', 1) AS kind, substr(record, strpos(record, ':') + 1) AS key,
          CASE WHEN record ~ '^[a-z_]+:[0-9]{1,18}$' THEN split_part(record, ':', 2)::bigint END AS number
        FROM looked WHERE ${accountCondition} ORDER BY at DESC, id DESC LIMIT ${sql.literal(String(ACTIVITY_LOG_SHOWN + 1))}
      )
      SELECT (SELECT coalesce(jsonb_agg(told ORDER BY at DESC, id DESC), '[]') FROM (
          SELECT c.at, c.id, c.account_id, c.application, c.operation, c.request_id, c.record, c.fields,
            ${recordNameSql(sql, operatorId)} AS name, ${linkTargetSql(sql, operatorId)} AS leads_to
          FROM chosen c) told) AS changes,
        (SELECT count(*) FROM looked) AS looked_at,
        (SELECT to_jsonb(last) FROM (SELECT at, id FROM looked ORDER BY at, id LIMIT 1) last) AS furthest,
        (SELECT coalesce(jsonb_agg(account), '[]') FROM (
          SELECT id, name FROM accounts WHERE operator_id = ${operatorId}
          ORDER BY id LIMIT ${sql.literal(String(ACCOUNTS_MAX + 1))}) account) AS accounts`
}

export class History extends Context.Service<History>()("latchkey/transports/console/queries/History", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: ({ accountId, ...filter }: AuditLogFilter) =>
      CurrentCaller.use(({ operatorId }) =>
        readAuditLogPage(selectHistory(sql, { ...toAuditRange({ ...filter, operatorId }), accountId }))
      )
  }))
}) {
  static readonly layer = Layer.effect(History, History.make)
}
