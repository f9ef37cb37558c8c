import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { propertyTargetSql } from "../../../domain/calendars/base-prices/effective-prices.ts"

interface PropertyNight {
  readonly operatorId: Fragment
  readonly propertyId: Fragment
  readonly date: Fragment
}

/**
 * Selects `currency, price`: the base price of the property, or of its room type. At most one row. Unlike
 * `effectiveBasePricesSql`, it generates no days, so its estimated cost stays low for a list of properties.
 */
export const nightPriceSql = (sql: SqlClient, { operatorId, propertyId, date }: PropertyNight): Fragment => sql`
  SELECT target.currency, coalesce(own.price, CASE WHEN target.inherits_price THEN shared.price END) AS price
  FROM (${propertyTargetSql(sql, operatorId, propertyId)}) target
  LEFT JOIN base_prices own
    ON own.operator_id = target.operator_id AND own.property_id = target.property_id AND own.date = ${date}
  LEFT JOIN base_prices shared
    ON shared.operator_id = target.operator_id AND shared.room_type_id = target.fallback_id AND shared.date = ${date}`
