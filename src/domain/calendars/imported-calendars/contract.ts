import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { hasAtMostCharacters, Id, MUST_NOT_BE_EMPTY, textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import {
  BUSY_RETRY_SECONDS,
  CALENDAR_DIGEST_LENGTH,
  CALENDAR_FEED_MS,
  CALENDAR_STAY_PROBLEMS_MAX,
  CONCURRENT_MANUAL_FETCHES_MAX,
  IMPORTED_CALENDAR_FETCHES_A_MINUTE,
  IMPORTED_CALENDARS_MAX,
  PROPERTY_CALENDARS_MAX,
  WEBHOOK_URL_LENGTH
} from "../../../platform/limits.ts"
import { CalendarChannelType } from "../calendar-stays/stay-channel.ts"
import { StayProblem } from "../calendar-stays/stay-problem.ts"
import { CalendarEvents, CalendarState } from "./imported-calendar.ts"

const Url = textUpTo(WEBHOOK_URL_LENGTH)

const SKIP_UNAVAILABLE_MEANING =
  "true: a `Not available` block at the end of the feed blocks no days once its end has moved forward. Such a block marks the booking window of the marketplace. false: it blocks days like any other event."

const EVENTS_MEANING =
  "`block`: every event blocks days. `stay`: an event that is a booking also becomes a reservation of the channel, without a price. Blocks such as `Not available` only block days."

const CHANNEL_TYPE_MEANING =
  "Channel of the reservations. Null: the host of the URL, or else the feed itself, names it."

const STATE_MEANING =
  "`new`: not fetched yet. `ok`: the last fetch succeeded. `failing`: the last fetch failed, and the blocked days stay as they were."

const ERROR_MEANING =
  "Why the last fetch failed. With the state `ok`, the parts of the feed that could not be read; no day became available then. Null if there is no problem."

const CALENDAR_ID_MEANING = "Id of the calendar, from list_imported_calendars."

const PropertyId = Id.annotateKey({ documentation: "Property that imports the calendar, from search_properties." })

export const FeedDigest = Schema.String.check(
  Schema.makeFilter((text) => (text === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, CALENDAR_DIGEST_LENGTH)), {
    expected: `a digest of at most ${CALENDAR_DIGEST_LENGTH} characters`,
    toJsonSchema: () => ({ minLength: 1, maxLength: CALENDAR_DIGEST_LENGTH })
  })
)

export const ImportedCalendar = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the calendar." }),
  property_id: PropertyId,
  url_host: Schema.String.annotateKey({ documentation: "Host name of the calendar's URL. The URL itself is secret." }),
  url_ending: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Last four characters of the calendar's URL. Null if the URL can no longer be decrypted: delete the calendar and import it again."
  }),
  skip_unavailable: Schema.Boolean.annotateKey({ documentation: SKIP_UNAVAILABLE_MEANING }),
  events: CalendarEvents.annotateKey({ documentation: EVENTS_MEANING }),
  channel_type: Schema.NullOr(CalendarChannelType).annotateKey({
    documentation:
      "Channel of the reservations: the one that was set, or else the one that the URL or the feed names. Null while no channel is known, and before the first fetch of a calendar without a set channel."
  }),
  stay_problems: Schema.Array(StayProblem).annotateKey({
    documentation: `Bookings of the last feed that made no reservation, and reservations that differ from it. At most ${CALENDAR_STAY_PROBLEMS_MAX}, and empty with \`events: "block"\`.`
  }),
  state: CalendarState.annotateKey({ documentation: STATE_MEANING }),
  error: Schema.NullOr(Schema.String).annotateKey({ documentation: ERROR_MEANING }),
  unreadable_parts: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Unreadable parts of the last feed. Null if there are none, or if the host accepted the feed."
  }),
  digest: Schema.NullOr(FeedDigest).annotateKey({
    documentation: "Opaque digest of the last feed, for accept_imported_calendar. Null if there is nothing to accept."
  }),
  fetched_at: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Time of the last successful fetch, ISO 8601 in UTC. Null before the first one."
  }),
  busy_days: Schema.Int.annotateKey({ documentation: "Number of days from today on that the calendar blocks." }),
  created_at: Schema.String.annotateKey({ documentation: "Time at which the import began, ISO 8601 in UTC." })
})
export type ImportedCalendar = typeof ImportedCalendar.Type

