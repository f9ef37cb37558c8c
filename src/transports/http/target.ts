/**
 * Path and query of a request's target, parted at the first `?`: a query may have more of them (RFC 3986 3.4), and a `state` must
 * come back as it was sent.
 */
export const partsOfTarget = (target: string): readonly [path: string, query: string] => {
  const at = target.indexOf("?")
  return at === -1 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)]
}
