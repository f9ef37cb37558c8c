import { isPlainLoopback } from "../../service/configuration.ts"

/**
 * Prevents DNS rebinding (MCP, Streamable HTTP, "Security Warning"). Allows the service's own origin, local pages for a
 * local service, and requests without origin, which do not come from browsers.
 */
export const makeOriginRule = (publicUrl: string): ((origin: string | undefined) => boolean) => {
  const serviceOrigin = new URL(publicUrl).origin
  const isLocalService = isPlainLoopback(publicUrl)
  return (origin) => origin === undefined || origin === serviceOrigin || (isLocalService && isPlainLoopback(origin))
}

/**
 * A page that uses DNS rebinding sends its own host name. Only a local service checks it: elsewhere a proxy may send
 * any host, and pages need no rebinding.
 */
export const makeHostRule = (publicUrl: string): ((host: string | undefined) => boolean) =>
  isPlainLoopback(publicUrl) ? (host) => host !== undefined && isPlainLoopback(`http://${host}`) : () => true

/**
 * Builds `WWW-Authenticate` with the metadata URL (RFC 9728, 5.1). Distinguishes invalid from missing tokens (RFC 6750,
 * 3.1).
 */
export const makeChallenge = (publicUrl: string): ((badToken: string | undefined) => string) => {
  const metadata = `${new URL(publicUrl).origin}/.well-known/oauth-protected-resource/mcp`
  const challengeWithoutToken = `Bearer realm="latchkey", resource_metadata="${metadata}"`
  const challengeForBadToken = `${challengeWithoutToken}, error="invalid_token", error_description="Invalid access token"`
  return (badToken) => (badToken === undefined ? challengeWithoutToken : challengeForBadToken)
}
