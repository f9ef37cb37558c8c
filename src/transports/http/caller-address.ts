import { isIP } from "node:net"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ApiRequest } from "./api-http.ts"

/**
 * With a trusted proxy, returns the last entry of `X-Forwarded-For`, which the proxy wrote. A client can forge earlier
 * entries. If the entry is not an IP address, returns the proxy's address.
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
