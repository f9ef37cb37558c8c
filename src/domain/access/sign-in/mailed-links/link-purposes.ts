import {
  RESET_LINK_MS,
  RESET_MAILS_AN_HOUR,
  VERIFICATION_LINK_MS,
  VERIFICATION_MAILS_AN_HOUR
} from "../../../../platform/limits.ts"
import type { MailLimit } from "./mail-counts.ts"

export type LinkPurpose = "verify_email" | "reset_password"

const HOUR_MS = 60 * 60 * 1000

export const LINK_LIMITS: Readonly<Record<LinkPurpose, MailLimit>> = {
  verify_email: { scope: "verify_email", max: VERIFICATION_MAILS_AN_HOUR, windowMs: HOUR_MS },
  reset_password: { scope: "reset_password", max: RESET_MAILS_AN_HOUR, windowMs: HOUR_MS }
}

/** A link is valid from the time of its mail. */
export const LINK_LIFETIMES_MS: Readonly<Record<LinkPurpose, number>> = {
  verify_email: VERIFICATION_LINK_MS,
  reset_password: RESET_LINK_MS
}

/** Paths of console pages. The console checks that they exist. */
export const LINK_PATHS: Readonly<Record<LinkPurpose, string>> = {
  verify_email: "/console/verify",
  reset_password: "/console/reset"
}

export const TOKEN_PARAMETER = "token"

export const linkUrl = (publicUrl: string, purpose: LinkPurpose, token: string): string =>
  `${publicUrl}${LINK_PATHS[purpose]}?${TOKEN_PARAMETER}=${token}`
