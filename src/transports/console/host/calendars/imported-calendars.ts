import { Effect, Schema } from "effect"
import {
  type CalendarFetchOutcome,
  create_imported_calendar,
  fetch_imported_calendar
} from "../../../../domain/calendars/imported-calendars/contract.ts"
import { CALENDARS_SHOWN } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ImportedCalendarSummary, ImportedCalendarsPage } from "../../queries/CalendarsElsewhere.ts"
import type { Sudo } from "../../sudo.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { makeMutation, makeVoidMutation } from "../api-operations.ts"
import { actionForm, checkbox, disclosure, type FieldFiller, input, makeFieldFiller, select } from "../form-fields.ts"
import { type FailedSubmission, type HostAction, makeActionError, type OneTimeContent } from "../host-page.ts"
import { activityLogLink, badge, link, pagination, pluralize, section, table, timeHtml } from "../page-parts.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import {
  bookingsCell,
  bookingsFields,
  newCalendarBookingsFields,
  readMakesStays,
  readStaySettings
} from "./calendar-bookings.ts"
import {
  makeCreateFeed,
  oneTimeNotice,
  propertyOptions,
  type SelectableProperties,
  secretUrlHtml
} from "./ical-sync-parts.ts"

const noPropertyError = makeActionError(422, "property_id: is required.")
const noCalendarError = makeActionError(404, "There is no such calendar.")

const decodeCreatedCalendar = Schema.decodeUnknownSync(create_imported_calendar.successSchema)
const decodeFetchOutcome = Schema.decodeUnknownSync(fetch_imported_calendar.successSchema)

export const makeImportActions = (service: Service["Service"], sudo: Sudo) => {
  const [mutate, run] = [makeMutation(service), makeVoidMutation(service)]
  const createFeed = makeCreateFeed(service)
  return {
    follow: {
      doneMessage: "Calendar imported.",
      // Requires the password, because the response shows the secret URL of the property's feed.
      run: (visit, form) =>
        Effect.gen(function* () {
          const property = parseRecordId(form.get("property"))
          if (property === undefined) return yield* Effect.fail(noPropertyError)
          yield* sudo.requirePassword(visit, form)
          const created = yield* mutate(visit, form, "create_imported_calendar", {
            property_id: property,
            url: form.get("url") ?? "",
            ...(readSkipUnavailable(form) ? { skip_unavailable: true } : {}),
            ...(readMakesStays(form) ? readStaySettings(form) : {})
          })
          const { imported_calendar_id: calendar_id } = decodeCreatedCalendar(created)
          const { url } = yield* createFeed(visit, form, { property_id: property, calendar_id })
          return importedCalendarNotice(url)
        })
    },
    fetch: {
      doneMessage: "Calendar read.",
      run: (visit, form) => {
        const id = parseRecordId(form.get("id"))
        if (id === undefined) return Effect.fail(noCalendarError)
        const fetch = Effect.mapError(mutate(visit, form, "fetch_imported_calendar", { id }), (error) =>
          error.status === 409 ? { ...error, message: "Another calendar is being read. Try again in a moment." } : error
        )
        return Effect.flatMap(fetch, (data) => {
          const outcome = decodeFetchOutcome(data)
          return outcome.state === "failing" && !outcome.is_superseded
            ? Effect.fail(makeActionError(502, `The calendar cannot be read: ${outcome.error ?? "unknown reason"}.`))
            : Effect.succeed(fetchReportNotice(outcome))
        })
      }
    },
    accept_calendar: {
      doneMessage: "You accepted the calendar as read. Dates that it does not mention are available again.",
      run: (visit, form) => {
        const id = parseRecordId(form.get("id"))
        if (id === undefined) return Effect.fail(noCalendarError)
        return run(visit, form, "accept_imported_calendar", { id, digest: form.get("digest") ?? "" })
      }
    },
    update_calendar: {
      doneMessage: "Saved. The calendar is read again in the next minutes.",
      run: (visit, form) => {
        const id = parseRecordId(form.get("id"))
        if (id === undefined) return Effect.fail(noCalendarError)
        return run(visit, form, "update_imported_calendar", { id, skip_unavailable: readSkipUnavailable(form) })
      }
    },
    calendar_bookings: {
      doneMessage: "Saved. The calendar is read again in the next minutes.",
      run: (visit, form) => {
        const id = parseRecordId(form.get("id"))
        if (id === undefined) return Effect.fail(noCalendarError)
        return run(visit, form, "update_imported_calendar", { id, ...readStaySettings(form) })
      }
    },
    remove: {
      doneMessage: "Import removed. Dates that only it blocked are available again.",
      run: (visit, form) => {
        const id = parseRecordId(form.get("id"))
        if (id === undefined) return Effect.fail(noCalendarError)
        return run(visit, form, "delete_imported_calendar", { id })
      }
    }
  } satisfies Readonly<Record<string, HostAction>>
}

const SKIP_UNAVAILABLE_FIELD = "skip_unavailable"
const SKIP_UNAVAILABLE_LABEL = "Ignore the booking window of the marketplace"
const SKIP_UNAVAILABLE_HINT =
  "If the calendar ends with a “Not available” block whose end moves forward over time, that block does not block dates here."

const readSkipUnavailable = (form: SubmittedForm): boolean => form.get(SKIP_UNAVAILABLE_FIELD) === "yes"

const importedCalendarNotice = (url: string): OneTimeContent =>
  oneTimeNotice(
    "Calendar imported. It is read in the next minutes, then every 15 minutes.",
    html`<p>If that marketplace can import a calendar too, give it this URL and no other. It leaves out the dates that came from the marketplace itself.</p>
${secretUrlHtml(url)}`
  )

