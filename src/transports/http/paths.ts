/** Below which path REST lives (specification, Versioning). */
export const REST_PREFIX = "/v3"

/** Where the documentation is. */
export const DOCS_PATH = "/docs"

/** The page of that name, which tells more of what another page shows. */
export const docsPagePath = (slug: string): string => `${DOCS_PATH}/reference/${slug}.html`

/** Where a service manager asks whether the process lives. */
export const LIVE_PATH = "/health/live"
/** Where a load balancer asks whether to send callers here. */
export const READY_PATH = "/health/ready"

/** The path of a request's target, without what is asked of it. */
export const requestPath = (request: { readonly url: string }): string => splitTarget(request.url)[0]

/**
 * Path and query of a request's target, parted at the first `?`: a query may have more of them (RFC 3986 3.4), and a `state` must
 * come back as it was sent.
 */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const separator = target.indexOf("?")
  return separator === -1 ? [target, ""] : [target.slice(0, separator), target.slice(separator + 1)]
}
