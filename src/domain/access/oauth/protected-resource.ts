// What tokens are good for, as clients name it (RFC 8707): REST, the MCP endpoint, or the service as a whole.

/** Paths below the public address. */
const RESOURCE_PATHS = ["", "/v3", "/mcp"] as const

/** Scheme and host are the same in capitals (RFC 3986 6.2.2.1), a path is not. */
const toComparableAddress = (address: string): string =>
  address.replace(/^[a-z]+:\/\/[^/?#]*/i, (origin) => origin.toLowerCase()).replace(/\/$/, "")

/** The resource of ours that an address names, with or without a last slash; undefined: none of ours. */
export const findProtectedResource = (publicUrl: string, text: string): string | undefined =>
  RESOURCE_PATHS.map((path) => `${publicUrl}${path}`).find(
    (resource) => toComparableAddress(resource) === toComparableAddress(text)
  )
