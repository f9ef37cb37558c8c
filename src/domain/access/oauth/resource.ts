// What tokens are good for, as clients name it (RFC 8707): REST, the MCP endpoint, or the service as a whole.

/** Paths below the public address. */
const RESOURCES = ["", "/v3", "/mcp"] as const

/** Scheme and host are the same in capitals (RFC 3986 6.2.2.1), a path is not. */
const toComparable = (address: string): string =>
  address.replace(/^[a-z]+:\/\/[^/?#]*/i, (origin) => origin.toLowerCase()).replace(/\/$/, "")

/** The resource of ours that an address names, with or without a last slash; undefined: none of ours. */
export const resourceOf = (publicUrl: string, text: string): string | undefined =>
  RESOURCES.map((path) => `${publicUrl}${path}`).find((resource) => toComparable(resource) === toComparable(text))
