/** No answer is anybody else's, so no cache on the way keeps it; a page may say otherwise. */
export const NO_STORE = { "cache-control": "no-store" } as const

const ENTITY_TAG = /(?:W\/)?("[^"]*")/g

/** Whether the value of an If-None-Match names an ETag, or whatever there is; weak or not is the same here (RFC 9110, 13.1.2). */
export const matchesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === "*" || Array.from(ifNoneMatch.matchAll(ENTITY_TAG)).some(([, tag]) => tag === etag)
