import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { ValidationFailed } from "../../contract/errors.ts"
import type { PaletteColor } from "../../contract/palette.ts"
import { rowUnless } from "../../database/constraints.ts"
import { jsonParameter } from "../../database/parameters.ts"
import { onlyRowOf, rowOf } from "../../database/rows.ts"
import { recordEvent } from "../../events/events.ts"
import { CUSTOM_FIELDS, CUSTOM_FIELDS_TEXT } from "../../limits.ts"
import { CustomFields, Status } from "./record.ts"

/** Columns of a check-in that are to be set, null removes; what is undefined stays. */
export interface CheckIn {
  readonly lockCode: string | null | undefined
  readonly lockCodeVisibleAfter: string | null | undefined
  /** `HH:mm`. */
  readonly arrivalAt: string | null | undefined
  readonly departureAt: string | null | undefined
  readonly deposit: number | undefined
  readonly idRequired: string | undefined
}

const readFound = onlyRowOf(Schema.Struct({ found: Schema.Boolean }))
const readTagged = rowUnless(Schema.Struct({ found: Schema.Boolean }), ({ name, detail }) =>
  name === "reservation_tag_limit"
    ? new ValidationFailed({ message: `tag_name: is new, and there are ${detail} tags of your own already.` })
    : undefined
)
const readUntagged = onlyRowOf(Schema.Struct({ found: Schema.Boolean, removed: Schema.Boolean }))
const readFields = rowOf(Schema.Struct({ fields: Schema.NullOr(CustomFields) }))
const readSaved = rowOf(Schema.Struct({ saved: Schema.Boolean, fields: Schema.NullOr(CustomFields) }))
const readStatus = rowOf(Schema.Struct({ status: Status }))

/**
 * The SQL of what hosts keep about one stay. Each is one statement and touches none of the columns that changes of the
 * order are worked out from (OrderChangeStore), so the two never undo each other.
 */
