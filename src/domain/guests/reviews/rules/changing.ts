import { Equal } from "effect"
import { Conflict } from "../../../../contract/errors.ts"
import { asRead } from "../../../../platform/database/optimistic.ts"
import { REVIEW_CHANGE_ATTEMPTS } from "../../../../platform/limits.ts"
import type { Written } from "../review.ts"

/** Whether two records show the same. */
export const showsTheSame = (one: Written, other: Written): boolean => Equal.equals(one, other)

const busy = new Conflict({ message: "Other requests are changing the review at the same time; try again." })

/** Works out a record again, for as long as it changes between reading and writing. */
export const unlessReviewChanges = asRead(REVIEW_CHANGE_ATTEMPTS, busy)
