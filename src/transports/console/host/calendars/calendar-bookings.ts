import { CalendarChannelType } from "../../../../domain/calendars/calendar-stays/stay-channel.ts"
import type { StayProblem } from "../../../../domain/calendars/calendar-stays/stay-problem.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ImportedCalendarSummary } from "../../queries/CalendarsElsewhere.ts"
import type { SubmittedForm } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { checkbox, type FieldFiller, select } from "../form-fields.ts"
import { formatDay, formatDayRange } from "../page-parts.ts"

// Parts of the iCal sync page for calendars whose bookings become reservations.

const MAKES_STAYS_FIELD = "makes_stays"
const CHANNEL_TYPE_FIELD = "channel_type"

export const readMakesStays = (form: SubmittedForm): boolean => form.get(MAKES_STAYS_FIELD) === "yes"

/** Leaves out the channel if the form has no field for it, so that the calendar keeps its channel. */
export const readStaySettings = (form: SubmittedForm) => {
  const channelType = form.get(CHANNEL_TYPE_FIELD)
  return {
    events: readMakesStays(form) ? "stay" : "block",
    ...(channelType === null ? {} : { channel_type: channelType === "" ? null : channelType })
  }
}

const keepDefault: FieldFiller = (_name, defaultValue) => defaultValue

const makesStaysField = (isChecked: boolean, fillField: FieldFiller): Html =>
  html`${checkbox(fillField, { name: MAKES_STAYS_FIELD, label: "Bookings become reservations", isChecked })}<p class="soft">A reservation has tasks, a door code and a guest portal, but no price. Blocked days stay blocked.</p>
`

/** `channelType` is null if the calendar itself names the channel. */
const channelTypeField = (channelType: string | null, fillField: FieldFiller): Html =>
  select(fillField, {
    name: CHANNEL_TYPE_FIELD,
    label: "Channel of these reservations",
    value: channelType ?? "",
    options: CalendarChannelType.literals.map((value) => ({ value, label: channelName(value) })),
    emptyLabel: "Named by the calendar"
  })

/** Most calendars name their channel, and a list of channels for each calendar would make the page long. */
const mayChooseChannel = ({ channel_type, stay_problems }: ImportedCalendarSummary): boolean =>
  channel_type !== null || stay_problems.some(({ reason }) => reason === "channel_unknown")

export const newCalendarBookingsFields = (fillField: FieldFiller): Html =>
  html`${makesStaysField(false, fillField)}${channelTypeField(null, fillField)}`

export const bookingsFields = (calendar: ImportedCalendarSummary): Html =>
  html`${makesStaysField(calendar.events === "stay", keepDefault)}${mayChooseChannel(calendar) ? channelTypeField(calendar.channel_type, keepDefault) : nothing}`

const PROBLEM_TEXTS: Readonly<Record<StayProblem["reason"], string>> = {
  nights_taken: "Another reservation has one of these nights.",
  reservation_exists: "Another reservation has the code of this booking.",
  duplicate_uid:
    "Two bookings of this calendar have the same id. This one only blocks its days and makes no reservation. Ask the provider of the calendar for a unique id for each booking.",
  missing:
    "The calendar no longer has this booking. If the next read does not find it either, the reservation is cancelled.",
  missing_after_check_in:
    "The calendar no longer has this booking, but its check-in date is not in the future. If the guest does not come, cancel the reservation yourself.",
  blocked:
    "The calendar now has a block instead of this booking. If the booking was cancelled, cancel the reservation yourself.",
  cancelled_here: "You cancelled this reservation, but the calendar still has it. The days stay blocked.",
  channel_unknown: "Choose the channel of these reservations.",
  account_connected: "The property is connected to this channel, which sends its reservations itself.",
  too_many: "The calendar has too many events. Some bookings only block days."
}

export const bookingsCell = ({ events, stay_problems }: ImportedCalendarSummary): Html => {
  if (events === "block") return html`bookings only block days`
  if (stay_problems.length === 0) return html`match the calendar`
  return html`<ul>${stay_problems.map(
    ({ reason, check_in_date, check_out_date }) =>
      html`<li>${check_in_date === null ? nothing : `${check_out_date === null ? formatDay(check_in_date) : formatDayRange(check_in_date, check_out_date)}: `}${PROBLEM_TEXTS[reason]}</li>`
  )}</ul>`
}
