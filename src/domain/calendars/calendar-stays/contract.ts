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
  details: `The codes of such reservations begin with \`9-\`. Any other reservation returns 422. A reservation that a connected channel account has taken over also returns 422: cancel it at the channel.

- The service does not notify the guest and the channel.
- The nights stay unavailable while the calendar still has the booking. The booking does not become a reservation again.
- A second cancellation succeeds and sends no event. A reservation that ended in another way, such as declined, returns 409.`,
  payload: { stay_code: StayCode },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure
})

export const detach_calendar_stay = operation("detach_calendar_stay", {
  route: "POST /reservations/{stay_code}/detach",
  summary: "Keep a reservation although its imported calendar changes",
  details:
    "The calendar no longer moves or cancels the reservation. Its booking does not become a second reservation. The codes of reservations from imported calendars begin with `9-`; any other reservation returns 422. A second call changes nothing, and there is no way to attach the reservation again.",
  payload: { stay_code: StayCode },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const CalendarStayOperations = { cancel_calendar_stay, detach_calendar_stay }
