import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { PAUSED_BY_HOST } from "./subscription-statements.ts"

/**
 * Selects `operator_id`, `record` (the id) and `event_key` of webhooks that are in cooldown, or that the service has paused,
 * of the operators that `operators` selects. The key changes when a new failing period or a pause begins.
 */
export const failingWebhooksSql = (sql: SqlClient, operators: Fragment): Fragment => sql`
  SELECT s.operator_id, s.id::text AS record,
    s.id || ':' || (s.health ->> 'failingSince') || CASE WHEN s.paused_at IS NULL THEN ':failing' ELSE ':paused' END AS event_key
  FROM webhook_subscriptions s
  WHERE s.operator_id IN (${operators}) AND s.deleted_at IS NULL
    AND s.health ->> 'state' IN ('resting', 'probing', 'paused') AND s.paused_reason IS DISTINCT FROM ${PAUSED_BY_HOST}`
