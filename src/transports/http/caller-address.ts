import { isIP } from "node:net"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ApiRequest } from "./api-http.ts"

/**
 * With a trusted proxy, returns the last entry of `X-Forwarded-For`. The proxy wrote that entry, but a client can forge
 * earlier ones. Returns the proxy's address if the entry is no IP address. An entry with a port, for example, would
 * change with each connection.
 */
export const callerIpAddress = (
  { headers, remoteAddress }: Pick<ApiRequest, "headers" | "remoteAddress">,
  trustProxy: boolean
): string | undefined => {
  const forwarded = trustProxy ? (headers["x-forwarded-for"]?.split(",").at(-1)?.trim() ?? "") : ""
  return isIP(forwarded) === 0 ? remoteAddress : forwarded
}

export const pageCallerIpAddress = ({ headers, remoteAddress }: HttpServerRequest, trustProxy: boolean) =>
  callerIpAddress({ headers, remoteAddress: Option.getOrUndefined(remoteAddress) }, trustProxy)
