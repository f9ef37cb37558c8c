import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { InstantColumn } from "../../column-schemas.ts"

/** A calendar that a worker has in its hands. */
export const ClaimedCalendar = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  property_id: Schema.Int,
  /** As it is kept. A secret: whoever has it reads the calendar. */
  url: Schema.String,
  host: Schema.String,
  /** How often it was taken, this time included: no other worker has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this one. */
  failures: Schema.Int,
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String),
  digest: Schema.NullOr(Schema.String),
  /** The last day that what came last was applied to. */
  applied_to: Schema.NullOr(Schema.String),
  /** Unreadable parts of the last feed; null if all of it was read. */
  unreadable: Schema.NullOr(Schema.String),
  /** The digest of the feed that the host accepted although parts of it were unreadable. */
  accepted_digest: Schema.NullOr(Schema.String),
  skip_unavailable: Schema.Boolean,
  /** The end of the last "Not available" block of the last feed that was read completely, and whether that end has moved forward. */
  unavailable_before: Schema.NullOr(Schema.String),
  unavailable_moved: Schema.Boolean,
  time_zone: Schema.String
})
export type ClaimedCalendar = typeof ClaimedCalendar.Type

/** 404 for an id that is no calendar of the caller. */
export const calendarNotFoundError = new NotFound({ message: "id: no such calendar." })

export const CalendarState = Schema.Literals(["new", "ok", "failing"])

/** A calendar as it is kept: address and token sealed, and the feed that the token is of. */
export const ImportedCalendarRow = Schema.Struct({
  calendar_id: Schema.Int,
  operator_id: Schema.Int,
  property_id: Schema.Int,
  url: Schema.String,
  state: CalendarState,
  fetched_at: Schema.NullOr(InstantColumn),
  error: Schema.NullOr(Schema.String),
  /** Whether to ignore a "Not available" block at the end of the feed once its end has moved forward. */
  skip_unavailable: Schema.Boolean,
  feed_id: Schema.NullOr(Schema.Int),
  feed_token: Schema.NullOr(Schema.String)
})
export type ImportedCalendarRow = typeof ImportedCalendarRow.Type

/** The same as its host sees it. */
export interface ImportedCalendar extends Omit<ImportedCalendarRow, "url" | "feed_id" | "feed_token"> {
  /** Null: it does not open. */
  readonly url: string | null
  /** What its source reads to know what is busy here, whose token may not open either; undefined: none was made yet. */
  readonly feed: { readonly token: string | undefined } | undefined
}

/** The days that matter, today and as far ahead as availability goes. */
export interface ImportHorizon {
  readonly first: string
  readonly last: string
}

/** The last "Not available" block of a feed. */
export interface BookingWindow {
  /** The first day after the block. */
  readonly before: string
  /** Whether its end moved forward between two fetches, as the end of a marketplace's booking window does. */
  readonly hasMoved: boolean
}

/** The days and the state to store for a calendar whose feed was read. */
export interface CalendarUpdate extends ImportHorizon {
  /** The busy days of the feed from `first` to `last`, in order. */
  readonly days: ReadonlyArray<string>
  /** Whether days that the feed does not name become available. If false, days that were busy before stay busy. */
  readonly unblocksDays: boolean
  /** Unreadable parts of the feed; null if all of it was read. */
  readonly unreadable: string | null
  /** The digest of the feed if the host accepted it as read, else null. */
  readonly accepted_digest: string | null
  readonly bookingWindow: BookingWindow | undefined
  readonly etag: string | null
  readonly last_modified: string | null
  readonly digest: string
}
