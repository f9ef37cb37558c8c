import { hash, timingSafeEqual } from "node:crypto"

/**
 * The token of a request: `Service-Access-Token` first, else `Authorization: Bearer` (specification, Access token 2).
 * Header names are lower-case here.
 */
export const readToken = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const serviceToken = headers["service-access-token"]?.trim()
  if (serviceToken !== undefined && serviceToken !== "") return serviceToken
  const bearer = /^Bearer +(\S+)\s*$/i.exec(headers["authorization"] ?? "")
  return bearer?.[1]
}

/** A token is stored and looked up as this digest only. */
export const computeDigest = (token: string): Uint8Array => hash("sha256", token, "buffer")

/** The same digest as text. */
export const computeDigestHex = (token: string): string => hash("sha256", token, "hex")

/** Constant in the place of the first difference, so an answer's time says nothing about a stored digest. */
export const isSameDigest = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
