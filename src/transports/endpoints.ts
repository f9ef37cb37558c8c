import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceResponse } from "../contract/envelope.ts"
import { GUEST_PORTAL_PREFIX } from "../domain/bookings/check-in/guest-portal-url.ts"
import { SHARED_CALENDAR_PREFIX } from "../domain/calendars/calendar-share-links/share-link-url.ts"
import { FEEDS_PREFIX } from "../domain/calendars/property-feeds/feed-url.ts"
import { IMAGES_PATH_PREFIX } from "../domain/guests/images/image-url.ts"
import type { ServiceCall } from "../service/service.ts"
import { CONNECTORS_PREFIX, toConnectorErrorResponse } from "./connectors/connector-endpoint.ts"
import { AUTHORIZATION_PATH } from "./console/authorization-page.ts"
import { toConsoleErrorResponse } from "./console/console-endpoint.ts"
import { SIGN_IN_PATH } from "./console/page-frame.ts"
import { toGuestErrorResponse } from "./guest-portal/guest-portal.ts"
import { DOCS_PATH, REST_PREFIX } from "./http/paths.ts"
import { toRpcErrorResponse } from "./mcp/message.ts"
import { allowAnyOrigin } from "./oauth/cross-origin.ts"
import { toImageErrorResponse } from "./pages/image-endpoint.ts"
import { toFeedErrorResponse } from "./property-feed/property-feed.ts"
import { DISCOVERY_PREFIX } from "./public-documents/discovery.ts"
import { isOpenApiPath } from "./public-documents/openapi-endpoint.ts"
import { toEnvelopeResponse, toRestResponse } from "./rest/rest-endpoint.ts"
import { SANDBOX_PATH } from "./sandbox-pages/sandbox-endpoint.ts"
import { toCalendarErrorResponse } from "./shared-calendar/shared-calendar.ts"

// Which door a path leads to, and the form in which that door refuses what it is not even asked.

type Request = HttpServerRequest.HttpServerRequest

export type EndpointName =
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

interface RejectionFormat {
  /** The door of the log line. */
  readonly transport: ServiceCall["transport"]
  readonly toResponse: (answer: ServiceResponse, request: Request) => HttpServerResponse.HttpServerResponse
}

const MCP_PATH = "/mcp"

export const endpointAt = (path: string): EndpointName => {
  // Users often enter the address in hosted clients with a slash at its end.
  if (path === MCP_PATH || path === `${MCP_PATH}/`) return "mcp"
  if (path.startsWith(SHARED_CALENDAR_PREFIX)) return "calendar"
  if (path.startsWith(FEEDS_PREFIX)) return "feed"
  if (path === SANDBOX_PATH || path.startsWith(`${SANDBOX_PATH}/`)) return "sandbox"
  if (path.startsWith(CONNECTORS_PREFIX)) return "connectors"
  if (path.startsWith(IMAGES_PATH_PREFIX)) return "image"
  if (path.startsWith(GUEST_PORTAL_PREFIX)) return "guests"
  if (path === AUTHORIZATION_PATH || path === SIGN_IN_PATH || path.startsWith(`${SIGN_IN_PATH}/`)) return "console"
  if (path.startsWith(DISCOVERY_PREFIX)) return "discovery"
  if (isOpenApiPath(path)) return "openapi"
  // Who types the service's address alone wants to know what it is.
  if (path === "/" || path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`)) return "docs"
  return path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`) ? "rest" : "none"
}

const plainRejection: RejectionFormat = {
  transport: "rest",
  toResponse: (answer) => HttpServerResponse.setStatus(toEnvelopeResponse(answer), answer.envelope.error_code)
}

/** Outside `/v3` the status tells the truth: who asks there is a browser, or a client that looks for what is not here. */
export const REJECTION_FORMATS: Readonly<Record<EndpointName, RejectionFormat>> = {
  rest: { transport: "rest", toResponse: toRestResponse },
  mcp: { transport: "mcp", toResponse: toRpcErrorResponse },
  calendar: { transport: "rest", toResponse: toCalendarErrorResponse },
  feed: { transport: "rest", toResponse: toFeedErrorResponse },
  // Where it is not, it is not there: what is refused is told as of any unknown path.
  sandbox: plainRejection,
  connectors: { transport: "rest", toResponse: toConnectorErrorResponse },
  image: { transport: "rest", toResponse: toImageErrorResponse },
  guests: { transport: "rest", toResponse: toGuestErrorResponse },
  console: { transport: "console", toResponse: toConsoleErrorResponse },
  discovery: {
    transport: "rest",
    toResponse: (answer, request) => allowAnyOrigin(plainRejection.toResponse(answer, request))
  },
  openapi: {
    transport: "rest",
    toResponse: (answer, request) => allowAnyOrigin(plainRejection.toResponse(answer, request))
  },
  docs: plainRejection,
  none: plainRejection
}
