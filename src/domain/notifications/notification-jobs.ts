import { DateTime, Effect, Layer } from "effect"
import { type AttemptEnd, defineJobs, startJobs } from "../../jobs/job-runner.ts"
import { RETENTION_INTERVAL_MS } from "../../jobs/retention.ts"
import { repeatPeriodically } from "../../jobs/WorkSchedule.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { NOTIFICATION_GATHERING_MS } from "../../platform/limits.ts"
import { MailEnabled, Mailer } from "../../platform/mail/Mailer.ts"
import { MAIL_RETRIES, type MailOutcome, toFateText, toMailOutcome } from "../../platform/mail/mail-outcome.ts"
import { annotateSpan, recordFailure } from "../../platform/telemetry/spans.ts"
import { renderDigest } from "./digest.ts"
import { watchFailures } from "./failure-watch.ts"
import {
  type ClaimedRecipient,
  NOTIFICATION_MAILS_IN_PROGRESS,
  NotificationQueue,
  notificationBacklog
} from "./NotificationQueue.ts"
import { applyNotificationRetention } from "./retention.ts"

const NOTIFICATION_POLL_GAP_MS = 200

type NotificationOutcome =
  | MailOutcome
  /** No notification is left to mail, or the account gets none any more. */
  | { readonly kind: "nothing" }
  /** The address has got too many mails. */
  | { readonly kind: "limited" }

const attemptNotificationMail = Effect.fnUntraced(function* (
  recipient: ClaimedRecipient
): Effect.fn.Return<NotificationOutcome, never, NotificationQueue | Mailer> {
  const [queue, mailer, publicUrl] = [yield* NotificationQueue, yield* Mailer, yield* PublicUrl]
  const { email, waiting, sending, first_id } = yield* queue.beginSending(recipient, yield* DateTime.nowAsDate)
  if (email === null || waiting === 0) return { kind: "nothing" }
  if (sending === 0) return { kind: "limited" }
  const notifications = yield* queue.loadFacts(recipient)
  const { subject, text } = renderDigest({ publicUrl, notifications, total: sending })
  const messageKey = `notification-${recipient.operator_id}-${recipient.account_id}-${first_id ?? 0}`
  return yield* toMailOutcome(mailer.send({ to: email, subject, text, messageKey }))
})

const toLogAnnotations = ({ operator_id, account_id }: ClaimedRecipient) => ({ operator_id, account_id })

const completeNotificationMail = Effect.fnUntraced(function* (
  recipient: ClaimedRecipient,
  outcome: NotificationOutcome,
  { now, nextAttemptOrDeadLetter }: AttemptEnd
) {
  const queue = yield* NotificationQueue
  const nextMail = new Date(now.getTime() + NOTIFICATION_GATHERING_MS)
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  if (outcome.kind === "nothing") return yield* queue.end(recipient, { outcome: "none", now, nextMail: now })
  if (outcome.kind === "limited") return yield* queue.end(recipient, { outcome: "none", now, nextMail })
  if (outcome.kind === "sent") return yield* queue.end(recipient, { outcome: "sent", now, nextMail })
  yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
  const nextAttempt = outcome.kind === "deferred" ? nextAttemptOrDeadLetter() : undefined
  if (nextAttempt === undefined) yield* queue.end(recipient, { outcome: "dropped", now, nextMail })
  else yield* queue.retry(recipient, nextAttempt)
  const fate = toFateText(outcome.kind, nextAttempt)
  yield* Effect.annotateLogs(
    Effect.logWarning(`a mail with notifications ${fate}`, outcome.reason),
    toLogAnnotations(recipient)
  )
})

/** Sends each notification at most once (docs/adr/0041-send-each-notification-at-most-once.md). */
export const notificationJobs = defineJobs({
  name: "mailing notifications",
  maxInProgress: NOTIFICATION_MAILS_IN_PROGRESS,
  ...MAIL_RETRIES,
  queue: NotificationQueue,
  attempt: attemptNotificationMail,
  complete: completeNotificationMail,
  toRootSpan: ({ account_id }) => ({
    name: "mail notifications",
    kind: "client",
    attributes: () => ({ "latchkey.account": account_id })
  }),
  toLogAnnotations,
  notStoredMessage: "the outcome of a mail with notifications could not be saved",
  wakeUpLoop: { name: "waking the notification worker", gapMs: NOTIFICATION_POLL_GAP_MS },
  backlog: notificationBacklog
})

const layerWorkers = Layer.mergeAll(
  Layer.effectDiscard(startJobs(notificationJobs)).pipe(Layer.provide(NotificationQueue.layer)),
  Layer.effectDiscard(watchFailures)
)

/** Without a mail server, only the retention runs. */
export const layerNotificationJobs = Layer.merge(
  Layer.effectDiscard(
    repeatPeriodically("retention of notifications", RETENTION_INTERVAL_MS, applyNotificationRetention)
  ),
  Layer.unwrap(Effect.map(MailEnabled, (isEnabled) => (isEnabled ? layerWorkers : Layer.empty)))
)
