import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Caller } from "../../../contract/caller.ts"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"

/**
 * A main account sees all subscriptions of its operator. A sub-account and an application see only those they created.
 * Undefined fields do not restrict the view.
 */
export interface SubscriptionViewer {
  readonly operatorId: number
  readonly accountId: number | undefined
  readonly application: string | undefined
}

export const toSubscriptionViewer = ({ operatorId, accountId, role, application }: Caller): SubscriptionViewer => ({
  operatorId,
  accountId: role === "main" ? undefined : accountId,
  application: application ?? undefined
})

export const viewerCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, accountId, application }: SubscriptionViewer
): Fragment => sql`
  s.operator_id = ${operatorId} AND s.deleted_at IS NULL
    ${accountId === undefined ? sql`` : sql`AND s.account_id = ${accountId}`}
    ${application === undefined ? sql`` : sql`AND s.application IS NOT DISTINCT FROM ${application}::text`}`

const readVisibility = makeOptionalRowReader(Schema.Struct({ visible: Schema.Boolean }))

/** Returns undefined if there is no such subscription. */
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

/** Undefined means that there is no such webhook. */
export const failUnlessVisible = (isVisible: boolean | undefined): Effect.Effect<void, NotFound | Forbidden> => {
  if (isVisible === undefined) return Effect.fail(webhookNotFoundError)
  return isVisible ? Effect.void : Effect.fail(hiddenWebhookError)
}
