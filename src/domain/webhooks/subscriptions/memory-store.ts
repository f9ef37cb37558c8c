import { Effect, Layer } from "effect"
import {
  findRecord,
  listRecords,
  MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable
} from "../../../changes/memory/MemoryDatabase.ts"
import { createdOrDeletedRecord, recordMemoryChange } from "../../../changes/memory/memory-change.ts"
import { WEBHOOK_SUBSCRIPTION_LIMIT } from "../../../platform/limits.ts"
import { RowId } from "../../column-schemas.ts"
import { type NewSubscription, PAUSED_BY_HOST } from "../deliveries/subscription-statements.ts"
import type { SubscriptionViewer } from "../deliveries/subscription-viewer.ts"
import { SubscriptionRow, toWebhookLimitError, type WebhookChangeScope, WebhookStore } from "./store.ts"

interface SubscriptionRecord extends MemoryRecord, SubscriptionRow {
  readonly account_id: number
  readonly secret: NewSubscription["secret"]
}

const subscriptionRecords = makeMemoryTable<SubscriptionRecord>()

/** This store has no deliveries and no OAuth, so `granted` is always true. */
export const layerMemory: Layer.Layer<WebhookStore, never, MemoryDatabase> = Layer.effect(
  WebhookStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = subscriptionRecords(database)
    const findChangeable = ({ operatorId, application }: WebhookChangeScope, id: number) => {
      const subscription = findRecord(records, operatorId, id)
      return application === undefined || subscription?.application === application ? subscription : undefined
    }
    const findVisible = (viewer: SubscriptionViewer, id: number) => {
      const subscription = findRecord(records, viewer.operatorId, id)
      return subscription !== undefined && isVisible(subscription, viewer) ? subscription : undefined
    }
    const edit = (after: SubscriptionRecord, fields: ReadonlyArray<string>) => ({
      outcome: toRow(after),
      changedRecords: [{ record: `webhook:${after.id}`, fields }],
      write: () => records.set(after.id, after)
    })
    return {
      list: (operatorId) => Effect.sync(() => listRecords(records, operatorId).map(toRow)),

      create: ({ operatorId, accountId, application }, { url, events, secret }, now) =>
        recordMemoryChange(database, operatorId, SubscriptionRow, () => {
          if (listRecords(records, operatorId).length >= WEBHOOK_SUBSCRIPTION_LIMIT) return { error: webhookLimitError }
          const id = database.takeId()
          const settings = { url, events, application, paused_at: null, paused_reason: null, created_at: now, secret }
          const created = { operator_id: operatorId, id, account_id: accountId, ...settings }
          return { ...edit(created, []), changedRecords: createdOrDeletedRecord("webhook", id) }
        }),

      update: (scope, id, { receiver, events, secret }) =>
        recordMemoryChange(database, scope.operatorId, SubscriptionRow, () => {
          const before = findChangeable(scope, id)
          if (before === undefined) return { unchanged: undefined }
          const after = {
            ...before,
            url: receiver?.url ?? before.url,
            events: events ?? before.events,
            secret: secret ?? before.secret,
            paused_at: null,
            paused_reason: null
          }
          return edit(after, changedSettings(before, after))
        }),

      remove: (scope, id) =>
        recordMemoryChange(database, scope.operatorId, RowId, () => {
          if (findChangeable(scope, id) === undefined) return { unchanged: undefined }
          const write = () => records.delete(id)
          return { outcome: { id }, changedRecords: createdOrDeletedRecord("webhook", id), write }
        }),

      pause: (viewer, id, now) =>
        recordMemoryChange(database, viewer.operatorId, SubscriptionRow, () => {
          const before = findVisible(viewer, id)
          if (before === undefined || before.paused_at !== null) return { unchanged: undefined }
          return edit({ ...before, paused_at: now, paused_reason: PAUSED_BY_HOST }, ["status"])
        }),

      rotateSecret: (viewer, id, secret) =>
        recordMemoryChange(database, viewer.operatorId, SubscriptionRow, () => {
          const before = findVisible(viewer, id)
          return before === undefined ? { unchanged: undefined } : edit({ ...before, secret }, ["secret"])
        }),

      isVisible: (viewer, id) =>
        Effect.sync(() => {
          const subscription = findRecord(records, viewer.operatorId, id)
          return subscription === undefined ? undefined : isVisible(subscription, viewer)
        }),

      findAccess: ({ operatorId }, id) =>
        Effect.sync(() => ({ there: findRecord(records, operatorId, id) !== undefined, granted: true }))
    }
  })
)

const webhookLimitError = toWebhookLimitError(WEBHOOK_SUBSCRIPTION_LIMIT)

const isVisible = (subscription: SubscriptionRecord, { accountId, application }: SubscriptionViewer): boolean =>
  (accountId === undefined || subscription.account_id === accountId) &&
  (application === undefined || subscription.application === application)

const toRow = ({ operator_id: _operator, account_id: _account, secret: _secret, ...row }: SubscriptionRecord) => row

/** In alphabetical order, as PostgreSQL returns them. */
const changedSettings = (before: SubscriptionRecord, after: SubscriptionRecord): ReadonlyArray<string> => [
  ...(before.events.join() === after.events.join() ? [] : ["events"]),
  ...(before.secret === after.secret ? [] : ["secret"]),
  ...(before.paused_at === after.paused_at ? [] : ["status"]),
  ...(before.url === after.url ? [] : ["url"])
]
