import {
  AMOUNT_MAX,
  EMAIL_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  RESERVATION_REMARKS_LENGTH
} from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { describeStays } from "../conflict-text.ts"
import { actionForm, input, makeFieldFiller, select, textArea } from "../form-fields.ts"
import { parseLines, parseNumber, parseText } from "../form-values.ts"
import { formatDay, section } from "../page-parts.ts"
import { formatConflicts } from "./move-conflicts.ts"
import { cancelDisclosure } from "./reservation-actions.ts"
import { bookingSourceLabel, guestNames, limitProperties, propertyOption } from "./stay-labels.ts"
import { actionDisclosure, isDirectReservation, isEndedWithoutStay, type StayView } from "./stay-view.ts"

export const BASICS_PARSERS = {
  guest_name: parseText,
  number_of_guests: parseNumber,
  mobile: parseText,
  email: parseText,
  remarks: parseLines,
  custom_channel_id: parseNumber,
  currency: parseText,
  rate_amount: parseNumber,
  commission_amount: parseNumber
}

export const DATE_PARSERS = { check_in_date: parseText, check_out_date: parseText }

export const editSection = (view: StayView): Html =>
  section(
    "Edit",
    html`${basicsForm(view)}${datesForm(view)}${assignmentForm(view)}${cancelDisclosure(view)}${channelOwnedNote(view)}`,
    "change"
  )

const channelOwnedNote = (view: StayView): Html => {
  if (isDirectReservation(view)) return nothing
  const channel = bookingSourceLabel(view.stay.channel_type)
  return html`<p class="soft">Change dates and price, or cancel, on ${channel}. This page follows.</p>
`
}

const basicsForm = (view: StayView): Html => {
  const { visit, failedSubmission, stay } = view
  const fillField = makeFieldFiller(failedSubmission, "change")
  const isEdit = true
  return actionDisclosure(
    view,
    "change",
    isDirectReservation(view) ? "Edit guest and price" : "Edit guest",
    actionForm(visit, {
      action: "change",
      label: "Save",
      fields: html`${input(fillField, { name: "guest_name", label: "Guest name", value: stay.guest_name ?? "", maxlength: GUEST_NAME_LENGTH, isEdit })}
${input(fillField, { name: "number_of_guests", label: "Guests", type: "number", min: 1, max: GUESTS_MAX, value: String(stay.number_of_guests), isEdit })}
${input(fillField, { name: "mobile", label: "Phone", type: "tel", value: stay.guest_phone ?? "", maxlength: GUEST_PHONE_LENGTH, isEdit })}
${input(fillField, { name: "email", label: "E-mail", type: "email", value: stay.guest_email ?? "", maxlength: EMAIL_LENGTH, isEdit })}
${isDirectReservation(view) ? priceFields(view) : nothing}${textArea(fillField, { name: "remarks", label: "Remarks", hint: "only you see them", value: stay.remarks, maxlength: RESERVATION_REMARKS_LENGTH, isEdit })}`
    })
  )
}

const priceFields = ({ failedSubmission, stay, channels }: StayView): Html => {
  const fillField = makeFieldFiller(failedSubmission, "change")
  const { rate, commission } = stay.rates
  const amount = { type: "number", min: 0, max: AMOUNT_MAX, step: "any", isEdit: true } as const
  return html`${input(fillField, { ...amount, name: "rate_amount", label: "Total price (incl. commission)", value: String(rate.amount) })}
${input(fillField, { ...amount, name: "commission_amount", label: "Commission", value: commission === null ? "" : String(commission.amount) })}
${input(fillField, { name: "currency", label: "Currency", value: rate.currency, maxlength: 3, isEdit: true })}
${stay.custom_channel === null ? nothing : select(fillField, { name: "custom_channel_id", label: "Source", value: stay.custom_channel.id, options: channels, isEdit: true })}`
}

const datesForm = (view: StayView): Html => {
  const { visit, failedSubmission, stay } = view
  if (!isDirectReservation(view) || isEndedWithoutStay(view)) return nothing
  const fillField = makeFieldFiller(failedSubmission, "dates")
  return actionDisclosure(
    view,
    "dates",
    "Change dates",
    html`${freeRangeText(view)}${actionForm(visit, {
      action: "dates",
      label: "Save",
      fields: html`${input(fillField, { name: "check_in_date", label: "Check-in", type: "date", value: stay.check_in_date, isRequired: true, isEdit: true })}
${input(fillField, { name: "check_out_date", label: "Check-out", type: "date", value: stay.check_out_date, isRequired: true, isEdit: true })}`
    })}`
  )
}

const freeRangeText = ({ stay, context: { free_from, free_until } }: StayView): Html => {
  if (stay.in_reservation_box)
    return html`<p class="soft">The stay is unassigned, so all dates are possible.</p>
`
  if (free_from === null && free_until === null)
    return html`<p class="soft">The property is free before and after this stay.</p>
`
  const fromText = free_from === null ? "" : ` from ${formatDay(free_from)}`
  const untilText = free_until === null ? "" : ` until ${formatDay(free_until)}`
  return html`<p class="soft">Free${fromText}${untilText} (ignoring this stay).</p>
`
}

const assignmentForm = (view: StayView): Html => {
  const { stay, failedSubmission, visit, context } = view
  if (isEndedWithoutStay(view)) return nothing
  const holdsNights = stay.status === "accepted"
  const { properties: limitedProperties, truncationNote } = limitProperties(context.properties)
  const otherProperties = limitedProperties.filter(({ id }) => id !== stay.property_id)
  const fillField = makeFieldFiller(failedSubmission, "allocate")
  return actionDisclosure(
    view,
    "allocate",
    stay.in_reservation_box ? "Assign to a property" : "Move to another property",
    html`${
      holdsNights
        ? html`<p class="soft">A stay that is in the way there becomes unassigned. Nights that an imported calendar blocks cannot be used.</p>
`
        : nothing
    }${actionForm(visit, {
      action: "allocate",
      label: stay.in_reservation_box ? "Assign" : "Move",
      fields: html`<input type="hidden" name="way" value="${formatConflicts(otherProperties)}">${select(fillField, {
        name: "property_id",
        label: "Property",
        emptyLabel: "Choose a property",
        isRequired: true,
        options: otherProperties.map((property) =>
          propertyOption(property, (stays) =>
            holdsNights ? `would unassign ${guestNames(stays)}` : describeStays(stays)
          )
        )
      })}`
    })}${truncationNote}${
      stay.in_reservation_box
        ? nothing
        : actionForm(visit, {
            action: "box",
            label: "Unassign",
            kind: "plain",
            fields: html`<p class="soft">An unassigned stay has no property, so its nights can be sold again.</p>
`
          })
    }`
  )
}