export const CalendarFetchOutcome = Schema.Struct({
  state: CalendarState.annotateKey({ documentation: STATE_MEANING }),
  busy_days: Schema.NullOr(Schema.Int).annotateKey({
    documentation: "Number of days from today on that the calendar blocks. Null if it could not be read."
  }),
  changed_days: Schema.Int.annotateKey({
    documentation: "Number of days that the calendar began or ceased to block with this fetch."
  }),
  error: Schema.NullOr(Schema.String).annotateKey({ documentation: ERROR_MEANING }),
  is_superseded: Schema.Boolean.annotateKey({
    documentation:
      "true: another fetch of the calendar began meanwhile and counts instead. The other fields then show its present state."
  })
})
export type CalendarFetchOutcome = typeof CalendarFetchOutcome.Type

const operation = defineFamily({ category: "calendar", since: "3.13.0", openWorld: true })

const exposure = {
  notATool: "the address of a calendar is a secret, and the host adds each calendar to a property once",
  extension: true
} as const

export const list_imported_calendars = operation("list_imported_calendars", {
  route: "GET /imported_calendars",
  summary: "List imported calendars with their state",
  details:
    "Calendars are sorted by id. The service fetches each one every 15 minutes. It fetches a failing one at least every two hours, or later if its host asks so with `Retry-After`. An unknown property returns 404.",
  payload: {
    property_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only calendars of this property, from search_properties."
    }),
    ...pageFields
  },
  success: Schema.Struct({
    imported_calendars: Schema.Array(ImportedCalendar).annotateKey({ documentation: "The calendars of this page." }),
    total: PageTotal
  }),
  errors: [NotFound],
  exposure
})

export const create_imported_calendar = operation("create_imported_calendar", {
  route: "POST /imported_calendars",
  summary: "Import an iCalendar feed, whose busy days become unavailable",
  details: `The service fetches the calendar in the background, for the first time at once.

- The same URL for the same property returns the existing calendar.
- Imported days cannot be unblocked with update_availabilities, and create_reservation returns 409 for them. Reservations from channels still arrive.
- With \`events: "stay"\`, bookings become reservations with codes that begin with \`9-\`. A reservation is cancelled if two complete feeds, fetched at least 15 minutes apart, lack its booking and its check-in date is in the future. If a connected account of the channel sells the property, no reservations are made.
- A property imports at most ${PROPERTY_CALENDARS_MAX} calendars, and an operator ${IMPORTED_CALENDARS_MAX.toLocaleString("en")}. One more returns 422.
- The calendar stays when the OAuth connection that added it ends, because its days may be sold elsewhere.`,
  payload: {
    property_id: PropertyId,
    url: Url.annotateKey({
      documentation:
        "Public `https` or `webcal` address of the feed. It is a secret, and no response shows it again. A feed or share link of the property itself returns 422."
    }),
    skip_unavailable: Schema.optionalKey(Schema.Boolean).annotateKey({
      documentation: `${SKIP_UNAVAILABLE_MEANING} Default: false for a new calendar; an existing one keeps its setting.`
    }),
    events: Schema.optionalKey(CalendarEvents).annotateKey({
      documentation: `${EVENTS_MEANING} Default: \`block\` for a new calendar; an existing one keeps its setting.`
    }),
    channel_type: Schema.optionalKey(Schema.NullOr(CalendarChannelType)).annotateKey({
      documentation: `${CHANNEL_TYPE_MEANING} Default: null for a new calendar; an existing one keeps its setting.`
    })
  },
  success: Schema.Struct({
    imported_calendar_id: Id.annotateKey({ documentation: "Id of the new or existing calendar." })
  }),
  errors: [NotFound],
  exposure
})

