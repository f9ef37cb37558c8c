import { Effect } from "effect"
import { MAIL_ATTEMPTS } from "../limits.ts"
import type { MailFailure } from "./Mailer.ts"

export type MailOutcome =
  | { readonly kind: "sent" }
  | {
      /** Only `deferred` permits a retry, because the mail was certainly not delivered. */
      readonly kind: "rejected" | "deferred" | "unconfirmed"
      readonly reason: string
    }

const OUTCOME_KINDS = { MailRejected: "rejected", MailDeferred: "deferred", MailUnconfirmed: "unconfirmed" } as const

export const toMailOutcome = <R>(send: Effect.Effect<void, MailFailure, R>): Effect.Effect<MailOutcome, never, R> =>
  Effect.match(send, {
    onSuccess: (): MailOutcome => ({ kind: "sent" }),
    onFailure: ({ _tag, reason }): MailOutcome => ({ kind: OUTCOME_KINDS[_tag], reason })
  })

/** Completes a log message that begins with the kind of mail. */
export const toFateText = (kind: Exclude<MailOutcome["kind"], "sent">, nextAttempt: Date | undefined): string => {
  if (kind === "unconfirmed") return "may have been sent, so it is not sent again"
  return nextAttempt === undefined ? "was not sent" : "was not sent and is retried"
}

export const MAIL_RETRIES = {
  maxAttempts: MAIL_ATTEMPTS,
  backoff: { firstMs: 30_000, longestMs: 10 * 60 * 1000, jitter: 0.25 }
} as const
