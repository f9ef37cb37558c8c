import { Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Conflict } from "../../../contract/errors.ts"
import { formatBusyRemark } from "../../calendars/availability/rules.ts"

// Manual orders and moves are rejected on nights that imported calendars block. Channel orders are accepted, because
// they are already sold.

export const ImportedBusyNight = Schema.Struct({ day: Schema.String, host: Schema.String })
export type ImportedBusyNight = typeof ImportedBusyNight.Type

export const importedBusyNightsJson = (sql: SqlClient.SqlClient, nights: Fragment): Fragment => sql`
  (SELECT coalesce(jsonb_agg(jsonb_build_object('day', day, 'host', host) ORDER BY day, host), '[]')
    FROM (${nights}) held_elsewhere)`

export const checkNoImportedBusyNights = (
  propertyId: number | null,
  [first, ...others]: ReadonlyArray<ImportedBusyNight>
): Result.Result<void, Conflict> => {
  if (first === undefined) return Result.succeed(undefined)
  const sources = [first, ...others].flatMap(({ day, host }) => (day === first.day ? [host] : []))
  const reason = formatBusyRemark(Array.from(new Set(sources)))
  return Result.fail(
    new Conflict({
      message: `check_in_date: property ${propertyId} is not free on the night of ${first.day}: ${reason}.`
    })
  )
}
