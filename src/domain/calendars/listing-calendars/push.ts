import { Schema } from "effect"
import { Restrictions } from "../../channels/port/listing-days.ts"

// What a worker has in its hands: the first of what a listing's channel is still to be told, in the form it is kept in.

const dateFields = { start_date: Schema.String, end_date: Schema.String }

const makePushContentSchema = <Kind extends string, Range extends Schema.Struct.Fields>(kind: Kind, range: Range) =>
  Schema.Struct({ kind: Schema.Literal(kind), ranges: Schema.Array(Schema.Struct({ ...dateFields, ...range })) })

const PushContent = Schema.Union([
  makePushContentSchema("prices", { price: Schema.Int }),
  makePushContentSchema("inventories", { inventory: Schema.Int }),
  makePushContentSchema("restrictions", Restrictions.fields),
  makePushContentSchema("availability", {})
])

/** The lane of a listing, taken, and the first of its pushes. */
export const ClaimedPush = Schema.Struct({
  operator_id: Schema.Int,
  listing_row: Schema.Int,
  /** How often the lane was taken, this time included: no other worker has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this one. */
  failures: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  /** Null of the calendar's own: that is drawn up when it is told. */
  push_id: Schema.NullOr(Schema.Int),
  told: PushContent,
  /** The trace of the change it tells of; of the calendar's own, of the first that waited. */
  traceparent: Schema.NullOr(Schema.String)
})
export type ClaimedPush = typeof ClaimedPush.Type

const DayRanges = Schema.Array(Schema.Struct(dateFields))

/** The calendar's own push, drawn up. */
export const CalendarPushRow = Schema.Struct({
  push_id: Schema.Int,
  days: DayRanges,
  time_zone: Schema.String
})
export type CalendarPushRow = typeof CalendarPushRow.Type

/** The row of `readInventorySql` (calendar-push-statements.ts): what it says of a listing's days. */
export const InventoryRow = Schema.Struct({
  linked: Schema.Boolean,
  rooms: Schema.Int,
  unsellable: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
  said: DayRanges,
  untold: DayRanges
})

/** A push in a worker's hands, by its row, and what its channel was told of it if that was worked out in its hands. */
export interface PushInProgress {
  readonly claimedPush: ClaimedPush
  readonly push_id: number
  readonly ranges: ReadonlyArray<PushSpan> | undefined
}

/** How telling a channel ended. */
export type PushOutcome =
  /** It took it. The days it was told of are those an event tells. */
  | { readonly end: "pushed"; readonly span: PushSpan }
  /** There was nothing to tell it, for a reason. */
  | { readonly end: "nothing"; readonly reason: string }
  /** It said no, and would again; or, unserved, nothing here reaches it. */
  | { readonly end: "refused" | "unserved"; readonly reason: string }
  /** It could not be told, and may be later. */
  | { readonly end: "failed"; readonly reason: string }

export interface PushSpan {
  readonly start_date: string
  readonly end_date: string
}
