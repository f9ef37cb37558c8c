const PLACEHOLDER_ORIGIN = "http://here.invalid"

/**
 * An address of our own to come back to after signing in; anything else is `fallback`. It is read as a browser would read it,
 * and must be what it says: one of our pages, without dots that lead elsewhere, and not the page of signing in once more.
 */
export const toLocalUrl = (text: string | null, fallback: string): string => {
  if (text === null || !/^\/[\x21-\x5b\x5d-\x7e]+$/.test(text)) return fallback
  const url = URL.parse(text, PLACEHOLDER_ORIGIN)
  if (url === null || url.origin !== PLACEHOLDER_ORIGIN || text.split(/[?#]/, 1)[0] !== url.pathname) return fallback
  return isConsolePath(url.pathname) ? `${url.pathname}${url.search}` : fallback
}

/** A dot stands in no address but that of a table for a spreadsheet. */
const isConsolePath = (path: string): boolean =>
  path === "/authorization" || /^\/console\/[\w-]+(?:\/[\w-]+)*(?:\.csv)?$/.test(path)
