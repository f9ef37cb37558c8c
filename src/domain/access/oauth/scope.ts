export type Scope = "read-only" | "writable"

/** Returns the widest known scope of a space-separated list (RFC 6749 3.3). */
export const parseScope = (text: string | undefined): Scope | undefined => {
  const scopes = new Set(text?.split(" "))
  if (scopes.has("writable")) return "writable"
  return scopes.has("read-only") ? "read-only" : undefined
}
