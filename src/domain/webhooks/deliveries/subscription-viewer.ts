import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Caller } from "../../../contract/caller.ts"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"

/**
 * Which webhook subscriptions a caller may see and pause. A main account: all of its operator. A sub-account: those that it created. An
 * application: only those that it created for the account.
 */
export interface SubscriptionViewer {
  readonly operatorId: number
  /** Undefined: the subscriptions of all accounts. */
  readonly accountId: number | undefined
  /** Undefined: the subscriptions of all applications. */
  readonly application: string | undefined
}

export const toSubscriptionViewer = ({ operatorId, accountId, role, application }: Caller): SubscriptionViewer => ({
  operatorId,
  accountId: role === "main" ? undefined : accountId,
  application: application ?? undefined
})

/** Returns the SQL condition that a subscription `s` is not deleted and the viewer may see it. */
export const viewerCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, accountId, application }: SubscriptionViewer
): Fragment => sql`
  s.operator_id = ${operatorId} AND s.deleted_at IS NULL
    ${accountId === undefined ? sql`` : sql`AND s.account_id = ${accountId}`}
    ${application === undefined ? sql`` : sql`AND s.application IS NOT DISTINCT FROM ${application}::text`}`

const readVisibility = makeOptionalRowReader(Schema.Struct({ visible: Schema.Boolean }))

/** Returns whether the viewer may see the subscription with the id, or undefined if the operator has no such subscription. */
export const makeVisibilityQuery = (sql: SqlClient.SqlClient) => (viewer: SubscriptionViewer, id: number) =>
  Effect.map(
    readVisibility(sql`
      SELECT ${viewerCondition(sql, viewer)} AS visible FROM webhook_subscriptions s
      WHERE s.operator_id = ${viewer.operatorId} AND s.id = ${id} AND s.deleted_at IS NULL`),
    (row) => row?.visible
  )

export const webhookNotFoundError = new NotFound({ message: "id: no such webhook." })
const hiddenWebhookError = new Forbidden({
  message: "id: only the main account, or the account and application that made this webhook, may do this."
})

/** Fails with 404 if `isVisible` (the result of {@link makeVisibilityQuery}) is undefined, and with 403 if it is false. */
export const failUnlessVisible = (isVisible: boolean | undefined): Effect.Effect<void, NotFound | Forbidden> => {
  if (isVisible === undefined) return Effect.fail(webhookNotFoundError)
  return isVisible ? Effect.void : Effect.fail(hiddenWebhookError)
}
