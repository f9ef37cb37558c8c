import {
  RESET_LINK_MS,
  RESET_MAILS_PER_LINK_LIFETIME,
  VERIFICATION_LINK_MS,
  VERIFICATION_MAILS_AN_HOUR
} from "../../../../platform/limits.ts"
import type { MailLimit } from "./mail-counts.ts"

export type LinkPurpose = "verify_email" | "reset_password"

const HOUR_MS = 60 * 60 * 1000

export const LINK_LIMITS: Readonly<Record<LinkPurpose, MailLimit>> = {
  verify_email: { scope: "verify_email", max: VERIFICATION_MAILS_AN_HOUR, windowMs: HOUR_MS },
  reset_password: { scope: "reset_password", max: RESET_MAILS_PER_LINK_LIFETIME, windowMs: RESET_LINK_MS }
}

/** The lifetime of a link begins when its mail is sent. */
export const LINK_LIFETIMES_MS: Readonly<Record<LinkPurpose, number>> = {
  verify_email: VERIFICATION_LINK_MS,
  reset_password: RESET_LINK_MS
}
