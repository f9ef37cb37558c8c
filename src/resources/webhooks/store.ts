import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Lease } from "../../background/lease.ts"
import { onRecordInForms, touchedIn } from "../../changes/on-record.ts"
import { ValidationFailed } from "../../contract/errors.ts"
import { rowUnless } from "../../database/constraints.ts"
import { type Givens, inForms } from "../../database/forms.ts"
import { rowOf, rowsOf } from "../../database/rows.ts"
import { resuming } from "../../deliveries/resuming.ts"
import {
  changedSettings,
  changing,
  type NewSubscription,
  type SubscriptionEdit,
  subscribing,
  unsubscribing
} from "../../deliveries/subscriptions.ts"
import { type OwnRow, readIdentity } from "../own-row.ts"
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

/** Who calls: an operator's application, null for the console's tokens, which are one application together. */
export interface Application {
  readonly operatorId: number
  readonly application: string | null
}

const readRows = rowsOf(SubscriptionRow)
const readRow = rowOf(SubscriptionRow)
const readCreated = rowUnless(SubscriptionRow, ({ name, detail }) =>
  name === "webhook_limit"
    ? new ValidationFailed({ message: `webhook_limit: all ${detail} subscriptions are in use.` })
    : undefined
)

const columns = (sql: SqlClient.SqlClient): Fragment =>
  sql`id, url, events, application, paused_at, paused_reason, created_at`

interface Named extends Application {
  readonly id: number
}

/** The subscription of that id, if the application made it and has not deleted it. */
const owned = (sql: SqlClient.SqlClient, { operatorId, application, id }: Givens<Named>): Fragment => sql`
  operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
    AND application IS NOT DISTINCT FROM ${application}::text`

const list = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<{ readonly operatorId: number }>) => sql`
      SELECT ${columns(sql)} FROM webhook_subscriptions
      WHERE operator_id = ${operatorId} AND deleted_at IS NULL ORDER BY id`
  )
  return (operatorId: number) => readRows(statement({ operatorId }))
}

interface Made extends Application {
  readonly made: NewSubscription
  readonly now: Date
}

/** Fails when the operator has no room for another. */
const create = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ made, now, ...caller }: Givens<Made>) => ({
    change: subscribing(sql, caller, made, now),
    events: [],
    touched: touchedIn(sql, "webhook", "made"),
    outcome: sql`SELECT ${columns(sql)} FROM made`
  }))
  return ({ operatorId, application }: Application, made: NewSubscription, now: Date) =>
    readCreated(statement({ operatorId, application, made, now }))
}

interface Edited extends Named, SubscriptionEdit {
  readonly now: Date
}

/** Changes and resumes; what waits for its next try goes at once. Undefined: no such subscription of the application. */
const update = (sql: SqlClient.SqlClient, leaseMs: number) => {
  const statement = onRecordInForms(sql, ({ now, receiver, events, secret, ...named }: Givens<Edited>) => ({
    change: sql`
      ${changing(sql, named.operatorId, owned(sql, named), { receiver, events, secret }, now)},
      resumed AS (${resuming(sql, now, leaseMs)})`,
    events: [],
    touched: changedSettings(sql),
    outcome: sql`SELECT ${columns(sql)} FROM changed`
  }))
  return ({ operatorId, application }: Application, id: number, edit: SubscriptionEdit, now: Date) => {
    const { receiver, events, secret } = edit
    return readRow(statement({ operatorId, application, id, receiver, events, secret, now }))
  }
}

/** Undefined: no such subscription of the application. */
const remove = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ now, ...named }: Givens<Named & { readonly now: Date }>) => ({
    change: unsubscribing(sql, owned(sql, named), now),
    events: [],
    touched: touchedIn(sql, "webhook", "ended"),
    outcome: sql`SELECT id FROM ended`
  }))
  return ({ operatorId, application }: Application, id: number, now: Date) =>
    readIdentity(statement({ operatorId, application, id, now }))
}

/** Whether the operator has a subscription of that id, whichever application made it. */
const exists = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, id }: Givens<OwnRow>) => sql`
      SELECT id FROM webhook_subscriptions WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL`
  )
  return (operatorId: number, id: number) =>
    Effect.map(readIdentity(statement({ operatorId, id })), (row) => row !== undefined)
}

/** How the family reads and changes webhook subscriptions; the statements that write are src/deliveries/subscriptions.ts. */
export class WebhookStore extends Context.Service<WebhookStore>()("latchkey/resources/WebhookStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const leaseMs = yield* Lease
    return {
      list: list(sql),
      create: create(sql),
      update: update(sql, leaseMs),
      remove: remove(sql),
      exists: exists(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(WebhookStore, WebhookStore.make)
}
