import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { lockedRowSql } from "../../../changes/recorded-change.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import type { OperatorRowId } from "../../operator-rows.ts"
import type { PriceItem } from "./price-items.ts"

// The module `property-edits` builds the whole statement, because an edit may also change the calendar and planned
// actions.

export interface PropertyFieldEdit {
  readonly title?: string | undefined
  readonly address?: string | null | undefined
  readonly longitude?: string | null | undefined
  readonly latitude?: string | null | undefined
  /** Local time `HH:mm`; null means the operator's default. */
  readonly default_checkin_time?: string | null | undefined
  readonly default_checkout_time?: string | null | undefined
  /** Null means the operator's currency. */
  readonly currency?: string | null | undefined
  readonly capacity?: number | null | undefined
  readonly fees?: ReadonlyArray<PriceItem> | undefined
  readonly taxes?: ReadonlyArray<PriceItem> | undefined
}

export type Activation = "active" | "inactive" | "unchanged"

interface UpdatePropertyParameters extends OperatorRowId, Required<PropertyFieldEdit> {
  readonly now: Date
}

/** Returns the CTEs `before` and `after`. `after` has no row if the edit changes nothing. */
export const updatePropertySql = (
  sql: SqlClient,
  edit: UpdatePropertyParameters,
  activation: Activation
): Fragment => sql`
  before AS (${lockedRowSql(sql, "properties", edit.operatorId, edit.id)}), edited AS (
    SELECT before.operator_id, before.id,
      ${editedTextSql(sql, "title", edit.title)}, ${editedTextSql(sql, "address", edit.address)},
      ${editedTextSql(sql, "longitude", edit.longitude)}, ${editedTextSql(sql, "latitude", edit.latitude)},
      ${editedTimeSql(sql, TIMES.checkin, edit.default_checkin_time)},
      ${editedTimeSql(sql, TIMES.checkout, edit.default_checkout_time)},
      ${editedCurrencySql(sql, edit.currency)},
      ${edit.capacity === undefined ? sql`before.capacity` : sql`${edit.capacity}::integer AS capacity`},
      ${editedItemsSql(sql, "fees", edit.fees)}, ${editedItemsSql(sql, "taxes", edit.taxes)},
      ${deactivatedAtSql(sql, activation, edit.now)} AS deactivated_at
    FROM before JOIN operators o ON o.id = before.operator_id
  ), after AS (
    UPDATE properties p SET (${sql.literal(COLUMNS)}) =
      ROW (${sql.literal(qualifiedColumns("edited"))})
    FROM before JOIN edited ON edited.id = before.id WHERE p.operator_id = before.operator_id AND p.id = before.id
      AND ROW (${sql.literal(qualifiedColumns("before"))}) IS DISTINCT FROM ROW (${sql.literal(qualifiedColumns("edited"))})
    RETURNING p.*
  )`

const COLUMN_NAMES = [
  "title",
  "address",
  "longitude",
  "latitude",
  "checkin_time",
  "checkout_time",
  "currency",
  "capacity",
  "fees",
  "taxes",
  "deactivated_at"
] as const
const COLUMNS = COLUMN_NAMES.join(", ")
const qualifiedColumns = (table: string): string => COLUMN_NAMES.map((name) => `${table}.${name}`).join(", ")

const editedTextSql = (sql: SqlClient, name: string, value: string | null | undefined): Fragment =>
  value === undefined ? sql`before.${sql(name)}` : sql`${value}::text AS ${sql(name)}`

const TIMES = {
  checkin: ["checkin_time", "default_checkin_time"],
  checkout: ["checkout_time", "default_checkout_time"]
} as const

/** A caller that sends a record back may send the operator's default, which must not become the property's own time. */
const editedTimeSql = (
  sql: SqlClient,
  [own, fallback]: readonly [own: string, fallback: string],
  value: string | null | undefined
): Fragment =>
  value === undefined
    ? sql`before.${sql(own)}`
    : sql`
      CASE WHEN ${value}::time = coalesce(before.${sql(own)}, o.${sql(fallback)}) THEN before.${sql(own)}
        ELSE ${value}::time END AS ${sql(own)}`

/** As with times: if a caller sends back the operator's currency, the property keeps following the operator. */
const editedCurrencySql = (sql: SqlClient, value: string | null | undefined): Fragment =>
  value === undefined
    ? sql`before.currency`
    : sql`
      CASE WHEN ${value}::text = coalesce(before.currency, o.currency) THEN before.currency
        ELSE ${value}::text END AS currency`

const editedItemsSql = (
  sql: SqlClient,
  name: "fees" | "taxes",
  items: ReadonlyArray<PriceItem> | undefined
): Fragment => (items === undefined ? sql`before.${sql(name)}` : sql`${jsonParameter(items)}::jsonb AS ${sql(name)}`)

const deactivatedAtSql = (sql: SqlClient, activation: Activation, now: Date): Fragment => {
  switch (activation) {
    case "unchanged":
      return sql`before.deactivated_at`
    case "active":
      return sql`NULL::timestamptz`
    case "inactive":
      return sql`coalesce(before.deactivated_at, ${now}::timestamptz)`
  }
}
