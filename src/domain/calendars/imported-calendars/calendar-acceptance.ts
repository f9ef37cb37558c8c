import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Conflict } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { changeWithCalendarLock, toLockedCalendarKey } from "./calendar-lock.ts"
import { acceptFeedChange } from "./completion-statements.ts"
import { hasCurrentReaderVersion } from "./feed-digest.ts"
import { type ClaimedCalendar, calendarNotFoundError } from "./imported-calendar.ts"

export const CalendarAcceptance = Schema.Struct({ changed_days: Schema.Int })
export type CalendarAcceptance = typeof CalendarAcceptance.Type

const readAcceptance = makeSingleRowReader(CalendarAcceptance)

const UNCHANGED_ACCEPTANCE: CalendarAcceptance = { changed_days: 0 }

const nothingToAcceptError = new Conflict({
  message: "id: the calendar was read completely, so there is nothing to accept."
})
const readAgainError = new Conflict({
  message:
    "digest: is of an earlier feed, because the calendar was read again in the meantime; check it and accept it again."
})
const notReadYetError = new Conflict({
  message: "id: the calendar has not been read by this release yet; accept it after its next successful fetch."
})

const findAcceptanceConflict = ({ digest, unreadable }: ClaimedCalendar, seenDigest: string): Conflict | undefined => {
  if (!hasCurrentReaderVersion(digest)) return notReadYetError
  if (unreadable === null) return nothingToAcceptError
  return seenDigest === digest ? undefined : readAgainError
}

/** Does nothing if the feed is accepted already. */
export const makeAcceptCalendar = (sql: SqlClient) => {
  const changeLocked = changeWithCalendarLock(sql)
  const acceptLocked =
    (seenDigest: string, now: Date) =>
    (calendar: ClaimedCalendar): Effect.Effect<ReadonlyArray<object> | Conflict, SqlError, CurrentActor> => {
      const conflict = findAcceptanceConflict(calendar, seenDigest)
      if (conflict !== undefined) return Effect.succeed(conflict)
      const isAccepted = calendar.accepted_digest === calendar.digest
      return isAccepted
        ? Effect.succeed([UNCHANGED_ACCEPTANCE])
        : recordChange(sql, acceptFeedChange(sql, toLockedCalendarKey(calendar, now)))
    }
  return Effect.fnUntraced(function* (operatorId: number, id: number, seenDigest: string) {
    const now = yield* DateTime.nowAsDate
    const outcome = yield* Effect.orDie(changeLocked(operatorId, id, acceptLocked(seenDigest, now)))
    if (outcome === undefined) return yield* calendarNotFoundError
    if (outcome instanceof Conflict) return yield* outcome
    const acceptance = yield* readAcceptance(Effect.succeed(outcome))
    if (acceptance.changed_days > 0) yield* (yield* WakeUp).wake
    return acceptance
  })
}
