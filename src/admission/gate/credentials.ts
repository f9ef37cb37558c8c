import { hash, timingSafeEqual } from "node:crypto"

/**
 * `Service-Access-Token` takes precedence over `Authorization: Bearer` (specification, Access token 2). Header names
 * are lower-case.
 */
export const readToken = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const serviceToken = headers["service-access-token"]?.trim()
  if (serviceToken !== undefined && serviceToken !== "") return serviceToken
  const bearer = /^Bearer +(\S+)\s*$/i.exec(headers["authorization"] ?? "")
  return bearer?.[1]
}

/** Tokens are stored only as this digest. */
export const computeDigest = (token: string): Uint8Array => hash("sha256", token, "buffer")

export const computeDigestHex = (token: string): string => hash("sha256", token, "hex")

/** Compares in constant time, so the response time reveals nothing about a stored digest. */
export const isSameDigest = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
