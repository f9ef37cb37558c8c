import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { ListingMapping } from "../../listings/rules.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { propertyTargetSql, roomTypeTargetSql } from "./effective-prices.ts"

/** The property or room type whose base prices are read or set. */
export interface PriceTarget extends OperatorScoped, ListingMapping {}

/** Selects the target, at most one row, as `propertyTargetSql` does. */
export const targetSql = (sql: SqlClient, { operatorId, type, id }: PriceTarget): Fragment =>
  type === "property"
    ? propertyTargetSql(sql, sql`${operatorId}`, sql`${id}`)
    : roomTypeTargetSql(sql, sql`${operatorId}`, sql`${id}`)
