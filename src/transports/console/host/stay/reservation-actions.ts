import { isCalendarOrderCode } from "../../../../domain/calendars/calendar-stays/calendar-order.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { actionForm } from "../form-fields.ts"
import { section } from "../page-parts.ts"
import { findRequestBlockers } from "./edit-stay.ts"
import { actionDisclosure, isDirectReservation, isEndedWithoutStay, type StayView } from "./stay-view.ts"

const reservationCodeField = ({ stay }: StayView): Html =>
  html`<input type="hidden" name="reservation_code" value="${stay.reservation_code}">`

export const requestSection = (view: StayView): Html => {
  const { visit, stay } = view
  if (stay.status !== "wait_accept") return nothing
  const blockers = findRequestBlockers(view)
  const availabilityText = stay.in_reservation_box
    ? "It is in no property, and stays in the box."
    : "Its nights are free."
  return section(
    "It waits for your answer",
    html`${
      blockers.length === 0
        ? html`<p>${availabilityText}</p>
`
        : html`<div class="message note"><p><strong>Its nights are not free:</strong></p>
<ul>${blockers.map((blocker) => html`<li>${blocker}</li>`)}</ul></div>
`
    }<p>The channel and the guest are told at once, and it cannot be taken back.</p>
<div class="acts">${actionForm(visit, { action: "approve", label: "Accept", fields: reservationCodeField(view) })}${actionForm(visit, { action: "decline", label: "Turn down", kind: "danger", fields: reservationCodeField(view) })}</div>
`
  )
}

const ARRIVAL_TRANSITIONS = {
  checkin_pending: [{ to: "in_house", button: "The guest has arrived" }],
  in_house: [
    { to: "stay_completed", button: "The guest has left" },
    { to: "checkin_pending", button: "Not here yet after all" }
  ],
  stay_completed: [{ to: "in_house", button: "Still here after all" }]
} as const

export const arrivalForms = ({ visit, stay }: StayView): Html =>
  stay.status === "accepted"
    ? html`<div class="acts">${ARRIVAL_TRANSITIONS[stay.stay_status].map(({ to, button }) =>
        actionForm(visit, {
          action: "whereabouts",
          label: button,
          kind: "plain",
          fields: html`<input type="hidden" name="stay_status" value="${to}"><input type="hidden" name="seen" value="${stay.stay_status}">`
        })
      )}</div>
`
    : nothing

export const cancelSection = (view: StayView): Html => {
  const { visit, otherStays } = view
  if (!isDirectReservation(view) || isEndedWithoutStay(view)) return nothing
  const othersText = otherStays.length === 1 ? "other one" : `${otherStays.length} others`
  const staysText = otherStays.length === 0 ? "this stay" : `this stay and the ${othersText} of the same reservation`
  return section(
    "Cancel",
    actionDisclosure(
      view,
      "cancel",
      "Cancel this reservation",
      html`<p>It ends ${staysText}: the nights are free again, here and on every channel. Money that was recorded stays recorded. The guest is not told. It cannot be taken back.</p>
${actionForm(visit, { action: "cancel", label: "Cancel the reservation", kind: "danger", fields: reservationCodeField(view) })}`
    )
  )
}

/** Returns nothing unless the reservation is an accepted one from an imported calendar. */
export const calendarSection = (view: StayView): Html => {
  const { visit, stay } = view
  if (!isCalendarOrderCode(stay.reservation_code) || stay.status !== "accepted") return nothing
  return section(
    "From a calendar",
    html`<p>This reservation came from a calendar of a marketplace. If its booking is moved or cancelled there, the reservation is moved or cancelled here.</p>
${actionDisclosure(
  view,
  "detach",
  "Keep it as it is",
  html`<p>The calendar no longer moves or cancels this reservation.</p>
${actionForm(visit, { action: "detach", label: "Detach from the calendar", kind: "plain" })}`
)}${actionDisclosure(
  view,
  "cancel_calendar_stay",
  "Cancel this reservation",
  html`<p>Cancel the booking at the marketplace first: neither the marketplace nor the guest is notified from here. The nights stay blocked while the calendar has the booking. You cannot undo this.</p>
${actionForm(visit, { action: "cancel_calendar_stay", label: "Cancel the reservation", kind: "danger" })}`
)}`
  )
}
