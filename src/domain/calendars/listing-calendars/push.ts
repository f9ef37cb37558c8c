import { Schema } from "effect"
import { claimedJobFields } from "../../../jobs/job-queue.ts"
import { Restrictions } from "../../channels/port/listing-days.ts"

// A claimed push: the first pending change of a listing, as it is stored.

const dateFields = { start_date: Schema.String, end_date: Schema.String }

const makePushContentSchema = <Kind extends string, Range extends Schema.Struct.Fields>(kind: Kind, range: Range) =>
  Schema.Struct({ kind: Schema.Literal(kind), ranges: Schema.Array(Schema.Struct({ ...dateFields, ...range })) })

const PushContent = Schema.Union([
  makePushContentSchema("prices", { price: Schema.Int }),
  makePushContentSchema("inventories", { inventory: Schema.Int }),
  makePushContentSchema("restrictions", Restrictions.fields),
  makePushContentSchema("availability", {})
])

/** The first push of a claimed listing. */
export const ClaimedPush = Schema.Struct({
  ...claimedJobFields,
  listing_row: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  /** Null for the calendar's own push, which gets its row when it is sent. */
  push_id: Schema.NullOr(Schema.Int),
  content: PushContent,
  /** The trace of the change, or of the first pending change in the calendar's own push. */
  traceparent: Schema.NullOr(Schema.String)
})
export type ClaimedPush = typeof ClaimedPush.Type

const DayRanges = Schema.Array(Schema.Struct(dateFields))

/** The calendar's own push with its row. */
export const CalendarPushRow = Schema.Struct({
  push_id: Schema.Int,
  days: DayRanges,
  time_zone: Schema.String
})
export type CalendarPushRow = typeof CalendarPushRow.Type

/** The row of `readInventorySql` (calendar-push-statements.ts): the inventory of a listing's days. */
export const InventoryRow = Schema.Struct({
  linked: Schema.Boolean,
  rooms: Schema.Int,
  unsellable: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
  said: DayRanges,
  untold: DayRanges
})

/** A push in progress. `ranges`: the ranges that the worker computed and sent, if the push did not have them before. */
export interface PushInProgress {
  readonly claimedPush: ClaimedPush
  readonly push_id: number
  readonly ranges: ReadonlyArray<PushSpan> | undefined
}

/** The outcome of sending a push to a channel. */
export type PushOutcome =
  /** The channel accepted the push. The event has the days of `span`. */
  | { readonly end: "pushed"; readonly span: PushSpan }
  /** There was nothing to send. */
  | { readonly end: "nothing"; readonly reason: string }
  /** `refused`: the channel refused the push and would refuse it again. `unserved`: no connector reaches the channel. */
  | { readonly end: "refused" | "unserved"; readonly reason: string }
  /** The channel could not be reached. */
  | { readonly end: "failed"; readonly reason: string }

export interface PushSpan {
  readonly start_date: string
  readonly end_date: string
}
