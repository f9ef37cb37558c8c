import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Answer } from "../contract/envelope.ts"
import { CALENDAR_PREFIX } from "../resources/calendar-share-links/address.ts"
import { GUESTS_PREFIX } from "../resources/check-in/address.ts"
import { IMAGES_PREFIX } from "../resources/images/address.ts"
import { FEEDS_PREFIX } from "../resources/property-feeds/address.ts"
import type { Call } from "../service.ts"
import { CONNECTORS_PREFIX, connectorRefusal } from "./connectors.ts"
import { DISCOVERY_PREFIX } from "./discovery.ts"
import { DOCS_PATH } from "./docs-path.ts"
import { rpcRefusal } from "./mcp/message.ts"
import { forAnyOrigin } from "./oauth/cross-origin.ts"
import { isOpenApiPath } from "./openapi.ts"
import { AUTHORIZATION_PATH } from "./pages/console/authorization.ts"
import { SIGN_IN_PATH } from "./pages/console/frame.ts"
import { consoleRefusal } from "./pages/console.ts"
import { guestRefusal } from "./pages/guest-page.ts"
import { imageRefusal } from "./pages/image.ts"
import { feedRefusal } from "./pages/property-feed.ts"
import { SANDBOX_PATH } from "./pages/sandbox.ts"
import { calendarRefusal } from "./pages/shared-calendar.ts"
import { restResponse, toResponse } from "./rest.ts"
import { REST_PREFIX } from "./rest-prefix.ts"

// Which door a path leads to, and the form in which that door refuses what it is not even asked.

type Request = HttpServerRequest.HttpServerRequest

export type DoorName =
  | "rest"
  | "mcp"
  | "calendar"
  | "feed"
  | "sandbox"
  | "connectors"
  | "image"
  | "guests"
  | "console"
  | "discovery"
  | "openapi"
  | "docs"
  | "none"

interface Refusing {
  /** The door of the log line. */
  readonly door: Call["door"]
  readonly responseOf: (answer: Answer, request: Request) => HttpServerResponse.HttpServerResponse
}

const MCP_PATH = "/mcp"

export const doorAt = (path: string): DoorName => {
  // Users often enter the address in hosted clients with a slash at its end.
  if (path === MCP_PATH || path === `${MCP_PATH}/`) return "mcp"
  if (path.startsWith(CALENDAR_PREFIX)) return "calendar"
  if (path.startsWith(FEEDS_PREFIX)) return "feed"
  if (path === SANDBOX_PATH || path.startsWith(`${SANDBOX_PATH}/`)) return "sandbox"
  if (path.startsWith(CONNECTORS_PREFIX)) return "connectors"
  if (path.startsWith(IMAGES_PREFIX)) return "image"
  if (path.startsWith(GUESTS_PREFIX)) return "guests"
  if (path === AUTHORIZATION_PATH || path === SIGN_IN_PATH || path.startsWith(`${SIGN_IN_PATH}/`)) return "console"
  if (path.startsWith(DISCOVERY_PREFIX)) return "discovery"
  if (isOpenApiPath(path)) return "openapi"
  // Who types the service's address alone wants to know what it is.
  if (path === "/" || path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`)) return "docs"
  return path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`) ? "rest" : "none"
}

const elsewhere: Refusing = {
  door: "rest",
  responseOf: (answer) => HttpServerResponse.setStatus(toResponse(answer), answer.envelope.error_code)
}

/** Outside `/v3` the status tells the truth: who asks there is a browser, or a client that looks for what is not here. */
export const REFUSING: Readonly<Record<DoorName, Refusing>> = {
  rest: { door: "rest", responseOf: restResponse },
  mcp: { door: "mcp", responseOf: rpcRefusal },
  calendar: { door: "rest", responseOf: calendarRefusal },
  feed: { door: "rest", responseOf: feedRefusal },
  // Where it is not, it is not there: what is refused is told as of any unknown path.
  sandbox: elsewhere,
  connectors: { door: "rest", responseOf: connectorRefusal },
  image: { door: "rest", responseOf: imageRefusal },
  guests: { door: "rest", responseOf: guestRefusal },
  console: { door: "console", responseOf: consoleRefusal },
  discovery: { door: "rest", responseOf: (answer, request) => forAnyOrigin(elsewhere.responseOf(answer, request)) },
  openapi: { door: "rest", responseOf: (answer, request) => forAnyOrigin(elsewhere.responseOf(answer, request)) },
  docs: elsewhere,
  none: elsewhere
}
