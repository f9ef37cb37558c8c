import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { InstantColumn } from "../../column-schemas.ts"
import { CalendarChannelType } from "../calendar-stays/stay-channel.ts"
import type { ImportedEvent, StayNights } from "../calendar-stays/stay-link.ts"

/** Whether the bookings of a calendar only block days, or also become stays. */
export const CalendarEvents = Schema.Literals(["block", "stay"])
export type CalendarEvents = typeof CalendarEvents.Type

export const ClaimedCalendar = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  property_id: Schema.Int,
  /** Sealed. */
  url: Schema.String,
  host: Schema.String,
  /** Number of claims so far. Identifies the current claim. */
  attempts: Schema.Int,
  failures: Schema.Int,
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String),
  digest: Schema.NullOr(Schema.String),
  /** Last day that the last full read covered. */
  applied_to: Schema.NullOr(Schema.String),
  /** Describes the unreadable parts of the last feed. Null if all was read. */
  unreadable: Schema.NullOr(Schema.String),
  /** Digest of the feed that the host accepted despite unreadable parts. */
  accepted_digest: Schema.NullOr(Schema.String),
  skip_unavailable: Schema.Boolean,
  /** As in {@link BookingWindow}. */
  unavailable_before: Schema.NullOr(Schema.String),
  unavailable_moved: Schema.Boolean,
  events: CalendarEvents,
  /** Channel that the operator has set. */
  channel_type: Schema.NullOr(CalendarChannelType),
  time_zone: Schema.String
})
export type ClaimedCalendar = typeof ClaimedCalendar.Type

export const calendarNotFoundError = new NotFound({ message: "id: no such calendar." })

export const CalendarState = Schema.Literals(["new", "ok", "failing"])

export const ImportedCalendarRow = Schema.Struct({
  calendar_id: Schema.Int,
  operator_id: Schema.Int,
  property_id: Schema.Int,
  url: Schema.String,
  state: CalendarState,
  fetched_at: Schema.NullOr(InstantColumn),
  error: Schema.NullOr(Schema.String),
  skip_unavailable: Schema.Boolean,
  events: CalendarEvents,
  feed_id: Schema.NullOr(Schema.Int),
  feed_token: Schema.NullOr(Schema.String)
})
export type ImportedCalendarRow = typeof ImportedCalendarRow.Type

export interface ImportedCalendar extends Omit<ImportedCalendarRow, "url" | "feed_id" | "feed_token"> {
  /** Null if it cannot be decrypted. */
  readonly url: string | null
  /** The property's feed for the marketplace of this calendar. Its token is undefined if it cannot be decrypted. */
  readonly feed: { readonly token: string | undefined } | undefined
}

/** Both days are inclusive. */
export interface ImportHorizon {
  readonly first: string
  readonly last: string
}

/** The all-day event "Not available" at the end of a feed. */
export interface BookingWindow {
  /** The day after the event. */
  readonly before: string
  /** Whether `before` has moved forward between fetches, as the end of a marketplace's booking window does. */
  readonly hasMoved: boolean
}

/** The bookings of a feed, for a calendar whose bookings become stays. */
export interface CalendarBookings {
  readonly events: ReadonlyArray<ImportedEvent>
  readonly duplicates: ReadonlyArray<StayNights>
  readonly hasMore: boolean
  readonly channelType: CalendarChannelType | undefined
  /** Whether the feed was read completely. */
  readonly isComplete: boolean
}

export interface CalendarUpdate extends ImportHorizon {
  /** Undefined if bookings only block days. */
  readonly bookings?: CalendarBookings | undefined
  /** Sorted busy days from `first` to `last`. */
  readonly days: ReadonlyArray<string>
  /** Whether days that the feed does not contain become available. */
  readonly unblocksDays: boolean
  readonly unreadable: string | null
  readonly accepted_digest: string | null
  readonly bookingWindow: BookingWindow | undefined
  readonly etag: string | null
  readonly last_modified: string | null
  readonly digest: string
}
