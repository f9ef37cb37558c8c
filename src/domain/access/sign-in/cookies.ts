import { randomBytes } from "node:crypto"

// What a browser keeps of the console. Telemetry knows the prefixes and shows nothing of what follows; 256 bits each.

const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`

/** Of a visit, whether or not somebody is signed in with it. */
export const newSessionCookie = (): string => newSecret("lkconsole_")

/** Of a browser in which somebody has signed in, kept when they sign out. */
export const newKnownBrowserCookie = (): string => newSecret("lkknown_")

export const SESSION_COOKIE_PATTERN = /^lkconsole_[\w-]{43}$/
export const KNOWN_BROWSER_COOKIE_PATTERN = /^lkknown_[\w-]{43}$/
