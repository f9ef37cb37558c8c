import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import type { TagColor } from "../../../contract/tag-color.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { CUSTOM_FIELDS_MAX, CUSTOM_FIELDS_TEXT_LENGTH } from "../../../platform/limits.ts"
import { type CheckInDetailsChange, setCheckInDetails } from "./check-in-details.ts"
import { CustomFields, type StayStatus } from "./stay.ts"
import { selectStayForUpdate } from "./stay-lock.ts"
import { recordStayUpdates, stayRecordSql } from "./stay-sql.ts"
import { addTag, changedStayFieldSql, removeTag, type StayMatch, type TagRemoval } from "./stay-tags.ts"

// No statement of this store writes a column of `OrderStayFields`, and order changes write only those. So neither
// overwrites the other.

type Sql = SqlClient.SqlClient

const CustomFieldsRow = Schema.Struct({ fields: Schema.NullOr(CustomFields) })
type CustomFieldsRow = typeof CustomFieldsRow.Type

/** `fields` is null if nothing was saved or no field is left. */
const CustomFieldsSave = Schema.Struct({ saved: Schema.Boolean, ...CustomFieldsRow.fields })
type CustomFieldsSave = typeof CustomFieldsSave.Type

const OrderStatusRow = Schema.Struct({ status: Schema.String })
type OrderStatusRow = typeof OrderStatusRow.Type

const readCustomFields = makeOptionalRowReader(CustomFieldsRow)
const readSavedCustomFields = makeOptionalRowReader(CustomFieldsSave)
const readStatus = makeOptionalRowReader(OrderStatusRow)

const findCustomFields =
  (sql: Sql): StayStore["Service"]["findCustomFields"] =>
  (operatorId, stayCode) =>
    readCustomFields(sql`
      SELECT custom_fields AS fields FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode}`)

const characterCountSql = (sql: Sql, fields: Fragment): Fragment =>
  sql`(SELECT coalesce(sum(length(value)), 0) FROM jsonb_each_text(${fields}))`

const saveCustomFields = (sql: Sql): StayStore["Service"]["saveCustomFields"] => {
  const countCharacters = (fields: Fragment) => characterCountSql(sql, fields)
  return (operatorId, stayCode, changes, at) =>
    readSavedCustomFields(
      recordChange(sql, {
        change: sql`
          before AS (${selectStayForUpdate(sql, { operatorId, stayCode })}),
          merged AS (
            SELECT operator_id, id,
              jsonb_strip_nulls(coalesce(before.custom_fields, '{}') || ${jsonParameter(changes)}::jsonb) AS fields
            FROM before
          ), after AS (
            UPDATE stays s SET custom_fields = nullif(merged.fields, '{}')
            FROM merged WHERE s.operator_id = merged.operator_id AND s.id = merged.id
              AND (SELECT count(*) FROM jsonb_object_keys(merged.fields)) <= ${CUSTOM_FIELDS_MAX}
              AND ${countCharacters(sql`merged.fields`)} <= greatest(${CUSTOM_FIELDS_TEXT_LENGTH}, ${countCharacters(sql`s.custom_fields`)})
            RETURNING s.custom_fields
          )`,
        events: [recordStayUpdates(sql, { from: sql`before WHERE EXISTS (SELECT FROM after)`, at })],
        // The specification requires an event for unchanged fields too (reservation_updated). Its audit row then lists
        // no field.
        changedRecords: sql`
          SELECT before.operator_id, ${stayRecordSql(sql)} AS record,
            array_remove(ARRAY[CASE WHEN after.custom_fields IS DISTINCT FROM before.custom_fields THEN 'custom_fields' END],
              NULL) AS fields
          FROM before, after`,
        // Guest erasure finds the responses stored for idempotency keys by `reservation_code`.
        outcome: sql`
          SELECT EXISTS (SELECT FROM after) AS saved, (SELECT custom_fields FROM after) AS fields, reservation_code FROM before`
      })
    )
}

const setStayStatus =
  (sql: Sql): StayStore["Service"]["setStayStatus"] =>
  (operatorId, stayCode, stayStatus, at) =>
    readStatus(
      recordChange(sql, {
        change: sql`
          before AS (${selectStayForUpdate(sql, { operatorId, stayCode })}), after AS (
            UPDATE stays s SET stay_status = ${stayStatus}
            FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
              AND before.status = 'accepted' AND before.stay_status <> ${stayStatus}
            RETURNING s.id
          )`,
        events: [recordStayUpdates(sql, { from: sql`before WHERE EXISTS (SELECT FROM after)`, at })],
        changedRecords: changedStayFieldSql(sql, "stay_status", sql`before WHERE EXISTS (SELECT FROM after)`),
        outcome: sql`SELECT status FROM before`
      })
    )

export class StayStore extends Context.Service<
  StayStore,
  {
    /** A missing or deleted tag is created or restored. Fails at the operator's tag limit. */
    readonly addTag: (
      operatorId: number,
      stayCode: string,
      tag: { readonly name: string; readonly color: TagColor },
      at: Date
    ) => Effect.Effect<StayMatch, ValidationFailed | NotFound, CurrentActor>
    readonly removeTag: (
      operatorId: number,
      stayCode: string,
      tagName: string
    ) => Effect.Effect<TagRemoval, never, CurrentActor>
    readonly findCustomFields: (operatorId: number, stayCode: string) => Effect.Effect<CustomFieldsRow | undefined>
    /** `saved` is false if the stay would exceed a limit. */
    readonly saveCustomFields: (
      operatorId: number,
      stayCode: string,
      changes: Readonly<Record<string, string | null>>,
      at: Date
    ) => Effect.Effect<CustomFieldsSave | undefined, never, CurrentActor>
    readonly setCheckInDetails: (
      operatorId: number,
      stayCode: string,
      change: CheckInDetailsChange,
      at: Date
    ) => Effect.Effect<StayMatch, never, CurrentActor>
    /** Changes nothing unless the order is accepted. Returns the status of the order. */
    readonly setStayStatus: (
      operatorId: number,
      stayCode: string,
      stayStatus: typeof StayStatus.Type,
      at: Date
    ) => Effect.Effect<OrderStatusRow | undefined, never, CurrentActor>
  }
>()("latchkey/domain/bookings/stays/StayStore") {
  static readonly layer = Layer.effect(
    StayStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      StayStore.of({
        addTag: addTag(sql),
        removeTag: removeTag(sql),
        findCustomFields: findCustomFields(sql),
        saveCustomFields: saveCustomFields(sql),
        setCheckInDetails: setCheckInDetails(sql),
        setStayStatus: setStayStatus(sql)
      })
    )
  )
}
