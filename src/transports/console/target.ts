const HERE = "http://here.invalid"

/**
 * An address of our own to come back to after signing in; anything else is `otherwise`. It is read as a browser would read it,
 * and must be what it says: one of our pages, without dots that lead elsewhere, and not the page of signing in once more.
 */
export const localTarget = (text: string | null, otherwise: string): string => {
  if (text === null || !/^\/[\x21-\x5b\x5d-\x7e]+$/.test(text)) return otherwise
  const url = URL.parse(text, HERE)
  if (url === null || url.origin !== HERE || text.split(/[?#]/, 1)[0] !== url.pathname) return otherwise
  return isOurs(url.pathname) ? `${url.pathname}${url.search}` : otherwise
}

/** A dot stands in no address but that of a table for a spreadsheet. */
const isOurs = (path: string): boolean =>
  path === "/authorization" || /^\/console\/[\w-]+(?:\/[\w-]+)*(?:\.csv)?$/.test(path)