const fetchReportNotice = ({ is_superseded, busy_days, changed_days, error }: CalendarFetchOutcome): OneTimeContent => {
  const supersededText = is_superseded ? "Another read began meanwhile. " : ""
  const busyText =
    busy_days === null ? "Nothing new in the calendar" : `${pluralize(busy_days, "day")} blocked by the calendar`
  return oneTimeNotice(
    `${supersededText}${busyText}; ${pluralize(changed_days, "day")} changed.`,
    error === null ? nothing : html`<p>${error}.</p>`
  )
}

const STATE_BADGES = {
  new: badge("Not read yet", "wait"),
  ok: badge("Synced", "good"),
  failing: badge("Cannot be read", "bad")
} as const

const PARTIALLY_READ_BADGE = badge("Partly read", "bad")

export const importedCalendarsSection = (
  visit: SignedInVisit,
  { calendars, total }: ImportedCalendarsPage,
  offset: number
): Html =>
  section(
    "Imported calendars",
    html`${table(
      {
        empty: html`No imported calendars yet. Copy the iCal URL (.ics) from the marketplace, then ${link("#import", "import it")}.`
      },
      [
        { label: "Property", cell: ({ property_title }) => html`<span class="name">${property_title}</span>` },
        {
          label: "Calendar",
          onPhone: "detail",
          cell: ({ host, ending }) =>
            html`<span class="name">${host} <span class="soft">${ending === null ? "URL no longer readable: remove the calendar and import it again" : `…${ending}`}</span></span>`
        },
        {
          label: "Status",
          onPhone: "side",
          cell: ({ state, error, unreadable }) =>
            html`${state === "ok" && unreadable !== null ? PARTIALLY_READ_BADGE : STATE_BADGES[state]}${error === null ? nothing : html` <span class="name">${error}</span>`}`
        },
        {
          label: "Last sync",
          onPhone: "detail",
          cell: ({ fetched_at, due_at }) =>
            html`${fetched_at === null ? "not yet" : timeHtml(fetched_at, visit)} ${due_at === null ? nothing : html`<span class="soft">next ${timeHtml(due_at, visit)}</span>`}`
        },
        { label: "Reservations", onPhone: "labelled", cell: bookingsCell },
        { label: "Blocked days", onPhone: "labelled", cell: ({ busy_days }) => String(busy_days), isNumeric: true },
        { label: "Edit", onPhone: "actions", cell: (calendar) => calendarActions(visit, calendar) }
      ],
      calendars
    )}${pagination(visit, { offset, limit: CALENDARS_SHOWN, total })}`
  )

const calendarActions = (visit: SignedInVisit, calendar: ImportedCalendarSummary): Html => {
  const { id, host, property_title } = calendar
  const subject = `${host} for ${property_title}`
  return html`${actionForm(visit, { action: "fetch", label: "Sync now", subject, id, kind: "plain" })}${acceptForm(visit, calendar, subject)}${disclosure(
    "Booking window…",
    actionForm(visit, {
      action: "update_calendar",
      label: "Save",
      subject,
      id,
      fields: skipUnavailableField(calendar.skip_unavailable)
    })
  )}${disclosure(
    "Bookings…",
    actionForm(visit, {
      action: "calendar_bookings",
      label: "Save",
      subject,
      id,
      fields: bookingsFields(calendar)
    })
  )}${disclosure(
    "Remove…",
    html`<p>Days that only this calendar blocked become available. Its reservations stay.</p>
${actionForm(visit, { action: "remove", label: "Remove import", subject, id, kind: "danger" })}`
  )}${activityLogLink(`imported_calendar:${id}`)}`
}

const acceptForm = (
  visit: SignedInVisit,
  { id, unreadable, digest }: ImportedCalendarSummary,
  subject: string
): Html =>
  unreadable === null || digest === null
    ? nothing
    : disclosure(
        "Accept as read…",
        html`<p>${unreadable}.</p>
<p>If you accept, the dates that stayed blocked because of this become available. A booking may be among the unreadable parts, so compare with the marketplace first.</p>
${actionForm(visit, { action: "accept_calendar", label: "Accept the calendar as read", subject, id, kind: "danger", fields: html`<input type="hidden" name="digest" value="${digest}">` })}`
      )

const skipUnavailableField = (
  isChecked: boolean,
  fillField: FieldFiller = (_name, defaultValue) => defaultValue
): Html =>
  html`${checkbox(fillField, { name: SKIP_UNAVAILABLE_FIELD, label: SKIP_UNAVAILABLE_LABEL, isChecked })}<p class="soft">${SKIP_UNAVAILABLE_HINT}</p>
`

export const importForm = (
  visit: SignedInVisit,
  properties: SelectableProperties,
  passwordField: Html,
  failedSubmission: FailedSubmission | undefined
): Html => {
  const fillField = makeFieldFiller(failedSubmission, "follow")
  return section(
    "Import iCal",
    properties.length === 0
      ? html`<p>You have no property yet. ${link(PROPERTIES_PATH, "Add a property")}</p>
`
      : actionForm(visit, {
          action: "follow",
          label: "Import",
          fields: html`${select(fillField, { name: "property", label: "Property", apiName: "property_id", options: propertyOptions(properties), emptyLabel: "Choose", isRequired: true })}${input(fillField, { name: "url", label: "iCal URL", hint: "Begins with https or webcal. It is secret, so this page never shows it again.", isRequired: true })}${skipUnavailableField(false, fillField)}${newCalendarBookingsFields(fillField)}${passwordField}`
        }),
    "import"
  )
}
