import { Context } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Conflict } from "../../contract/errors.ts"
import { QUEUED_LISTING_PUSHES_MAX } from "../../platform/limits.ts"

/** Queues base prices for a listing whose mapping or ratio changes, in the statement that changes it. */
export class MappingPricePushes extends Context.Service<
  MappingPricePushes,
  {
    /**
     * Returns CTEs that compare the CTEs `before` and `after` and queue the pushes. Each of the two has at most one row
     * of `listings`. The last CTE is `queue_check` with one row. If its `is_full` is true, the caller must roll back.
     */
    readonly queuePushesSql: (sql: SqlClient, now: Date) => Fragment
  }
>()("latchkey/domain/listings/MappingPricePushes") {}

export const PUSH_RETRY_SECONDS = 60

export const listingQueueFullError = new Conflict({
  message: `listing_id: ${QUEUED_LISTING_PUSHES_MAX} changes of this listing are already queued for its channel; try again later.`,
  retryAfter: PUSH_RETRY_SECONDS
})

/** For a change of `field` that affects several mapped listings. */
export const makeMappedQueueFullError = (field: string) =>
  new Conflict({
    message: `${field}: ${QUEUED_LISTING_PUSHES_MAX} changes of a mapped listing are already queued; try again later.`,
    retryAfter: PUSH_RETRY_SECONDS
  })
