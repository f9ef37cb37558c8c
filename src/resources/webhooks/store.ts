import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { ValidationFailed } from "../../contract/errors.ts"
import { rowUnless } from "../../database/constraints.ts"
import { jsonParameter } from "../../database/parameters.ts"
import { rowOf, rowsOf } from "../../database/rows.ts"
import { healthy } from "../../deliveries/breaker.ts"
import type { SigningSecret } from "../../deliveries/signature.ts"
import { EVENT_NAMES, type EventName } from "../../events/events.ts"
import {
  WEBHOOK_LEASE_MS,
  WEBHOOK_OLDER_EVENTS,
  WEBHOOK_RESUMED_ROWS,
  WEBHOOK_SECRET_OVERLAP_MS
} from "../../limits.ts"

const SubscriptionRow = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  events: Schema.Array(Schema.Literals(EVENT_NAMES)),
  application: Schema.NullOr(Schema.String),
  pausedAt: Schema.NullOr(Schema.Date),
  pausedReason: Schema.NullOr(Schema.String),
  createdAt: Schema.Date
})
export type SubscriptionRow = typeof SubscriptionRow.Type

/** Who calls: an operator's application, null for the console's tokens, which are one application together. */
export interface Application {
  readonly operatorId: number
  readonly application: string | null
}

/** What goes into a subscription; `secretToken` is kept only if the URL has none yet. */
export interface NewSubscription {
  readonly url: string
  readonly secretToken: Redacted.Redacted<string>
  readonly events: ReadonlyArray<EventName>
  readonly secret: SigningSecret
}

/** The columns a change sets; what is undefined stays. */
export interface SubscriptionEdit {
  readonly receiver: Pick<NewSubscription, "url" | "secretToken"> | undefined
  readonly events: ReadonlyArray<EventName> | undefined
  readonly secret: SigningSecret | undefined
}

const readRows = rowsOf(SubscriptionRow)
const readRow = rowOf(SubscriptionRow)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readCreated = rowUnless(SubscriptionRow, ({ name, detail }) =>
  name === "webhook_limit"
    ? new ValidationFailed({ message: `webhook_limit: all ${detail} subscriptions are in use.` })
    : undefined
)

/** The SQL of webhook subscriptions. A deleted one keeps its row until the last of its deliveries is cleared away. */
export class WebhookStore extends Context.Service<WebhookStore>()("latchkey/resources/WebhookStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const columns = sql`id, url, events, application, paused_at AS "pausedAt", paused_reason AS "pausedReason",
      created_at AS "createdAt"`

    const list = (operatorId: number) =>
      readRows(sql`
        SELECT ${columns} FROM webhook_subscriptions
        WHERE operator_id = ${operatorId} AND deleted_at IS NULL ORDER BY id`)

    /** Answers the URL's text: the one it has had before, if any. Nothing, and nothing kept, where `whose` is no row. */
    const receiving = (
      operatorId: number,
      { url, secretToken }: Pick<NewSubscription, "url" | "secretToken">,
      now: Date,
      whose: Fragment = sql``
    ): Fragment => sql`
      INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at)
      SELECT ${operatorId}::bigint, ${url}::text, ${Redacted.value(secretToken)}::text, ${now}::timestamptz ${whose}
      ON CONFLICT (operator_id, url) DO UPDATE SET url = excluded.url
      RETURNING url, secret_token`

    /** Fails when the operator has no room for another. */
    const create = ({ operatorId, application }: Application, made: NewSubscription, now: Date) =>
      readCreated(sql`
        WITH receiver AS (${receiving(operatorId, made, now)})
        INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, application, secret, older_events, created_at,
          updated_at)
        SELECT ${operatorId}, receiver.url, receiver.secret_token, ${made.events}::text[], ${application},
          ${Redacted.value(made.secret)},
          ARRAY(SELECT id FROM events WHERE operator_id = ${operatorId} AND fanned_out_at IS NULL
            ORDER BY id DESC LIMIT ${WEBHOOK_OLDER_EVENTS}),
          ${now}, ${now}
        FROM receiver
        RETURNING ${columns}`)

    const owned = ({ operatorId, application }: Application, id: number): Fragment => sql`
      operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
        AND application IS NOT DISTINCT FROM ${application}::text`

    /**
     * Changes and resumes; what waits for its next try goes at once, except what somebody has in hand: a worker that writes
     * down how it ended then asks for the subscription, and neither could go on. Undefined: no such subscription of the application.
     */
    const update = (caller: Application, id: number, edit: SubscriptionEdit, now: Date) => {
      const { receiver, events, secret } = edit
      const formerUntil = new Date(now.getTime() + WEBHOOK_SECRET_OVERLAP_MS)
      return readRow(sql`
        WITH receiver AS (${
          receiver === undefined
            ? sql`SELECT NULL::text AS url, NULL::text AS secret_token`
            : receiving(caller.operatorId, receiver, now, sql`FROM webhook_subscriptions WHERE ${owned(caller, id)}`)
        }),
        changed AS (
          UPDATE webhook_subscriptions s SET
            url = coalesce(receiver.url, s.url), secret_token = coalesce(receiver.secret_token, s.secret_token),
            events = coalesce(${events ?? null}::text[], s.events),
            ${
              secret === undefined
                ? sql``
                : sql`former_secret = s.secret, former_secret_until = ${formerUntil}, secret = ${Redacted.value(secret)},`
            }
            health = ${jsonParameter(healthy)}::jsonb, paused_at = NULL, paused_reason = NULL, updated_at = ${now}
          FROM receiver
          WHERE ${owned(caller, id)}
          RETURNING s.*
        ), resumed AS (
          UPDATE webhook_deliveries d SET due_at = ${now}
          FROM (
            SELECT w.operator_id, w.event_id, w.subscription_id
            FROM (
              SELECT l.operator_id, l.event_id, l.subscription_id FROM webhook_lanes l
              JOIN changed ON l.operator_id = changed.operator_id AND l.subscription_id = changed.id
              WHERE l.due_at > ${new Date(now.getTime() + WEBHOOK_LEASE_MS)} AND l.event_id > 0
              ORDER BY l.due_at LIMIT ${WEBHOOK_RESUMED_ROWS}
            ) head
            JOIN webhook_deliveries w ON w.operator_id = head.operator_id AND w.event_id = head.event_id
              AND w.subscription_id = head.subscription_id AND w.settled_at IS NULL
            FOR NO KEY UPDATE OF w SKIP LOCKED
          ) later
          WHERE d.operator_id = later.operator_id AND d.event_id = later.event_id
            AND d.subscription_id = later.subscription_id AND d.state = 'waiting'
        )
        SELECT ${columns} FROM changed`)
    }

    /** Undefined: no such subscription of the application. */
    const remove = (caller: Application, id: number, now: Date) =>
      readIdentity(sql`UPDATE webhook_subscriptions SET deleted_at = ${now} WHERE ${owned(caller, id)} RETURNING id`)

    /** Whether the operator has a subscription of that id, whichever application made it. */
    const exists = (operatorId: number, id: number) =>
      readIdentity(sql`
        SELECT id FROM webhook_subscriptions WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL`).pipe(
        Effect.map((row) => row !== undefined)
      )

    return { list, create, update, remove, exists }
  })
}) {
  static readonly layer = Layer.effect(WebhookStore, WebhookStore.make)
}
