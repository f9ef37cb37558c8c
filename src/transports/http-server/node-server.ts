import { createServer, type Server } from "node:http"
import {
  HEADER_BYTES,
  HEADER_SECONDS,
  KEEP_ALIVE_SECONDS,
  REQUEST_SECONDS,
  STALLED_SECONDS
} from "../../platform/limits.ts"

export interface HttpTimeouts {
  readonly headerSeconds: number
  readonly requestSeconds: number
  readonly keepAliveSeconds: number
  readonly stalledSeconds: number
}

export const DEFAULT_TIMEOUTS: HttpTimeouts = {
  headerSeconds: HEADER_SECONDS,
  requestSeconds: REQUEST_SECONDS,
  keepAliveSeconds: KEEP_ALIVE_SECONDS,
  stalledSeconds: STALLED_SECONDS
}

export const makeNodeServer = ({ headerSeconds, requestSeconds, keepAliveSeconds }: HttpTimeouts): Server => {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: headerSeconds * 1000,
    requestTimeout: requestSeconds * 1000,
    // Interval in which Node checks these timeouts. Its default of 30 s would allow twice as much.
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: keepAliveSeconds * 1000,
    keepAlive: true,
    // answer-requests.ts rejects a request without Host, with an envelope.
    requireHostHeader: false,
    // The server ignores Upgrade, as RFC 9110, 7.8 allows.
    shouldUpgradeCallback: () => false
  })
  // Node would drop headers after the 2,000th. HEADER_BYTES limits them already.
  server.maxHeadersCount = 0
  // A client may end its sending side after its request (RFC 9112, 9.6). Node's types lack this setting.
  return Object.assign(server, { httpAllowHalfOpen: true })
}
