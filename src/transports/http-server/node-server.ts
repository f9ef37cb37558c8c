import { createServer, type Server } from "node:http"
import {
  HEADER_BYTES,
  HEADER_SECONDS,
  KEEP_ALIVE_SECONDS,
  REQUEST_SECONDS,
  STALLED_SECONDS
} from "../../platform/limits.ts"

/** What a server takes from its callers, where it is not the numbers of the service. */
export interface Patience {
  readonly headerSeconds: number
  readonly requestSeconds: number
  readonly keepAliveSeconds: number
  readonly stalledSeconds: number
}

export const patience: Patience = {
  headerSeconds: HEADER_SECONDS,
  requestSeconds: REQUEST_SECONDS,
  keepAliveSeconds: KEEP_ALIVE_SECONDS,
  stalledSeconds: STALLED_SECONDS
}

/** Node's server with every limit said, and without the answers it would give by itself. */
export const makeNodeServer = ({ headerSeconds, requestSeconds, keepAliveSeconds }: Patience): Server => {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: headerSeconds * 1000,
    requestTimeout: requestSeconds * 1000,
    // How often the two are looked at; Node's 30 s would double them.
    connectionsCheckingInterval: 1_000,
    // Any byte moves it: Connections keeps a clock that none does.
    keepAliveTimeout: keepAliveSeconds * 1000,
    // A machine that vanished says nothing: the kernel asks whether it is there.
    keepAlive: true,
    // Both are refused in the service's own words.
    requireHostHeader: false,
    // A wish to speak another protocol may be passed over (RFC 9110, 7.8): the request is served as it is.
    shouldUpgradeCallback: () => false
  })
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  // Node drops the headers beyond 2,000 without a word; their bytes are bounded.
  server.maxHeadersCount = 0
  // A client may end its side after its request (RFC 9112, 9.6). Node knows this setting, its types do not.
  return Object.assign(server, { httpAllowHalfOpen: true })
}
