import { isPlainLoopback } from "../../service/configuration.ts"

// Checks the origin and host of MCP requests, and builds the challenge for requests without a valid token.

/**
 * Returns a function that checks whether pages of an origin may use the endpoint. DNS rebinding must not give a foreign page access (MCP,
 * Streamable HTTP, "Security Warning"). A request without origin is allowed, because only browsers send one. Allowed origins are the
 * service's own, and pages of this machine if the service runs for this machine only.
 */
export const makeOriginRule = (publicUrl: string): ((origin: string | undefined) => boolean) => {
  const serviceOrigin = new URL(publicUrl).origin
  const isLocalService = isPlainLoopback(publicUrl)
  return (origin) => origin === undefined || origin === serviceOrigin || (isLocalService && isPlainLoopback(origin))
}

/**
 * Returns a function that checks the host of a request: a page that uses DNS rebinding sends its own name. The check applies only if the
 * service runs for this machine only. Elsewhere a proxy may send any host, and a page can reach the service without rebinding.
 */
export const makeHostRule = (publicUrl: string): ((host: string | undefined) => boolean) =>
  isPlainLoopback(publicUrl) ? (host) => host !== undefined && isPlainLoopback(`http://${host}`) : () => true

/**
 * Returns a function that builds `WWW-Authenticate`. It names the metadata with the authorization server (RFC 9728, 5.1), and tells an
 * invalid token from a missing one (RFC 6750, 3.1).
 */
export const makeChallenge = (publicUrl: string): ((badToken: string | undefined) => string) => {
  const metadata = `${new URL(publicUrl).origin}/.well-known/oauth-protected-resource/mcp`
  const challengeWithoutToken = `Bearer realm="latchkey", resource_metadata="${metadata}"`
  const challengeForBadToken = `${challengeWithoutToken}, error="invalid_token", error_description="Invalid access token"`
  return (badToken) => (badToken === undefined ? challengeWithoutToken : challengeForBadToken)
}
