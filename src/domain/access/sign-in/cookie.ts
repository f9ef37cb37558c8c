import { randomBytes } from "node:crypto"

// What a browser keeps of the console. Telemetry knows the prefixes and shows nothing of what follows; 256 bits each.

const secretOf = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`

/** Of a visit, whether or not somebody is signed in with it. */
export const newCookie = (): string => secretOf("lkconsole_")

/** Of a browser in which somebody has signed in, kept when they sign out. */
export const newKnownCookie = (): string => secretOf("lkknown_")

export const COOKIE = /^lkconsole_[\w-]{43}$/
export const KNOWN_COOKIE = /^lkknown_[\w-]{43}$/
