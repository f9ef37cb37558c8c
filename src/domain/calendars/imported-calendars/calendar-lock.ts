import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { importHorizonOf } from "./calendar-jobs.ts"
import { selectOneSql } from "./claim-statements.ts"
import type { CalendarClaim } from "./completion-statements.ts"
import { ClaimedCalendar } from "./imported-calendar.ts"

const readCalendar = makeOptionalRowReader(ClaimedCalendar)

/** Locks the calendar in an earlier statement, so that the change sees all days that workers have stored. */
export const changeWithCalendarLock =
  (sql: SqlClient) =>
  <A, R>(
    operatorId: number,
    id: number,
    change: (calendar: ClaimedCalendar) => Effect.Effect<A, SqlError, R>
  ): Effect.Effect<A | undefined, SqlError, R> =>
    retryOnLockConflict(
      sql.withTransaction(
        Effect.flatMap(
          readCalendar(sql`${selectOneSql(sql, { operatorId, id }, true)}`),
          (calendar): Effect.Effect<A | undefined, SqlError, R> =>
            calendar === undefined ? Effect.undefined : change(calendar)
        )
      )
    )

export const toLockedCalendarKey = (
  { operator_id, id, attempts, time_zone }: ClaimedCalendar,
  now: Date
): CalendarClaim & { readonly first: string } => ({
  operator_id,
  id,
  attempts,
  first: importHorizonOf({ time_zone }, now.getTime()).first,
  now
})
