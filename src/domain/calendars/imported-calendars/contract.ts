import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { hasAtMostCharacters, Id, MUST_NOT_BE_EMPTY, textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import {
  CALENDAR_DIGEST_LENGTH,
  IMPORTED_CALENDAR_FETCHES_A_MINUTE,
  WEBHOOK_URL_LENGTH
} from "../../../platform/limits.ts"
import { CalendarState } from "./imported-calendar.ts"

// An extension of the contract.

const Url = textUpTo(WEBHOOK_URL_LENGTH).annotate({
  description: "`https` or `webcal`. A secret, as a password is: no answer shows it again."
})

const SkipUnavailable = Schema.Boolean.annotate({
  description:
    "true: a “Not available” block at the end of the calendar blocks nothing here once its end has moved forward: it is the booking window of the marketplace."
})

const FetchError = Schema.NullOr(Schema.String).annotate({
  description:
    "Why it could not be fetched, or, with the state `ok`, which parts could not be read, so that no day became available."
})

/** Opaque: its form may change. */
export const FeedDigest = Schema.String.check(
  Schema.makeFilter((text) => (text === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, CALENDAR_DIGEST_LENGTH)), {
    expected: `a digest of at most ${CALENDAR_DIGEST_LENGTH} characters`,
    toJsonSchema: () => ({ minLength: 1, maxLength: CALENDAR_DIGEST_LENGTH })
  })
)

export const ImportedCalendar = Schema.Struct({
  id: Id,
  property_id: Id,
  url_host: Schema.String.annotateKey({
    description: "The host of its URL. The URL itself is a secret."
  }),
  url_ending: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The last characters of its address. null: it cannot be decrypted any more; delete the calendar and add it again."
  }),
  skip_unavailable: SkipUnavailable,
  state: CalendarState.annotate({
    description: "`new`: it was not fetched yet. `failing`: its last fetch failed; its days stay as they were."
  }),
  error: FetchError,
  unreadable_parts: Schema.NullOr(Schema.String).annotateKey({
    description: "The unreadable parts of its last feed, until that feed is accepted."
  }),
  digest: Schema.NullOr(FeedDigest).annotateKey({
    description: "The digest of its last feed: send it to accept the feed. null: there is nothing to accept."
  }),
  fetched_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When it was last read; ISO 8601 UTC, `…Z`, as created_at."
  }),
  busy_days: Schema.Int.annotateKey({ description: "Days from today on that it says are busy." }),
  created_at: Schema.String
})
export type ImportedCalendar = typeof ImportedCalendar.Type

export const CalendarFetchOutcome = Schema.Struct({
  state: CalendarState,
  busy_days: Schema.NullOr(Schema.Int).annotateKey({
    description: "Days from today on that it says are busy; null: it could not be read."
  }),
  changed_days: Schema.Int.annotateKey({ description: "Days that it blocks or unblocks since this fetch." }),
  error: FetchError,
  is_superseded: Schema.Boolean.annotateKey({
    description:
      "true: another fetch of it began meanwhile and counts; the rest says how the calendar stands at this moment."
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
  payload: { property_id: Schema.optionalKey(Id), ...pageFields },
  success: Schema.Struct({ imported_calendars: Schema.Array(ImportedCalendar), total: Schema.Int }),
  errors: [NotFound],
  exposure
})

export const create_imported_calendar = operation("create_imported_calendar", {
  route: "POST /imported_calendars",
  summary:
    "Import a calendar, whose busy days are blocked here; the same address is the same calendar; it stays when the OAuth connection that added it ends",
  payload: {
    property_id: Id,
    url: Url,
    skip_unavailable: Schema.optionalKey(SkipUnavailable).annotateKey({
      description: "Omitted: false; a calendar that the property imports already keeps its own."
    })
  },
  success: Schema.Struct({ imported_calendar_id: Id }),
  errors: [NotFound],
  exposure
})

export const update_imported_calendar = operation("update_imported_calendar", {
  route: "PATCH /imported_calendars/{id}",
  summary: "Change the settings of an imported calendar, which is then read again",
  payload: { id: Id, skip_unavailable: SkipUnavailable },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const delete_imported_calendar = operation("delete_imported_calendar", {
  route: "DELETE /imported_calendars/{id}",
  summary: "Stop importing a calendar; days that only it blocked are available again",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const fetch_imported_calendar = operation("fetch_imported_calendar", {
  route: "POST /imported_calendars/{id}/fetch",
  limits: { "1m": IMPORTED_CALENDAR_FETCHES_A_MINUTE },
  summary: `Fetch an imported calendar now; one that cannot be read is answered with the state failing and why; ${IMPORTED_CALENDAR_FETCHES_A_MINUTE} a minute, one at a time`,
  payload: { id: Id },
  success: CalendarFetchOutcome,
  errors: [NotFound, Conflict],
  exposure
})

export const accept_imported_calendar = operation("accept_imported_calendar", {
  route: "POST /imported_calendars/{id}/accept",
  summary: "Accept a calendar with unreadable parts as it was read: days that it does not name are available again",
  payload: {
    id: Id,
    digest: FeedDigest.annotateKey({ description: "The `digest` of the calendar, as the list showed it." })
  },
  success: Schema.Struct({ changed_days: Schema.Int }),
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
