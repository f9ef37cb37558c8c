import { isPlainLoopback } from "../../service/configuration.ts"

/**
 * Whether a page of this origin may use the endpoint (MCP, Streamable HTTP, "Security Warning": a page that rebinds
 * its name to this machine must not). No origin is fine: only browsers send one. Beside the service's own origin,
 * pages of this machine may use a service that is itself on this machine alone.
 */
export const makeOriginRule = (publicUrl: string): ((origin: string | undefined) => boolean) => {
  const serviceOrigin = new URL(publicUrl).origin
  const isLocalService = isPlainLoopback(publicUrl)
  return (origin) => origin === undefined || origin === serviceOrigin || (isLocalService && isPlainLoopback(origin))
}

/**
 * Whether a request to this host is meant for the service: a page that rebinds its name to this machine sends that name. It
 * is looked at where the service is on this machine alone. Elsewhere a proxy may say what it likes, and what a page could
 * reach there it could reach without any rebinding.
 */
export const makeHostRule = (publicUrl: string): ((host: string | undefined) => boolean) =>
  isPlainLoopback(publicUrl) ? (host) => host !== undefined && isPlainLoopback(`http://${host}`) : () => true

/**
 * `WWW-Authenticate` of the endpoint: where a client learns which authorization server to ask (RFC 9728, 5.1). A token
 * that is no good is told apart from none at all (RFC 6750, 3.1).
 */
export const makeChallenge = (publicUrl: string): ((badToken: string | undefined) => string) => {
  const metadata = `${new URL(publicUrl).origin}/.well-known/oauth-protected-resource/mcp`
  const challengeWithoutToken = `Bearer realm="latchkey", resource_metadata="${metadata}"`
  const challengeForBadToken = `${challengeWithoutToken}, error="invalid_token", error_description="Invalid access token"`
  return (badToken) => (badToken === undefined ? challengeWithoutToken : challengeForBadToken)
}
