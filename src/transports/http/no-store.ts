/** No answer is anybody else's, so no cache on the way keeps it; a page may say otherwise. */
export const NO_STORE = { "cache-control": "no-store" } as const
