import { Schema } from "effect"
import { Instant } from "../row-fields.ts"

/** A calendar that a worker has in its hands. */
export const TakenCalendar = Schema.Struct({
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
  time_zone: Schema.String
})
export type TakenCalendar = typeof TakenCalendar.Type

export const CalendarState = Schema.Literals(["new", "ok", "failing"])

/** A calendar as it is kept: address and token sealed, and the feed that the token is of. */
export const KeptCalendar = Schema.Struct({
  calendar_id: Schema.Int,
  operator_id: Schema.Int,
  property_id: Schema.Int,
  url: Schema.String,
  state: CalendarState,
  fetched_at: Schema.NullOr(Instant),
  error: Schema.NullOr(Schema.String),
  feed_id: Schema.NullOr(Schema.Int),
  feed_token: Schema.NullOr(Schema.String)
})
export type KeptCalendar = typeof KeptCalendar.Type

/** The same as its host sees it. */
export interface ImportedCalendar extends Omit<KeptCalendar, "url" | "feed_id" | "feed_token"> {
  /** Null: it does not open. */
  readonly url: string | null
  /** What its source reads to know what is busy here, whose token may not open either; undefined: none was made yet. */
  readonly feed: { readonly token: string | undefined } | undefined
}

/** What there is to be said of a calendar that was read. */
export interface Applicable {
  /** The days it says are busy, from `first` to `last`, in order. */
  readonly days: ReadonlyArray<string>
  readonly first: string
  readonly last: string
  /** What of it cannot be read. */
  readonly remark: string | undefined
  readonly etag: string | null
  readonly last_modified: string | null
  readonly digest: string
}