export const update_imported_calendar = operation("update_imported_calendar", {
  route: "PATCH /imported_calendars/{id}",
  summary: "Change the settings of an imported calendar",
  details:
    "After a change the service fetches and reads the calendar again. An omitted setting keeps its value, and the present value changes nothing. While `events` is `block`, the reservations of the calendar stay and do not follow it. With `stay` they follow it again.",
  payload: {
    id: Id.annotateKey({ documentation: CALENDAR_ID_MEANING }),
    skip_unavailable: Schema.optionalKey(Schema.Boolean).annotateKey({ documentation: SKIP_UNAVAILABLE_MEANING }),
    events: Schema.optionalKey(CalendarEvents).annotateKey({ documentation: EVENTS_MEANING }),
    channel_type: Schema.optionalKey(Schema.NullOr(CalendarChannelType)).annotateKey({
      documentation: `${CHANNEL_TYPE_MEANING} Existing reservations keep their channel.`
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const delete_imported_calendar = operation("delete_imported_calendar", {
  route: "DELETE /imported_calendars/{id}",
  summary: "Stop importing a calendar",
  details:
    "Days that only this calendar blocked become available. Its reservations stay and hold their nights. If you then import a calendar of the same channel for the property, it takes over the reservations whose bookings it has. Other reservations stay unchanged. Detached reservations stay detached. The feeds of the property stay, including the feed for this calendar, because its marketplace may still read it.",
  payload: { id: Id.annotateKey({ documentation: CALENDAR_ID_MEANING }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const fetch_imported_calendar = operation("fetch_imported_calendar", {
  route: "POST /imported_calendars/{id}/fetch",
  limits: { "1m": IMPORTED_CALENDAR_FETCHES_A_MINUTE },
  summary: "Fetch an imported calendar now",
  details: `The call returns when the fetch is over, which may take ${CALENDAR_FEED_MS / 1000} seconds. A calendar that cannot be read is no error of the call: the response has the state \`failing\` and \`error\`.

An operator can call it ${IMPORTED_CALENDAR_FETCHES_A_MINUTE} times a minute, one call at a time. A second call at the same time returns 409 with \`Retry-After: ${BUSY_RETRY_SECONDS}\`. So does any call while the process fetches for ${CONCURRENT_MANUAL_FETCHES_MAX} operators.`,
  payload: { id: Id.annotateKey({ documentation: CALENDAR_ID_MEANING }) },
  success: CalendarFetchOutcome,
  errors: [NotFound, Conflict],
  exposure
})

export const accept_imported_calendar = operation("accept_imported_calendar", {
  route: "POST /imported_calendars/{id}/accept",
  summary: "Accept the last feed of an imported calendar despite its unreadable parts",
  details:
    "While a feed has unreadable parts, days that it no longer names stay blocked. Acceptance makes these days available. It holds until the feed changes.\n\n- Another digest returns 409: the calendar was read again, so check it once more.\n- A calendar without a `digest` returns 409, and so does one that was read completely.\n- A second acceptance succeeds and changes no day.",
  payload: {
    id: Id.annotateKey({ documentation: CALENDAR_ID_MEANING }),
    digest: FeedDigest.annotateKey({ documentation: "The `digest` of the calendar, from list_imported_calendars." })
  },
  success: Schema.Struct({
    changed_days: Schema.Int.annotateKey({
      documentation: "Number of days that the calendar no longer blocks. 0 if the feed was accepted before."
    })
  }),
  errors: [NotFound, Conflict],
  exposure
})

export const ImportedCalendarOperations = {
  list_imported_calendars,
  create_imported_calendar,
  update_imported_calendar,
  delete_imported_calendar,
  fetch_imported_calendar,
  accept_imported_calendar
}
