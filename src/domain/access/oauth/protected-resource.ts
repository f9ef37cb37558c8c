// The addresses of this service for which an access token can be issued (RFC 8707).

const RESOURCE_PATHS = ["", "/v3", "/mcp"] as const

/** Scheme and host are case-insensitive (RFC 3986 6.2.2.1), paths are not. */
const toComparableAddress = (address: string): string =>
  address.replace(/^[a-z]+:\/\/[^/?#]*/i, (origin) => origin.toLowerCase()).replace(/\/$/, "")

/** Ignores a trailing slash. Returns undefined if the address does not belong to this service. */
export const findProtectedResource = (publicUrl: string, text: string): string | undefined =>
  RESOURCE_PATHS.map((path) => `${publicUrl}${path}`).find(
    (resource) => toComparableAddress(resource) === toComparableAddress(text)
  )
