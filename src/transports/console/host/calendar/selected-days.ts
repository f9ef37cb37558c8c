import { addDays, daysInRange } from "../../../../contract/time.ts"
import { SELECTED_DAYS } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { CalendarSpan, MonthProperty, MonthView } from "../../queries/Month.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, type FieldFiller, input, queryForm, select } from "../form-fields.ts"
import { dayHtml, link, readDateParam, readIdParam, readOffsetParam, section } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { CALENDAR_PATH, newReservationUrl, stayUrl } from "../urls.ts"
import type { PriceSpan, PriceTargetChoice } from "./base-prices.ts"

interface PropertySpan extends CalendarSpan {
  readonly property: number
}

const useDefault: FieldFiller = (_name, defaultValue) => defaultValue

export const daySelectionForm = (
  visit: SignedInVisit,
  properties: ReadonlyArray<MonthProperty>,
  { first, last }: CalendarSpan,
  today: string
): Html => {
  const fields = html`${recordField(visit, { name: "property", label: "Property", records: properties })}
${dayFields(visit, { first, last }, today, ["First day", "Last day"])}`
  return properties.length === 0
    ? nothing
    : section(
        "Close, open or book days",
        html`${rangeErrorMessage(visit, "property")}${queryForm(CALENDAR_PATH, fields, "Look at these days")}`,
        "choose"
      )
}

export interface NamedRecord {
  readonly id: number
  readonly title: string
}

export interface RoomTypeChoices {
  readonly room_types: ReadonlyArray<NamedRecord>
  readonly total: number
}

export const roomTypeDaysForm = (
  visit: SignedInVisit,
  { room_types: roomTypes, total }: RoomTypeChoices,
  range: CalendarSpan,
  today: string
): Html => {
  const fields = html`${recordField(visit, { name: "room_type", label: "Room type", records: roomTypes })}
${dayFields(visit, range, today, ["First night", "Last night"])}`
  return roomTypes.length === 0
    ? nothing
    : section(
        "Set prices of a room type",
        html`${rangeErrorMessage(visit, "room_type")}${queryForm(CALENDAR_PATH, fields, "Show the base prices")}${total > roomTypes.length ? html`<p class="soft">Only the first ${roomTypes.length} room types are listed.</p>` : nothing}`,
        "room-type"
      )
}

interface RecordFieldOptions {
  readonly name: PriceTargetChoice["type"]
  readonly label: string
  readonly records: ReadonlyArray<NamedRecord>
}

const recordField = (visit: SignedInVisit, { name, label, records }: RecordFieldOptions): Html =>
  select(useDefault, {
    name,
    label,
    value: readIdParam(visit, name) ?? "",
    options: records.map(({ id, title }) => ({ value: id, label: title })),
    isRequired: true
  })

const dayFields = (
  visit: SignedInVisit,
  { first, last }: CalendarSpan,
  today: string,
  [fromLabel, toLabel]: readonly [from: string, to: string]
): Html => {
  const from = today > first && today <= last ? today : first
  const dayField = (name: "from" | "to", label: string) =>
    input(useDefault, { name, label, type: "date", value: visit.query.get(name) ?? from, isRequired: true })
  return html`<input type="hidden" name="month" value="${first.slice(0, 7)}"><input type="hidden" name="offset" value="${readOffsetParam(visit)}">
${dayField("from", fromLabel)}
${dayField("to", toLabel)}`
}

export const selectedDaysSection = (
  visit: SignedInVisit,
  span: PropertySpan,
  { properties }: MonthView,
  today: string
): Html => {
  const [property] = properties
  if (property === undefined)
    return html`<p class="message error" role="alert">There is no such property.</p>
`
  const { first, last } = span
  return section(
    `${property.title}`,
    html`<p>${dayHtml(first)} to ${dayHtml(last)}, ${daysInRange(first, last)} days.</p>
${occupancyList(property)}
${last < today ? html`<p>These days are over.</p>` : availabilityForms(visit, span, property)}
<p>${link(currentUrlWith(visit, { property: undefined, from: undefined, to: undefined }), "Choose other days")}</p>
`,
    "days"
  )
}

