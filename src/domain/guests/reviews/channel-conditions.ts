import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { HOST_REVIEW_CHANNELS, REVIEWED_CHANNELS } from "./rules/review-support.ts"

const makeChannelCondition = (channels: ReadonlyArray<string>) => {
  const names = channels.map((channel) => `'${channel}'`).join(", ")
  return (sql: SqlClient, column: Fragment): Fragment => sql`${column} IN (${sql.literal(names)})`
}

export const reviewedChannelCondition = makeChannelCondition(REVIEWED_CHANNELS)

export const hostReviewChannelCondition = makeChannelCondition(HOST_REVIEW_CHANNELS)
