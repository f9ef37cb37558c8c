import { Equal } from "effect"
import { Conflict } from "../../../../contract/errors.ts"
import { retryOptimistically } from "../../../../platform/database/optimistic-retry.ts"
import { REVIEW_CHANGE_ATTEMPTS } from "../../../../platform/limits.ts"
import type { ReviewContent } from "../review.ts"

/** Whether two records show the same. */
export const isSameReviewContent = (one: ReviewContent, other: ReviewContent): boolean => Equal.equals(one, other)

const reviewBusyError = new Conflict({ message: "Other requests are changing the review at the same time; try again." })

/** Works out a record again, for as long as it changes between reading and writing. */
export const retryWhileReviewChanges = retryOptimistically(REVIEW_CHANGE_ATTEMPTS, reviewBusyError)
