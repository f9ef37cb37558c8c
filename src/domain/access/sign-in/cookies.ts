import { randomBytes } from "node:crypto"

// Telemetry redacts text after the prefixes `lkconsole_` and `lkknown_`.

const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`

/** A browser gets a session cookie even before it signs in. */
export const newSessionCookie = (): string => newSecret("lkconsole_")

/** Marks a browser that has signed in. The cookie survives sign-out. */
export const newKnownBrowserCookie = (): string => newSecret("lkknown_")

export const SESSION_COOKIE_PATTERN = /^lkconsole_[\w-]{43}$/
export const KNOWN_BROWSER_COOKIE_PATTERN = /^lkknown_[\w-]{43}$/
