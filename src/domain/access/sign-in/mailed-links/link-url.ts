import { randomBytes } from "node:crypto"
import type { LinkPurpose } from "./link-purposes.ts"

/** Paths of console pages. */
export const LINK_PATHS: Readonly<Record<LinkPurpose, string>> = {
  verify_email: "/console/verify",
  reset_password: "/console/reset"
}

export const TOKEN_PARAMETER = "token"

export const toLinkUrl = (publicUrl: string, purpose: LinkPurpose, token: string): string =>
  `${publicUrl}${LINK_PATHS[purpose]}?${TOKEN_PARAMETER}=${token}`

/** Telemetry redacts text after the prefix `lkmail_`. */
export const newLinkToken = (): string => `lkmail_${randomBytes(32).toString("base64url")}`

const LINK_TOKEN = /^lkmail_[\w-]{43}$/

export const isLinkToken = (text: string): boolean => LINK_TOKEN.test(text)
