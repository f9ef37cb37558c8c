import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { SubscriptionHealth } from "../../../domain/webhooks/deliveries/circuit-breaker.ts"
import { makeListDeliveries } from "../../../domain/webhooks/deliveries/DeliveryLog.ts"
import {
  type SubscriptionViewer,
  toSubscriptionViewer,
  viewerCondition
} from "../../../domain/webhooks/deliveries/subscription-viewer.ts"
import { SubscriptionRow } from "../../../domain/webhooks/subscriptions/store.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"

export const WebhookDetails = Schema.Struct({
  ...SubscriptionRow.fields,
  health: SubscriptionHealth,
  /**
   * The application's name as the host knows it. Null for a webhook without an OAuth grant, or after its grant was
   * deleted.
   */
  connection: Schema.NullOr(Schema.String),
  /** Null if the account that created the webhook is unknown. */
  account_name: Schema.NullOr(Schema.String)
})
export type WebhookDetails = typeof WebhookDetails.Type

const readWebhooks = makeRowsReader(WebhookDetails)
const readWebhook = makeOptionalRowReader(WebhookDetails)

const selectWebhooks = (sql: SqlClient.SqlClient, condition: Fragment): Fragment => sql`
  SELECT s.id, s.url, s.events, s.application, s.paused_at, s.paused_reason, s.created_at, s.health, g.name AS connection,
    a.name AS account_name
  FROM webhook_subscriptions s
  LEFT JOIN oauth_grants g ON g.operator_id = s.operator_id AND g.id = s.grant_id
  LEFT JOIN accounts a ON a.operator_id = s.operator_id AND a.id = s.account_id
  WHERE ${condition} ORDER BY s.id`

export class Webhooks extends Context.Service<Webhooks>()("latchkey/transports/console/queries/Webhooks", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const selectOne = ({ id, ...viewer }: SubscriptionViewer & { readonly id: number }) =>
      sql`${selectWebhooks(sql, sql`${viewerCondition(sql, viewer)} AND s.id = ${id}`)}`
    const listDeliveries = makeListDeliveries(sql)
    return {
      list: CurrentCaller.use((caller) =>
        readWebhooks(sql`${selectWebhooks(sql, viewerCondition(sql, toSubscriptionViewer(caller)))}`)
      ),
      /** Returns undefined if the caller may not see the webhook. */
      find: (id: number) =>
        CurrentCaller.use((caller) => readWebhook(selectOne({ ...toSubscriptionViewer(caller), id }))),
      /**
       * Returns deliveries for events before `beforeEventId`, latest first. Returns none if the caller may not see the
       * webhook. Suspended operators may see them too.
       */
      deliveries: (
        { id, beforeEventId }: { readonly id: number; readonly beforeEventId: number | undefined },
        limit: number
      ) =>
        CurrentCaller.use((caller) =>
          listDeliveries({ viewer: toSubscriptionViewer(caller), subscriptionId: id, beforeEventId }, limit)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(Webhooks, Webhooks.make)
}
