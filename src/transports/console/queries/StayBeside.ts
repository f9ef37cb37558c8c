import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { auditEntriesSql, toAuditRange } from "../../../domain/audit-log/audit-range.ts"
import { TaskStatus, TaskType } from "../../../domain/work/tasks/contract.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import {
  MESSAGE_PREVIEW_LENGTH,
  STAY_ACTIVITY_SHOWN,
  STAY_MESSAGES_SHOWN,
  STAY_TASKS_MAX,
  TAGS_OFFERED_MAX
} from "../../../platform/limits.ts"
import { OfferedProperty, offeredPropertiesSql } from "./property-conflicts.ts"

type Sql = SqlClient.SqlClient

const StayTask = Schema.Struct({
  type: TaskType,
  status: TaskStatus,
  expected_date: Schema.NullOr(Schema.String),
  staff_name: Schema.NullOr(Schema.String),
  note: Schema.String
})

const StayMessage = Schema.Struct({
  sender_role: Schema.Literals(["host", "guest"]),
  sender_name: Schema.NullOr(Schema.String),
  /** The first {@link MESSAGE_PREVIEW_LENGTH} characters. */
  content: Schema.String,
  created_at: Schema.toCodecJson(Schema.Date)
})

const StayActivity = Schema.Struct({
  at: Schema.toCodecJson(Schema.Date),
  application: Schema.String,
  operation: Schema.String,
  account_name: Schema.NullOr(Schema.String)
})

const StaySidebar = Schema.Struct({
  check_in_approved_at: Schema.NullOr(Schema.Date),
  expires_at: Schema.NullOr(Schema.Date),
  /** Number of this stay's document photos without a guest. */
  other_images: Schema.Int,
  /** Property titles by stay code. The title of an unassigned stay is null. */
  titles: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  /** Latest first. A row beyond {@link STAY_TASKS_MAX} means that further tasks exist. */
  tasks: Schema.Array(StayTask),
  /** Latest first, at most {@link STAY_MESSAGES_SHOWN}. */
  messages: Schema.Array(StayMessage),
  /** Changes of the order by the audit log, latest first. A row beyond {@link STAY_ACTIVITY_SHOWN} means that further changes exist. */
  activity: Schema.Array(StayActivity),
  /** At most {@link TAGS_OFFERED_MAX} names. */
  tag_names: Schema.Array(Schema.String),
  /**
   * Range around this stay in which its property has no other stay and no imported busy night. Null means no limit on
   * that side.
   */
  free_from: Schema.NullOr(Schema.String),
  free_until: Schema.NullOr(Schema.String),
  properties: Schema.Array(OfferedProperty)
})
export type StaySidebar = typeof StaySidebar.Type

const readStaySidebar = makeOptionalRowReader(StaySidebar)

const rowsJsonSql = (sql: Sql, query: Fragment): Fragment =>
  sql`(SELECT coalesce(jsonb_agg(row), '[]') FROM (${query}) row)`

const takenNightsSql = (sql: Sql): Fragment => sql`
  FROM calendar_days d WHERE d.operator_id = s.operator_id AND d.property_id = s.property_id
    AND (d.stay_id <> s.id OR d.imported > 0)`

const latestMessagesSql = (sql: Sql, operatorId: number): Fragment => sql`
  SELECT m.sender_role, m.sender_name, left(m.content, ${sql.literal(String(MESSAGE_PREVIEW_LENGTH))}) AS content, m.created_at
  FROM messages m
  WHERE m.operator_id = ${operatorId} AND m.conversation_id = (
    SELECT c.id FROM conversations c WHERE c.operator_id = ${operatorId} AND c.code = o.conversation_id)
  ORDER BY m.created_at DESC, m.id DESC LIMIT ${sql.literal(String(STAY_MESSAGES_SHOWN))}`

const latestActivitySql = (sql: Sql, operatorId: number): Fragment => {
  const range = toAuditRange({ operatorId, record: sql`('reservation:' || o.reservation_code)` })
  return sql`
  SELECT entry.at, entry.application, entry.operation, account.name AS account_name
  FROM (${auditEntriesSql(sql, range, STAY_ACTIVITY_SHOWN + 1)}) entry
  LEFT JOIN accounts account ON account.operator_id = ${operatorId} AND account.id = entry.account_id
  ORDER BY entry.at DESC, entry.id DESC`
}

const selectStaySidebar = (sql: Sql, operatorId: number, stayCode: string) => {
  const nights = { from: sql`s.check_in_date`, before: sql`s.check_out_date`, exceptStayId: sql`s.id` }
  return sql`
    SELECT s.check_in_approved_at, o.expires_at, (
        SELECT count(*) FROM identity_images i
        WHERE i.operator_id = s.operator_id AND i.order_id = s.order_id AND i.stay_id = s.id AND i.guest_id IS NULL
      ) AS other_images, (
        SELECT jsonb_object_agg(each.stay_code, p.title) FROM stays each
        LEFT JOIN properties p ON p.operator_id = each.operator_id AND p.id = each.property_id
        WHERE each.operator_id = s.operator_id AND each.order_id = s.order_id
      ) AS titles,
      ${rowsJsonSql(
        sql,
        sql`SELECT t.type, t.status, t.expected_date, who.name AS staff_name, t.note FROM tasks t
          LEFT JOIN staffs who ON who.operator_id = t.operator_id AND who.id = t.staff_id
          WHERE t.operator_id = s.operator_id AND t.stay_id = s.id
          ORDER BY t.expected_date DESC, t.id DESC LIMIT ${sql.literal(String(STAY_TASKS_MAX + 1))}`
      )} AS tasks, ${rowsJsonSql(sql, latestMessagesSql(sql, operatorId))} AS messages,
      ${rowsJsonSql(sql, latestActivitySql(sql, operatorId))} AS activity, (
        SELECT coalesce(jsonb_agg(tag.tag_name), '[]') FROM (
          SELECT t.tag_name FROM usable_reservation_tags t WHERE t.operator_id = ${operatorId}
          ORDER BY t.tag_name LIMIT ${sql.literal(String(TAGS_OFFERED_MAX))}) tag
      ) AS tag_names,
      (SELECT (d.day + 1)::text ${takenNightsSql(sql)} AND d.day < s.check_in_date ORDER BY d.day DESC LIMIT 1) AS free_from,
      (SELECT d.day::text ${takenNightsSql(sql)} AND d.day >= s.check_out_date ORDER BY d.day LIMIT 1) AS free_until,
      ${rowsJsonSql(sql, offeredPropertiesSql(sql, operatorId, nights))} AS properties
    FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    WHERE s.operator_id = ${operatorId} AND s.stay_code = ${stayCode}`
}

export class StayBeside extends Context.Service<StayBeside>()("latchkey/transports/console/queries/StayBeside", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: (stayCode: string) =>
      CurrentCaller.use(({ operatorId }) => readStaySidebar(selectStaySidebar(sql, operatorId, stayCode)))
  }))
}) {
  static readonly layer = Layer.effect(StayBeside, StayBeside.make)
}
