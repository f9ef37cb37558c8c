import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { formatWebhookId } from "../../src/domain/webhooks/deliveries/delivery-message.ts"

/** The last two events were delivered to the webhook at the first try; answers what the later delivery is called. */
export const insertDeliveries = Effect.fnUntraced(function* (operatorId: number, webhookId: number) {
  const sql = yield* SqlClient.SqlClient
  const deliveries = yield* sql<{ event_id: number }>`
    WITH delivery AS (
      INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, state, due_at, attempts, settled_at)
      SELECT operator_id, id, ${webhookId}::bigint, record, 'delivered', now(), 1, now()
      FROM events WHERE operator_id = ${operatorId} ORDER BY id DESC LIMIT 2
      RETURNING operator_id, event_id, subscription_id
    ), attempt AS (
      INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status, first_bytes)
      SELECT d.operator_id, d.event_id, d.subscription_id, 1, e.queued_at, 12, 200, 'ok'
      FROM delivery d JOIN events e ON e.operator_id = d.operator_id AND e.id = d.event_id
    )
    SELECT max(event_id) AS event_id FROM delivery`
  return formatWebhookId({
    event_id: deliveries[0]?.event_id ?? assert.fail("deliveries is empty"),
    subscription_id: webhookId
  })
}, Effect.orDie)
