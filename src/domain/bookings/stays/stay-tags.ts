import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import type { TagColor } from "../../../contract/tag-color.ts"
import { findConstraintViolation, makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { withSavepoint } from "../../../platform/database/savepoint.ts"
import { exactNameFirstOrder, hasNameCondition } from "../../named-row.ts"
import { findOrCreateStayTag, isConcurrentTagViolation } from "../reservation-tags/find-or-create-tag.ts"
import { stayNotFoundError } from "./rules.ts"
import { stayRecordSql } from "./stay-sql.ts"

type Sql = SqlClient.SqlClient

export const StayMatch = Schema.Struct({ found: Schema.Boolean })
export type StayMatch = typeof StayMatch.Type

const TagRemoval = Schema.Struct({ ...StayMatch.fields, removed: Schema.Boolean })
export type TagRemoval = typeof TagRemoval.Type

const readAddedTag = makeRowReaderOrFail(StayMatch, ({ name, detail }) =>
  name === "reservation_tag_limit"
    ? new ValidationFailed({
        message: `tag_name: is new, but the account already has ${detail} tags of its own, the maximum.`
      })
    : // This violation means that the channel removed the stay's room concurrently.
      name === "stay_tags_operator_id_stay_id_fkey"
      ? stayNotFoundError
      : undefined
)
const readRemovedTag = makeSingleRowReader(TagRemoval)

export interface StayKey {
  readonly operatorId: number
  readonly stayCode: string
}

const selectStay = (sql: Sql, { operatorId, stayCode }: StayKey): Fragment => sql`
  SELECT s.operator_id, s.id, o.reservation_code
  FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
  WHERE s.operator_id = ${operatorId} AND s.stay_code = ${stayCode}`

/** `stays` must have `operator_id` and `reservation_code`. */
export const changedStayFieldSql = (
  sql: Sql,
  field: "check_in_approved_at" | "checkin_guide_images" | "stay_status" | "tags",
  stays: Fragment
) => sql`SELECT operator_id, ${stayRecordSql(sql)} AS record, ARRAY[${field}]::text[] AS fields FROM ${stays}`

export const addTag = (sql: Sql) => {
  const inSavepoint = withSavepoint(sql)
  return (
    operatorId: number,
    stayCode: string,
    { name, color }: { readonly name: string; readonly color: TagColor },
    at: Date
  ) => {
    const attempt = inSavepoint(
      recordChange(sql, {
        change: sql`
          stay AS (${selectStay(sql, { operatorId, stayCode })}), ${findOrCreateStayTag(sql, { operatorId, name, color, at })}, linked AS (
            INSERT INTO stay_tags AS link (operator_id, stay_id, tag_id, stays_version)
            SELECT stay.operator_id, stay.id, named_tag.id, named_tag.stays_version FROM stay, named_tag
            ON CONFLICT (operator_id, stay_id, tag_id) DO UPDATE SET stays_version = excluded.stays_version
              WHERE link.stays_version <> excluded.stays_version
            RETURNING tag_id
          )`,
        events: [],
        changedRecords: sql`
          ${changedStayFieldSql(sql, "tags", sql`stay WHERE EXISTS (SELECT FROM linked)`)}
          UNION ALL ${createdOrDeletedRecordsSql(sql, "reservation_tag", "made_tag")}`,
        outcome: sql`SELECT EXISTS (SELECT FROM stay) AS found`
      })
    )
    return readAddedTag(
      Effect.retry(attempt, { times: 1, while: (error) => isConcurrentTagViolation(findConstraintViolation(error)) })
    )
  }
}

export const removeTag = (sql: Sql) => (operatorId: number, stayCode: string, tagName: string) =>
  readRemovedTag(
    recordChange(sql, {
      change: sql`
        stay AS (${selectStay(sql, { operatorId, stayCode })}), carried AS (
          SELECT link.stay_id, link.tag_id FROM stay
          JOIN stay_tags link ON link.operator_id = stay.operator_id AND link.stay_id = stay.id
          JOIN usable_reservation_tags tag ON tag.operator_id = link.operator_id AND tag.id = link.tag_id
            AND tag.stays_version = link.stays_version
          WHERE link.operator_id = ${operatorId} AND ${hasNameCondition(sql, "tag", "tag_name", tagName)}
          ORDER BY ${exactNameFirstOrder(sql, "tag", "tag_name", tagName)} LIMIT 1
        ), removed AS (
          DELETE FROM stay_tags link USING carried
          WHERE link.operator_id = ${operatorId} AND link.stay_id = carried.stay_id AND link.tag_id = carried.tag_id
          RETURNING link.tag_id
        )`,
      events: [],
      changedRecords: changedStayFieldSql(sql, "tags", sql`stay WHERE EXISTS (SELECT FROM removed)`),
      outcome: sql`SELECT EXISTS (SELECT FROM stay) AS found, EXISTS (SELECT FROM removed) AS removed`
    })
  )
