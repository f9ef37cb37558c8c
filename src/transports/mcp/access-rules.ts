import { isPlainLoopback } from "../../service/configuration.ts"

/**
 * Prevents DNS rebinding (MCP, Streamable HTTP, "Security Warning"). Allows the service's own origin, local pages for a
 * local service, and requests without an origin, which do not come from browsers.
 */
export const makeOriginRule = (publicUrl: string): ((origin: string | undefined) => boolean) => {
  const serviceOrigin = new URL(publicUrl).origin
  const isLocalService = isPlainLoopback(publicUrl)
  return (origin) => origin === undefined || origin === serviceOrigin || (isLocalService && isPlainLoopback(origin))
}

/**
 * With DNS rebinding, a page sends its own host name. A public service does not check the name: a proxy may send any
 * host, and pages can call the service without rebinding.
 */
export const makeHostRule = (publicUrl: string): ((host: string | undefined) => boolean) =>
  isPlainLoopback(publicUrl) ? (host) => host !== undefined && isPlainLoopback(`http://${host}`) : () => true

/**
 * Builds `WWW-Authenticate` with the metadata URL (RFC 9728, 5.1). Only an invalid token gets an `error` (RFC 6750,
 * 3.1).
 */
export const makeChallenge = (publicUrl: string): ((badToken: string | undefined) => string) => {
  const metadata = `${new URL(publicUrl).origin}/.well-known/oauth-protected-resource/mcp`
  const challengeWithoutToken = `Bearer realm="latchkey", resource_metadata="${metadata}"`
  const challengeForBadToken = `${challengeWithoutToken}, error="invalid_token", error_description="Invalid access token"`
  return (badToken) => (badToken === undefined ? challengeWithoutToken : challengeForBadToken)
}
