import { Schema } from "effect"
import { Conflict, NotFound, NotImplemented, Upstream } from "../../../contract/errors.ts"
import { CalendarDate, Id, Integer, RecordCode, textUpTo } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { REVIEW_SEARCH_DAYS, REVIEW_TEXT_LENGTH } from "../../../platform/limits.ts"
import { ReviewContent } from "./review.ts"

// What guests say of a stay, and hosts of a guest (specification, "Reviews"; contract facts 5).

export const Review = Schema.Struct({
  reservation_code: Schema.String,
  property_id: Schema.Int.annotateKey({ description: "Of the order's first stay; 0 while that is in no property." }),
  channel_type: Schema.String,
  listing_id: Schema.String,
  check_in_date: Schema.String.annotateKey({
    description: "Of the whole order: the first check-in and the last check-out of its stays."
  }),
  check_out_date: Schema.String,
  ...ReviewContent.fields
})
export type Review = typeof Review.Type

export const ReviewStatus = Schema.Literals(["pending_guest_review", "pending_host_review", "reviewed"])
export type ReviewStatus = typeof ReviewStatus.Type

/** Highest score, and its decimals: 4.5 stays 4.5. */
const MAX_SCORE = 5
const SCORE_DECIMALS = 2

const Score = Schema.Finite.check(
  Schema.makeFilter((score) => score >= 0 && score <= MAX_SCORE && Number(score.toFixed(SCORE_DECIMALS)) === score, {
    expected: `a number from 0 to ${MAX_SCORE} with at most ${SCORE_DECIMALS} decimals`,
    toJsonSchema: () => [{ minimum: 0, maximum: MAX_SCORE }, true]
  })
)

const ReviewText = textUpTo(REVIEW_TEXT_LENGTH)

const CategoryRatings = Schema.Struct({
  overall_rating: Schema.optionalKey(Score),
  cleanliness: Schema.optionalKey(Score),
  communication: Schema.optionalKey(Score),
  respect_of_house_rules: Schema.optionalKey(Score),
  recommend: Schema.optionalKey(Integer.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "0 or 1" })))
})

const operation = defineFamily({ category: "reservation", since: "3.4.0", openWorld: true })

export const search_reviews = operation("search_reviews", {
  route: "GET /reviews",
  summary: "List reviews, one record an order",
  payload: {
    reservation_code: Schema.optionalKey(RecordCode),
    property_id: Schema.optionalKey(Id),
    review_status: Schema.optionalKey(ReviewStatus),
    start_check_out_date: Schema.optionalKey(CalendarDate),
    end_check_out_date: Schema.optionalKey(CalendarDate),
    ...pageFields
  },
  success: Schema.Struct({ reviews: Schema.Array(Review), total: Schema.Int }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Lists reviews, latest check-out first. Without review_status: reviewed ones; with reservation_code: all. Dates: less than ${REVIEW_SEARCH_DAYS} days apart; by default up to today.`,
    ["What did guests say last month?", "Which guests have I not reviewed yet?"],
    false
  )
})

export const create_review = operation("create_review", {
  route: "POST /reviews/{reservation_code}",
  summary: "Review a guest, or reply to a guest's review",
  payload: {
    reservation_code: RecordCode,
    host_review_score: Schema.optionalKey(Score),
    host_review_content: Schema.optionalKey(ReviewText),
    host_reply_content: Schema.optionalKey(ReviewText),
    category_ratings: Schema.optionalKey(CategoryRatings)
  },
  success: Schema.Struct({}),
  errors: [NotFound, Conflict, NotImplemented, Upstream],
  exposure: toolMetadata(
    "Reviews a guest after check-out, replies to the guest's review, or both; airbnb and ctrip only. Published; cannot be changed. Codes: search_reviews.",
    ["Give the Lovelaces five stars", "Thank Ada for her review"],
    true,
    { destructive: true }
  )
})

export const ReviewOperations = { search_reviews, create_review }
