import { isCalendarOrderCode } from "../../../../domain/calendars/calendar-stays/calendar-order.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { describeConflict } from "../conflict-text.ts"
import { actionForm } from "../form-fields.ts"
import { pluralize, section, timeHtml } from "../page-parts.ts"
import { bookingSourceLabel } from "./stay-labels.ts"
import { actionDisclosure, isDirectReservation, isEndedWithoutStay, type StayView } from "./stay-view.ts"

const reservationCodeField = ({ stay }: StayView): Html =>
  html`<input type="hidden" name="reservation_code" value="${stay.reservation_code}">`

const availabilityText = ({ stay, context }: StayView): Html => {
  const property = context.properties.find(({ id }) => id === stay.property_id)
  if (property === undefined)
    return html`<p>It has no property yet and stays unassigned.</p>
`
  const conflict = describeConflict(property)
  return conflict === undefined
    ? html`<p>${property.title} is free on these nights.</p>
`
    : html`<p class="message note">${conflict}</p>
`
}

export const requestSection = (view: StayView): Html => {
  const { visit, stay, context } = view
  if (stay.status === "wait_pay")
    return context.expires_at === null
      ? nothing
      : html`<p class="message note">The guest has until ${timeHtml(context.expires_at, visit)} to pay.</p>
`
  if (stay.status !== "wait_accept") return nothing
  const expiryText =
    context.expires_at === null
      ? nothing
      : html`<p>Expires ${timeHtml(context.expires_at, visit)}.</p>
`
  return section(
    "Booking request",
    html`${availabilityText(view)}${expiryText}<p class="soft">${bookingSourceLabel(stay.channel_type)} notifies the guest at once. You cannot undo this.</p>
<div class="acts">${actionForm(visit, { action: "approve", label: "Accept", fields: reservationCodeField(view) })}${actionForm(visit, { action: "decline", label: "Decline", kind: "danger", fields: reservationCodeField(view) })}</div>
`,
    "request"
  )
}

export const cancelDisclosure = (view: StayView): Html => {
  const { visit, otherStays } = view
  if (!isDirectReservation(view) || isEndedWithoutStay(view)) return nothing
  const staysText =
    otherStays.length === 0
      ? "This frees the nights"
      : `This cancels ${pluralize(otherStays.length + 1, "stay")} of the reservation and frees the nights`
  return actionDisclosure(
    view,
    "cancel",
    "Cancel reservation",
    html`<p>${staysText}, here and on every channel. Recorded payments stay. The guest is not notified. You cannot undo this.</p>
${actionForm(visit, { action: "cancel", label: "Cancel reservation", kind: "danger", fields: reservationCodeField(view) })}`
  )
}

/** Returns nothing unless the reservation is an accepted one from an imported calendar. */
export const calendarSection = (view: StayView): Html => {
  const { visit, stay } = view
  if (!isCalendarOrderCode(stay.reservation_code) || stay.status !== "accepted") return nothing
  return section(
    "From an imported calendar",
    html`<p>If the booking is moved or cancelled at its marketplace, this reservation follows.</p>
${actionDisclosure(
  view,
  "detach",
  "Disconnect from the calendar",
  html`<p>The calendar no longer moves or cancels this reservation.</p>
${actionForm(visit, { action: "detach", label: "Disconnect", kind: "plain" })}`
)}${actionDisclosure(
  view,
  "cancel_calendar_stay",
  "Cancel reservation",
  html`<p>Cancel the booking at the marketplace first: neither the marketplace nor the guest is notified from here. The nights stay blocked while the calendar has the booking. You cannot undo this.</p>
${actionForm(visit, { action: "cancel_calendar_stay", label: "Cancel reservation", kind: "danger" })}`
)}`
  )
}
