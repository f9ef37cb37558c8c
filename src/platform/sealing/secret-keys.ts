import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto"
import { SECRET_KEYS_MAX } from "../limits.ts"

// The keys of SECRET_KEY. What is written there seals nothing itself: a key for sealing and an id are derived from it, so
// that the id, which stands beside every sealed text, tells nothing of either.

const PREFIX = "lksecret_"
const KEY_BYTES = 32
const ID_BYTES = 6

/** The word in the first place of SECRET_KEY that has secrets written in the clear. */
const CLEAR_KEYWORD = "clear"

export interface SecretKey {
  /** By which a sealed text names it; no secret. */
  readonly id: string
  readonly keyObject: KeyObject
}

export interface SecretKeys {
  /** Seals what is written; undefined: it is written in the clear. */
  readonly current: SecretKey | undefined
  /** All of them open, by their ids. */
  readonly byId: ReadonlyMap<string, SecretKey>
}

/** What there is where SECRET_KEY is not set. */
export const noSecretKeys: SecretKeys = { current: undefined, byId: new Map() }

/** What SECRET_KEY takes, to follow "must be". */
export const SECRET_KEY_DESCRIPTION = `1 to ${SECRET_KEYS_MAX} different keys from latchkey secret new, separated by commas, optionally after the word ${CLEAR_KEYWORD}`

/** A new key, as SECRET_KEY takes it. Its prefix lets telemetry recognise it wherever it lands. */
export const generateKey = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString("base64url")}`

const deriveBytes = (bytes: Buffer, label: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", bytes, Buffer.alloc(0), `latchkey ${label} 1`, length))

const parseKey = (text: string): SecretKey | undefined => {
  const encoded = text.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, "base64url")
  // What does not come out as it went in has signs that base64url has not, or says the same key in two ways.
  const isKey = text.startsWith(PREFIX) && bytes.length === KEY_BYTES && bytes.toString("base64url") === encoded
  if (!isKey) return undefined
  return {
    id: deriveBytes(bytes, "key id", ID_BYTES).toString("hex"),
    keyObject: createSecretKey(deriveBytes(bytes, "sealing", KEY_BYTES))
  }
}

/** Reads what SECRET_KEY says; undefined where it is none of what it takes. */
export const parseSecretKeys = (text: string): SecretKeys | undefined => {
  const words = text.split(",").map((word) => word.trim())
  const isClear = words[0] === CLEAR_KEYWORD
  const keys = words.slice(isClear ? 1 : 0).map(parseKey)
  const validKeys = keys.filter((key) => key !== undefined)
  const byId = new Map(validKeys.map((key) => [key.id, key]))
  const isValid = validKeys.length > 0 && validKeys.length <= SECRET_KEYS_MAX && byId.size === keys.length
  return isValid ? { current: isClear ? undefined : validKeys[0], byId } : undefined
}
