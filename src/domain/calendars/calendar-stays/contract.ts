import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { StayCode } from "../../bookings/stays/fields.ts"

// The specification does not have these operations.

const operation = defineFamily({ category: "reservation", since: "3.13.0", openWorld: true })

const exposure = {
  notATool: "an extension for REST clients; the specification has no tool for it",
  extension: true
} as const

export const cancel_calendar_stay = operation("cancel_calendar_stay", {
  route: "POST /reservations/{stay_code}/cancel",
  summary: "Cancel a reservation that came from an imported calendar",
  details: `The codes of such reservations begin with \`9-\`. Any other reservation returns 422, and so does one whose channel account is connected now.

- The guest and the channel are not notified.
- The nights stay unavailable while the calendar still has the booking. The booking makes no other reservation.
- A second cancellation succeeds and sends no event.`,
  payload: { stay_code: StayCode },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure
})

export const detach_calendar_stay = operation("detach_calendar_stay", {
  route: "POST /reservations/{stay_code}/detach",
  summary: "Keep a reservation although its imported calendar changes",
  details:
    "The reservation no longer follows the calendar: it is neither moved nor cancelled when its booking is. The booking makes no other reservation. Only reservations from imported calendars can be detached, whose codes begin with `9-`; any other returns 422. A second call changes nothing.",
  payload: { stay_code: StayCode },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const CalendarStayOperations = { cancel_calendar_stay, detach_calendar_stay }
