import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto"
import { SECRET_KEYS_MAX } from "../limits.ts"

// The keys of SECRET_KEY. The encryption key and the id are derived from the value, so that the id, which is stored
// with every text, reveals nothing.

const PREFIX = "lksecret_"
const KEY_BYTES = 32
const ID_BYTES = 6

/** With this word as the first item of SECRET_KEY, new secrets are stored unencrypted. */
const CLEAR_KEYWORD = "clear"

export interface SecretKey {
  /** Names the key in sealed texts. Not secret. */
  readonly id: string
  readonly keyObject: KeyObject
}

export interface SecretKeys {
  /** Seals new texts. If undefined, they are stored unencrypted. */
  readonly current: SecretKey | undefined
  readonly byId: ReadonlyMap<string, SecretKey>
}

export const noSecretKeys: SecretKeys = { current: undefined, byId: new Map() }

/** Completes the error "must be …". */
export const SECRET_KEY_DESCRIPTION = `1 to ${SECRET_KEYS_MAX} different keys from latchkey secret new, separated by commas, optionally after the word ${CLEAR_KEYWORD}`

/** Telemetry redacts texts with its prefix. */
export const generateKey = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString("base64url")}`

const deriveBytes = (bytes: Buffer, label: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", bytes, Buffer.alloc(0), `latchkey ${label} 1`, length))

const parseKey = (text: string): SecretKey | undefined => {
  const encoded = text.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, "base64url")
  const isKey = text.startsWith(PREFIX) && bytes.length === KEY_BYTES && bytes.toString("base64url") === encoded
  if (!isKey) return undefined
  return {
    id: deriveBytes(bytes, "key id", ID_BYTES).toString("hex"),
    keyObject: createSecretKey(deriveBytes(bytes, "sealing", KEY_BYTES))
  }
}

export const parseSecretKeys = (text: string): SecretKeys | undefined => {
  const words = text.split(",").map((word) => word.trim())
  const isClear = words[0] === CLEAR_KEYWORD
  const keys = words.slice(isClear ? 1 : 0).map(parseKey)
  const validKeys = keys.filter((key) => key !== undefined)
  const byId = new Map(validKeys.map((key) => [key.id, key]))
  const isValid = validKeys.length > 0 && validKeys.length <= SECRET_KEYS_MAX && byId.size === keys.length
  return isValid ? { current: isClear ? undefined : validKeys[0], byId } : undefined
}
