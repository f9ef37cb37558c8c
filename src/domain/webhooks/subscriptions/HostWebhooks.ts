import { Context, DateTime, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { runFormIdempotently } from "../../../changes/form-idempotency.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Caller } from "../../../contract/caller.ts"
import { type ApiError, Conflict, NotFound } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { readRowId } from "../../operator-rows.ts"
import { SubscriptionHealth } from "../deliveries/circuit-breaker.ts"
import { DeliveryLog } from "../deliveries/DeliveryLog.ts"
import { parseWebhookId } from "../deliveries/delivery-message.ts"
import { sealSecret } from "../deliveries/secret-sealing.ts"
import { generateSigningSecret, type SigningSecret } from "../deliveries/signature.ts"
import { pauseSubscriptionSql, rotateSecretSql } from "../deliveries/subscription-statements.ts"
import { SubscriptionRow } from "./store.ts"

/** A subscription as its host sees it. */
export const HostWebhook = Schema.Struct({
  ...SubscriptionRow.fields,
  health: SubscriptionHealth,
  /** What the host calls the application that made it; null: no application did, or its consent is forgotten. */
  connection: Schema.NullOr(Schema.String),
  /** Whose token or page made it; null: that was not kept then. */
  account_name: Schema.NullOr(Schema.String)
})
export type HostWebhook = typeof HostWebhook.Type

/** Who looks: a main account sees those of all accounts of its operator, another one its own. */
export type Viewer = Pick<Caller, "operatorId" | "accountId" | "role">

interface ViewerScope {
  readonly operatorId: number
  /** Undefined: of all accounts. */
  readonly accountId: number | undefined
}

interface WebhookScope extends ViewerScope {
  readonly id: number
}

interface PauseWebhookParameters extends WebhookScope {
  readonly now: Date
}

interface RotateSecretParameters extends PauseWebhookParameters {
  readonly secret: SigningSecret
}

const toViewerScope = ({ operatorId, accountId, role }: Viewer): ViewerScope => ({
  operatorId,
  accountId: role === "main" ? undefined : accountId
})

const readWebhooks = makeRowsReader(HostWebhook)
const readWebhook = makeOptionalRowReader(HostWebhook)

const viewerCondition = (sql: SqlClient.SqlClient, { operatorId, accountId }: Givens<ViewerScope>): Fragment => sql`
  s.operator_id = ${operatorId} AND s.deleted_at IS NULL
    ${accountId === undefined ? sql`` : sql`AND s.account_id = ${accountId}`}`

const webhookCondition = (sql: SqlClient.SqlClient, scope: Givens<WebhookScope>): Fragment =>
  sql`${viewerCondition(sql, scope)} AND s.id = ${scope.id}`

const selectWebhooks = (sql: SqlClient.SqlClient, condition: Fragment): Fragment => sql`
  SELECT s.id, s.url, s.events, s.application, s.paused_at, s.paused_reason, s.created_at, s.health, g.name AS connection,
    a.name AS account_name
  FROM webhook_subscriptions s
  LEFT JOIN oauth_grants g ON g.operator_id = s.operator_id AND g.id = s.grant_id
  LEFT JOIN accounts a ON a.operator_id = s.operator_id AND a.id = s.account_id
  WHERE ${condition} ORDER BY s.id`

const noSuchWebhook = new NotFound({ message: "There is no such webhook." })
/** 409 for a delivery that cannot be replayed. */
export const notReplayableError = new Conflict({ message: "delivery: is already queued, or was deleted by retention." })

const make = Effect.gen(function* () {
  const [sql, log, { wake }] = [yield* SqlClient.SqlClient, yield* DeliveryLog, yield* WakeUp]
  const sealer = yield* CurrentSealer
  const runOnce = runFormIdempotently(yield* IdempotencyKeys)
  const selectAllWebhooks = inForms(sql, (scope: Givens<ViewerScope>) =>
    selectWebhooks(sql, viewerCondition(sql, scope))
  )
  const selectOneWebhook = inForms(sql, (scope: Givens<WebhookScope>) =>
    selectWebhooks(sql, webhookCondition(sql, scope))
  )
  const pauseWebhook = prepareRecordedChange(sql, ({ now, ...scope }: Givens<PauseWebhookParameters>) => ({
    change: pauseSubscriptionSql(sql, webhookCondition(sql, scope), now),
    events: [],
    changedRecords: sql`SELECT operator_id, 'webhook:' || id AS record, '{status}'::text[] AS fields FROM paused`,
    outcome: sql`SELECT id FROM paused`
  }))
  const replaceSecret = prepareRecordedChange(sql, ({ secret, now, ...scope }: Givens<RotateSecretParameters>) => ({
    change: rotateSecretSql(sql, webhookCondition(sql, scope), secret, now),
    events: [],
    changedRecords: sql`SELECT operator_id, 'webhook:' || id AS record, '{secret}'::text[] AS fields FROM rotated`,
    outcome: sql`SELECT id FROM rotated`
  }))
  const rotateSecret = Effect.fnUntraced(function* (viewer: Viewer, id: number) {
    const [secret, now] = [yield* generateSigningSecret, yield* DateTime.nowAsDate]
    const sealedSecret = sealSecret(sealer, { operatorId: viewer.operatorId, id }, secret)
    const changedId = yield* readRowId(replaceSecret({ ...toViewerScope(viewer), id, secret: sealedSecret, now }))
    return changedId === undefined ? yield* noSuchWebhook : secret
  })
  const replayDelivery = Effect.fnUntraced(function* ({ operatorId }: Viewer, id: number, delivery: string) {
    const key = parseWebhookId(delivery)
    if (key === undefined) return yield* notReplayableError
    // `delivery` may name a delivery of another webhook, so the query also names this webhook.
    const filter = { key, operatorId, subscriptionId: id }
    const now = yield* DateTime.nowAsDate
    const count = yield* Effect.ensuring(log.replay(filter, now), wake)
    if (count === 0) return yield* notReplayableError
  })
  return HostWebhooks.of({
    list: (viewer) => readWebhooks(selectAllWebhooks(toViewerScope(viewer))),
    find: (viewer, id) => readWebhook(selectOneWebhook({ ...toViewerScope(viewer), id })),
    pause: Effect.fnUntraced(function* (viewer, id) {
      const now = yield* DateTime.nowAsDate
      return (yield* readRowId(pauseWebhook({ ...toViewerScope(viewer), id, now }))) !== undefined
    }),
    rotate: (caller, id, key) => runOnce(caller, { rotate: id }, key, rotateSecret(caller, id)),
    sendAgain: (caller, { id }, delivery, key) =>
      Effect.asVoid(runOnce(caller, { webhook: id, delivery }, key, replayDelivery(caller, id, delivery)))
  })
})

/** What the console shows hosts of their subscriptions, beside what the API does. Takes no place. */
export class HostWebhooks extends Context.Service<
  HostWebhooks,
  {
    /** As many as an operator may have; the oldest first. */
    readonly list: (viewer: Viewer) => Effect.Effect<ReadonlyArray<HostWebhook>>
    /** Undefined: the viewer has none of that id. */
    readonly find: (viewer: Viewer, id: number) => Effect.Effect<HostWebhook | undefined>
    /** Stops it until it is resumed; false: the viewer has none of that id, or it is paused already. */
    readonly pause: (viewer: Viewer, id: number) => Effect.Effect<boolean, never, CurrentActor>
    /**
     * Rotates the secret, as the API's PATCH does, but does not resume the webhook: a host who paused it because the secret leaked
     * may have more to do. Runs once per idempotency key. Returns none if an earlier call with the key rotated it, because the
     * secret cannot be shown again. Fails with NotFound if the viewer has no such webhook.
     */
    readonly rotate: (
      caller: Caller,
      id: number,
      key: string | undefined
    ) => Effect.Effect<Option.Option<SigningSecret>, ApiError, CurrentActor>
    /**
     * Queues one of its deliveries again, by `webhook-id`. The caller has checked that the viewer may see the webhook. Runs once per
     * idempotency key. Fails with Conflict if there is no such delivery or it is already queued.
     */
    readonly sendAgain: (
      caller: Caller,
      found: Pick<HostWebhook, "id">,
      delivery: string,
      key: string | undefined
    ) => Effect.Effect<void, ApiError, CurrentActor>
  }
>()("latchkey/domain/webhooks/subscriptions/HostWebhooks") {
  static readonly layer: Layer.Layer<HostWebhooks, never, SqlClient.SqlClient | DeliveryLog | WakeUp> = Layer.effect(
    HostWebhooks,
    make
  ).pipe(Layer.provide(IdempotencyKeys.layer))
}
