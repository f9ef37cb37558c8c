import { isIP } from "node:net"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ApiRequest } from "./api-http.ts"

/**
 * Where a request comes from, as far as it is known. Behind a proxy that is trusted it is the last entry of `X-Forwarded-For`, the one
 * which that proxy wrote: what stands before it is its sender's own word. An entry that is no address, such as one with a port, would
 * be another for each connection: then it is the proxy's own.
 */
export const callerIpAddress = (
  { headers, remoteAddress }: Pick<ApiRequest, "headers" | "remoteAddress">,
  trustProxy: boolean
): string | undefined => {
  const forwarded = trustProxy ? (headers["x-forwarded-for"]?.split(",").at(-1)?.trim() ?? "") : ""
  return isIP(forwarded) === 0 ? remoteAddress : forwarded
}

/** Returns the same for a request to a page. */
export const pageCallerIpAddress = ({ headers, remoteAddress }: HttpServerRequest, trustProxy: boolean) =>
  callerIpAddress({ headers, remoteAddress: Option.getOrUndefined(remoteAddress) }, trustProxy)
