import type { ReviewStatus } from "../contract.ts"

/**
 * The status a search is narrowed by. One for a certain order finds its record whatever is pending, unless the caller names
 * a status; any other search finds the records of which nothing is pending.
 */
export const searchedStatus = (payload: {
  readonly reservation_code?: string
  readonly review_status?: ReviewStatus
}): ReviewStatus | "any" => payload.review_status ?? (payload.reservation_code === undefined ? "reviewed" : "any")
