import { Schema } from "effect"
import { CALENDAR_STAY_PROBLEMS_MAX } from "../../../platform/limits.ts"

export const StayProblemReason = Schema.Literals([
  "nights_taken",
  "reservation_exists",
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
    documentation:
      "`nights_taken`: another stay holds a night, so the booking became no stay, or its stay kept the former dates. `reservation_exists`: there is a reservation with the booking's confirmation code. `missing`: the last feed lacks the booking; the next one decides. `missing_after_check_in`: the feed lacks the booking, but the check-in date is not in the future. `blocked`: the event is no longer a booking. `cancelled_here`: the host cancelled the stay, but the feed still has the booking and blocks its nights. `channel_unknown`: send `channel_type`. `account_connected`: a connected account of the channel sells the property. `too_many`: the feed has more bookings than the service follows."
  }),
  reservation_code: NullableText.annotateKey({ documentation: "Reservation that the calendar keeps; null if none." }),
  check_in_date: NullableText.annotateKey({ documentation: "First day of the booking. Null for the whole calendar." }),
  check_out_date: NullableText.annotateKey({ documentation: "Day of departure. Null for the whole calendar." })
})
export type StayProblem = typeof StayProblem.Type

export const toCalendarProblem = (reason: StayProblemReason): StayProblem => ({
  reason,
  reservation_code: null,
  check_in_date: null,
  check_out_date: null
})

/** Problems of the whole calendar come first, then those of the earliest bookings. */
export const shortenProblems = (problems: ReadonlyArray<StayProblem>): ReadonlyArray<StayProblem> =>
  problems
    .toSorted((one, other) => ((one.check_in_date ?? "") < (other.check_in_date ?? "") ? -1 : 1))
    .slice(0, CALENDAR_STAY_PROBLEMS_MAX)
