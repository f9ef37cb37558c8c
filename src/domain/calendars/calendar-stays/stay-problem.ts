import { Schema } from "effect"
import { CALENDAR_STAY_PROBLEMS_MAX, CALENDAR_STAYS_MAX } from "../../../platform/limits.ts"

export const StayProblemReason = Schema.Literals([
  "nights_taken",
  "reservation_exists",
  "duplicate_uid",
  "missing",
  "missing_after_check_in",
  "blocked",
  "cancelled_here",
  "channel_unknown",
  "account_connected",
  "too_many"
])
export type StayProblemReason = typeof StayProblemReason.Type

const NullableText = Schema.NullOr(Schema.String)

export const StayProblem = Schema.Struct({
  reason: StayProblemReason.annotateKey({
    documentation: `\`nights_taken\`: another stay holds a night. A new booking made no reservation; a moved one kept its former dates. \`reservation_exists\`: another reservation has the confirmation code of the booking, so the booking made none. \`reservation_code\` names the other one. \`duplicate_uid\`: a booking with a reservation has the same UID, and they do not have different confirmation codes. This one made no reservation and only blocks days. \`missing\`: the last feed lacks the booking. The reservation is cancelled if the next complete feed, at least 15 minutes later, lacks it too. \`missing_after_check_in\`: the last feed lacks the booking, but its check-in date is today or past, so the reservation stays. \`blocked\`: the event is no longer a booking; the reservation stays. \`cancelled_here\`: the reservation was cancelled in this service, but the feed still has the booking and blocks its nights. \`channel_unknown\`: no reservations are made until you send \`channel_type\`. \`account_connected\`: no new reservations are made, because a connected account of the channel sells the property. \`too_many\`: the feed has more than ${CALENDAR_STAYS_MAX.toLocaleString("en")} events, and the others only block days.`
  }),
  reservation_code: NullableText.annotateKey({
    documentation: "Reservation of the booking. Null if it has none. For `reservation_exists`, the other reservation."
  }),
  check_in_date: NullableText.annotateKey({
    documentation: "Check-in date of the booking, YYYY-MM-DD. Null if the problem is about the whole calendar."
  }),
  check_out_date: NullableText.annotateKey({
    documentation: "Check-out date of the booking, YYYY-MM-DD. Null if the problem is about the whole calendar."
  })
})
export type StayProblem = typeof StayProblem.Type

export const toCalendarProblem = (reason: StayProblemReason): StayProblem => ({
  reason,
  reservation_code: null,
  check_in_date: null,
  check_out_date: null
})

/** Returns at most {@link CALENDAR_STAY_PROBLEMS_MAX}: those of the whole calendar first, then by check-in date. */
export const shortenProblems = (problems: ReadonlyArray<StayProblem>): ReadonlyArray<StayProblem> =>
  problems
    .toSorted((one, other) => ((one.check_in_date ?? "") < (other.check_in_date ?? "") ? -1 : 1))
    .slice(0, CALENDAR_STAY_PROBLEMS_MAX)
