import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Lease } from "../../background/lease.ts"
import { onRecord, touchedIn } from "../../changes/on-record.ts"
import { ValidationFailed } from "../../contract/errors.ts"
import { rowUnless } from "../../database/constraints.ts"
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
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readCreated = rowUnless(SubscriptionRow, ({ name, detail }) =>
  name === "webhook_limit"
    ? new ValidationFailed({ message: `webhook_limit: all ${detail} subscriptions are in use.` })
    : undefined
)

const columns = (sql: SqlClient.SqlClient): Fragment =>
  sql`id, url, events, application, paused_at, paused_reason, created_at`

/** The subscription of that id, if the application made it and has not deleted it. */
const owned = (sql: SqlClient.SqlClient, { operatorId, application }: Application, id: number): Fragment => sql`
  operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
    AND application IS NOT DISTINCT FROM ${application}::text`

/** How the family reads and changes webhook subscriptions; the statements that write are src/deliveries/subscriptions.ts. */
export class WebhookStore extends Context.Service<WebhookStore>()("latchkey/resources/WebhookStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const leaseMs = yield* Lease

    return {
      list: (operatorId: number) =>
        readRows(sql`
          SELECT ${columns(sql)} FROM webhook_subscriptions
          WHERE operator_id = ${operatorId} AND deleted_at IS NULL ORDER BY id`),

      /** Fails when the operator has no room for another. */
      create: (caller: Application, made: NewSubscription, now: Date) =>
        readCreated(
          onRecord(sql, {
            change: subscribing(sql, caller, made, now),
            events: [],
            touched: touchedIn(sql, "webhook", "made"),
            outcome: sql`SELECT ${columns(sql)} FROM made`
          })
        ),

      /**
       * Changes and resumes; what waits for its next try goes at once. Undefined: no such subscription of the
       * application.
       */
      update: (caller: Application, id: number, edit: SubscriptionEdit, now: Date) =>
        readRow(
          onRecord(sql, {
            change: sql`
              ${changing(sql, caller.operatorId, owned(sql, caller, id), edit, now)},
              resumed AS (${resuming(sql, { now, leaseMs })})`,
            events: [],
            touched: changedSettings(sql),
            outcome: sql`SELECT ${columns(sql)} FROM changed`
          })
        ),

      /** Undefined: no such subscription of the application. */
      remove: (caller: Application, id: number, now: Date) =>
        readIdentity(
          onRecord(sql, {
            change: unsubscribing(sql, owned(sql, caller, id), now),
            events: [],
            touched: touchedIn(sql, "webhook", "ended"),
            outcome: sql`SELECT id FROM ended`
          })
        ),

      /** Whether the operator has a subscription of that id, whichever application made it. */
      exists: (operatorId: number, id: number) =>
        readIdentity(sql`
          SELECT id FROM webhook_subscriptions WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL`).pipe(
          Effect.map((row) => row !== undefined)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(WebhookStore, WebhookStore.make)
}
