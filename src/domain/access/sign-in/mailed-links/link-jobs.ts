import { DateTime, Effect, Layer } from "effect"
import { computeDigest } from "../../../../admission/gate/credentials.ts"
import { type AttemptEnd, defineJobs, startJobs } from "../../../../jobs/job-runner.ts"
import { PublicUrl } from "../../../../platform/installation.ts"
import { MailEnabled, Mailer } from "../../../../platform/mail/Mailer.ts"
import { MAIL_RETRIES, type MailOutcome, toFateText, toMailOutcome } from "../../../../platform/mail/mail-outcome.ts"
import { annotateSpan, recordFailure } from "../../../../platform/telemetry/spans.ts"
import { type ClaimedLink, LINK_MAILS_IN_PROGRESS, LinkQueue, linkBacklog } from "./LinkQueue.ts"
import { renderLinkMail } from "./link-mail.ts"
import { LINK_LIFETIMES_MS } from "./link-purposes.ts"
import { newLinkToken } from "./link-url.ts"

const LINK_POLL_GAP_MS = 200

type LinkOutcome =
  | MailOutcome
  /** The request is too old, the account cannot sign in any more, or an earlier attempt may have sent the mail. */
  | { readonly kind: "obsolete" }

const attemptLinkMail = Effect.fnUntraced(function* (
  link: ClaimedLink
): Effect.fn.Return<LinkOutcome, never, LinkQueue | Mailer> {
  const [queue, mailer, publicUrl] = [yield* LinkQueue, yield* Mailer, yield* PublicUrl]
  const now = yield* DateTime.nowAsDate
  const token = newLinkToken()
  const expiresAt = new Date(now.getTime() + LINK_LIFETIMES_MS[link.purpose])
  const recipient = yield* queue.beginSending(link, { digest: computeDigest(token), expiresAt, now })
  if (recipient === undefined) return { kind: "obsolete" }
  const { subject, text } = renderLinkMail({ purpose: link.purpose, email: recipient.email, token, publicUrl })
  const messageKey = `link-${link.operator_id}-${link.id}`
  return yield* toMailOutcome(mailer.send({ to: recipient.email, subject, text, messageKey }))
})

const toLogAnnotations = ({ operator_id, id, purpose }: ClaimedLink) => ({ operator_id, mailed_link_id: id, purpose })

const completeLinkMail = Effect.fnUntraced(function* (
  link: ClaimedLink,
  outcome: LinkOutcome,
  { nextAttemptOrDeadLetter }: AttemptEnd
) {
  const queue = yield* LinkQueue
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  if (outcome.kind === "obsolete") return yield* queue.end(link, "failed")
  if (outcome.kind === "sent") return yield* queue.end(link, "sent")
  yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
  const nextAttempt = outcome.kind === "deferred" ? nextAttemptOrDeadLetter() : undefined
  // A link that may have arrived must work.
  if (outcome.kind === "unconfirmed") yield* queue.end(link, "sent")
  else if (nextAttempt === undefined) yield* queue.end(link, "failed")
  else yield* queue.retry(link, nextAttempt)
  const fate = toFateText(outcome.kind, nextAttempt)
  yield* Effect.annotateLogs(Effect.logWarning(`a mail with a link ${fate}`, outcome.reason), toLogAnnotations(link))
})

export const linkJobs = defineJobs({
  name: "mailing links",
  maxInProgress: LINK_MAILS_IN_PROGRESS,
  ...MAIL_RETRIES,
  queue: LinkQueue,
  attempt: attemptLinkMail,
  complete: completeLinkMail,
  toRootSpan: ({ purpose }) => ({
    name: "mail link",
    kind: "client",
    attributes: () => ({ "latchkey.purpose": purpose })
  }),
  toLogAnnotations,
  notStoredMessage: "the outcome of a mail with a link could not be saved",
  wakeUpLoop: { name: "waking the worker of mailed links", gapMs: LINK_POLL_GAP_MS },
  backlog: linkBacklog
})

/** Without a mail server, no worker runs. */
export const layerLinkJobs = Layer.unwrap(
  Effect.map(MailEnabled, (isEnabled) =>
    isEnabled ? Layer.effectDiscard(startJobs(linkJobs)).pipe(Layer.provide(LinkQueue.layer)) : Layer.empty
  )
)
