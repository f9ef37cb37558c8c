const PLACEHOLDER_ORIGIN = "http://here.invalid"

/**
 * Returns the URL to open after sign-in, or `fallback` if it is not a page of this console. Parses it as browsers do,
 * to prevent open redirects.
 */
export const toLocalUrl = (text: string | null, fallback: string): string => {
  if (text === null || !/^\/[\x21-\x5b\x5d-\x7e]+$/.test(text)) return fallback
  const url = URL.parse(text, PLACEHOLDER_ORIGIN)
  if (url === null || url.origin !== PLACEHOLDER_ORIGIN || text.split(/[?#]/, 1)[0] !== url.pathname) return fallback
  return isConsolePath(url.pathname) ? `${url.pathname}${url.search}` : fallback
}

/** Only the URL of a CSV file has a dot. */
const isConsolePath = (path: string): boolean =>
  path === "/authorization" || /^\/console\/[\w-]+(?:\/[\w-]+)*(?:\.csv)?$/.test(path)
