export const REST_PREFIX = "/v3"

export const DOCS_PATH = "/docs"

export const docsPagePath = (slug: string): string => `${DOCS_PATH}/reference/${slug}.html`

export const LIVE_PATH = "/health/live"
export const READY_PATH = "/health/ready"

export const requestPath = (request: { readonly url: string }): string => splitTarget(request.url)[0]

/**
 * Splits at the first `?`. A query may contain more (RFC 3986 3.4), and an OAuth `state` must be returned unchanged.
 */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const separator = target.indexOf("?")
  return separator === -1 ? [target, ""] : [target.slice(0, separator), target.slice(separator + 1)]
}
