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

// What happened to the records of a host, newest first, in one statement: a part of the trail with the names of what it touched.

type Sql = SqlClient.SqlClient

/** A place in the trail: what is before it goes on from there. */
const AuditLogPosition = Schema.Struct({ at: Schema.toCodecJson(Schema.Date), id: Schema.Int })

/** By its name, which everybody is told who reads what it entered; addresses are the main account's to see. */
const AuditLogAccount = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type AuditLogAccount = typeof AuditLogAccount.Type

const NullableText = Schema.NullOr(Schema.String)

/** One record that one change touched. */
const AuditLogChange = Schema.Struct({
  ...AuditLogPosition.fields,
  /** Null: nobody's account acted. */
  account_id: Schema.NullOr(Schema.Int),
  application: Schema.String,
  operation: Schema.String,
  request_id: NullableText,
  /** As events name it: `reservation:5-ABC`. */
  record: Schema.String,
  fields: Schema.Array(Schema.String),
  /** What the record is called now; null: it is gone, or has no name. */
  name: NullableText,
  /** What leads to it: of a reservation its first stay's code, of an entry the code of its reservation. */
  leads_to: NullableText
})
export type AuditLogChange = typeof AuditLogChange.Type

const AuditLogPage = Schema.Struct({
  /** One more than {@link ACTIVITY_LOG_SHOWN} where there are more. */
  changes: Schema.Array(AuditLogChange),
  /** How many were looked through, and the last of them. */
  looked_at: Schema.Int,
  furthest: Schema.NullOr(AuditLogPosition),
  /** All accounts of the operator, disabled ones among them, by their ids. */
  accounts: Schema.Array(AuditLogAccount)
})
export type AuditLogPage = typeof AuditLogPage.Type

const readAuditLogPage = makeSingleRowReader(AuditLogPage)

/** Of whom: an account, or nobody's. */
export const NO_ACCOUNT = 0

/** A part of the caller's audit log. An undefined field does not narrow it. */
interface AuditLogFilter extends Omit<AuditRangeFilter, "operatorId"> {
  /** An account's id, or {@link NO_ACCOUNT}. */
  readonly accountId?: number | undefined
}

interface AuditLogInput extends AuditRange {
  readonly accountId: number | undefined
}

/** Accounts have no index: for the changes of one, so many changes of all are read. */
const scannedEntriesSql = (sql: Sql, { accountId, ...range }: AuditLogInput): Fragment =>
  auditEntriesSql(sql, range, accountId === undefined ? ACTIVITY_LOG_SHOWN + 1 : ACTIVITY_LOG_SCANNED)

/** Tables whose rows have a name, by what the trail calls a row. */
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
  ["task", "tasks", "type"],
  ["token", "access_tokens", "name"],
  // Of some receivers the rest of the address is the secret, and not every account may see it.
  ["webhook", "webhook_subscriptions", "split_part(url, '/', 3)"]
]

/** What the record of a row `c` is called, by its `kind` and its `key`, which is a `number` where it is one. */
const recordNameSql = (sql: Sql, operatorId: number): Fragment => {
  const byId = NAME_COLUMNS.map(
    ([record, table, name]) => sql`
      WHEN ${sql.literal(`'${record}'`)} THEN (
        SELECT ${sql.literal(name)} FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = c.number)`
  )
  return sql`CASE c.kind ${sql.join("", false)(byId)}
    WHEN 'reservation' THEN (SELECT guest_name FROM (${firstStaySql(sql, operatorId)}) first)
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

/** The trail as its host reads it. */
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
