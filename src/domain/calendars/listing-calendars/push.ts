import { Schema } from "effect"
import { claimedJobFields } from "../../../jobs/job-queue.ts"
import { Restrictions } from "../../channels/port/listing-days.ts"

const dateFields = { start_date: Schema.String, end_date: Schema.String }

const makePushContentSchema = <Kind extends string, Range extends Schema.Struct.Fields>(kind: Kind, range: Range) =>
  Schema.Struct({ kind: Schema.Literal(kind), ranges: Schema.Array(Schema.Struct({ ...dateFields, ...range })) })

const PushContent = Schema.Union([
  makePushContentSchema("prices", { price: Schema.Int }),
  makePushContentSchema("inventories", { inventory: Schema.Int }),
  makePushContentSchema("restrictions", Restrictions.fields),
  makePushContentSchema("availability", {})
])

export const ClaimedPush = Schema.Struct({
  ...claimedJobFields,
  listing_row: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  listing_id: Schema.String,
  /** Null for a calendar push (changed availability), which gets its row in `listing_pushes` when it is sent. */
  push_id: Schema.NullOr(Schema.Int),
  content: PushContent,
  /** Why a push of base prices is not sent: the listing or its account has changed since the prices were queued. */
  obsolete_reason: Schema.NullOr(Schema.String),
  /** Of the host, for a push of base prices. Null for other pushes. */
  time_zone: Schema.NullOr(Schema.String),
  traceparent: Schema.NullOr(Schema.String)
})
export type ClaimedPush = typeof ClaimedPush.Type

const DayRanges = Schema.Array(Schema.Struct(dateFields))

export const CalendarPushRow = Schema.Struct({
  push_id: Schema.Int,
  days: DayRanges,
  time_zone: Schema.String
})
export type CalendarPushRow = typeof CalendarPushRow.Type

export const InventoryRow = Schema.Struct({
  linked: Schema.Boolean,
  rooms: Schema.Int,
  unsellable: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
  said: DayRanges,
  untold: DayRanges
})

/** `ranges` are those that a calendar push has sent. Undefined keeps the stored ranges. */
export interface PushInProgress {
  readonly claimedPush: ClaimedPush
  readonly push_id: number
  readonly ranges: ReadonlyArray<PushSpan> | undefined
}

export type PushOutcome =
  /** The event `listing_calendar_updated` gets the days of `span`. */
  | { readonly end: "pushed"; readonly span: PushSpan }
  | { readonly end: "nothing"; readonly reason: string }
  /** `refused` is final: the channel would refuse the push again. `unserved`: no connector reaches the channel. */
  | { readonly end: "refused" | "unserved"; readonly reason: string }
  | { readonly end: "failed"; readonly reason: string }

export interface PushSpan {
  readonly start_date: string
  readonly end_date: string
}
