import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Data, Result } from "effect"
import type { SecretKey, SecretKeys } from "./keys.ts"

// A secret as a column keeps it:
//
//   sealed:1:KEYID:NONCE:TEXT   AES-256-GCM by that key, bound to its row; TEXT ends with the tag
//   sealed:0:TEXT               in the clear, where it would else be taken for a sealed one
//   anything else               in the clear
//
// NONCE and TEXT are base64url, KEYID is hexadecimal.

const CIPHER = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** How every text begins that is not simply what it says. */
const MARK = "sealed:"
/** How a text begins that a key has sealed. */
export const SEALED = `${MARK}1:`
const PLAIN = `${MARK}0:`
const FORM = /^sealed:1:([0-9a-f]{12}):([A-Za-z0-9_-]{16}):([A-Za-z0-9_-]{22,})$/

/** Which secret of which row: a text that was sealed for one opens for no other. */
export interface Place {
  /** What is sealed there, in words. */
  readonly what: string
  /** Whose it is: operator and row, as the database names them. */
  readonly owner: ReadonlyArray<string | number>
}

/** One whose owner is an operator and a row, which may be told. */
export interface OwnPlace extends Place {
  readonly owner: readonly [operatorId: number, id: number]
}

/** Why a sealed text does not open. It names the key and never what is sealed. */
export class NotOpened extends Data.TaggedError("NotOpened")<{
  readonly what: string
  readonly because: "key is unknown" | "text was changed"
  readonly keyId: string | undefined
}> {
  override get message(): string {
    return this.because === "key is unknown"
      ? `SECRET_KEY: lacks the key ${this.keyId}, which decrypts the ${this.what}`
      : `the ${this.what} cannot be decrypted: its text was changed or belongs to another row`
  }
}

const boundTo = ({ what, owner }: Place): Buffer => Buffer.from(JSON.stringify([what, ...owner.map(String)]))

/** Seals a text with a key. */
export const sealedBy = ({ id, sealing }: SecretKey, place: Place, text: string): string => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealing, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(place))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${SEALED}${id}:${nonce.toString("base64url")}:${sealed.toString("base64url")}`
}

const inTheClear = (text: string): string =>
  text.startsWith(MARK) ? `${PLAIN}${Buffer.from(text).toString("base64url")}` : text

/** A secret as its column keeps it: sealed with the first key, or in the clear where there is none. */
export const kept = ({ first }: SecretKeys, place: Place, text: string): string =>
  first === undefined ? inTheClear(text) : sealedBy(first, place, text)

/** Base64url that says its bytes in the one way there is; others would be changed texts that open all the same. */
const bytesOf = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64url")
  return bytes.toString("base64url") === text ? bytes : undefined
}

const deciphered = ({ sealing }: SecretKey, place: Place, nonce: Buffer, sealed: Buffer): string => {
  const decipher = createDecipheriv(CIPHER, sealing, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8")
}

/** What a column keeps, as it was before. */
export const opened = ({ all }: SecretKeys, place: Place, text: string): Result.Result<string, NotOpened> => {
  if (!text.startsWith(MARK)) return Result.succeed(text)
  const { what } = place
  const changed = new NotOpened({ what, because: "text was changed", keyId: undefined })
  if (text.startsWith(PLAIN)) {
    return Result.fromNullishOr(bytesOf(text.slice(PLAIN.length))?.toString("utf8"), () => changed)
  }
  const [, keyId = "", nonce = "", encoded = ""] = FORM.exec(text) ?? []
  const [nonceBytes, sealed] = [bytesOf(nonce), bytesOf(encoded)]
  if (keyId === "" || nonceBytes === undefined || sealed === undefined) return Result.fail(changed)
  const key = all.get(keyId)
  if (key === undefined) return Result.fail(new NotOpened({ what, because: "key is unknown", keyId }))
  return Result.try({ try: () => deciphered(key, place, nonceBytes, sealed), catch: () => changed })
}

/** Whether a column keeps it otherwise than it would be written now. */
export const isToBeKeptAnew = ({ first }: SecretKeys, text: string): boolean =>
  first === undefined ? text.startsWith(SEALED) : !text.startsWith(`${SEALED}${first.id}:`)
