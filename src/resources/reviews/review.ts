import { Schema } from "effect"

// What guest and host say of each other: one record an order (contract facts 5.1). A part nobody wrote yet is null.

export const SubScore = Schema.Struct({
  category: Schema.String,
  /** As the channel counts: to 5, or to 10. */
  rating: Schema.Finite,
  review_category_tags: Schema.NullOr(Schema.Array(Schema.String))
})
export type SubScore = typeof SubScore.Type

/** What one side wrote. */
export const OneReview = Schema.Struct({
  /** 0 to 5, whatever the channel counts in; null where none was given. */
  score: Schema.NullOr(Schema.Finite),
  sub_score: Schema.NullOr(Schema.Array(SubScore)),
  /** Empty where only a score was given. */
  content: Schema.String,
  /** ISO 8601 with the offset `+00:00`. */
  created_at: Schema.String
})
export type OneReview = typeof OneReview.Type

export const Reply = Schema.Struct({ content: Schema.String, created_at: Schema.String })
export type Reply = typeof Reply.Type

/** All that was written. */
export const Written = Schema.Struct({
  host_review: Schema.NullOr(OneReview),
  guest_review: Schema.NullOr(OneReview),
  host_reply: Schema.NullOr(Reply)
})
export type Written = typeof Written.Type

export const NOTHING_WRITTEN: Written = { host_review: null, guest_review: null, host_reply: null }
