import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Answer } from "../contract/envelope.ts"
import { GUESTS_PREFIX } from "../domain/bookings/check-in/address.ts"
import { CALENDAR_PREFIX } from "../domain/calendars/calendar-share-links/address.ts"
import { FEEDS_PREFIX } from "../domain/calendars/property-feeds/address.ts"
import { IMAGES_PREFIX } from "../domain/guests/images/address.ts"
import type { Call } from "../service/service.ts"
import { CONNECTORS_PREFIX, connectorRefusal } from "./connectors/connectors.ts"
import { AUTHORIZATION_PATH } from "./console/authorization.ts"
import { consoleRefusal } from "./console/console.ts"
import { SIGN_IN_PATH } from "./console/frame.ts"
import { guestRefusal } from "./guest-portal/guest-page.ts"
import { DOCS_PATH } from "./http/docs-path.ts"
import { REST_PREFIX } from "./http/rest-prefix.ts"
import { rpcRefusal } from "./mcp/message.ts"
import { forAnyOrigin } from "./oauth/cross-origin.ts"
import { imageRefusal } from "./pages/image.ts"
import { feedRefusal } from "./property-feed/property-feed.ts"
import { DISCOVERY_PREFIX } from "./public-documents/discovery.ts"
import { isOpenApiPath } from "./public-documents/openapi.ts"
import { restResponse, toResponse } from "./rest/rest.ts"
import { SANDBOX_PATH } from "./sandbox-pages/sandbox.ts"
import { calendarRefusal } from "./shared-calendar/shared-calendar.ts"

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
