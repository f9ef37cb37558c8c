import { Schema } from "effect"

// What guest and host say of each other: one record an order (contract facts 5.1). A part nobody wrote yet is null.

export const SubScore = Schema.Struct({
  category: Schema.String,
  rating: Schema.Finite.annotateKey({ description: "As the channel counts: to 5, or to 10." }),
  review_category_tags: Schema.NullOr(Schema.Array(Schema.String))
})
export type SubScore = typeof SubScore.Type

/** What one side wrote. */
export const OneReview = Schema.Struct({
  score: Schema.NullOr(Schema.Finite).annotateKey({
    description: "0 to 5, whatever the channel counts in; null where none was given."
  }),
  sub_score: Schema.NullOr(Schema.Array(SubScore)),
  content: Schema.String.annotateKey({ description: "Empty where only a score was given." }),
  created_at: Schema.String.annotateKey({ description: "ISO 8601 with the offset `+00:00`." })
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
