import { Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { EventName } from "../../../jobs/events/event-statements.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { WEBHOOK_SECRET_OVERLAP_MS } from "../../../platform/limits.ts"
import { type GrantKey, grantActiveCondition, lockGrantSql } from "../../connection-grants.ts"
import { HEALTHY_STATE, makePausedHealth, type SubscriptionHealth } from "./circuit-breaker.ts"
import type { SubscriptionAddress } from "./delivery.ts"
import type { SigningSecret } from "./signature.ts"

// A deleted subscription keeps its row until its last delivery is deleted.

/**
 * The most earlier events that a new subscription excludes. They were queued but not yet dispatched when it was
 * created.
 */
export const MAX_OLDER_EVENTS = 1_000

// These statements expect sealed secrets (secret-sealing.ts).

/** `secretToken` is ignored if the URL already has one. */
export interface WebhookReceiver {
  readonly url: string
  readonly secretToken: Redacted.Redacted<string>
}

export interface NewSubscription extends WebhookReceiver {
  readonly events: ReadonlyArray<EventName>
  readonly secret: SigningSecret
}

/** Sealing binds the secret to the id, so the id must be known before. */
interface NewSubscriptionWithId extends NewSubscription {
  readonly id: number
}

/** Undefined fields stay unchanged. */
export interface SubscriptionEdit {
  readonly receiver: WebhookReceiver | undefined
  readonly events: ReadonlyArray<EventName> | undefined
  readonly secret: SigningSecret | undefined
}

/** Returns the URL's existing token, if any. Inserts nothing if `source` selects no row. */
const upsertReceiverSql = (
  sql: SqlClient,
  operatorId: number,
  receiver: WebhookReceiver,
  now: Date,
  source: Fragment = sql``
): Fragment => sql`
  INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at)
  SELECT ${operatorId}::bigint, ${receiver.url}::text,
    ${Redacted.value(receiver.secretToken)}::text, ${now}::timestamptz ${source}
  ON CONFLICT (operator_id, url) DO UPDATE SET url = excluded.url
  RETURNING url, secret_token`

export interface SubscriptionCreator extends GrantKey {
  readonly accountId: number
  readonly application: string | null
}

/**
 * The CTE `made` is empty if the caller's grant has ended. Beyond the operator's limit, the check `webhook_limit`
 * fails.
 */
export const createSubscriptionSql = (
  sql: SqlClient,
  { operatorId, accountId, application, grantId }: SubscriptionCreator,
  subscription: NewSubscriptionWithId,
  now: Date
): Fragment => sql`
  ${lockGrantSql(sql, { operatorId, grantId })}
  receiver AS (${upsertReceiverSql(sql, operatorId, subscription, now, sql`WHERE ${grantActiveCondition(sql, { grantId })}`)}),
  made AS (
    INSERT INTO webhook_subscriptions AS s (operator_id, id, url, secret_token, events, application, account_id, grant_id,
      secret, older_events, created_at, updated_at)
    OVERRIDING SYSTEM VALUE
    SELECT ${operatorId}, ${subscription.id}::bigint, receiver.url, receiver.secret_token, ${subscription.events}::text[], ${application},
      ${accountId}, ${grantId ?? null}::bigint, ${Redacted.value(subscription.secret)},
      ARRAY(SELECT id FROM events WHERE operator_id = ${operatorId} AND fanned_out_at IS NULL
        ORDER BY id DESC LIMIT ${MAX_OLDER_EVENTS}),
      ${now}, ${now}
    FROM receiver
    RETURNING s.*
  )`

/** Returns the CTEs `receiver`, `before` and `changed`. Also resets the health and ends a pause. */
export const updateSubscriptionSql = (
  sql: SqlClient,
  operatorId: number,
  condition: Fragment,
  { receiver, events, secret }: SubscriptionEdit,
  now: Date
): Fragment => sql`
  receiver AS (${
    receiver === undefined
      ? sql`SELECT NULL::text AS url, NULL::text AS secret_token`
      : upsertReceiverSql(sql, operatorId, receiver, now, sql`FROM webhook_subscriptions WHERE ${condition}`)
  }),
  before AS (
    SELECT * FROM webhook_subscriptions
    -- This count makes PostgreSQL lock the receiver before the subscription, as every change does.
    WHERE ${condition} AND (SELECT count(*) FROM receiver) >= 0
    FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE webhook_subscriptions s SET
      url = coalesce(receiver.url, s.url), secret_token = coalesce(receiver.secret_token, s.secret_token),
      events = coalesce(${events ?? null}::text[], s.events),
      ${secret === undefined ? sql`` : replaceSecretSql(sql, secret, now)}
      health = ${healthJsonSql(sql, HEALTHY_STATE)}, paused_at = NULL, paused_reason = NULL, updated_at = ${now}
    FROM receiver, before
    WHERE s.operator_id = before.operator_id AND s.id = before.id
    RETURNING s.*
  )`

/** Needs the CTEs of {@link updateSubscriptionSql}. */
export const changedSettingsSql = (sql: SqlClient): Fragment => sql`
  SELECT changed.operator_id, 'webhook:' || changed.id AS record,
    changed_fields(${settingsJsonSql(sql, "before")}, ${settingsJsonSql(sql, "changed")}) AS fields
  FROM before JOIN changed ON changed.operator_id = before.operator_id AND changed.id = before.id`

const settingsJsonSql = (sql: SqlClient, row: string): Fragment =>
  sql.literal(
    `jsonb_build_object('url', ${row}.url, 'events', ${row}.events, 'secret', ${row}.secret, 'status', ${row}.paused_at IS NULL)`
  )

const replaceSecretSql = (sql: SqlClient, secret: SigningSecret, now: Date): Fragment => {
  const until = new Date(now.getTime() + WEBHOOK_SECRET_OVERLAP_MS)
  return sql`former_secret = s.secret, former_secret_until = ${until}, secret = ${Redacted.value(secret)},`
}

/** Returns the CTE `rotated`. The health and a pause stay unchanged. */
export const rotateSecretSql = (sql: SqlClient, condition: Fragment, secret: SigningSecret, now: Date): Fragment => sql`
  rotated AS (
    UPDATE webhook_subscriptions s SET ${replaceSecretSql(sql, secret, now)} updated_at = ${now}
    WHERE ${condition} RETURNING s.*)`

export const PAUSED_BY_HOST = "Paused by the host."

/** Returns the CTE `paused`, which is empty if nothing changed. */
export const pauseSubscriptionSql = (sql: SqlClient, condition: Fragment, now: Date): Fragment => sql`
  paused AS (
    UPDATE webhook_subscriptions s SET
      health = ${jsonParameter(makePausedHealth(now.getTime()))}::jsonb, paused_at = ${now},
      paused_reason = ${PAUSED_BY_HOST}
    WHERE ${condition} AND s.paused_at IS NULL RETURNING s.*)`

export const deleteSubscriptionSql = (sql: SqlClient, condition: Fragment, now: Date): Fragment => sql`
  ended AS (UPDATE webhook_subscriptions SET deleted_at = ${now} WHERE ${condition} RETURNING operator_id, id)`

const healthJsonSql = (sql: SqlClient, health: SubscriptionHealth): Fragment => sql`${jsonParameter(health)}::jsonb`

export const subscriptionActiveCondition = (sql: SqlClient): Fragment => sql`health->>'state' IN ('healthy', 'failing')`

/** Compares the URL, because a failure at an earlier URL must not count. */
export const selectHealthSql = (
  sql: SqlClient,
  { operator_id, subscription_id, url }: SubscriptionAddress
): Fragment => sql`
  SELECT health FROM webhook_subscriptions
  WHERE operator_id = ${operator_id} AND id = ${subscription_id} AND url = ${url} AND deleted_at IS NULL`

/** Even a late success resets the health, but only the host can end a pause. */
export const healSubscriptionsSql = (sql: SqlClient, ctids: Fragment): Fragment => sql`
  UPDATE webhook_subscriptions s SET health = ${healthJsonSql(sql, HEALTHY_STATE)}
  WHERE s.ctid = ANY (ARRAY(${ctids})) AND s.health->>'state' NOT IN ('healthy', 'paused')`

export interface SubscriptionPause {
  readonly at: Date
  readonly reason: string
}

export const replaceHealthSql = (
  sql: SqlClient,
  { operator_id, subscription_id, url }: SubscriptionAddress,
  from: SubscriptionHealth,
  to: SubscriptionHealth,
  pause: SubscriptionPause | undefined
): Fragment => sql`
  UPDATE webhook_subscriptions SET health = ${healthJsonSql(sql, to)},
    paused_at = ${pause?.at ?? null}::timestamptz, paused_reason = ${pause?.reason ?? null}::text
  WHERE operator_id = ${operator_id} AND id = ${subscription_id} AND url = ${url} AND health = ${healthJsonSql(sql, from)}`

/** Needs the CTE `due` with `operator_id` and `id` of the subscription. */
export const replaceHealthOfDueSubscriptionSql = (
  sql: SqlClient,
  from: SubscriptionHealth,
  to: SubscriptionHealth
): Fragment => sql`
  UPDATE webhook_subscriptions s SET health = ${healthJsonSql(sql, to)}
  FROM due
  WHERE s.operator_id = due.operator_id AND s.id = due.id AND s.deleted_at IS NULL AND s.health = ${healthJsonSql(sql, from)}`

export const deleteOldSubscriptionsSql = (sql: SqlClient, cutoff: Date): Fragment => sql`
  DELETE FROM webhook_subscriptions s
  WHERE s.deleted_at <= ${cutoff} AND NOT EXISTS (
    SELECT FROM webhook_deliveries d WHERE d.operator_id = s.operator_id AND d.subscription_id = s.id)`
