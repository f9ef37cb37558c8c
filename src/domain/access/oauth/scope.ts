// What a token may do. Words of a scope stand in any order, with any blanks between them (RFC 6749 3.3), and to write is to read too.

export type Scope = "read-only" | "writable"

/**
 * Returns the widest scope that a text names, or undefined if it names none. Scopes of other services, such as `offline_access`, are
 * ignored, because the token response names the granted scope (RFC 6749 3.3).
 */
export const parseScope = (text: string | undefined): Scope | undefined => {
  const scopes = new Set(text?.split(" "))
  if (scopes.has("writable")) return "writable"
  return scopes.has("read-only") ? "read-only" : undefined
}
