import { Equal } from "effect"
import { Conflict } from "../../../../contract/errors.ts"
import { retryOptimistically } from "../../../../platform/database/optimistic-retry.ts"
import { REVIEW_CHANGE_ATTEMPTS } from "../../../../platform/limits.ts"
import type { ReviewContent } from "../review.ts"

export const isSameReviewContent = (one: ReviewContent, other: ReviewContent): boolean => Equal.equals(one, other)

const reviewBusyError = new Conflict({ message: "Other requests are changing the review at the same time; try again." })

export const retryWhileReviewChanges = retryOptimistically(REVIEW_CHANGE_ATTEMPTS, reviewBusyError)
