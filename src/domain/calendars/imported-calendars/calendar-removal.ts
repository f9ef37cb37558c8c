import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { readRowId } from "../../operator-rows.ts"
import { changeWithCalendarLock, toLockedCalendarKey } from "./calendar-lock.ts"
import { calendarNotFoundError } from "./imported-calendar.ts"
import { type RemoveCalendarParameters, removeCalendarChange } from "./settling.ts"

/** Removes a calendar, and makes the days available that only it blocked. */
export const makeRemoveCalendar = (sql: SqlClient) => {
  const changeLocked = changeWithCalendarLock(sql)
  const statement = prepareRecordedChange(sql, (input: Givens<RemoveCalendarParameters>) =>
    removeCalendarChange(sql, input)
  )
  return Effect.fnUntraced(function* (operatorId: number, id: number) {
    const now = yield* DateTime.nowAsDate
    const removal = changeLocked(operatorId, id, (calendar) => statement(toLockedCalendarKey(calendar, now)))
    const removedCalendar = yield* readRowId(Effect.map(removal, (rows) => rows ?? []))
    if (removedCalendar === undefined) return yield* calendarNotFoundError
  })
}
