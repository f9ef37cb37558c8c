import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceResponse } from "../contract/envelope.ts"
import { GUEST_PORTAL_PREFIX } from "../domain/bookings/check-in/guest-portal-url.ts"
import { SHARED_CALENDAR_PREFIX } from "../domain/calendars/calendar-share-links/share-link-url.ts"
import { FEEDS_PREFIX } from "../domain/calendars/property-feeds/feed-url.ts"
import { IMAGES_PATH_PREFIX } from "../domain/guests/images/image-url.ts"
import type { ServiceCall } from "../service/service.ts"
import { CONNECTORS_PREFIX, toConnectorErrorResponse } from "./connectors/connector-endpoint.ts"
import { AUTHORIZATION_PATH } from "./console/authorization-page.ts"
import { toConsoleErrorResponse } from "./console/console-endpoint.ts"
import { SIGN_IN_PATH } from "./console/host/urls.ts"
import { toGuestErrorResponse } from "./guest-portal/guest-portal.ts"
import { type ApiRequest, type ApiResponse, toEnvelopeResponse, toPageResponse, withStatus } from "./http/api-http.ts"
import { DOCS_PATH, REST_PREFIX } from "./http/paths.ts"
import { toRpcErrorResponse } from "./mcp/message.ts"
import { allowAnyOrigin } from "./oauth/cross-origin.ts"
import { toImageErrorResponse } from "./pages/image-endpoint.ts"
import { toFeedErrorResponse } from "./property-feed/property-feed.ts"
import { DISCOVERY_PREFIX } from "./public-documents/discovery.ts"
import { isOpenApiPath } from "./public-documents/openapi-endpoint.ts"
import { toRestResponse } from "./rest/rest-endpoint.ts"
import { SANDBOX_PATH } from "./sandbox-pages/sandbox-endpoint.ts"
import { toCalendarErrorResponse } from "./shared-calendar/shared-calendar.ts"
import { TEST_PREFIX } from "./test-endpoint/test-endpoint.ts"

type Request = HttpServerRequest.HttpServerRequest

type EndpointName =
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
  | "test"
  | "none"

const MCP_PATH = "/mcp"

export const endpointAt = (path: string): EndpointName => {
  if (path.startsWith(`${REST_PREFIX}/`)) return isOpenApiPath(path) ? "openapi" : "rest"
  // Users of hosted clients often add a slash to the address.
  if (path === MCP_PATH || path === `${MCP_PATH}/`) return "mcp"
  if (path.startsWith(SHARED_CALENDAR_PREFIX)) return "calendar"
  if (path.startsWith(FEEDS_PREFIX)) return "feed"
  if (path === SANDBOX_PATH || path.startsWith(`${SANDBOX_PATH}/`)) return "sandbox"
  if (path.startsWith(CONNECTORS_PREFIX)) return "connectors"
  if (path.startsWith(IMAGES_PATH_PREFIX)) return "image"
  if (path.startsWith(GUEST_PORTAL_PREFIX)) return "guests"
  if (path === AUTHORIZATION_PATH || path === SIGN_IN_PATH || path.startsWith(`${SIGN_IN_PATH}/`)) return "console"
  if (path.startsWith(DISCOVERY_PREFIX)) return "discovery"
  if (path.startsWith(TEST_PREFIX)) return "test"
  if (path === "/" || path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`)) return "docs"
  return path === REST_PREFIX ? "rest" : "none"
}

export type ApiEndpointName = "rest" | "mcp"
export const isApiEndpoint = (name: EndpointName): name is ApiEndpointName => name === "rest" || name === "mcp"
export type PageEndpointName = Exclude<EndpointName, ApiEndpointName>

/** Outside `/v3` and `/mcp`, the HTTP status of an error is its error code. */
const toPlainRejection = (response: ServiceResponse): ApiResponse =>
  withStatus(toEnvelopeResponse(response), response.envelope.error_code)

const toPlainPageRejection = (response: ServiceResponse) => toPageResponse(toPlainRejection(response))
const toPublicRejection = (response: ServiceResponse) => allowAnyOrigin(toPlainPageRejection(response))

export const PAGE_REJECTIONS: Readonly<
  Record<PageEndpointName, (response: ServiceResponse, request: Request) => HttpServerResponse.HttpServerResponse>
> = {
  calendar: toCalendarErrorResponse,
  feed: toFeedErrorResponse,
  // If the sandbox is disabled, its paths look like unknown paths.
  sandbox: toPlainPageRejection,
  connectors: toConnectorErrorResponse,
  image: toImageErrorResponse,
  guests: toGuestErrorResponse,
  console: toConsoleErrorResponse,
  discovery: toPublicRejection,
  openapi: toPublicRejection,
  docs: toPlainPageRejection,
  test: toPlainPageRejection,
  none: toPlainPageRejection
}

export const toApiRejection = (name: EndpointName, response: ServiceResponse, request: ApiRequest): ApiResponse => {
  if (name === "rest") return toRestResponse(response, request)
  return name === "mcp" ? toRpcErrorResponse(response) : toPlainRejection(response)
}

export const transportOf = (name: EndpointName): ServiceCall["transport"] =>
  name === "mcp" || name === "console" ? name : "rest"
