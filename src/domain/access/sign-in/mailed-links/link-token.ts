import { randomBytes } from "node:crypto"

// Telemetry redacts text after the prefix `lkmail_`.

export const newLinkToken = (): string => `lkmail_${randomBytes(32).toString("base64url")}`

const LINK_TOKEN = /^lkmail_[\w-]{43}$/

export const isLinkToken = (text: string): boolean => LINK_TOKEN.test(text)
