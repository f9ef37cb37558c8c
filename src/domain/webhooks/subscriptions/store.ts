import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedIn } from "../../../changes/on-record.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { Lease } from "../../../jobs/lease.ts"
import { rowIfAnyUnless } from "../../../platform/database/constraints.ts"
import { drawnId } from "../../../platform/database/drawn-id.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { Sealing, type Seals } from "../../../platform/sealing/Sealing.ts"
import { type OwnRow, readIdentity } from "../../own-row.ts"
import { resuming } from "../deliveries/resuming.ts"
import { sealedReceiver, sealedSecret, sealedSubscription } from "../deliveries/sealing-secrets.ts"
import {
  type ByConsent,
  changedSettings,
  changing,
  type DrawnSubscription,
  holdingGrant,
  isGranted,
  type Maker,
  type NewSubscription,
  type SubscriptionEdit,
  subscribing,
  unsubscribing
} from "../deliveries/subscriptions.ts"
import { Webhook } from "./contract.ts"

const { id, url, events, paused_reason } = Webhook.fields

/** As it is shown; no secret is part of it. */
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

/** Who calls, and so which subscriptions a change may be of: an application's are its own, a host's are all. */
export interface Changing extends ByConsent {
  /** Undefined: the host's own hand. */
  readonly application: string | undefined
}

const readRows = rowsOf(SubscriptionRow)
const readRow = rowOf(SubscriptionRow)
const readStanding = rowOf(Schema.Struct({ there: Schema.Boolean, granted: Schema.Boolean }))
const readCreated = rowIfAnyUnless(SubscriptionRow, ({ name, detail }) =>
  name === "webhook_limit"
    ? new ValidationFailed({ message: `webhook_limit: all ${detail} subscriptions are in use.` })
    : undefined
)

const columns = (sql: SqlClient.SqlClient): Fragment =>
  sql`id, url, events, application, paused_at, paused_reason, created_at`

interface Named extends Changing {
  readonly id: number
}

/** The subscription of that id, if the caller may change it and it has not been deleted. */
const owned = (sql: SqlClient.SqlClient, { operatorId, application, grantId, id }: Givens<Named>): Fragment => sql`
  ${isGranted(sql, { grantId })} AND operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
    ${application === undefined ? sql`` : sql`AND application = ${application}::text`}`

const list = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<{ readonly operatorId: number }>) => sql`
      SELECT ${columns(sql)} FROM webhook_subscriptions
      WHERE operator_id = ${operatorId} AND deleted_at IS NULL ORDER BY id`
  )
  return (operatorId: number) => readRows(statement({ operatorId }))
}

interface Made extends Maker {
  readonly made: DrawnSubscription
  readonly now: Date
}

/** Fails when the operator has no room for another. Undefined: the consent that it comes by has ended. */
const create = (sql: SqlClient.SqlClient, seals: Seals) => {
  const statement = onRecordInForms(sql, ({ made, now, ...caller }: Givens<Made>) => ({
    change: subscribing(sql, caller, made, now),
    events: [],
    touched: touchedIn(sql, "webhook", "made"),
    outcome: sql`SELECT ${columns(sql)} FROM made`
  }))
  return ({ operatorId, accountId, application, grantId }: Maker, given: NewSubscription, now: Date) =>
    Effect.flatMap(drawnId(sql, "webhook_subscriptions"), (id) => {
      const made = { ...sealedSubscription(seals, { operatorId, id }, given), id }
      return readCreated(statement({ operatorId, accountId, application, grantId, made, now }))
    })
}

interface Edited extends Named, SubscriptionEdit {
  readonly now: Date
}

/** Changes and resumes; what waits for its next try goes at once. Undefined: none that the caller may change. */
const update = (sql: SqlClient.SqlClient, leaseMs: number, seals: Seals) => {
  const statement = onRecordInForms(sql, ({ now, receiver, events, secret, ...named }: Givens<Edited>) => ({
    change: sql`
      ${holdingGrant(sql, named)}
      ${changing(sql, named.operatorId, owned(sql, named), { receiver, events, secret }, now)},
      resumed AS (${resuming(sql, now, leaseMs)})`,
    events: [],
    touched: changedSettings(sql),
    outcome: sql`SELECT ${columns(sql)} FROM changed`
  }))
  return ({ operatorId, application, grantId }: Changing, id: number, edit: SubscriptionEdit, now: Date) => {
    const { events } = edit
    const receiver = edit.receiver === undefined ? undefined : sealedReceiver(seals, operatorId, edit.receiver)
    const secret = edit.secret === undefined ? undefined : sealedSecret(seals, { operatorId, id }, edit.secret)
    return readRow(statement({ operatorId, application, grantId, id, receiver, events, secret, now }))
  }
}

/** Undefined: none that the caller may change. */
const remove = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ now, ...named }: Givens<Named & { readonly now: Date }>) => ({
    change: sql`${holdingGrant(sql, named)} ${unsubscribing(sql, owned(sql, named), now)}`,
    events: [],
    touched: touchedIn(sql, "webhook", "ended"),
    outcome: sql`SELECT id FROM ended`
  }))
  return ({ operatorId, application, grantId }: Changing, id: number, now: Date) =>
    readIdentity(statement({ operatorId, application, grantId, id, now }))
}

/** Why nothing was changed: whether the operator has a subscription of that id, whoever made it, and whether the consent stands. */
const standing = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, grantId, id }: Givens<ByConsent & OwnRow>) => sql`
      SELECT
        EXISTS (SELECT FROM webhook_subscriptions
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL) AS there,
        ${
          grantId === undefined
            ? sql`true`
            : sql`EXISTS (SELECT FROM oauth_grants
                WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL)`
        } AS granted`
  )
  return ({ operatorId, grantId }: ByConsent, id: number) => readStanding(statement({ operatorId, grantId, id }))
}

/** How the family reads and changes webhook subscriptions; the statements that write are src/domain/webhooks/deliveries/subscriptions.ts. */
export class WebhookStore extends Context.Service<WebhookStore>()("latchkey/resources/WebhookStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [leaseMs, seals] = [yield* Lease, yield* Sealing]
    return {
      list: list(sql),
      create: create(sql, seals),
      update: update(sql, leaseMs, seals),
      remove: remove(sql),
      standing: standing(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(WebhookStore, WebhookStore.make)
}
