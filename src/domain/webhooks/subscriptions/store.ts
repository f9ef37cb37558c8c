import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { LeaseDuration } from "../../../jobs/lease.ts"
import { makeOptionalRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { reserveId } from "../../../platform/database/reserved-id.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { CurrentSealer, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import type { RowId } from "../../column-schemas.ts"
import { type GrantKey, grantActiveCondition, grantNotEndedCondition, lockGrantSql } from "../../connection-grants.ts"
import { readRowId } from "../../operator-rows.ts"
import { resumeDeliveriesSql } from "../deliveries/delivery-resumption.ts"
import { sealReceiver, sealSecret, sealSubscription } from "../deliveries/secret-sealing.ts"
import type { SigningSecret } from "../deliveries/signature.ts"
import {
  changedSettingsSql,
  createSubscriptionSql,
  deleteSubscriptionSql,
  type NewSubscription,
  pauseSubscriptionSql,
  rotateSecretSql,
  type SubscriptionCreator,
  type SubscriptionEdit,
  updateSubscriptionSql
} from "../deliveries/subscription-statements.ts"
import { makeVisibilityQuery, type SubscriptionViewer, viewerCondition } from "../deliveries/subscription-viewer.ts"
import { Webhook } from "./contract.ts"

const { id, url, events, paused_reason } = Webhook.fields

export const SubscriptionRow = Schema.Struct({
  id,
  url,
  events,
  application: Schema.NullOr(Schema.String),
  paused_at: Schema.NullOr(Schema.Date),
  paused_reason,
  created_at: Schema.Date
})
export type SubscriptionRow = typeof SubscriptionRow.Type

export interface WebhookChangeScope extends GrantKey {
  readonly application: string | undefined
}

const readSubscriptions = makeRowsReader(SubscriptionRow)
const readSubscription = makeOptionalRowReader(SubscriptionRow)
const WebhookAccess = Schema.Struct({ there: Schema.Boolean, granted: Schema.Boolean })
type WebhookAccess = typeof WebhookAccess.Type

const readAccess = makeOptionalRowReader(WebhookAccess)
const readCreatedSubscription = makeOptionalRowReaderOrFail(SubscriptionRow, ({ name, detail }) =>
  name === "webhook_limit" ? toWebhookLimitError(detail) : undefined
)

export const toWebhookLimitError = (limit: number | string): ValidationFailed =>
  new ValidationFailed({ message: `webhook_limit: all ${limit} subscriptions are in use.` })

const subscriptionColumns = (sql: SqlClient.SqlClient): Fragment =>
  sql`id, url, events, application, paused_at, paused_reason, created_at`

interface ChangeableSubscriptionKey extends WebhookChangeScope {
  readonly id: number
}

const changeableCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, application, grantId, id }: ChangeableSubscriptionKey
): Fragment => sql`
  ${grantActiveCondition(sql, { grantId })} AND operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
    ${application === undefined ? sql`` : sql`AND application = ${application}::text`}`

const list = (sql: SqlClient.SqlClient) => (operatorId: number) =>
  readSubscriptions(sql`
      SELECT ${subscriptionColumns(sql)} FROM webhook_subscriptions
      WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND deleted_at IS NULL ORDER BY id`)

const create =
  (sql: SqlClient.SqlClient, sealer: SecretSealer) =>
  (creator: SubscriptionCreator, newSubscription: NewSubscription, now: Date) =>
    Effect.flatMap(reserveId(sql, "webhook_subscriptions"), (id) => {
      const subscription = { ...sealSubscription(sealer, { operatorId: creator.operatorId, id }, newSubscription), id }
      return readCreatedSubscription(
        recordChange(sql, {
          change: createSubscriptionSql(sql, creator, subscription, now),
          events: [],
          changedRecords: createdOrDeletedRecordsSql(sql, "webhook", "made"),
          outcome: sql`SELECT ${subscriptionColumns(sql)} FROM made`
        })
      )
    })

const update =
  (sql: SqlClient.SqlClient, leaseMs: number, sealer: SecretSealer) =>
  (scope: WebhookChangeScope, id: number, { events, ...edit }: SubscriptionEdit, now: Date) => {
    const { operatorId } = scope
    const receiver = edit.receiver === undefined ? undefined : sealReceiver(sealer, operatorId, edit.receiver)
    const secret = edit.secret === undefined ? undefined : sealSecret(sealer, { operatorId, id }, edit.secret)
    return readSubscription(
      recordChange(sql, {
        change: sql`
          ${lockGrantSql(sql, scope)}
          ${updateSubscriptionSql(sql, operatorId, changeableCondition(sql, { ...scope, id }), { receiver, events, secret }, now)},
          resumed AS (${resumeDeliveriesSql(sql, now, leaseMs)})`,
        events: [],
        changedRecords: changedSettingsSql(sql),
        outcome: sql`SELECT ${subscriptionColumns(sql)} FROM changed`
      })
    )
  }

