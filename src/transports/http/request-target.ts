/**
 * Path and query of a request's target, parted at the first `?`: a query may have more of them (RFC 3986 3.4), and a `state` must
 * come back as it was sent.
 */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const separator = target.indexOf("?")
  return separator === -1 ? [target, ""] : [target.slice(0, separator), target.slice(separator + 1)]
}
