import { Effect } from "effect"
import { HostCalendars } from "../../../../domain/calendars/imported-calendars/HostCalendars.ts"
import type { Fetched } from "../../../../domain/calendars/imported-calendars/ImportedCalendars.ts"
import { PropertyFeeds } from "../../../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { CALENDARS_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { idOf } from "../../id.ts"
import type { CalendarsShown, Followed } from "../../queries/CalendarsElsewhere.ts"
import type { Sudo } from "../../sudo.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { refusedAs } from "../asking.ts"
import { behind, checkbox, type Fill, filling, formOf, input, select } from "../fields.ts"
import { type HostAct, type NotTaken, refusal, type Told } from "../page.ts"
import { badge, historyLink, pages, section, table, timeOf } from "../parts.ts"
import { type Properties, propertyOptions, saidOnce, secretOf } from "./said.ts"

// Calendars of elsewhere that are followed: what is busy there is closed here.

const NO_PROPERTY = refusal(422, "Choose the property whose days it closes.")
const NO_CALENDAR = refusal(404, "There is no such calendar.")

export const makeFollowedActs = Effect.fnUntraced(function* (sudo: Sudo) {
  const [calendars, feeds] = [yield* HostCalendars, yield* PropertyFeeds]
  return {
    follow: {
      done: "The calendar is followed.",
      // Asks for the password because the answer shows an address of the property's own calendar.
      run: (visit, form) =>
        Effect.gen(function* () {
          const { operatorId } = visit.session.person.caller
          const property = idOf(form.get("property"))
          if (property === undefined) return yield* Effect.fail(NO_PROPERTY)
          yield* sudo.demand(visit, form)
          const settings = readSkipUnavailable(form) ? { skipUnavailable: true } : undefined
          const { calendar_id } = yield* calendars.add(operatorId, property, form.get("url") ?? "", settings)
          const { url } = yield* feeds.addressFor(operatorId, property, calendar_id)
          return followed(url)
        }).pipe(Effect.mapError(refused))
    },
    fetch: {
      done: "The calendar was fetched.",
      run: (visit, form) => {
        const id = idOf(form.get("id"))
        if (id === undefined) return Effect.fail(NO_CALENDAR)
        return calendars.fetch(visit.session.person.caller.operatorId, id).pipe(
          Effect.mapError(refusedAs),
          Effect.flatMap((came) =>
            came.outcome === "failed"
              ? Effect.fail(refusal(502, `The calendar cannot be read: ${came.error ?? "nobody knows why"}.`))
              : Effect.succeed(fetched(came))
          )
        )
      }
    },
    accept_calendar: {
      done: "You accepted the calendar as read. Dates that it does not mention are available again.",
      run: (visit, form) => {
        const id = idOf(form.get("id"))
        if (id === undefined) return Effect.fail(NO_CALENDAR)
        return calendars
          .accept(visit.session.person.caller.operatorId, id, form.get("seen") ?? "")
          .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
      }
    },
    update_calendar: {
      done: "Saved. The calendar is read again in the next minutes.",
      run: (visit, form) => {
        const id = idOf(form.get("id"))
        if (id === undefined) return Effect.fail(NO_CALENDAR)
        return calendars
          .update(visit.session.person.caller.operatorId, id, { skipUnavailable: readSkipUnavailable(form) })
          .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
      }
    },
    remove: {
      done: "The calendar is followed no more; what only it closed is open.",
      run: (visit, form) => {
        const id = idOf(form.get("id"))
        if (id === undefined) return Effect.fail(NO_CALENDAR)
        return calendars
          .remove(visit.session.person.caller.operatorId, id)
          .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
      }
    }
  } satisfies Readonly<Record<string, HostAct>>
})

const SKIP_FIELD = "skip_unavailable"
const SKIP_LABEL = "Ignore the booking window of the marketplace"
const SKIP_HINT =
  "If the calendar ends with a “Not available” block whose end moves forward over time, that block does not block dates here."

const readSkipUnavailable = (form: Form): boolean => form.get(SKIP_FIELD) === "yes"

/** One of the page's own is said already. */
const refused = (error: Parameters<typeof refusedAs>[0] | typeof NO_PROPERTY) =>
  error._tag === "Refused" ? error : refusedAs(error)

const followed = (url: string): Told =>
  saidOnce(
    "The calendar is followed: it is fetched in the next minutes, and then every quarter of an hour.",
    html`<p>If the place that it comes from can follow a calendar too, give it this address and no other: it tells all that is taken here but what that place said itself.</p>
${secretOf(url)}`
  )