const remove = (sql: SqlClient.SqlClient) => (scope: WebhookChangeScope, id: number, now: Date) =>
  readRowId(
    recordChange(sql, {
      change: sql`${lockGrantSql(sql, scope)} ${deleteSubscriptionSql(sql, changeableCondition(sql, { ...scope, id }), now)}`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "webhook", "ended"),
      outcome: sql`SELECT id FROM ended`
    })
  )

interface VisibleSubscription extends SubscriptionViewer {
  readonly id: number
  readonly now: Date
}

const visibleCondition = (sql: SqlClient.SqlClient, { id, ...viewer }: Omit<VisibleSubscription, "now">): Fragment =>
  sql`${viewerCondition(sql, viewer)} AND s.id = ${id}`

const pause = (sql: SqlClient.SqlClient) => (viewer: SubscriptionViewer, id: number, now: Date) =>
  readSubscription(
    recordChange(sql, {
      change: pauseSubscriptionSql(sql, visibleCondition(sql, { ...viewer, id }), now),
      events: [],
      changedRecords: sql`SELECT operator_id, 'webhook:' || id AS record, '{status}'::text[] AS fields FROM paused`,
      outcome: sql`SELECT ${subscriptionColumns(sql)} FROM paused`
    })
  )

const rotateSecret =
  (sql: SqlClient.SqlClient, sealer: SecretSealer) =>
  (viewer: SubscriptionViewer, id: number, secret: SigningSecret, now: Date) => {
    const sealedSecret = sealSecret(sealer, { operatorId: viewer.operatorId, id }, secret)
    return readSubscription(
      recordChange(sql, {
        change: rotateSecretSql(sql, visibleCondition(sql, { ...viewer, id }), sealedSecret, now),
        events: [],
        changedRecords: sql`SELECT operator_id, 'webhook:' || id AS record, '{secret}'::text[] AS fields FROM rotated`,
        outcome: sql`SELECT ${subscriptionColumns(sql)} FROM rotated`
      })
    )
  }

const findAccess =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, grantId }: GrantKey, id: number) =>
    readAccess(sql`
      SELECT
        EXISTS (SELECT FROM webhook_subscriptions
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL) AS there,
        ${grantNotEndedCondition(sql, { operatorId, grantId })} AS granted`)

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    readonly list: (operatorId: number) => Effect.Effect<ReadonlyArray<SubscriptionRow>>
    /** Returns undefined if the grant has ended. */
    readonly create: (
      creator: SubscriptionCreator,
      subscription: NewSubscription,
      now: Date
    ) => Effect.Effect<SubscriptionRow | undefined, ValidationFailed, CurrentActor>
    /** Also resumes the subscription. Returns undefined if the caller may change no such subscription. */
    readonly update: (
      scope: WebhookChangeScope,
      id: number,
      edit: SubscriptionEdit,
      now: Date
    ) => Effect.Effect<SubscriptionRow | undefined, never, CurrentActor>
    readonly remove: (
      scope: WebhookChangeScope,
      id: number,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    /** Returns undefined if the viewer sees no such subscription, or if it is already paused. */
    readonly pause: (
      viewer: SubscriptionViewer,
      id: number,
      now: Date
    ) => Effect.Effect<SubscriptionRow | undefined, never, CurrentActor>
    /** Does not resume a paused subscription. */
    readonly rotateSecret: (
      viewer: SubscriptionViewer,
      id: number,
      secret: SigningSecret,
      now: Date
    ) => Effect.Effect<SubscriptionRow | undefined, never, CurrentActor>
    readonly isVisible: (viewer: SubscriptionViewer, id: number) => Effect.Effect<boolean | undefined>
    /** `granted` is false if the OAuth grant of the call has ended. */
    readonly findAccess: (key: GrantKey, id: number) => Effect.Effect<WebhookAccess | undefined>
  }
>()("latchkey/domain/webhooks/subscriptions/WebhookStore") {
  static readonly layer = Layer.effect(
    WebhookStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [leaseMs, seals] = [yield* LeaseDuration, yield* CurrentSealer]
      return {
        list: list(sql),
        create: create(sql, seals),
        update: update(sql, leaseMs, seals),
        remove: remove(sql),
        pause: pause(sql),
        rotateSecret: rotateSecret(sql, seals),
        isVisible: makeVisibilityQuery(sql),
        findAccess: findAccess(sql)
      }
    })
  )
}
