import { DateTime, Effect } from "effect"
import { Conflict } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import type { CalendarQueue } from "./CalendarQueue.ts"
import { hasCurrentReaderVersion } from "./feed-digest.ts"
import { importHorizonOf } from "./import-worker.ts"
import { type ClaimedCalendar, noSuchCalendar } from "./imported-calendar.ts"

// The host accepts a feed with unreadable parts as it was read. The days that were kept blocked become available.

/** The result of accepting a calendar. */
export interface CalendarAcceptance {
  readonly changed_days: number
}

const UNCHANGED_ACCEPTANCE: CalendarAcceptance = { changed_days: 0 }

const nothingToAcceptError = new Conflict({ message: "calendar: was read completely, so there is nothing to accept." })
const readAgainError = new Conflict({
  message: "calendar: was read again in the meantime; check it and accept it again."
})
const notReadYetError = new Conflict({
  message: "calendar: has not been read by this release yet; accept it after its next successful fetch."
})

/** Returns why a calendar cannot be accepted; undefined if it can be. `seen` is the digest of the feed that the host saw. */
const findAcceptanceConflict = (
  { digest, unreadable }: ClaimedCalendar,
  seenDigest: string | undefined
): Conflict | undefined => {
  if (!hasCurrentReaderVersion(digest)) return notReadYetError
  if (unreadable === null) return nothingToAcceptError
  return seenDigest === undefined || seenDigest === digest ? undefined : readAgainError
}

/**
 * Accepts a calendar as it was read last. Idempotent: a second acceptance of the same feed changes nothing. Fails if the whole
 * feed was read, or if the calendar was read again after the host saw it.
 */
export const acceptCalendar = (queue: CalendarQueue["Service"]) =>
  Effect.fnUntraced(function* (id: number, seenDigest: string | undefined) {
    const now = yield* DateTime.nowAsDate
    const calendar = yield* queue.takeOne(id, now)
    if (calendar === undefined) return yield* noSuchCalendar(id)
    const conflict = findAcceptanceConflict(calendar, seenDigest)
    const isAccepted = calendar.accepted_digest === calendar.digest
    if (conflict !== undefined || isAccepted) yield* queue.release(calendar, now)
    if (conflict !== undefined) return yield* conflict
    if (isAccepted) return UNCHANGED_ACCEPTANCE
    const accepted = yield* queue.accept(calendar, importHorizonOf(calendar, now.getTime()).first, now)
    if (accepted === undefined) return yield* readAgainError
    if (accepted.changed_days > 0) yield* (yield* WakeUp).wake
    return accepted
  })