const findRangeError = (first: string, last: string): string | undefined => {
  const count = daysInRange(first, last)
  if (count < 1) return "The last day is before the first."
  return count > SELECTED_DAYS ? `At most ${SELECTED_DAYS} days are looked at: choose fewer.` : undefined
}

const readRequestedDays = (visit: SignedInVisit) => {
  const [first, last] = [readDateParam(visit, "from"), readDateParam(visit, "to")]
  return first === undefined || last === undefined
    ? undefined
    : { target: readRequestedTarget(visit), first, last, rangeError: findRangeError(first, last) }
}

const readRequestedTarget = (visit: SignedInVisit): PriceTargetChoice | undefined => {
  const [property, roomType] = [readIdParam(visit, "property"), readIdParam(visit, "room_type")]
  if (property !== undefined) return { type: "property", id: property }
  return roomType === undefined ? undefined : { type: "room_type", id: roomType }
}

export const readPriceSpan = (visit: SignedInVisit): PriceSpan | undefined => {
  const requestedDays = readRequestedDays(visit)
  if (requestedDays === undefined || requestedDays.target === undefined || requestedDays.rangeError !== undefined)
    return undefined
  const { target, first, last } = requestedDays
  return { target, first, last }
}

/** Returns undefined if a room type is selected. */
export const toPropertySpan = (span: PriceSpan | undefined): PropertySpan | undefined =>
  span?.target.type === "property" ? { property: span.target.id, first: span.first, last: span.last } : undefined

/** The form that was sent shows the error. A query without a target is that of the form for properties. */
const rangeErrorMessage = (visit: SignedInVisit, type: PriceTargetChoice["type"]): Html => {
  const requestedDays = readRequestedDays(visit)
  return requestedDays?.rangeError === undefined || (requestedDays.target?.type ?? "property") !== type
    ? nothing
    : html`<p class="message error" role="alert">${requestedDays.rangeError}</p>
`
}

const occupancyList = ({ stays, closed, elsewhere, deactivated }: MonthProperty): Html => {
  const stayItems = stays.map(
    ({ stay_code, guest_name, check_in_date, check_out_date, accepted }) =>
      html`<li>${link(stayUrl(stay_code), guest_name ?? stay_code)} ${accepted ? "stays" : "asks for it"} from ${dayHtml(check_in_date)} to ${dayHtml(check_out_date)}.</li>
`
  )
  const countItems = [
    ...(closed.length === 0 ? [] : [html`<li>${closed.length} of them are closed by you.</li>`]),
    ...(elsewhere.length === 0 ? [] : [html`<li>${elsewhere.length} of them are busy in a calendar elsewhere.</li>`]),
    ...(deactivated ? [html`<li>The property is switched off: nothing of it can be booked.</li>`] : [])
  ]
  return stayItems.length + countItems.length === 0
    ? html`<p>All of them are open and free.</p>
`
    : html`<ul>${stayItems}${countItems}</ul>
`
}

/** Days that the host has closed do not prevent a reservation. */
const isOccupied = ({ stays, elsewhere }: MonthProperty): boolean =>
  elsewhere.length > 0 || stays.some(({ accepted }) => accepted)

const availabilityForms = (
  visit: SignedInVisit,
  { property, first, last }: PropertySpan,
  calendarProperty: MonthProperty
): Html => {
  const fields = html`<input type="hidden" name="property" value="${property}"><input type="hidden" name="from" value="${first}"><input type="hidden" name="to" value="${last}">`
  const isFullyAvailable = calendarProperty.closed.length === 0
  const isFullyBlocked = calendarProperty.closed.length >= daysInRange(first, last)
  return html`<div class="acts">
${isFullyBlocked ? nothing : actionForm(visit, { action: "close_days", label: "Close these days", fields, kind: "plain" })}
${isFullyAvailable ? nothing : actionForm(visit, { action: "open_days", label: "Open these days", fields, kind: "plain" })}
</div>
<p>${
    isOccupied(calendarProperty) || calendarProperty.deactivated
      ? "A reservation of all these nights would clash with what stands there."
      : link(
          newReservationUrl({ property, check_in_date: first, check_out_date: addDays(last, 1) }),
          "Enter a reservation for these nights"
        )
  }</p>`
}
