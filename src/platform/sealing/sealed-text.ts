import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Data, Result } from "effect"
import type { SecretKey, SecretKeys } from "./secret-keys.ts"

// Stored form of a secret:
//
// - `sealed:1:KEYID:NONCE:TEXT`: AES-256-GCM with that key, bound to its row; TEXT ends with the tag
// - `sealed:0:TEXT`: unencrypted text that itself begins with `sealed:`
// - anything else: unencrypted
//
// NONCE and TEXT are base64url, KEYID is hexadecimal.

const CIPHER = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

const MARKER = "sealed:"
export const SEALED_PREFIX = `${MARKER}1:`
const CLEAR_PREFIX = `${MARKER}0:`
const SEALED_PATTERN = /^sealed:1:([0-9a-f]{12}):([A-Za-z0-9_-]{16}):([A-Za-z0-9_-]{22,})$/

/** A text that is sealed for one row cannot be opened for another. */
export interface SecretBinding {
  readonly secretKind: string
  /** Operator and other values that identify the row. */
  readonly owner: ReadonlyArray<string | number>
}

/** A binding whose owner may be logged. */
export interface RowSecretBinding extends SecretBinding {
  readonly owner: readonly [operatorId: number, id: number]
}

/** The error never contains the secret. */
export class UnsealFailed extends Data.TaggedError("UnsealFailed")<{
  readonly secretKind: string
  readonly problem: "key is unknown" | "text was changed"
  readonly keyId: string | undefined
}> {
  override get message(): string {
    return this.problem === "key is unknown"
      ? `SECRET_KEY: lacks the key ${this.keyId}, which decrypts the ${this.secretKind}`
      : `the ${this.secretKind} cannot be decrypted: its text was changed or belongs to another row`
  }
}

const toAssociatedData = ({ secretKind, owner }: SecretBinding): Buffer =>
  Buffer.from(JSON.stringify([secretKind, ...owner.map(String)]))

const sealText = ({ id, keyObject }: SecretKey, binding: SecretBinding, text: string): string => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyObject, nonce, { authTagLength: TAG_BYTES }).setAAD(
    toAssociatedData(binding)
  )
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${SEALED_PREFIX}${id}:${nonce.toString("base64url")}:${sealed.toString("base64url")}`
}

const toClearText = (text: string): string =>
  text.startsWith(MARKER) ? `${CLEAR_PREFIX}${Buffer.from(text).toString("base64url")}` : text

export const toStoredText = ({ current }: SecretKeys, binding: SecretBinding, text: string): string =>
  current === undefined ? toClearText(text) : sealText(current, binding, text)

/** Accepts only the canonical base64url text, so that a changed text never opens. */
const decodeCanonical = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64url")
  return bytes.toString("base64url") === text ? bytes : undefined
}

const decipherText = ({ keyObject }: SecretKey, binding: SecretBinding, nonce: Buffer, sealed: Buffer): string => {
  const decipher = createDecipheriv(CIPHER, keyObject, nonce, { authTagLength: TAG_BYTES })
    .setAAD(toAssociatedData(binding))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8")
}

export const openStoredText = (
  { byId }: SecretKeys,
  binding: SecretBinding,
  text: string
): Result.Result<string, UnsealFailed> => {
  if (!text.startsWith(MARKER)) return Result.succeed(text)
  const { secretKind } = binding
  const changedError = new UnsealFailed({ secretKind, problem: "text was changed", keyId: undefined })
  if (text.startsWith(CLEAR_PREFIX)) {
    return Result.fromNullishOr(decodeCanonical(text.slice(CLEAR_PREFIX.length))?.toString("utf8"), () => changedError)
  }
  const [, keyId = "", nonce = "", encoded = ""] = SEALED_PATTERN.exec(text) ?? []
  const [nonceBytes, sealed] = [decodeCanonical(nonce), decodeCanonical(encoded)]
  if (keyId === "" || nonceBytes === undefined || sealed === undefined) return Result.fail(changedError)
  const key = byId.get(keyId)
  if (key === undefined) return Result.fail(new UnsealFailed({ secretKind, problem: "key is unknown", keyId }))
  return Result.try({ try: () => decipherText(key, binding, nonceBytes, sealed), catch: () => changedError })
}

export const needsReseal = ({ current }: SecretKeys, text: string): boolean =>
  current === undefined ? text.startsWith(SEALED_PREFIX) : !text.startsWith(`${SEALED_PREFIX}${current.id}:`)