export class StayStore extends Context.Service<StayStore>()("latchkey/resources/StayStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const named = (operatorId: number, stayCode: string): Fragment =>
      sql`SELECT operator_id, id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode}`

    /** The stay as it is, locked: what it was before can be compared with what it becomes. */
    const before = (operatorId: number, stayCode: string): Fragment => sql`
      SELECT s.*, o.reservation_code, o.status
      FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE s.operator_id = ${operatorId} AND s.stay_code = ${stayCode} FOR NO KEY UPDATE OF s`

    const updated = (from: Fragment, at: Date, subEvent?: Fragment): Fragment =>
      recordEvent(sql, "reservation_updated", {
        from,
        record: sql`'reservation:' || reservation_code`,
        fields: {
          reservation_code: sql`reservation_code`,
          stay_code: sql`stay_code`,
          property_id: sql`coalesce(property_id, 0)`,
          ...(subEvent === undefined ? {} : { sub_event: subEvent })
        },
        at
      })

    /** Puts a tag on a stay, made or restored when no dictionary has it. Fails when there is no room for a new one. */
    const addTag = (
      operatorId: number,
      stayCode: string,
      tag: { readonly name: string; readonly color: PaletteColor },
      at: Date
    ) =>
      readTagged(sql`
        WITH stay AS (${named(operatorId, stayCode)}),
        known AS (
          SELECT id, stays_version FROM usable_reservation_tags
          WHERE operator_id = ${operatorId} AND tag_name = ${tag.name}
        ), made AS (
          INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
          SELECT operator_id, ${tag.name}, ${tag.color}, ${at}::timestamptz FROM stay WHERE NOT EXISTS (SELECT FROM known)
          ON CONFLICT (operator_id, tag_name) DO UPDATE SET deleted_at = NULL
          RETURNING id, stays_version
        ), linked AS (
          INSERT INTO stay_tags (operator_id, stay_id, tag_id, stays_version)
          SELECT stay.operator_id, stay.id, tag.id, tag.stays_version
          FROM stay, (SELECT * FROM known UNION ALL SELECT * FROM made) tag
          ON CONFLICT (operator_id, stay_id, tag_id) DO UPDATE SET stays_version = excluded.stays_version
        )
        SELECT EXISTS (SELECT FROM stay) AS found`)

    const removeTag = (operatorId: number, stayCode: string, tagName: string) =>
      readUntagged(sql`
        WITH stay AS (${named(operatorId, stayCode)}),
        removed AS (
          DELETE FROM stay_tags link USING stay, usable_reservation_tags tag
          WHERE link.operator_id = stay.operator_id AND link.stay_id = stay.id
            AND tag.operator_id = link.operator_id AND tag.id = link.tag_id AND tag.stays_version = link.stays_version
            AND tag.tag_name = ${tagName}
          RETURNING link.tag_id
        )
        SELECT EXISTS (SELECT FROM stay) AS found, EXISTS (SELECT FROM removed) AS removed`)

    /** Undefined when there is no such stay. */
    const customFields = (operatorId: number, stayCode: string) =>
      readFields(sql`
        SELECT custom_fields AS fields FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode}`)

    const charactersIn = (fields: Fragment): Fragment =>
      sql`(SELECT coalesce(sum(length(value)), 0) FROM jsonb_each_text(${fields}))`

    /**
     * Merges the changes in, null removes; `saved` is false when the stay would have too many, or too much in them. What
     * was too much before there was a limit may stay, and become less.
     */
    const saveCustomFields = (
      operatorId: number,
      stayCode: string,
      changes: Readonly<Record<string, string | null>>,
      at: Date
    ) => {
      const merged = sql`jsonb_strip_nulls(coalesce(before.custom_fields, '{}') || ${jsonParameter(changes)}::jsonb)`
      return readSaved(sql`
        WITH before AS (${before(operatorId, stayCode)}),
        merged AS (SELECT operator_id, id, ${merged} AS fields FROM before),
        after AS (
          UPDATE stays s SET custom_fields = nullif(merged.fields, '{}')
          FROM merged WHERE s.operator_id = merged.operator_id AND s.id = merged.id
            AND (SELECT count(*) FROM jsonb_object_keys(merged.fields)) <= ${CUSTOM_FIELDS}
            AND ${charactersIn(sql`merged.fields`)} <= greatest(${CUSTOM_FIELDS_TEXT}, ${charactersIn(sql`s.custom_fields`)})
          RETURNING s.custom_fields
        ), recorded AS (${updated(sql`before WHERE EXISTS (SELECT FROM after)`, at)})
        SELECT EXISTS (SELECT FROM after) AS saved, (SELECT custom_fields FROM after) AS fields FROM before`)
    }

    /** One event for each kind of thing that really changed. */
    const checkIn = (operatorId: number, stayCode: string, wanted: CheckIn, at: Date) => {
      const set = (column: string, type: string, value: string | number | null | undefined): Fragment =>
        value === undefined
          ? sql`${sql(column)} = s.${sql(column)}`
          : sql`${sql(column)} = ${value}::${sql.literal(type)}`
      const changed = (...columns: ReadonlyArray<string>): Fragment =>
        sql.or(columns.map((column) => sql`after.${sql(column)} IS DISTINCT FROM before.${sql(column)}`))
      const event = (subEvent: string, condition: Fragment): Fragment =>
        updated(
          sql`(SELECT after.* FROM after JOIN before ON before.id = after.id WHERE ${condition}) happened`,
          at,
          sql.literal(`'${subEvent}'`)
        )
      return readFound(sql`
        WITH before AS (${before(operatorId, stayCode)}),
        after AS (
          UPDATE stays s SET
            ${set("lock_code", "text", wanted.lockCode)},
            ${set("lock_code_visible_after", "text", wanted.lockCodeVisibleAfter)},
            ${set("arrival_at", "time", wanted.arrivalAt)},
            ${set("departure_at", "time", wanted.departureAt)},
            ${set("deposit", "numeric", wanted.deposit)},
            ${set("id_required", "text", wanted.idRequired)}
          FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
          RETURNING s.*, before.reservation_code
        ),
        times AS (${event("arrival_and_departure_time_updated", changed("arrival_at", "departure_at"))}),
        lock_set AS (${event("lock_code_updated", sql`after.lock_code IS NOT NULL AND ${changed("lock_code")}`)}),
        lock_gone AS (${event("lock_code_deleted", sql`after.lock_code IS NULL AND ${changed("lock_code")}`)}),
        details AS (${event("check_in_details_updated", changed("lock_code_visible_after", "deposit", "id_required"))})
        SELECT EXISTS (SELECT FROM before) AS found`)
    }

    /** Answers the order's status, undefined when there is no such stay; only stays of accepted orders are marked. */
    const setStayStatus = (operatorId: number, stayCode: string, stayStatus: string, at: Date) =>
      readStatus(sql`
        WITH before AS (${before(operatorId, stayCode)}),
        after AS (
          UPDATE stays s SET stay_status = ${stayStatus}
          FROM before WHERE s.operator_id = before.operator_id AND s.id = before.id
            AND before.status = 'accepted' AND before.stay_status <> ${stayStatus}
          RETURNING s.id
        ), recorded AS (${updated(sql`before WHERE EXISTS (SELECT FROM after)`, at)})
        SELECT status FROM before`)

    return { addTag, removeTag, customFields, saveCustomFields, checkIn, setStayStatus }
  })
}) {
  static readonly layer = Layer.effect(StayStore, StayStore.make)
}
