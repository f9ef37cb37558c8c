const PLACEHOLDER_ORIGIN = "http://here.invalid"

/** Returns `fallback` if `text` is not a console page. Parses as browsers do, to prevent open redirects. */
export const toLocalUrl = (text: string | null, fallback: string): string => {
  if (text === null || !/^\/[\x21-\x5b\x5d-\x7e]+$/.test(text)) return fallback
  const url = URL.parse(text, PLACEHOLDER_ORIGIN)
  if (url === null || url.origin !== PLACEHOLDER_ORIGIN || text.split(/[?#]/, 1)[0] !== url.pathname) return fallback
  return isConsolePath(url.pathname) ? `${url.pathname}${url.search}` : fallback
}

/** Of all console URLs, only that of the CSV file has a dot. */
const isConsolePath = (path: string): boolean =>
  path === "/authorization" || /^\/console\/[\w-]+(?:\/[\w-]+)*(?:\.csv)?$/.test(path)
