/** Most responses are for one caller, so caches must not store them. Pages may override this. */
export const NO_STORE = { "cache-control": "no-store" } as const

const ENTITY_TAG = /(?:W\/)?("[^"]*")/g

/** Weak and strong tags are compared alike (RFC 9110, 13.1.2). */
export const matchesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === "*" || Array.from(ifNoneMatch.matchAll(ENTITY_TAG)).some(([, tag]) => tag === etag)
