import { Schema } from "effect"

// One record per order (contract facts 5.1). Unwritten parts are null.

export const SubScore = Schema.Struct({
  category: Schema.String,
  rating: Schema.Finite.annotateKey({ description: "As the channel counts: to 5, or to 10." }),
  review_category_tags: Schema.NullOr(Schema.Array(Schema.String))
})
export type SubScore = typeof SubScore.Type

export const ReviewSide = Schema.Struct({
  score: Schema.NullOr(Schema.Finite).annotateKey({
    description: "0 to 5, whatever the channel counts in; null where none was given."
  }),
  sub_score: Schema.NullOr(Schema.Array(SubScore)),
  content: Schema.String.annotateKey({ description: "Empty where only a score was given." }),
  created_at: Schema.String.annotateKey({ description: "ISO 8601 with the offset `+00:00`." })
})
export type ReviewSide = typeof ReviewSide.Type

export const ReviewReply = Schema.Struct({ content: Schema.String, created_at: Schema.String })
export type ReviewReply = typeof ReviewReply.Type

export const ReviewContent = Schema.Struct({
  host_review: Schema.NullOr(ReviewSide),
  guest_review: Schema.NullOr(ReviewSide),
  host_reply: Schema.NullOr(ReviewReply)
})
export type ReviewContent = typeof ReviewContent.Type

export const EMPTY_REVIEW: ReviewContent = { host_review: null, guest_review: null, host_reply: null }
