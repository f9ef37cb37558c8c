import { Schema } from "effect"

// Each order has one record (contract facts 5.1). Unwritten parts are null.

export const SubScore = Schema.Struct({
  category: Schema.String.annotateKey({ documentation: "Category as the channel names it, such as `cleanliness`." }),
  rating: Schema.Finite.annotateKey({ documentation: "Rating on the channel's own scale, up to 5 or up to 10." }),
  review_category_tags: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    documentation: "Tags that the channel reports for the category, or null."
  })
})
export type SubScore = typeof SubScore.Type

export const ReviewSide = Schema.Struct({
  score: Schema.NullOr(Schema.Finite).annotateKey({
    documentation: "Score from 0 to 5 on every channel, with at most two decimals. Null for a review with a text only."
  }),
  sub_score: Schema.NullOr(Schema.Array(SubScore)).annotateKey({
    documentation: "Ratings by category, or null if there are none."
  }),
  content: Schema.String.annotateKey({ documentation: "Text of the review. Empty for a review with a score only." }),
  created_at: Schema.String.annotateKey({
    documentation: "Time of the review, ISO 8601 with the offset `+00:00`."
  })
})
export type ReviewSide = typeof ReviewSide.Type

export const ReviewReply = Schema.Struct({
  content: Schema.String.annotateKey({ documentation: "Text of the reply." }),
  created_at: Schema.String.annotateKey({ documentation: "Time of the reply, ISO 8601 with the offset `+00:00`." })
})
export type ReviewReply = typeof ReviewReply.Type

export const ReviewContent = Schema.Struct({
  host_review: Schema.NullOr(ReviewSide).annotateKey({
    documentation: "The host's review of the guest. Null until it is written."
  }),
  guest_review: Schema.NullOr(ReviewSide).annotateKey({
    documentation: "The guest's review of the stay. Null until it is written."
  }),
  host_reply: Schema.NullOr(ReviewReply).annotateKey({
    documentation: "The host's public reply to the guest's review. Null until it is written."
  })
})
export type ReviewContent = typeof ReviewContent.Type

export const EMPTY_REVIEW: ReviewContent = { host_review: null, guest_review: null, host_reply: null }
