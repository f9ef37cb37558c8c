import { Schema } from "effect"
import { Conflict, NotFound, NotImplemented, Upstream } from "../../../contract/errors.ts"
import { CalendarDate, Id, Integer, RecordCode, textUpTo } from "../../../contract/fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { REVIEW_SEARCH_DAYS, REVIEW_TEXT_LENGTH } from "../../../platform/limits.ts"
import { ReviewContent } from "./review.ts"

// Specification, "Reviews"; contract facts 5.

export const Review = Schema.Struct({
  reservation_code: Schema.String.annotateKey({
    documentation: "Code of the reservation, which identifies the record."
  }),
  property_id: Schema.Int.annotateKey({
    documentation: "Property of the reservation's first stay. 0 while that stay is unassigned."
  }),
  channel_type: Schema.String.annotateKey({ documentation: "Channel of the reservation." }),
  listing_id: Schema.String.annotateKey({
    documentation: "Listing of the first stay, an id of the channel. Without a listing, `property_id` as text."
  }),
  check_in_date: Schema.String.annotateKey({
    documentation: "First check-in date of the reservation's stays, YYYY-MM-DD."
  }),
  check_out_date: Schema.String.annotateKey({
    documentation: "Last check-out date of the reservation's stays, YYYY-MM-DD."
  }),
  ...ReviewContent.fields
})
export type Review = typeof Review.Type

export const ReviewStatus = Schema.Literals(["pending_guest_review", "pending_host_review", "reviewed"])
export type ReviewStatus = typeof ReviewStatus.Type

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
  overall_rating: Schema.optionalKey(Score).annotateKey({
    documentation: "Overall rating of the guest, and the score if `host_review_score` is omitted."
  }),
  cleanliness: Schema.optionalKey(Score).annotateKey({
    documentation: "How clean the guest left the property, from 0 to 5."
  }),
  communication: Schema.optionalKey(Score).annotateKey({
    documentation: "How well the guest communicated, from 0 to 5."
  }),
  respect_of_house_rules: Schema.optionalKey(Score).annotateKey({
    documentation: "How well the guest kept the house rules, from 0 to 5."
  }),
  recommend: Schema.optionalKey(
    Integer.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "0 or 1" }))
  ).annotateKey({ documentation: "1 if the host recommends the guest, otherwise 0." })
})

const operation = defineFamily({ category: "reservation", since: "3.4.0", openWorld: true })

export const search_reviews = operation("search_reviews", {
  route: "GET /reviews",
  summary: "List reviews, one record per reservation",
  details: `The record of a reservation appears on the day of the last check-out, in the host's time zone, or earlier if its channel reports a review. It is empty at first. Reservations of \`direct\`, \`zhukeyun\`, \`tiktok\` and \`xiaohongshu\` have no record.

The two dates must be less than ${REVIEW_SEARCH_DAYS} days apart; otherwise the call returns 422. An unknown property returns 404.`,
  payload: {
    reservation_code: Schema.optionalKey(RecordCode).annotateKey({
      documentation:
        "Code of the reservation or of one of its stays. With it, `review_status` has no default. Neither have the dates, unless one of them is sent."
    }),
    property_id: Schema.optionalKey(Id).annotateKey({
      description: "Finds reservations with a stay in this property. From search_properties."
    }),
    review_status: Schema.optionalKey(ReviewStatus).annotateKey({
      documentation:
        "`pending_guest_review`: the guest has not written. `pending_host_review`: the host has not written, on `airbnb` or `ctrip`. `reviewed`: neither is pending. A record can be pending on both sides."
    }),
    start_check_out_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: `First check-out date, included. Default: ${REVIEW_SEARCH_DAYS - 1} days before \`end_check_out_date\`.`
    }),
    end_check_out_date: Schema.optionalKey(CalendarDate).annotateKey({
      description: "Last check-out date, included. Default: today in the host's time zone."
    }),
    ...pageFields
  },
  success: Schema.Struct({
    reviews: Schema.Array(Review).annotateKey({ documentation: "Records of the page, latest check-out first." }),
    total: PageTotal
  }),
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
  details: `Send a review (\`host_review_score\`, \`category_ratings.overall_rating\` or \`host_review_content\`), \`host_reply_content\`, or both. The channel publishes it before the call returns. After an interrupted call, send the same review again: the channel takes it once.

- Without a score and a text the call returns 400. Blank texts count as absent.
- \`category_ratings\` without a score or a text return 400.
- Before the day of check-out, in the host's time zone, the call returns 400.
- Channels other than \`airbnb\` and \`ctrip\` return 422. So does a reservation that is not accepted and has no record.
- A second review, a second reply, and a reply without a guest's review return 409.
- A refusal by the channel returns 409, or 422 if it names a field. A disconnected account returns 400.`,
  payload: {
    reservation_code: RecordCode.annotateKey({ description: "Code of the reservation, from search_reviews." }),
    host_review_score: Schema.optionalKey(Score).annotateKey({
      documentation: `Score of the guest, from 0 to ${MAX_SCORE} with at most two decimals. Default: \`category_ratings.overall_rating\`.`
    }),
    host_review_content: Schema.optionalKey(ReviewText).annotateKey({
      documentation: "Text of the published review of the guest."
    }),
    host_reply_content: Schema.optionalKey(ReviewText).annotateKey({
      documentation: "Text of the public reply to the guest's review."
    }),
    category_ratings: Schema.optionalKey(CategoryRatings).annotateKey({
      description: "Ratings of the guest by category. They take effect on `airbnb` only."
    })
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
