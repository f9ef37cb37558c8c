import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { LinkQueue } from "../../../../src/domain/access/sign-in/mailed-links/LinkQueue.ts"
import { linkJobs } from "../../../../src/domain/access/sign-in/mailed-links/link-jobs.ts"
import { MailedLinks } from "../../../../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { newPublicCode } from "../../../../src/domain/guests/conversations/conversation-lookup.ts"
import { notificationSubscribers } from "../../../../src/domain/notifications/event-subscribers.ts"
import { notifyOfFailures } from "../../../../src/domain/notifications/failure-watch.ts"
import { NOTIFICATION_KINDS, type NotificationKind } from "../../../../src/domain/notifications/kinds.ts"
import { NotificationQueue } from "../../../../src/domain/notifications/NotificationQueue.ts"
import { notificationJobs } from "../../../../src/domain/notifications/notification-jobs.ts"
import { NotificationStore } from "../../../../src/domain/notifications/store.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../../../../src/jobs/events/internal-subscribers.ts"
import { makeJobRunner } from "../../../../src/jobs/job-runner.ts"
import { MailEnabled } from "../../../../src/platform/mail/Mailer.ts"
import { layerMemoryMailer, SentMails } from "../../../../src/platform/mail/memory-mailer.ts"
import { createOperator, insertAccount, layerService, type OperatorOptions } from "../../harness.ts"
import { layerOwnDatabase } from "../../own-database.ts"

// Hosts who get mails, over a database of its own. The test calls whoever dispatches events and sends mails.

const layerDispatcher = Layer.provide(
  EventDispatcher.layer,
  Layer.succeed(InternalSubscribers, notificationSubscribers)
)

export const layerNotificationServiceWith = (windows: Layer.Layer<RateWindows>) =>
  Layer.mergeAll(
    layerDispatcher,
    LinkQueue.layer,
    NotificationQueue.layer,
    MailedLinks.layer,
    NotificationStore.layer,
    Passwords.layer
  ).pipe(
    Layer.provideMerge(layerService(layerOwnDatabase, windows)),
    Layer.provideMerge(layerMemoryMailer),
    Layer.provideMerge(Layer.succeed(MailEnabled, true))
  )

export const layerNotificationService = layerNotificationServiceWith(RateWindows.layerUnbounded)

/** Nothing of the tests before waits any more. */
export const emptyNotificationTables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`TRUNCATE notifications, notification_recipients, mailed_links, mail_counts, webhook_subscriptions, imported_calendars, events CASCADE`
).pipe(Effect.orDie)

/** Dispatches events, notices failures and sends all mails that are due. */
export const mailAllDue = Effect.scoped(
  Effect.gen(function* () {
    const dispatcher = yield* EventDispatcher
    const now = yield* DateTime.nowAsDate
    while ((yield* dispatcher.dispatchNext(now)).events > 0) {}
    yield* notifyOfFailures(now)
    const [links, notifications] = [yield* makeJobRunner(linkJobs), yield* makeJobRunner(notificationJobs)]
    for (const worker of [links, notifications]) {
      while ((yield* worker.claimDue) > 0) yield* worker.awaitIdle
      yield* worker.awaitIdle
    }
  })
)

export const emailOf = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ email: string }>`SELECT email FROM accounts WHERE id = ${accountId}`
  return row?.email ?? ""
}, Effect.orDie)

/** Confirms the address of an account and chooses its notifications, as rows. */
export const insertRecipient = Effect.fnUntraced(function* (
  account: { readonly operatorId: number; readonly accountId: number },
  kinds: ReadonlyArray<NotificationKind> = NOTIFICATION_KINDS
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO notification_recipients (operator_id, account_id, kinds, kinds_since, verified_email)
    SELECT operator_id, id, ${kinds}::text[], 'epoch'::timestamptz, email FROM accounts
    WHERE operator_id = ${account.operatorId} AND id = ${account.accountId}`
}, Effect.orDie)

/** An operator whose main account gets all notifications. */
export const createRecipient = Effect.fnUntraced(function* (
  kinds?: ReadonlyArray<NotificationKind>,
  options?: OperatorOptions
) {
  const operator = yield* createOperator(options)
  yield* insertRecipient(operator, kinds)
  return { ...operator, email: yield* emailOf(operator.accountId) }
})

export const insertSubAccount = Effect.fnUntraced(function* (operatorId: number) {
  const accountId = yield* insertAccount(operatorId, "sub", "Ana")
  return { operatorId, accountId, email: yield* emailOf(accountId) }
})

/** The mails to an address, oldest first. */
export const mailsTo = (email: string) =>
  Effect.flatMap(SentMails, ({ list }) => Effect.map(list, (mails) => mails.filter(({ to }) => to === email)))

/** A message of a guest, with its event. Returns its code. */
export const insertGuestMessage = Effect.fnUntraced(function* (
  operatorId: number,
  conversation: string,
  at: Date,
  sender: "guest" | "host" = "guest"
) {
  const sql = yield* SqlClient.SqlClient
  const code = newPublicCode()
  yield* sql`
    WITH told AS (
      INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
      SELECT operator_id, id, ${code}, ${sender}, 'Text', 'Secret text', ${at} FROM conversations WHERE code = ${conversation}
      RETURNING operator_id
    )
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT ${operatorId}::bigint, 'message_created', ${`conversation:${conversation}`}::text,
      jsonb_build_object('conversation_id', ${conversation}::text, 'message_id', ${code}::text), ${at}::timestamptz FROM told`
  return code
}, Effect.orDie)

/** The token of the link in a mail. */
export const findLinkToken = (text: string): string => /\?token=([\w-]+)/.exec(text)?.[1] ?? ""
