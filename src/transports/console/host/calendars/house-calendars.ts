import { Effect } from "effect"
import type {
  DoorCodeSource,
  HouseField
} from "../../../../domain/calendars/property-feeds/house-calendar/house-calendar.ts"
import { HOUSE_CALENDARS_SHOWN } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { HouseCalendarSummary, ImportedCalendarsPage } from "../../queries/CalendarsElsewhere.ts"
import type { Sudo } from "../../sudo.ts"
import { parseRecordId, type SignedInVisit } from "../../visit.ts"
import { makeVoidMutation } from "../api-operations.ts"
import { actionForm, checkboxGroup, disclosure, makeFieldFiller, makeMultiFieldFiller, select } from "../form-fields.ts"
import { parseNumber, readFilledFields } from "../form-values.ts"
import { type FailedSubmission, type HostAction, makeActionError } from "../host-page.ts"
import { activityLogLink, section, type TableColumn, table, timeHtml } from "../page-parts.ts"
import {
  makeCreateFeed,
  oneTimeNotice,
  propertyOptions,
  type SelectableProperties,
  secretUrlHtml,
  truncationNote
} from "./ical-sync-parts.ts"

const CREATE_ACTION = "make_house_calendar"

const noPropertyError = makeActionError(422, "property_id: is required.")

const FIELD_LABELS: Readonly<Record<HouseField, string>> = {
  guest_name: "Guest name",
  phone: "Phone number",
  guests: "Number of guests",
  code: "Reservation code",
  door_code: "Door code"
}

const DOOR_CODE_LABELS: Readonly<Record<DoorCodeSource, string>> = {
  reservation: "Door code of the reservation",
  phone_last_four: "Last four digits of the phone number, if the reservation has no door code"
}

export const makeHouseCalendarActions = (service: Service["Service"], sudo: Sudo) => {
  const [createFeed, run] = [makeCreateFeed(service), makeVoidMutation(service)]
  return {
    [CREATE_ACTION]: {
      doneMessage: "The calendar was created.",
      run: (visit, form) =>
        Effect.gen(function* () {
          const property = parseRecordId(form.get("property"))
          if (property === undefined) return yield* Effect.fail(noPropertyError)
          yield* sudo.requirePassword(visit, form)
          const fields = form.getAll("field")
          const { url } = yield* createFeed(visit, form, {
            property_id: property,
            kind: "house",
            fields,
            ...(fields.includes("door_code") ? { door_code_source: form.get("door_code_source") } : {})
          })
          return oneTimeNotice(
            "The calendar was created. Copy its URL now: it is not shown again.",
            html`<p>Everyone who has the URL can read the data of your guests. Give it only to your lock or home automation.</p>
${secretUrlHtml(url)}`
          )
        })
    },
    delete_house_calendar: {
      doneMessage: "The calendar was deleted. Its URL no longer works.",
      run: (visit, form) => run(visit, form, "delete_property_feed", readFilledFields(form, { id: parseNumber }))
    }
  } satisfies Readonly<Record<string, HostAction>>
}

const toFieldsText = ({ fields, door_code_source }: HouseCalendarSummary): string =>
  fields.length === 0
    ? "Dates and times only"
    : fields
        .map((field) =>
          field === "door_code" && door_code_source === "phone_last_four"
            ? "Door code or last four digits of the phone number"
            : FIELD_LABELS[field]
        )
        .join(", ")

const columns = (visit: SignedInVisit): ReadonlyArray<TableColumn<HouseCalendarSummary>> => [
  { label: "Property", cell: ({ property_title }) => html`<span class="name">${property_title}</span>` },
  { label: "Shows", onPhone: "detail", cell: toFieldsText },
  { label: "Created", onPhone: "labelled", cell: ({ created_at }) => timeHtml(created_at, visit) },
  {
    label: "Edit",
    onPhone: "actions",
    cell: ({ id, property_title }) =>
      html`${disclosure(
        "Delete…",
        html`<p>Locks and home automation that read the URL get no more reservations.</p>
${actionForm(visit, { action: "delete_house_calendar", label: "Delete calendar", subject: property_title, id, kind: "danger" })}`
      )}${activityLogLink(`property_feed:${id}`)}`
  }
]

/** Only the main account sees the section. */
export const houseCalendarsSection = (
  visit: SignedInVisit,
  { house_calendars, house_calendar_total, properties }: ImportedCalendarsPage,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html =>
  visit.session.person.caller.role === "main"
    ? section(
        "Calendar for locks and home automation",
        html`<p>A private calendar of a property's reservations, with the guest data that you choose. Rental Control for Home Assistant can read it.</p>
${table({ empty: "No calendar yet. Create one below." }, columns(visit), house_calendars)}${
  house_calendar_total > HOUSE_CALENDARS_SHOWN
    ? html`<p class="soft">Only the newest ${HOUSE_CALENDARS_SHOWN} of ${house_calendar_total} calendars are listed.</p>
`
    : nothing
}${properties.length === 0 ? nothing : createForm(visit, properties, passwordField, failedSubmission)}`,
        "house"
      )
    : nothing

const createForm = (
  visit: SignedInVisit,
  properties: SelectableProperties,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const fillField = makeFieldFiller(failedSubmission, CREATE_ACTION)
  return html`<h3>New calendar</h3>
${actionForm(visit, {
  action: CREATE_ACTION,
  label: "Create calendar",
  kind: "plain",
  fields: html`${select(fillField, {
    name: "property",
    label: "Property",
    apiName: "property_id",
    options: propertyOptions(properties),
    emptyLabel: "Choose",
    isRequired: true
  })}${truncationNote(properties)}${checkboxGroup({
    name: "field",
    legend: "Shows besides the dates",
    options: Object.entries(FIELD_LABELS).map(([value, label]) => ({ value, label })),
    selected: makeMultiFieldFiller(failedSubmission, CREATE_ACTION)("field", [])
  })}${select(fillField, {
    name: "door_code_source",
    label: "Source of the door code",
    hint: "used if you tick Door code; the code appears when the guest portal would show it",
    value: "reservation",
    options: Object.entries(DOOR_CODE_LABELS).map(([value, label]) => ({ value, label }))
  })}${passwordField}`
})}`
}