const fetched = ({ outcome, busy_days, changed_days, error }: Fetched): Told => {
  const before = outcome === "overtaken" ? "Another fetch of it began meanwhile. " : ""
  const busy = busy_days === undefined ? "It says what it said before" : `It says that ${busy_days} days are busy`
  return saidOnce(
    `${before}${busy}; ${changed_days} days changed here.`,
    error === undefined ? nothing : html`<p>${error}.</p>`
  )
}

const STATES = {
  new: badge("not fetched yet", "wait"),
  ok: badge("read", "good"),
  failing: badge("cannot be read", "bad")
} as const

const IN_PART = badge("read in part", "bad")

export const followedOf = (visit: SignedInVisit, { calendars, total }: CalendarsShown, offset: number): Html =>
  section(
    "Calendars that close days here",
    html`${table(
      { empty: "None yet. Marketplaces and calendar programs give out the address of a calendar (it ends with .ics)." },
      [
        { label: "Property", cell: ({ property_title }) => html`<span class="name">${property_title}</span>` },
        {
          label: "Calendar",
          cell: ({ host, ending }) =>
            html`<span class="name">${host} <span class="soft">${ending === null ? "its address cannot be read any more: remove it, and follow it anew" : `…${ending}`}</span></span>`
        },
        {
          label: "Stands",
          cell: ({ state, error, unreadable }) =>
            html`${state === "ok" && unreadable !== null ? IN_PART : STATES[state]}${error === null ? nothing : html` <span class="name">${error}</span>`}`
        },
        {
          label: "Last read",
          cell: ({ fetched_at, due_at }) =>
            html`${fetched_at === null ? "not yet" : timeOf(fetched_at, visit)} ${due_at === null ? nothing : html`<span class="soft">next ${timeOf(due_at, visit)}</span>`}`
        },
        { label: "Busy days", cell: ({ busy_days }) => String(busy_days), number: true },
        { label: "Change", cell: (calendar) => actsOf(visit, calendar) }
      ],
      calendars
    )}${pages(visit, { offset, limit: CALENDARS_SHOWN, total })}`
  )

const actsOf = (visit: SignedInVisit, calendar: Followed): Html => {
  const { id, host, property_title } = calendar
  const of = `${host} for ${property_title}`
  return html`${formOf(visit, { act: "fetch", button: "Fetch now", of, id, kind: "plain" })}${acceptForm(visit, calendar, of)}${behind(
    "Booking window",
    formOf(visit, { act: "update_calendar", button: "Save", of, id, fields: skipField(calendar.skip_unavailable) })
  )}${behind(
    "Remove",
    html`<p>What only it closed is open again.</p>
${formOf(visit, { act: "remove", button: "Follow it no more", of, id, kind: "danger" })}`
  )}${historyLink(`imported_calendar:${id}`)}`
}

/** Renders the form to accept a calendar; nothing if all of it was read, or if the host has accepted it. */
const acceptForm = (visit: SignedInVisit, { id, unreadable, digest }: Followed, of: string): Html =>
  unreadable === null || digest === null
    ? nothing
    : behind(
        "Accept the calendar as read",
        html`<p>${unreadable}.</p>
<p>If you accept, the dates that stayed blocked because of this become available. A booking may be among the unreadable parts, so compare with the marketplace first.</p>
${formOf(visit, { act: "accept_calendar", button: "Accept the calendar as read", of, id, kind: "danger", fields: html`<input type="hidden" name="seen" value="${digest}">` })}`
      )

const skipField = (checked: boolean, fill: Fill = (_name, otherwise) => otherwise): Html =>
  html`${checkbox(fill, { name: SKIP_FIELD, label: SKIP_LABEL, checked })}<p class="soft">${SKIP_HINT}</p>
`

export const followForm = (
  visit: SignedInVisit,
  properties: Properties,
  password: Html,
  notTaken: NotTaken | undefined
): Html => {
  const fill = filling(notTaken, "follow")
  return section(
    "Follow a calendar",
    properties.length === 0
      ? html`<p>You have no property yet whose days it could close.</p>
`
      : formOf(visit, {
          act: "follow",
          button: "Follow it",
          fields: html`${select(fill, { name: "property", label: "The property whose days it closes", options: propertyOptions(properties), none: "Choose", required: true })}${input(fill, { name: "url", label: "Its address", hint: "It begins with https or webcal. Whoever has it reads the calendar: it is shown nowhere again.", required: true })}${skipField(false, fill)}${password}`
        })
  )
}
