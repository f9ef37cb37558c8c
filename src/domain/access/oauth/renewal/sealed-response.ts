import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { Schema } from "effect"

// If a client misses the response to its renewal, it still has the old refresh token. So the response is kept for a
// minute, encrypted with that token. The database has only a digest of the token.

export const SealedResponse = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.String,
  scope: Schema.Literals(["read-only", "writable"]),
  /** Expiry of the access token, in milliseconds since the epoch. */
  until: Schema.Int
})
export type SealedResponse = typeof SealedResponse.Type

const CIPHER = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** Random 256 bits need no slow hash. */
const deriveKey = (token: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", token, "", "latchkey: answer to a renewal", KEY_BYTES))

const decodeSealedResponse = Schema.decodeUnknownSync(SealedResponse)

export const sealResponse = (token: string, response: SealedResponse): Uint8Array => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(token), nonce)
  const text = Buffer.concat([cipher.update(JSON.stringify(response), "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Throws if the stored response was changed. */
export const unsealResponse = (token: string, sealedResponse: Uint8Array): SealedResponse => {
  const [nonce, tag] = [
    sealedResponse.subarray(0, NONCE_BYTES),
    sealedResponse.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  ]
  const decipher = createDecipheriv(CIPHER, deriveKey(token), nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(tag)
  const text = Buffer.concat([decipher.update(sealedResponse.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return decodeSealedResponse(JSON.parse(text.toString("utf8")))
}
